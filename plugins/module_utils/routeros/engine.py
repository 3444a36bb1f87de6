# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reconcile engine: (path, key, wanted entries, actual rows) to the fewest commands. Pure.

A run with nothing to do has no command. The same change of several rows is one sentence, since
RouterOS takes a list of ids. Attributes that must not be set together, or not in any order, are
put in phases by the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Row = Mapping[str, str]

_TRUE = frozenset({"yes", "true"})
_FALSE = frozenset({"no", "false"})


@dataclass(frozen=True, slots=True)
class Entry:
    """What one row of a path has to be; attributes that are not named are left as they are."""

    key: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """What differs in one row; ``before`` lacks what the row does not have yet."""

    key: str
    id: str | None  # None: the row is missing and will be added
    before: Mapping[str, str]
    after: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Command:
    """One sentence to send."""

    path: str
    verb: str
    attributes: Mapping[str, str]
    keys: tuple[str, ...] = field(default=())

    @property
    def word(self) -> str:
        return f"{self.path}/{self.verb}"


def same(left: str | None, right: str) -> bool:
    """Tell whether two values mean the same to RouterOS, which prints ``true`` for ``yes``."""
    if left is None:
        return False
    return left == right or {left, right} <= _TRUE or {left, right} <= _FALSE


def difference(entries: Sequence[Entry], rows: Sequence[Row], key: str) -> list[Change]:
    """Return what differs, in the order of the entries. ``key`` is the property that identifies a row."""
    actual = {row[key]: row for row in rows if key in row}
    changes = []
    for entry in entries:
        row = actual.get(entry.key)
        if row is None:
            changes.append(Change(entry.key, None, {}, dict(entry.attributes)))
            continue
        after = {name: value for name, value in entry.attributes.items() if not same(row.get(name), value)}
        if after:
            before = {name: row[name] for name in after if name in row}
            changes.append(Change(entry.key, row[".id"], before, after))
    return changes


def set_commands(path: str, changes: Sequence[Change], phases: Sequence[Sequence[str]]) -> list[Command]:
    """Return the ``set`` sentences for changes of rows that exist, phase by phase.

    A phase is the attributes that one sentence may carry; rows that change alike share a sentence.
    Attributes of no phase go last, together.
    """
    named = {name for phase in phases for name in phase}
    rest = sorted({name for change in changes for name in change.after} - named)
    commands = []
    for phase in [*phases, rest]:
        groups: dict[tuple[tuple[str, str], ...], list[Change]] = {}
        for change in changes:
            part = tuple((name, change.after[name]) for name in phase if name in change.after)
            if part and change.id is not None:
                groups.setdefault(part, []).append(change)
        for part, members in groups.items():
            ids = ",".join(change.id or "" for change in members)
            keys = tuple(change.key for change in members)
            commands.append(Command(path, "set", {".id": ids, **dict(part)}, keys))
    return commands


def add_commands(path: str, changes: Sequence[Change], key: str) -> list[Command]:
    """Return the ``add`` sentences for rows that are missing."""
    return [
        Command(path, "add", {key: change.key, **change.after}, (change.key,))
        for change in changes
        if change.id is None
    ]


def diff_text(changes: Sequence[Change]) -> tuple[str, str]:
    """Return what differs as two texts, before and after, one line an attribute."""
    before, after = [], []
    for change in changes:
        if change.id is None:
            after += [f"{change.key} {name}={value}" for name, value in change.after.items()]
            continue
        for name, value in change.after.items():
            before.append(f"{change.key} {name}={change.before.get(name, '')}")
            after.append(f"{change.key} {name}={value}")
    return "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)
