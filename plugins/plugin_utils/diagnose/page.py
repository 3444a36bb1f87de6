# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules' documentation page, made of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.catalogue import RULES
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import known

_CATALOGUE = Path(__file__).parents[1] / "data" / "fault_catalogue.json"
_INTRODUCTION = """# Findings

Made from the rules by `make findings`; do not edit.

The doctor, verification and drift judge a rack by these rules. A finding says where, what was expected and what was
seen, the usual cause, and what to do. One that merely follows from another (pings and RDMA over a broken cable, logins
to a node that is off) names that one in `follows` and is shown below it. Evidence that is missing is never taken to be
well: what could not be told is a finding of its own, SL002.

`fail`: not as declared. `warn`: as declared, and still worth a look; verification passes. `unknown`: could not tell.

Preflight refuses with codes of its own, SL100 to SL114: see [roles/preflight](../roles/preflight/README.md).
"""


def render() -> str:
    """Return the page as Markdown."""
    return "\n".join([_INTRODUCTION, *_table(), "", *_rules(), *_thresholds(), *_faults()])


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return the faults that owners met in the field, by the names that rules cover them by."""
    rows: dict[str, dict[str, str]] = json.loads(_CATALOGUE.read_text(encoding="utf-8"))["rows"]
    return rows


def _table() -> Iterator[str]:
    yield "| code | | meaning |"
    yield "|---|---|---|"
    for rule in sorted(RULES, key=lambda rule: rule.code):
        yield f"| [{rule.code}](#{rule.code.lower()}) | {rule.severity} | {rule.title} |"


def _rules() -> Iterator[str]:
    for rule in sorted(RULES, key=lambda rule: rule.code):
        yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    yield f"## {rule.code}"
    yield ""
    yield f"{rule.title[:1].upper()}{rule.title[1:]} ({rule.severity})."
    yield ""
    if rule.cause:
        yield f"- Cause: {rule.cause}."
    yield f"- What to do: {rule.remedy}."
    if rule.needs:
        yield f"- Needs: {', '.join(f'`{need}`' for need in rule.needs)}."
    yield f"- Source: {rule.source}."
    yield ""


def _thresholds() -> Iterator[str]:
    yield "## Thresholds"
    yield ""
    yield "An owner sets others in `doctor_thresholds`, a variable of the inventory."
    yield ""
    yield "| name | default | what for | source |"
    yield "|---|---|---|---|"
    for name, threshold in known().items():
        yield f"| `{name}` | {threshold.value:g} {threshold.unit} | {threshold.about} | {threshold.source} |"
    yield ""


def _faults() -> Iterator[str]:
    yield "## The fault catalogue"
    yield ""
    yield "What owners met in the field (`data/fault_catalogue.json`), and the rules that tell it. No rule: not told yet."
    yield ""
    yield "| fault | symptom | rules |"
    yield "|---|---|---|"
    for name, row in catalogue().items():
        codes = [rule.code for rule in RULES if name in rule.covers]
        symptom = row["symptom"].replace("|", "\\|")
        yield f"| {name} | {symptom} | {', '.join(f'[{code}](#{code.lower()})' for code in codes) or 'none'} |"
    yield ""
