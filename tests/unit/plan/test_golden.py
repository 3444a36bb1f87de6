"""What is derived from every example is what was reviewed: `make golden` rewrites it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TOOL: dict[str, Any] = runpy.run_path(str(ROOT / "tools/golden"), run_name="golden")
EXAMPLES: dict[str, Path] = TOOL["examples"]()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_plan_is_the_golden_one(name: str) -> None:
    golden: Path = TOOL["GOLDEN"] / f"{name}.json"
    assert TOOL["derived"](EXAMPLES[name]) == golden.read_text(encoding="utf-8"), "run `make golden` and read the diff"


def test_there_is_no_golden_without_an_example() -> None:
    assert {path.stem for path in TOOL["GOLDEN"].glob("*.json")} == set(EXAMPLES)
