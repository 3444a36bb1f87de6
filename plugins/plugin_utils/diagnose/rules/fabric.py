# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric on the nodes: interfaces, addresses and default routes."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, rail_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

RUN_FABRIC = "run site.yml with --tags fabric"


def _absent(where: str, rail: str, causes: Causes) -> Finding:
    return Finding(
        "SL301",
        "fail",
        where,
        "the interface is absent",
        "present",
        "absent",
        "see that the cable is plugged in at both ends; without one DGX OS removes the ports",
        follows=causes.of(rail),
        breaks=(rail,),
    )


def _interface(node: str, wanted: Record, seen: Record) -> list[Finding]:
    where, rail = f"{node} {wanted['name']}", rail_of(node, wanted["rail"])
    findings = []
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
                breaks=(rail,),
            )
        )
    if seen.get("mtu") != wanted["mtu"]:
        actual = str(seen.get("mtu") or "not read")
        findings.append(
            Finding("SL302", "fail", where, "the MTU differs", str(wanted["mtu"]), actual, RUN_FABRIC, breaks=(rail,))
        )
    ipv4, ipv6 = seen.get("ipv4"), seen.get("ipv6")
    if ipv4 != [wanted["address"]]:
        findings.append(
            Finding(
                "SL303",
                "fail",
                where,
                "the addresses differ",
                wanted["address"],
                "not read" if ipv4 is None else ", ".join(ipv4) or "none",
                RUN_FABRIC,
                # A bond takes the addresses of its members.
                follows=findings[0].title if seen.get("master") else "",
                breaks=(rail,),
            )
        )
    if ipv6 or (ipv6 is None and ipv4 is not None):
        findings.append(
            Finding(
                "SL304",
                "warn",
                where,
                "the interface has IPv6 addresses, so the RoCE GID index moves",
                "none",
                ", ".join(ipv6) if ipv6 else "not read",
                RUN_FABRIC,
            )
        )
    return findings


def interfaces(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL301 to SL305: each rail of each node as the plan says."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        seen = node.facts.get("interfaces") if node and node.facts else None
        if seen is None:
            continue
        for wanted in variables["fabric_interfaces"]:
            interface = seen.get(wanted["name"])
            if interface is None:
                findings.append(_absent(f"{name} {wanted['name']}", rail_of(name, wanted["rail"]), causes))
            else:
                findings += _interface(name, wanted, interface)
    return findings


def routes(declared: Declared, evidence: Evidence, _causes: Causes) -> list[Finding]:
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
                f"via {route.get('gateway') or 'the interface itself'}",
                RUN_FABRIC,
                "DHCP or a gateway in another netplan file",
            )
            for route in (node.facts.get("default_routes") if node and node.facts else None) or ()
            if route.get("interface") in rails
        ]
    return findings
