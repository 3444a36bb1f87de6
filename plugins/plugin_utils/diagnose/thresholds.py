# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that rules judge by: data with its sources (data/thresholds.json), and what the owner sets instead."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parents[1] / "data" / "thresholds.json"


@dataclass(frozen=True, slots=True)
class Threshold:
    value: float
    unit: str
    about: str
    source: str


@cache
def known() -> dict[str, Threshold]:
    """Return every threshold by its name, with its default."""
    return {name: Threshold(**row) for name, row in json.loads(_DATA.read_text(encoding="utf-8")).items()}


class Thresholds(Mapping[str, float]):
    """The defaults, with the owner's own values in their place.

    :raises KeyError: the owner names a threshold that no rule knows
    """

    def __init__(self, own: Mapping[str, float] | None = None) -> None:
        for name in own or {}:
            if name not in known():
                raise KeyError(name)
        self._values = {name: threshold.value for name, threshold in known().items()} | dict(own or {})

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
