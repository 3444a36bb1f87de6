# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rule: one fault, what has to be seen to tell it, how it is told, why it happens and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, Severity
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View


class Found(Protocol):
    """Makes a finding of a rule; what is not given is the rule's own."""

    def __call__(
        self,
        where: str,
        *,
        expected: str,
        actual: str,
        hosts: Iterable[str],
        problem: str = "",
        severity: Severity | None = None,
        cause: str | None = None,
        remedy: str = "",
        follows: str = "",
        breaks: Iterable[str] = (),
    ) -> Finding: ...


Judge = Callable[[View, Found], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    code: str  # SL201; never used again for another fault
    title: str  # the fault in words, as a finding says it: "the MTU differs"
    severity: Severity  # the worst that it gives
    needs: tuple[str, ...]  # parts without which it cannot judge a host: node.interfaces, switch.links
    uses: tuple[str, ...]  # parts that it looks at where they are there
    remedy: str
    cause: str  # the usual one; a finding may know better
    source: str  # who saw this fault, or says so
    covers: tuple[str, ...]  # rows of the fault catalogue (data/fault_catalogue.json)
    judge: Judge

    def found(
        self,
        where: str,
        *,
        expected: str,
        actual: str,
        hosts: Iterable[str],
        problem: str = "",
        severity: Severity | None = None,
        cause: str | None = None,
        remedy: str = "",
        follows: str = "",
        breaks: Iterable[str] = (),
    ) -> Finding:
        return Finding(
            code=self.code,
            severity=severity or self.severity,
            where=where,
            problem=problem or self.title,
            expected=expected,
            actual=actual,
            remedy=remedy or self.remedy,
            cause=self.cause if cause is None else cause,
            follows=follows,
            hosts=tuple(dict.fromkeys(hosts)),
            breaks=tuple(breaks),
        )

    def findings(self, view: View) -> list[Finding]:
        return list(self.judge(view, self.found))


def rule(
    code: str,
    title: str,
    *,
    severity: Severity = "fail",
    needs: Iterable[str] = (),
    uses: Iterable[str] = (),
    remedy: str,
    cause: str = "",
    source: str,
    covers: Iterable[str] = (),
) -> Callable[[Judge], Rule]:
    """Make a rule of a function that judges."""

    def make(judge: Judge) -> Rule:
        return Rule(
            code=code,
            title=title,
            severity=severity,
            needs=tuple(needs),
            uses=tuple(uses),
            remedy=remedy,
            cause=cause,
            source=source,
            covers=tuple(covers),
            judge=judge,
        )

    return make
