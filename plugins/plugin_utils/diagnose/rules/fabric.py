# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric on the nodes: interfaces, addresses, and MTU paths between all pairs."""

from __future__ import annotations

from collections import defaultdict

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

RUN_FABRIC = "run site.yml with --tags fabric"


def _interface(node: str, wanted: Record, seen: Record | None) -> list[Finding]:
    where = f"{node} {wanted['name']}"
    if seen is None:
        return [
            Finding(
                "SL301",
                "fail",
                where,
                "the interface is absent",
                "present",
                "absent",
                "see that the cable is plugged in at both ends; without one DGX OS removes the ports",
            )
        ]
    findings = []
    if seen["mtu"] != wanted["mtu"]:
        findings.append(
            Finding("SL302", "fail", where, "the MTU differs", str(wanted["mtu"]), str(seen["mtu"]), RUN_FABRIC)
        )
    if seen["ipv4"] != [wanted["address"]]:
        actual = ", ".join(seen["ipv4"]) or "none"
        findings.append(Finding("SL303", "fail", where, "the addresses differ", wanted["address"], actual, RUN_FABRIC))
    if seen["ipv6"]:
        findings.append(
            Finding(
                "SL304",
                "warn",
                where,
                "the interface has IPv6 addresses, so the RoCE GID index moves",
                "none",
                ", ".join(seen["ipv6"]),
                RUN_FABRIC,
            )
        )
    if seen.get("master"):
        findings.append(
            Finding(
                "SL305",
                "fail",
                where,
                "the rail is part of a bond or bridge, which breaks RDMA over both rails",
                "no master",
                str(seen["master"]),
                RUN_FABRIC,
            )
        )
    return findings


def interfaces(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL301 to SL305: each rail of each node as the plan says."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        if node is None or node.facts is None:
            continue
        seen = node.facts.get("interfaces") or {}
        for wanted in variables["fabric_interfaces"]:
            findings += _interface(name, wanted, seen.get(wanted["name"]))
    return findings


def routes(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL306: no default route leaves by a rail."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        rails = {wanted["name"] for wanted in variables["fabric_interfaces"]}
        findings += [
            Finding(
                "SL306",
                "fail",
                f"{name} {route['interface']}",
                "the default route leaves by the fabric",
                "no default route there",
                f"via {route['gateway']}",
                RUN_FABRIC,
                "DHCP or a gateway in another netplan file",
            )
            for route in (node.facts.get("default_routes") if node and node.facts else None) or ()
            if route["interface"] in rails
        ]
    return findings


def paths(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL307: frames of full MTU do not pass. SL308: some are lost. One finding a rail, not one a path."""
    findings = []
    for name in declared.nodes:
        node = evidence.nodes.get(name)
        if node is None or node.paths is None:
            continue
        by_rail: dict[str, list[Record]] = defaultdict(list)
        for path in node.paths:
            by_rail[path["rail"]].append(path)
        for rail, found in by_rail.items():
            findings += _rail_paths(name, rail, found)
    return findings


def _rail_paths(node: str, rail: str, found: list[Record]) -> list[Finding]:
    dead = [path for path in found if path["received"] == 0]
    lossy = [path for path in found if 0 < path["received"] < path["transmitted"]]
    findings = []
    if dead:
        reasons = sorted({path["error"] for path in dead if path["error"]})
        findings.append(
            Finding(
                "SL307",
                "fail",
                f"{node} rail {rail} to {', '.join(path['peer'] for path in dead)}",
                "frames of the fabric's MTU do not pass",
                f"answers to a ping of {dead[0]['payload']} bytes that may not be fragmented",
                "; ".join(reasons) or "no answer",
                "if one peer fails, look at its end; if all fail, look at this node's link, then at l2mtu and bridge of the "
                "switch port",
            )
        )
    if lossy:
        lost = ", ".join(
            f"{path['transmitted'] - path['received']} of {path['transmitted']} to {path['peer']}" for path in lossy
        )
        findings.append(
            Finding(
                "SL308",
                "warn",
                f"{node} rail {rail}",
                "pings are lost",
                "no loss",
                f"lost {lost}",
                "run verification again; if it stays, look at the port's FEC counters and replace the cable",
            )
        )
    return findings
