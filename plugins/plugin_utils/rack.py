# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rack as a report draws it: nodes, switches, cables, and the state of every link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.links import ends_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import Evidence

State = Literal["ok", "warn", "fail", "unknown"]


def draw(declared: Declared, evidence: Evidence, findings: Iterable[Finding]) -> Record:
    """Return the rack of a judgement: ``nodes``, ``switches`` and ``cables`` with their links."""
    view = View(declared, evidence, Causes(declared))
    by_link: dict[str, list[Finding]] = {link["name"]: [] for link in declared.links}
    for finding in findings:
        for thing in finding.breaks:
            if thing in by_link and not finding.follows:
                by_link[thing].append(finding)
    cables: dict[str, Record] = {}
    for link in declared.links:
        cable = link["cable"]
        near, far = cable["ends"]
        # A cage holds one cable; a breakout cable has several far ends, each with a link of its own.
        drawn = cables.setdefault(
            near, {"kind": cable["kind"], "description": cable["description"], "ends": [near], "links": []}
        )
        drawn["ends"].append(far)
        drawn["links"].append(_link(view, link, by_link[link["name"]]))
    return {
        "nodes": [_node(name, plan) for name, plan in declared.nodes.items()],
        "switches": [{"name": name, "model": plan["switch_model"]} for name, plan in declared.switches.items()],
        "cables": list(cables.values()),
    }


def _node(name: str, plan: Mapping[str, Any]) -> Record:
    cages: dict[str, list[Record]] = {}
    for rail in plan["fabric_interfaces"]:
        entry = {"rail": rail["rail"], "interface": rail["name"], "address": rail["address"]}
        cages.setdefault(str(rail["cage"]), []).append(entry)
    return {
        "name": name,
        "model": plan.get("node_model", ""),
        "rank": plan["node_rank"],
        "head": plan["node_head"] == name,
        "cages": [{"name": cage, "rails": rails} for cage, rails in sorted(cages.items())],
    }


def _link(view: View, link: Record, findings: list[Finding]) -> Record:
    ends = ends_of(view, link)
    rates = [end.gbps for end in ends if end.read]
    return {
        "name": link["name"],
        "rate_gbps": link["rate_gbps"],
        "seen_gbps": min((rate for rate in rates if rate), default=None) if rates and all(rates) else None,
        "state": _state(ends_read=[end.read for end in ends], well=[end.well for end in ends], findings=findings),
        "ends": [{**plan, "words": seen.words} for plan, seen in zip(link["ends"], ends, strict=True)],
        "findings": [finding.title for finding in findings],
    }


def _state(ends_read: list[bool], well: list[bool], findings: list[Finding]) -> State:
    if any(read and not good for read, good in zip(ends_read, well, strict=True)):
        return "fail"
    severities = {finding.severity for finding in findings}
    if "fail" in severities:
        return "fail"
    if not any(ends_read):
        return "unknown"
    return "warn" if "warn" in severities else "ok"
