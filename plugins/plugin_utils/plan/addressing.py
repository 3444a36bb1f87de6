# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and names: which a node has on each rail, and what /etc/hosts says."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS, Cluster, Rail
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import Link, NodeCageEnd


@dataclass(frozen=True, slots=True)
class RailPlan:
    """One rail of one node; ``speed_mbps`` is the cage's rate, as ethtool shows it on both rails."""

    rail: Rail
    interface: str
    rdma_device: str
    cage: str
    address: IPv4Address
    prefix: int
    mtu: int
    speed_mbps: int

    def to_interface(self) -> dict[str, Any]:
        return {
            "name": self.interface,
            "rail": self.rail,
            "cage": self.cage,
            "address": f"{self.address}/{self.prefix}",
            "mtu": self.mtu,
            "speed_mbps": self.speed_mbps,
        }


def rails_of(cluster: Cluster, node: str, links: tuple[Link, ...]) -> tuple[RailPlan, ...]:
    """Return the node's rails, A before B; its place in the file decides its host number."""
    index = list(cluster.nodes).index(node)
    fabric = cluster.fabric
    found = []
    for link in links:
        for end in link.ends:
            if not isinstance(end, NodeCageEnd) or end.node != node:
                continue
            for rail in RAILS:
                subnet = fabric.subnets[rail]
                found.append(
                    RailPlan(
                        rail=rail,
                        interface=end.cage.rails[rail].interface,
                        rdma_device=end.cage.rails[rail].rdma_device,
                        cage=end.cage.cage,
                        address=subnet[fabric.first_host + index],
                        prefix=subnet.prefixlen,
                        mtu=fabric.mtu,
                        speed_mbps=link.rate_gbps * 1000,
                    )
                )
    return tuple(found)


def rail_name(node: str, rail: Rail) -> str:
    """Return the host name of a node's rail, e.g. ``spark-1-a``."""
    return f"{node}-{rail.lower()}"


def hosts(cluster: Cluster, rails: dict[str, tuple[RailPlan, ...]]) -> list[dict[str, Any]]:
    """Return the lines of /etc/hosts: each node and its rails, then each switch."""
    lines: list[dict[str, Any]] = []
    for node in cluster.nodes.values():
        lines.append({"address": str(node.address), "names": [node.name]})
        lines += [
            {"address": str(rail.address), "names": [rail_name(node.name, rail.rail)]} for rail in rails[node.name]
        ]
    lines += [{"address": str(switch.address), "names": [switch.name]} for switch in cluster.switches.values()]
    return lines


def common_range(subnets: dict[Rail, IPv4Network]) -> IPv4Network:
    """Return the smallest network that holds both rails' subnets."""
    left, right = (subnets[rail] for rail in RAILS)
    common = left
    while not right.subnet_of(common):
        common = common.supernet()
    return common
