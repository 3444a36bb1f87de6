# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on a terminal: the verdict, each cause with what follows from it, and what to do."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import Change, Report, clean

_NARROW, _WIDE = 50, 110
_BOLD, _RED, _YELLOW, _GREEN, _BLUE, _DIM = "1", "31", "33", "32", "36", "2"
# A word, a sign and a colour: none of them has to be seen for the others to tell.
_SEVERITIES = {"fail": ("✗", "FAIL", _RED), "warn": ("!", "WARN", _YELLOW), "unknown": ("?", "UNKNOWN", _BLUE)}
_LABELS = (("expected", "expected"), ("seen", "actual"), ("cause", "cause"), ("do", "remedy"))
# With more consequences than this, their kinds are counted instead.
_FEW = 6


@dataclass(frozen=True, slots=True)
class Look:
    """How it may look: width in columns, and whether colours are wanted."""

    width: int = 100
    colour: bool = False

    def paint(self, text: str, *codes: str) -> str:
        return f"\033[{';'.join(codes)}m{text}\033[0m" if self.colour else text

    @property
    def columns(self) -> int:
        return min(max(self.width, _NARROW), _WIDE)


def render(report: Report, look: Look | None = None, files: Mapping[str, str] | None = None) -> str:
    """Return the report as text; ``files`` says where others of its forms were written."""
    look = look or Look()
    blocks = ["\n".join(_headline(report, look))]
    blocks += ["\n".join(_finding(report, finding, look)) for finding in report.roots()]
    if report.changes:
        blocks.append("\n".join(_changes(report, look)))
    footer = list(_footer(report, look, files or {}))
    if footer:
        blocks.append("\n".join(footer))
    return "\n\n".join(blocks)


def _headline(report: Report, look: Look) -> Iterator[str]:
    judgement = report.judgement
    name, use = clean(judgement["cluster"]), judgement["kind"]
    if report.verdict == "ok":
        words, colour = "in order", _GREEN
    elif report.verdict == "findings":
        words, colour = _counted(report), _RED
    else:
        words, colour = "could not tell", _BLUE
    yield look.paint("─" * look.columns, _DIM)
    sign = {"ok": "✓", "findings": "✗", "unknown": "?"}[report.verdict]
    yield f"{look.paint(f'{sign} {name}: {words}', _BOLD, colour)}  {look.paint(f'({use})', _DIM)}"
    if report.verdict == "ok":
        yield f"  {clean(judgement['summary'])}"


def _counted(report: Report) -> str:
    count = Counter(one["severity"] for one in report.roots())
    words = [
        f"{number} {word if number == 1 else plural}"
        for severity, word, plural in (
            ("fail", "failure", "failures"),
            ("warn", "warning", "warnings"),
            ("unknown", "question open", "questions open"),
        )
        if (number := count[severity])
    ]
    if report.changes:
        number = len(report.changes)
        words.append(f"{number} {'change' if number == 1 else 'changes'} that site.yml would make")
    following = sum(1 for one in report.findings if one["follows"])
    return ", ".join(words) + (f" ({following} more follow from these)" if following else "")


def _finding(report: Report, finding: Mapping[str, Any], look: Look) -> Iterator[str]:
    sign, word, colour = _SEVERITIES[finding["severity"]]
    place = f"{finding['code']} {clean(finding['where'])}"
    yield f"{look.paint(f'{sign} {word}', _BOLD, colour)}  {look.paint(place, _BOLD)}"
    yield from _wrapped("  ", "  ", clean(finding["problem"]), look)
    for label, key in _LABELS:
        text = clean(finding.get(key) or "")
        if text:
            yield from _wrapped(f"    {label:9}", " " * 13, text, look)
    following = report.consequences(finding["title"])
    if following:
        yield f"    {look.paint('follows', _DIM)}"
        yield from _following(following, look)


def _following(following: list[Mapping[str, Any]], look: Look) -> Iterator[str]:
    if len(following) <= _FEW:
        for one in following:
            yield from _wrapped("      └ ", "        ", f"{clean(one['title'])}: {clean(one['problem'])}", look)
        return
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for one in following:
        kinds.setdefault(f"{one['code']} {clean(one['problem'])}", []).append(one)
    for kind, ones in kinds.items():
        hosts = ", ".join(dict.fromkeys(host for one in ones for host in one.get("hosts") or [one["where"]]))
        yield from _wrapped("      └ ", "        ", f"{kind}: {len(ones)} times, {clean(hosts)}", look)


def _changes(report: Report, look: Look) -> Iterator[str]:
    yield look.paint("site.yml would change", _BOLD)
    tasks: dict[tuple[str, str], list[Change]] = {}
    for change in report.changes:
        tasks.setdefault((change.task, change.diff), []).append(change)
    for (task, diff), changes in tasks.items():
        hosts = ", ".join(dict.fromkeys(clean(change.host) for change in changes))
        yield from _wrapped("  ~ ", "    ", f"{hosts}: {clean(task)}", look)
        for line in diff.splitlines():
            colour = _GREEN if line.startswith("+") else _RED if line.startswith("-") else _DIM
            yield look.paint(f"      {line[: look.columns - 6]}", colour)


def _footer(report: Report, look: Look, files: Mapping[str, str]) -> Iterator[str]:
    evidence = report.judgement.get("evidence") or {}
    hosts = {**evidence.get("nodes", {}), **evidence.get("switches", {})}
    answered = sum(1 for host in hosts.values() if host.get("parts"))
    yield look.paint(f"{answered} of {len(hosts)} hosts answered; taken {report.judgement['taken_at']}", _DIM)
    for form, path in files.items():
        yield look.paint(f"{form:11} {path}", _DIM)


def _wrapped(first: str, rest: str, text: str, look: Look) -> Iterator[str]:
    # A remedy may be a command: words are never broken.
    lines = textwrap.wrap(
        text,
        look.columns,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from lines or [first.rstrip()]
