"""Every role has one shape, and hides neither a change nor a fault."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir() if path.is_dir())
PLAYBOOKS = [ROOT / "site.yml", *sorted((ROOT / "playbooks").glob("*.yml"))]
TASK_FILES = sorted((ROOT / "roles").glob("*/tasks/*.yml")) + sorted((ROOT / "roles").glob("*/handlers/*.yml"))

# Modules that run whatever text they are given: none has a place in a role.
SHELLS = {"shell", "command", "raw", "script", "expect"}
LONGEST_TASK_FILE = 60
LONGEST_DEFAULTS_FILE = 60


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def tasks_in(items: list[dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    """Yield every task of a list, those inside blocks and plays included."""
    for item in items or []:
        nested = [
            key for key in ("block", "rescue", "always", "tasks", "pre_tasks", "post_tasks", "handlers") if key in item
        ]
        for key in nested:
            yield from tasks_in(item[key])
        if not {"block", "hosts"} & item.keys():
            yield item


def every_task() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{path.relative_to(ROOT)}: {task.get('name', '?')}", task)
        for path in [*TASK_FILES, *PLAYBOOKS]
        for task in tasks_in(load(path))
    ]


@pytest.mark.parametrize("role", ROLES)
def test_a_role_declares_its_variables_once(role: str) -> None:
    specs = load(ROOT / "roles" / role / "meta/argument_specs.yml")["argument_specs"]["main"]["options"]
    defaults_file = ROOT / "roles" / role / "defaults/main.yml"
    defaults = (load(defaults_file) or {}) if defaults_file.exists() else {}
    declared = {name: option["default"] for name, option in specs.items() if "default" in option}
    assert defaults == declared, "defaults/main.yml and meta/argument_specs.yml say different things"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_has_the_files_of_every_role(role: str) -> None:
    home = ROOT / "roles" / role
    for name in ("meta/main.yml", "meta/argument_specs.yml", "tasks/main.yml", "README.md"):
        assert (home / name).is_file(), f"roles/{role}/{name} is missing"


@pytest.mark.parametrize("path", TASK_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_task_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_TASK_FILE


@pytest.mark.parametrize(
    "path", sorted((ROOT / "roles").glob("*/defaults/*.yml")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_defaults_file_is_short_and_holds_literals(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_DEFAULTS_FILE
    assert "{{" not in text, "defaults hold literals; what is derived belongs into the plan"


def test_no_task_runs_a_shell() -> None:
    found = [where for where, task in every_task() if SHELLS & {key.rsplit(".", 1)[-1] for key in task}]
    assert found == []


@pytest.mark.parametrize("keyword", ["ignore_errors", "ignore_unreachable", "failed_when", "changed_when"])
def test_no_task_overrules_what_a_module_reports(keyword: str) -> None:
    assert [where for where, task in every_task() if keyword in task] == []


def test_no_task_keeps_state_in_facts() -> None:
    found = [where for where, task in every_task() if "set_fact" in {key.rsplit(".", 1)[-1] for key in task}]
    assert found == []


def tracked_text() -> Iterator[tuple[str, str]]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        path = ROOT / name
        if path.is_symlink() or not path.is_file():
            continue
        try:
            yield name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_the_repository_stands_alone() -> None:
    elsewhere = re.compile(r"\.\./shared\b|/root/\.pyenv")
    this_file = str(Path(__file__).relative_to(ROOT))
    found = [name for name, text in tracked_text() if name != this_file and elsewhere.search(text)]
    assert found == []


def test_no_two_test_modules_share_a_name() -> None:
    """Pytest imports test modules by their bare names, and stops at the second of two."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []
