# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables to links: which lane of which cage meets which cage, at what rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import hardware
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import (
    RAILS,
    Cable,
    CableEnd,
    Cluster,
    LinkMode,
    NodeCage,
)


@dataclass(frozen=True, slots=True)
class SwitchPortEnd:
    """A link's end in a switch: a lane master and the mode that it is set to."""

    switch: str
    cage: str
    port: str
    mode: LinkMode

    def __str__(self) -> str:
        return f"{self.switch}/{self.port}"

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "switch", "name": self.switch, "cage": self.cage, "port": self.port}


@dataclass(frozen=True, slots=True)
class NodeCageEnd:
    """A link's end in a node: a cage with its two rails."""

    node: str
    cage: NodeCage

    def __str__(self) -> str:
        return f"{self.node}/{self.cage.cage}"

    def to_dict(self) -> dict[str, Any]:
        interfaces = [self.cage.rails[rail].interface for rail in RAILS]
        return {"kind": "node", "name": self.node, "cage": self.cage.cage, "interfaces": interfaces}


LinkEnd = SwitchPortEnd | NodeCageEnd


@dataclass(frozen=True, slots=True)
class Link:
    """One end-to-end connection over a cable; the rate is in Gb/s."""

    cable: Cable
    near: LinkEnd
    far: LinkEnd
    rate_gbps: int

    @property
    def name(self) -> str:
        return f"{self.near} = {self.far}"

    @property
    def ends(self) -> tuple[LinkEnd, LinkEnd]:
        return self.near, self.far


def cable_record(cable: Cable, link: Link) -> dict[str, Any]:
    """Return what a message says of a cable: its kind, in words, and the two cages of one link."""
    ends = [
        f"{end.switch}/{end.cage}" if isinstance(end, SwitchPortEnd) else f"{end.node}/{end.cage.cage}"
        for end in link.ends
    ]
    return {
        "kind": cable.kind.kind,
        "description": cable.kind.description,
        "encoding": cable.kind.encoding,
        "leg_rate_gbps": cable.kind.leg_rate_gbps,
        "ends": ends,
    }


def node_cage(cluster: Cluster, end: CableEnd) -> NodeCage:
    return next(cage for cage in cluster.nodes[end.device].model.cages if cage.cage == end.cage)


def _end(cluster: Cluster, end: CableEnd, legs: int, leg: int, rate: int, medium: str) -> LinkEnd:
    if end.device in cluster.nodes:
        return NodeCageEnd(end.device, node_cage(cluster, end))
    model = cluster.switches[end.device].model
    lanes = model.cages()[end.cage]
    breakout = hardware.breakout_for(model, lanes[0].kind, legs, rate)
    if breakout is None:
        raise ValueError(f"{end} has no layout {legs}x{rate}G; parse lets no such cluster through")
    master = breakout.master_lanes[leg]
    port = next(lane.name for lane in lanes if lane.lane == master)
    return SwitchPortEnd(end.device, end.cage, port, hardware.speed_of(breakout, medium))


def links(cluster: Cluster) -> tuple[Link, ...]:
    """Return every link of the fabric, in the order of the file and of each cable's legs."""
    found = []
    for cable in cluster.cables:
        kind = cable.kind
        rate = cable.rate_gbps or kind.leg_rate_gbps
        for leg, far in enumerate(cable.far):
            near_end = _end(cluster, cable.near, kind.far_ends, leg, rate, kind.medium)
            far_end = _end(cluster, far, 1, 0, rate, kind.medium)
            found.append(Link(cable, near_end, far_end, rate))
    return tuple(found)
