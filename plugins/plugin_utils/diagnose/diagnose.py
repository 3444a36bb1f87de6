# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnose: what was declared and what was seen, to findings. Pure; both ends of a cable are judged together."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.catalogue import RULES
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import Thresholds
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import Evidence


def diagnose(
    declared: Declared,
    evidence: Evidence,
    thresholds: Thresholds | None = None,
    rules: Sequence[Rule] = RULES,
) -> list[Finding]:
    """Return every finding, causes before what follows from them."""
    findings: list[Finding] = []
    causes = Causes(declared)
    for rule in rules:
        found = rule.findings(View(declared, evidence, causes, thresholds or Thresholds(), rule.needs))
        findings += found
        causes = causes.and_of(found)
    return findings
