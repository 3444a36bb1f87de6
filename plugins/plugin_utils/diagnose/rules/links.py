# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links, judged from both ends of the cable: the switch's monitor and the node's two rails."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

MBPS_PER_GBPS = 1000


def _switch_side(end: Record, link: Record, evidence: Evidence) -> Record | None:
    """Return what the switch at one end shows of the link, or None when it gave nothing."""
    seen = evidence.switches.get(end["name"])
    for row in (seen.links if seen else None) or ():
        if row["port"] == end["port"] and row["name"] == link["name"]:
            return row
    return None


def _node_rates(end: Record, evidence: Evidence) -> dict[str, int | None] | None:
    """Return the rate in Mb/s of each rail (None: no carrier), or None when the node gave nothing."""
    node = evidence.nodes.get(end["name"])
    if node is None or node.facts is None:
        return None
    interfaces = node.facts.get("interfaces") or {}
    rates: dict[str, int | None] = {}
    for name in end["interfaces"]:
        seen = interfaces.get(name, {})
        rates[name] = seen.get("speed_mbps") if seen.get("carrier") else None
    return rates


def _rate_words(mbps: int | None) -> str:
    return f"{mbps / MBPS_PER_GBPS:g}G" if mbps else "no carrier"


def _seen_words(link: Record, evidence: Evidence) -> tuple[str, bool, str, str]:
    """Return (what both ends show, all well, the switch's explanation, its remedy)."""
    words, well, problem, remedy = [], True, "", ""
    for end in link["ends"]:
        if end["kind"] == "switch":
            row = _switch_side(end, link, evidence)
            if row is None:
                words.append(f"{end['name']}/{end['port']} not read")
                continue
            rate = f"{row['rate_gbps']}G" if row["rate_gbps"] else row["status"]
            words.append(f"{end['name']}/{end['port']} {rate}{' ' + row['fec'] if row['fec'] else ''}")
            if not row["up"]:
                well, problem, remedy = False, row["problem"], row["remedy"]
        else:
            rates = _node_rates(end, evidence)
            if rates is None:
                words.append(f"{end['name']}/{end['cage']} not read")
                continue
            words.append(f"{end['name']} " + ", ".join(f"{name} {_rate_words(rate)}" for name, rate in rates.items()))
            well = well and all(rate == link["rate_gbps"] * MBPS_PER_GBPS for rate in rates.values())
    return "; ".join(words), well, problem, remedy


def links(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL201: a link is not at its rate. SL202: the switch shows a link that the node does not see."""
    findings = []
    for link in declared.links:
        seen, well, problem, remedy = _seen_words(link, evidence)
        if well:
            continue
        cable = link["cable"]
        switch_is_content = not problem and any(end["kind"] == "switch" for end in link["ends"])
        findings.append(
            Finding(
                code="SL202" if switch_is_content else "SL201",
                severity="fail",
                where=f"cable {cable['kind']} between {' and '.join(cable['ends'])}",
                problem=(
                    "the switch shows the link, the node does not see it at its rate"
                    if switch_is_content
                    else problem or "the link is not at its rate"
                ),
                expected=f"{link['rate_gbps']}G on both ends",
                actual=seen,
                remedy=remedy
                or (
                    "compare speed and FEC of both ends (ethtool --show-fec), then reseat or replace the cable"
                    if switch_is_content
                    else "reseat the cable at both ends, then replace it"
                ),
                cause="a forced port shows link-ok although the far end disagrees on FEC or mode"
                if switch_is_content
                else "",
            )
        )
    return findings


def offload(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL203: a fabric port is not forwarded by the switch chip."""
    findings = []
    for name, variables in declared.switches.items():
        seen = evidence.switches.get(name)
        if seen is None or seen.bridge_ports is None:
            continue
        rows = {row["interface"]: row for row in seen.bridge_ports}
        wanted = variables["switch_bridge"]
        for member in wanted["members"]:
            row = rows.get(member)
            if row and row.get("bridge") == wanted["name"] and row.get("hw-offload") in {"true", "yes"}:
                continue
            actual = f"in {row.get('bridge')}, hw-offload {row.get('hw-offload', 'unknown')}" if row else "in no bridge"
            findings.append(
                Finding(
                    "SL203",
                    "fail",
                    f"{name}/{member}",
                    "the port is not forwarded by the switch chip",
                    f"in {wanted['name']}, hw-offload true",
                    actual,
                    "run the role switch; if it stays so, look for a second bridge or a bridge setting the chip cannot do",
                    "only one bridge is offloaded; the CPU forwards 5 Gb/s",
                )
            )
    return findings
