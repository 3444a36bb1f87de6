# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report: a judgement, and in a drift run what the main job would change. The one input of every renderer."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any, Literal

Verdict = Literal["ok", "findings", "unknown"]
EXIT_CODES: dict[Verdict, int] = {"ok": 0, "findings": 1, "unknown": 2}
# What a reader sees of one diff, and of one value.
DIFF_LINES = 40
_LONGEST = 2000


def clean(text: object, longest: int = _LONGEST) -> str:
    """Return a text of a host without what could steer a terminal or break a document; newlines stay."""
    shown = "".join(
        char if char == "\n" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"} else "\ufffd"
        for char in str(text)[: longest + 1]
    )
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


@dataclass(frozen=True, slots=True)
class Change:
    """What the main job would change on one host."""

    host: str
    task: str
    diff: str = ""  # unified

    def to_dict(self) -> dict[str, str]:
        return {"host": self.host, "task": self.task, "diff": self.diff}


@dataclass(frozen=True, slots=True)
class Report:
    judgement: Mapping[str, Any]
    changes: Sequence[Change] = ()
    history: Mapping[str, Any] | None = None
    findings: Sequence[Mapping[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", list(self.judgement["findings"]))

    @property
    def verdict(self) -> Verdict:
        verdict: Verdict = self.judgement["verdict"]
        return "findings" if self.changes else verdict

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def roots(self) -> list[Mapping[str, Any]]:
        """Return the findings that no other one explains: failures first, then warnings, then what could not be told."""
        order = ("fail", "warn", "unknown")
        return sorted(
            (one for one in self.findings if not one["follows"]), key=lambda one: order.index(one["severity"])
        )

    def consequences(self, title: str) -> list[Mapping[str, Any]]:
        """Return the findings that follow from the one of this title."""
        return [one for one in self.findings if one["follows"] == title]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.judgement,
            "verdict": self.verdict,
            "changes": [change.to_dict() for change in self.changes],
            "history": self.history,
        }


def diff_text(diffs: object) -> str:
    """Return what a task's ``diff`` result says, as a unified diff that is not too long to read."""
    found = diffs if isinstance(diffs, list) else [diffs]
    lines: list[str] = []
    for diff in found:
        if not isinstance(diff, Mapping):
            continue
        if diff.get("prepared"):
            lines += clean(diff["prepared"]).splitlines()
            continue
        before, after = (clean(_side(diff.get(side)), 20000).splitlines() for side in ("before", "after"))
        header = clean(diff.get("after_header") or diff.get("before_header") or "", 200)
        # The two lines of file names say nothing here.
        body = list(unified_diff(before, after, lineterm="", n=1))[2:]
        lines += [f"# {header}", *body] if header and body else body
    if len(lines) > DIFF_LINES:
        lines = [*lines[:DIFF_LINES], f"… {len(lines) - DIFF_LINES} more lines"]
    return "\n".join(lines)


def _side(value: object) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {item}" for key, item in value.items())
    return "" if value is None else str(value)
