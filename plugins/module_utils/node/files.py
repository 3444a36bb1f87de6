# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files as they shall be against files as they are: what has to change. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# What a file gets that did not exist and whose entry names no mode.
NEW_MODE = 0o644


class FileError(Exception):
    """A file that cannot be handled as asked; the text says why."""


@dataclass(frozen=True)
class Wanted:
    """One file, or one managed block of a file that is otherwise kept."""

    path: str
    content: str = ""
    mode: int | None = None
    owner: str | None = None
    group: str | None = None
    present: bool = True
    block: str | None = None
    remove_lines: tuple[str, ...] = ()
    sensitive: bool = False


@dataclass(frozen=True)
class Actual:
    """A file of the node; ``content`` is None where there is none."""

    content: str | None = None
    mode: int | None = None
    owner: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class Change:
    """What is to be done to one file; ``after`` None removes it."""

    path: str
    before: Actual
    after: str | None
    mode: int
    owner: str | None
    group: str | None
    sensitive: bool = False

    def attributes(self) -> list[tuple[str, str, str]]:
        """Return (name, before, after) of each attribute that changes on an existing file."""
        if self.after is None or self.before.content is None:
            return []
        pairs = [
            ("mode", _octal(self.before.mode), _octal(self.mode)),
            ("owner", self.before.owner, self.owner or self.before.owner),
            ("group", self.before.group, self.group or self.before.group),
        ]
        return [(name, str(old), str(new)) for name, old, new in pairs if old != new]

    def diff(self) -> list[dict[str, str]]:
        """Return what Ansible shows for this file; hidden text stays hidden."""
        entries = []
        if self.after != self.before.content:
            hidden = "(hidden)\n"
            before, after = (
                (hidden if text and self.sensitive else text or "") for text in (self.before.content, self.after)
            )
            if self.sensitive and before == after:
                after = "(hidden, changed)\n"
            entries.append(
                {
                    "before_header": self.path if self.before.content is not None else f"{self.path} (absent)",
                    "after_header": self.path if self.after is not None else f"{self.path} (absent)",
                    "before": before,
                    "after": after,
                }
            )
        changed = self.attributes()
        if changed:
            entries.append(
                {
                    "before_header": f"{self.path} (attributes)",
                    "after_header": f"{self.path} (attributes)",
                    "before": "".join(f"{name}: {old}\n" for name, old, _new in changed),
                    "after": "".join(f"{name}: {new}\n" for name, _old, new in changed),
                }
            )
        return entries


def _octal(mode: int | None) -> str:
    return "" if mode is None else f"{mode:04o}"


def markers(name: str) -> tuple[str, str]:
    return f"# BEGIN sparkloom {name}", f"# END sparkloom {name}"


def find_block(text: str, name: str) -> str:
    """Return what the managed block ``name`` of a text holds; empty where there is none."""
    inside, _outside, _place = _split(text, name, "the text")
    return "".join(inside)


def _split(text: str, name: str, path: str) -> tuple[list[str], list[str], int | None]:
    """Return the lines in the block, those around it, and where among those the block stood."""
    begin, end = markers(name)
    inside: list[str] = []
    outside: list[str] = []
    place: int | None = None
    open_block = False
    for line in text.splitlines(keepends=True):
        word = line.strip()
        if word == begin:
            if open_block:
                break
            open_block = True
            place = len(outside) if place is None else place
        elif word == end and open_block:
            open_block = False
        else:
            (inside if open_block else outside).append(line)
    if open_block:
        # Whatever follows may be the owner's: nobody can tell where the block ends.
        raise FileError(f"{path}: the line '{begin}' has no '{end}'; put the file right by hand")
    return inside, outside, place


def with_block(text: str, name: str, content: str, path: str, *, present: bool = True) -> str:
    """Return ``text`` with the block ``name`` holding ``content``: in its place, else at the end."""
    begin, end = markers(name)
    _inside, outside, place = _split(text, name, path)
    if not present:
        return "".join(outside)
    body = content if not content or content.endswith("\n") else f"{content}\n"
    at = len(outside) if place is None else place
    if at and not outside[at - 1].endswith("\n"):
        outside[at - 1] += "\n"
    outside.insert(at, f"{begin}\n{body}{end}\n")
    return "".join(outside)


def without_lines(text: str, patterns: Iterable[str]) -> str:
    """Return ``text`` without the lines that one of the regular expressions is found in."""
    expressions = [re.compile(pattern) for pattern in patterns]
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not any(found.search(line.rstrip("\n")) for found in expressions))


def _after(wanted: Wanted, text: str | None) -> str | None:
    if wanted.block is None:
        return wanted.content if wanted.present else None
    if text is None and not wanted.present:
        return None
    return with_block(
        without_lines(text or "", wanted.remove_lines),
        wanted.block,
        wanted.content,
        wanted.path,
        present=wanted.present,
    )


def plan(wanted: Iterable[Wanted], actual: Mapping[str, Actual]) -> list[Change]:
    """Return the changes that make ``actual`` what is wanted, one a file, in order of first mention.

    Several entries of one path are folded: two blocks of a file are one write.
    """
    entries: dict[str, list[Wanted]] = {}
    for entry in wanted:
        entries.setdefault(entry.path, []).append(entry)
    changes = []
    for path, group in entries.items():
        before = actual.get(path, Actual())
        text = before.content
        for entry in group:
            text = _after(entry, text)
        modes: list[Any] = [entry.mode for entry in group if entry.mode is not None]
        change = Change(
            path,
            before,
            text,
            mode=modes[-1] if modes else (NEW_MODE if before.mode is None else before.mode),
            owner=next((entry.owner for entry in group if entry.owner), None),
            group=next((entry.group for entry in group if entry.group), None),
            sensitive=any(entry.sensitive for entry in group),
        )
        if text != before.content or change.attributes():
            changes.append(change)
    return changes
