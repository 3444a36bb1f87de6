# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One judgement, in words for the owner of the rack."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

# "unknown": the evidence that would tell is missing.
Severity = Literal["fail", "warn", "unknown"]
_ORDER: tuple[Severity, ...] = ("fail", "warn", "unknown")


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, where, and what to do about it."""

    code: str  # SL101 and so on; docs/findings.md lists them
    severity: Severity
    where: str  # a host, a cable with both its ends, a pair of nodes
    problem: str
    expected: str
    actual: str
    remedy: str
    cause: str = ""
    follows: str = ""  # title of the finding that explains this one; empty for one that stands alone
    hosts: tuple[str, ...] = ()  # whom it concerns
    breaks: tuple[str, ...] = field(default=(), repr=False, compare=False)  # things that this explains (causes.py)

    @property
    def title(self) -> str:
        return f"{self.code} {self.where}"

    def to_dict(self) -> dict[str, Any]:
        """Return what a module reports; ``breaks`` is between rules only."""
        found = {name: value for name, value in asdict(self).items() if name != "breaks"}
        return {**found, "hosts": list(self.hosts), "title": self.title}

    def __str__(self) -> str:
        """Render as the paragraph that a terminal shows."""
        lines = [
            f"{self.code} {self.where}: {self.problem}",
            f"  expected: {self.expected}",
            f"  seen:     {self.actual}",
        ]
        if self.cause:
            lines.append(f"  cause:    {self.cause}")
        lines.append(f"  remedy:   {self.remedy}")
        return "\n".join(lines)


def roots(findings: list[Finding]) -> list[Finding]:
    """Return the findings that no other one explains."""
    return [finding for finding in findings if not finding.follows]


def render(findings: list[Finding]) -> str:
    """Return all findings as one text: failures first, and what merely follows from another one in a line each, last."""
    paragraphs = [str(finding) for finding in sorted(roots(findings), key=lambda found: _ORDER.index(found.severity))]
    consequences: dict[str, list[str]] = {}
    for finding in findings:
        if finding.follows:
            consequences.setdefault(finding.follows, []).append(f"  {finding.title}: {finding.problem}")
    paragraphs += ["\n".join([f"From {cause} follows:", *lines]) for cause, lines in consequences.items()]
    return "\n\n".join(paragraphs)
