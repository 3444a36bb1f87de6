# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One judgement, in words for the owner of the rack."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["fail", "warn"]


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

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

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


def render(findings: list[Finding]) -> str:
    """Return all findings as one text, the failures first, each kind in the order found."""
    ordered = sorted(findings, key=lambda finding: finding.severity != "fail")
    return "\n\n".join(map(str, ordered))
