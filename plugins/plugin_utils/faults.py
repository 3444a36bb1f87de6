# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of a cluster file: where, what is wrong, what to do; all of them at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Key = tuple[str | int, ...]


def key_text(key: Key) -> str:
    """Return a key as an owner reads it: ``cables[2].to[0]``; the whole file when it is empty."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "(the whole file)"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that ``word`` is probably a slip of, or an empty string."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a cluster file."""

    key: Key
    problem: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}, {key_text(self.key)}" if self.line else key_text(self.key)
        stop = "" if self.remedy.endswith("?") else "."
        return f"{where}: {self.problem}. {self.remedy}{stop}"


@dataclass
class Faults:
    """The faults found so far, each once."""

    found: list[Fault] = field(default_factory=list)
    _seen: set[Fault] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._seen = set(self.found)

    def add(self, key: Key, problem: str, remedy: str) -> None:
        fault = Fault(key, problem, remedy)
        if fault not in self._seen:
            self._seen.add(fault)
            self.found.append(fault)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.found)

    def __bool__(self) -> bool:
        return bool(self.found)


class ClusterFileError(Exception):
    """A cluster file that is refused; ``faults`` are all that is wrong with it."""

    def __init__(self, faults: Iterable[Fault], source: str = "", lines: Mapping[Key, int] | None = None) -> None:
        self.source = source
        self.faults = tuple(sorted((self._located(fault, lines or {}) for fault in faults), key=lambda f: f.line or 0))
        super().__init__(str(self))

    @staticmethod
    def _located(fault: Fault, lines: Mapping[Key, int]) -> Fault:
        """Return the fault with the line of its key, or of the nearest key above it."""
        for depth in range(len(fault.key), 0, -1):
            if line := lines.get(fault.key[:depth]):
                return Fault(fault.key, fault.problem, fault.remedy, line)
        return fault

    def __str__(self) -> str:
        count = len(self.faults)
        head = f"{self.source or 'the cluster file'} has {count} fault{'s' if count != 1 else ''}:"
        return "\n".join([head, *(f"  {fault}" for fault in self.faults)])
