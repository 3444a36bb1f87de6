# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of a switch: what a lane has to be, the sentences that make it so, and what they interrupt. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import (
    Change,
    Command,
    Entry,
    Row,
    difference,
    set_commands,
)

PATH = "/interface/ethernet"
# The name that a port left the factory with; it survives a rename.
KEY = "default-name"
ATTRIBUTES = {
    "disabled": "disabled",
    "l2mtu": "l2mtu",
    "mtu": "mtu",
    "auto_negotiation": "auto-negotiation",
    "speed": "speed",
    "fec_mode": "fec-mode",
}
PROPLIST = (".id", "name", KEY, *ATTRIBUTES.values())
# RouterOS undoes at most the last hundred changes, perhaps one a port and sentence: three sentences a port fit.
# Set together: a port is never seen with a forced speed that auto-negotiation still overrides.
_LINK = ("auto-negotiation", "speed", "fec-mode")
_RAISE = (("disabled", "l2mtu"), ("mtu",), _LINK)
_LOWER = (("disabled", "mtu"), ("l2mtu",), _LINK)


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """What goes down for a moment when changes are made: every interface, whole cages, or ports."""

    every_interface: bool
    cages: tuple[str, ...]
    ports: tuple[str, ...]

    def __str__(self) -> str:
        if self.every_interface:
            return "a new l2mtu restarts every interface of the switch, the management port included"
        parts = []
        if self.cages:
            parts.append(f"enabling or disabling a lane restarts all of {', '.join(self.cages)}")
        if self.ports:
            parts.append(f"the links of {', '.join(self.ports)} go down and come up again")
        return "; ".join(parts) or "no link goes down"


@dataclass(frozen=True, slots=True)
class PortsPlan:
    changes: tuple[Change, ...]
    commands: tuple[Command, ...]
    blast_radius: BlastRadius
    missing: tuple[str, ...]  # declared ports that the switch does not have


def _text(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def entries(ports: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Return the wanted rows of the ports that the plan names."""
    return [
        Entry(
            port["name"],
            {ATTRIBUTES[name]: _text(port[name]) for name in ATTRIBUTES if port.get(name) is not None},
        )
        for port in ports
    ]


def plan(ports: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> PortsPlan:
    """Return what has to change, given the wanted ports and the rows of ``/interface/ethernet``."""
    changes = difference(entries(ports), rows, KEY)
    missing = tuple(change.key for change in changes if change.id is None)
    present = tuple(change for change in changes if change.id is not None)
    mtu = {row[KEY]: int(row.get("mtu", "0")) for row in rows if KEY in row}
    lowers = [change for change in present if int(change.after.get("l2mtu", "65536")) < mtu[change.key]]
    raises = [change for change in present if change not in lowers]
    commands = [*set_commands(PATH, lowers, _LOWER), *set_commands(PATH, raises, _RAISE)]
    cage_of = {port["name"]: port.get("cage") or port["name"] for port in ports}
    return PortsPlan(present, tuple(commands), blast_radius(present, cage_of), missing)


def blast_radius(changes: Sequence[Change], cage_of: Mapping[str, str]) -> BlastRadius:
    """Return what the changes interrupt (MikroTik manual: MTU page; wired interface compatibility)."""
    cages = {cage_of.get(change.key, change.key) for change in changes if "disabled" in change.after}
    ports = [
        change.key for change in changes if cage_of.get(change.key) not in cages and set(_LINK) & change.after.keys()
    ]
    every = any("l2mtu" in change.after for change in changes)
    return BlastRadius(every, tuple(sorted(cages)), tuple(ports))
