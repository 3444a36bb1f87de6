# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabric ports of a switch: forwarded by the chip, and wide enough for a fabric frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

TRUE = {"true", "yes", True}
RUN_SWITCH = "run site.yml with --tags switch"


def links_of(declared: Declared, switch: str, port: str) -> tuple[str, ...]:
    """Return the names of the links that a port of a switch carries."""
    return tuple(
        link["name"]
        for link in declared.links
        if any(end["name"] == switch and end.get("port") == port for end in link["ends"])
    )


def factory_names(ports: list[Record] | None) -> dict[str, str]:
    """Return the factory name of each port by the name that it bears: an owner may have renamed it."""
    return {row["name"]: row.get("default-name") or row["name"] for row in ports or () if row.get("name")}


def _bridge_words(row: Record | None, bridge: str) -> str:
    """Return what is wrong with a member's place in the bridge; empty when nothing is."""
    if row is None:
        return "in no bridge"
    if row.get("bridge") != bridge:
        return f"in {row.get('bridge')}"
    if row.get("disabled") in TRUE:
        return f"in {bridge}, disabled"
    return "" if row.get("hw-offload") in TRUE else f"in {bridge}, hw-offload {row.get('hw-offload', 'unknown')}"


@rule(
    "SL203",
    "the port is not forwarded by the switch chip",
    needs=("switch.bridge_ports",),
    uses=("switch.ports",),
    cause="only one bridge is offloaded; the CPU forwards 5 Gb/s",
    remedy=f"{RUN_SWITCH}; if it stays so, look for a second bridge or a bridge setting the chip cannot do",
    source="capetron/gb10-cluster-guide docs/03 and an owner of two CRS812: 196 Gb/s fell to 5",
    covers=("spark-5", "spark-8", "B10"),
)
def offload(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        factory = factory_names(switch.get("ports"))
        rows = {factory.get(row.get("interface"), row.get("interface")): row for row in switch["bridge_ports"]}
        wanted = switch.plan["switch_bridge"]
        ill: dict[tuple[str, str], list[str]] = defaultdict(list)
        for member in wanted["members"]:
            actual = _bridge_words(rows.get(member), wanted["name"])
            if actual:
                # The chip may let go of a port without a link; its place in the bridge is the owner's alone.
                idle = "hw-offload" in actual
                links = links_of(view.declared, switch.name, member)
                ill[actual, view.causes.of(*links) if idle else ""].append(member)
        for (actual, follows), members in ill.items():
            yield found(
                f"{switch.name}/{', '.join(members)}",
                expected=f"in {wanted['name']}, hw-offload true",
                actual=actual,
                hosts=[switch.name],
                follows=follows,
                breaks=[link for member in members for link in links_of(view.declared, switch.name, member)],
            )


def number(row: Record | None, key: str) -> int | None:
    """Return a value of RouterOS as a number; None where it is none."""
    value = str((row or {}).get(key))
    return int(value) if value.isdecimal() else None


@rule(
    "SL204",
    "the port is too narrow for the fabric's frames",
    needs=("switch.ports",),
    cause="ports leave the factory with l2mtu 1584",
    remedy=RUN_SWITCH,
    source="two owners of a CRS8xx; MikroTik's manual on MTU",
)
def width(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        rows = {row.get("default-name") or row.get("name"): row for row in switch["ports"]}
        ill: dict[tuple[int, int | None], list[str]] = defaultdict(list)
        for port in switch.plan["switch_ports"]:
            l2mtu = number(rows.get(port["name"]), "l2mtu")
            if port["role"] == "master" and (l2mtu is None or l2mtu < port["l2mtu"]):
                ill[port["l2mtu"], l2mtu].append(port["name"])
        for (wanted, l2mtu), ports in ill.items():
            yield found(
                f"{switch.name}/{', '.join(ports)}",
                problem="" if l2mtu else "the port's l2mtu is not known",
                expected=f"l2mtu {wanted}",
                actual=f"l2mtu {l2mtu or 'not shown'}",
                hosts=[switch.name],
                breaks=[link for port in ports for link in links_of(view.declared, switch.name, port)],
            )


RULES = (offload, width)
