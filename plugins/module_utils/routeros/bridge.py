# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one bridge that the switch chip forwards, and its members. Pure.

A CRS8xx forwards one bridge in hardware; a second one falls to the CPU (196 to 5 Gb/s, owners'
reports). So fabric ports that sit in another bridge are moved. Members that the plan does not name
are left where they are: the management ports often live in the same bridge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import (
    Change,
    Command,
    Entry,
    Row,
    add_commands,
    difference,
    set_commands,
)

BRIDGES = "/interface/bridge"
PORTS = "/interface/bridge/port"
ETHERNET = "/interface/ethernet"
BRIDGE_PROPLIST = (".id", "name", "disabled")
PORT_PROPLIST = (".id", "interface", "bridge", "disabled", "hw", "hw-offload")
ETHERNET_PROPLIST = ("name", "default-name")


@dataclass(frozen=True, slots=True)
class BridgeRows:
    """What the switch says of its bridges."""

    bridges: Sequence[Row]
    ports: Sequence[Row]
    ethernet: Sequence[Row]

    def current_name(self, default_name: str) -> str:
        """Return what a port is called now; an owner may have renamed it."""
        names = {row["default-name"]: row["name"] for row in self.ethernet if "default-name" in row}
        return names.get(default_name, default_name)


@dataclass(frozen=True, slots=True)
class BridgePlan:
    changes: tuple[Change, ...]
    commands: tuple[Command, ...]
    moved: tuple[str, ...]  # ports that leave another bridge
    missing: tuple[str, ...]  # declared ports that the switch does not have


def plan(name: str, members: Sequence[str], rows: BridgeRows) -> BridgePlan:
    """Return what has to change so that ``members`` (factory names) are in the bridge ``name``."""
    known = {row.get("default-name") for row in rows.ethernet}
    missing = tuple(member for member in members if member not in known)
    wanted = [Entry(rows.current_name(member), {"bridge": name, "disabled": "no", "hw": "yes"}) for member in members]
    bridge_changes = difference([Entry(name, {"disabled": "no"})], rows.bridges, "name")
    port_changes = difference(wanted, rows.ports, "interface")
    moved = tuple(change.key for change in port_changes if change.before.get("bridge"))
    commands = [
        *add_commands(BRIDGES, bridge_changes, "name"),
        *set_commands(BRIDGES, bridge_changes, ()),
        *add_commands(PORTS, port_changes, "interface"),
        *set_commands(PORTS, port_changes, (("bridge", "disabled", "hw"),)),
    ]
    return BridgePlan((*bridge_changes, *port_changes), tuple(commands), moved, missing)


def not_offloaded(members: Sequence[str], rows: BridgeRows) -> list[str]:
    """Return the members that the chip does not forward although they are in place."""
    state: Mapping[str, Row] = {row["interface"]: row for row in rows.ports}
    names = [rows.current_name(member) for member in members]
    return [name for name in names if name in state and state[name].get("hw-offload") not in {"true", "yes"}]
