# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabric ports of a switch: forwarded by the chip, and wide enough for a fabric frame."""

from __future__ import annotations

from collections import defaultdict

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

_TRUE = {"true", "yes", True}
_RUN_SWITCH = "run site.yml with --tags switch"


def _links_of(declared: Declared, switch: str, port: str) -> tuple[str, ...]:
    return tuple(
        link["name"]
        for link in declared.links
        if any(end["name"] == switch and end.get("port") == port for end in link["ends"])
    )


def _bridge_words(row: Record | None, bridge: str) -> str:
    """Return what is wrong with a member's place in the bridge; empty when nothing is."""
    if row is None:
        return "in no bridge"
    if row.get("bridge") != bridge:
        return f"in {row.get('bridge')}"
    if row.get("disabled") in _TRUE:
        return f"in {bridge}, disabled"
    return "" if row.get("hw-offload") in _TRUE else f"in {bridge}, hw-offload {row.get('hw-offload', 'unknown')}"


def offload(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL203: fabric ports are not forwarded by the switch chip. One finding a switch and reason."""
    findings = []
    for name, variables in declared.switches.items():
        seen = evidence.switches.get(name)
        if seen is None or seen.bridge_ports is None:
            continue
        rows = {row.get("interface"): row for row in seen.bridge_ports}
        wanted = variables["switch_bridge"]
        ill: dict[tuple[str, str], list[str]] = defaultdict(list)
        for member in wanted["members"]:
            actual = _bridge_words(rows.get(member), wanted["name"])
            if actual:
                # The chip may let go of a port without a link; its place in the bridge is the owner's alone.
                idle = "hw-offload" in actual
                ill[actual, causes.of(*_links_of(declared, name, member)) if idle else ""].append(member)
        for (actual, follows), members in ill.items():
            findings.append(
                Finding(
                    "SL203",
                    "fail",
                    f"{name}/{', '.join(members)}",
                    "the port is not forwarded by the switch chip",
                    f"in {wanted['name']}, hw-offload true",
                    actual,
                    f"{_RUN_SWITCH}; if it stays so, look for a second bridge or a bridge setting the chip cannot do",
                    "only one bridge is offloaded; the CPU forwards 5 Gb/s",
                    follows=follows,
                    breaks=tuple(link for member in members for link in _links_of(declared, name, member)),
                )
            )
    return findings


def _number(row: Record | None, key: str) -> int | None:
    value = str((row or {}).get(key))
    return int(value) if value.isdecimal() else None


def widths(declared: Declared, evidence: Evidence, _causes: Causes) -> list[Finding]:
    """SL204: a fabric port is too narrow for the frames of the fabric. One finding a switch and value."""
    findings = []
    for name, variables in declared.switches.items():
        seen = evidence.switches.get(name)
        if seen is None or seen.ports is None:
            continue
        rows = {row.get("default-name") or row.get("name"): row for row in seen.ports}
        ill: dict[tuple[int, int | None], list[str]] = defaultdict(list)
        for port in variables["switch_ports"]:
            l2mtu = _number(rows.get(port["name"]), "l2mtu")
            if port["role"] == "master" and (l2mtu is None or l2mtu < port["l2mtu"]):
                ill[port["l2mtu"], l2mtu].append(port["name"])
        for (wanted, l2mtu), ports in ill.items():
            findings.append(
                Finding(
                    "SL204",
                    "fail",
                    f"{name}/{', '.join(ports)}",
                    "the port is too narrow for the fabric's frames" if l2mtu else "the port's l2mtu is not known",
                    f"l2mtu {wanted}",
                    f"l2mtu {l2mtu or 'not shown'}",
                    _RUN_SWITCH,
                    breaks=tuple(link for port in ports for link in _links_of(declared, name, port)),
                )
            )
    return findings
