# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan: a cluster in, the variables of every host and group out. Pure.

Variables bear the names of the roles that read them; docs/architecture.md shows them
all. What is equal on all hosts of a group is a variable of the group.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from ipaddress import IPv4Network
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import deny
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS, Cluster, Endpoint, Node, Switch
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import (
    addressing,
    environment,
    links,
    switching,
    verification,
)

Variables = dict[str, Any]

API_PORT = 8728
API_TLS_PORT = 8729


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that follows from a cluster file."""

    groups: dict[str, list[str]]  # group -> hosts, in the order of ranks
    children: dict[str, list[str]]  # group -> groups
    group_vars: dict[str, Variables]
    host_vars: dict[str, Variables]


def make_plan(cluster: Cluster) -> Plan:
    """Return the plan of a cluster that parse let through."""
    found = links.links(cluster)
    ranked = _ranked(cluster)
    rails = {name: addressing.rails_of(cluster, name, found) for name in cluster.nodes}
    rounds = verification.rounds(rails)
    group = {kind: f"{cluster.name}_{kind}" for kind in ("nodes", "switches", "head")}
    host_vars: dict[str, Variables] = {}
    for name, node in cluster.nodes.items():
        host_vars[name] = {
            **_reached_at(node.connect, str(node.address)),
            **_node(cluster, node, rails[name], ranked.index(name)),
            "fabric_peers": [_peer(other, rails[other]) for other in cluster.nodes if other != name],
            "verify_rounds": rounds[name],
        }
    for name, switch in cluster.switches.items():
        host_vars[name] = _switch(cluster, switch, found)
    return Plan(
        groups={
            group["nodes"]: ranked,
            group["switches"]: list(cluster.switches),
            group["head"]: [cluster.head],
        },
        children={
            cluster.name: list(group.values()),
            "nodes": [group["nodes"]],
            "switches": [group["switches"]],
            "heads": [group["head"]],
        },
        group_vars={
            cluster.name: _everywhere(cluster, found),
            group["nodes"]: _every_node(cluster, rails),
            group["switches"]: {
                "switch_min_routeros": cluster.requirements.min_routeros,
                "switch_warn_versions": deny.warned_routeros(),
            },
        },
        host_vars=host_vars,
    )


def _ranked(cluster: Cluster) -> list[str]:
    """Return the nodes by rank: the head first, the rest in the order of the file."""
    return [cluster.head, *(name for name in cluster.nodes if name != cluster.head)]


def _reached_at(connect: Endpoint | None, address: str) -> Variables:
    if connect is None:
        return {"ansible_host": address}
    return {"ansible_host": connect.host, **({"ansible_port": connect.port} if connect.port else {})}


def _peer(name: str, rails: tuple[addressing.RailPlan, ...]) -> Variables:
    return {"name": name, "addresses": {rail.rail: str(rail.address) for rail in rails}}


def _node(cluster: Cluster, node: Node, rails: tuple[addressing.RailPlan, ...], rank: int) -> Variables:
    requirements = cluster.requirements
    pcie = {"pcie_width": requirements.pcie_width, "pcie_speed_gts": requirements.pcie_speed_gts}
    return {
        "node_name": node.name,
        "node_rank": rank,
        "ofed_devices": [{"rdma_device": rail.rdma_device, "interface": rail.interface, **pcie} for rail in rails],
        "fabric_hostname": node.name,
        "fabric_interfaces": [rail.to_interface() for rail in rails],
        "fabric_management_interface": node.management_interface,
        "time_sync_is_reference": node.name == cluster.head,
        "nccl_environment": environment.environment(cluster, node.name, rails),
        "nccl_devices": [{"device": rail.rdma_device, "address": str(rail.address)} for rail in rails],
    }


def _every_node(cluster: Cluster, rails: dict[str, tuple[addressing.RailPlan, ...]]) -> Variables:
    head = cluster.nodes[cluster.head]
    users = list(cluster.users) or ([cluster.login] if cluster.login else [])
    return {
        **({"ansible_user": cluster.login} if cluster.login else {}),
        "node_head": cluster.head,
        "preflight_requirements": {
            **{
                key: list(value) if isinstance(value, tuple) else value
                for key, value in asdict(cluster.requirements).items()
            },
            "denied_kernels": deny.denied_kernels(),
            "kernel_arguments": deny.kernel_arguments(),
        },
        "ofed_provider": cluster.ofed.provider,
        "ofed_doca_floor": cluster.ofed.doca_floor,
        "fabric_hosts": addressing.hosts(cluster, rails),
        "ssh_mesh_users": users,
        "ssh_mesh_peers": [{"name": name, "hosts": _names(cluster, name, rails[name])} for name in cluster.nodes],
        "time_sync_servers": list(cluster.time_sync.servers),
        "time_sync_reference": {"name": head.name, "address": str(head.address)},
        "time_sync_subnets": [str(subnet) for subnet in _time_clients(cluster)],
        "time_sync_max_offset_ms": cluster.time_sync.max_offset_ms,
        "nccl_users": users,
        "nccl_gid_index": cluster.fabric.gid_index,
    }


def _names(cluster: Cluster, node: str, rails: tuple[addressing.RailPlan, ...]) -> list[str]:
    """Return every name and address that a node answers to."""
    names = [node, str(cluster.nodes[node].address)]
    for rail in rails:
        names += [addressing.rail_name(node, rail.rail), str(rail.address)]
    return names


def _time_clients(cluster: Cluster) -> list[IPv4Network]:
    """Return who may ask the head for the time: the management subnet, or each node alone."""
    if cluster.management:
        return [cluster.management]
    return [IPv4Network(node.address) for node in cluster.nodes.values()]


def _switch(cluster: Cluster, switch: Switch, found: tuple[links.Link, ...]) -> Variables:
    connect = switch.connect
    default_port = API_TLS_PORT if switch.tls else API_PORT
    return {
        "ansible_connection": "local",
        "routeros_host": connect.host if connect else str(switch.address),
        "routeros_port": (connect.port if connect else None) or default_port,
        "routeros_tls": switch.tls,
        "routeros_ca_path": switch.ca_path,
        "routeros_username": switch.username,
        "switch_model": switch.model.model,
        "switch_ports": switching.ports(cluster, switch, found),
        "switch_bridge": switching.bridge(switch, found),
        "switch_links": switching.expected_links(switch, found),
    }


def _everywhere(cluster: Cluster, found: tuple[links.Link, ...]) -> Variables:
    return {
        "cluster_name": cluster.name,
        "cluster_links": [
            {
                "name": link.name,
                "rate_gbps": link.rate_gbps,
                "cable": links.cable_record(link.cable, link),
                "ends": [end.to_dict() for end in link.ends],
            }
            for link in found
        ],
        "cluster_fabric": {
            "mtu": cluster.fabric.mtu,
            "subnets": {rail: str(cluster.fabric.subnets[rail]) for rail in RAILS},
        },
    }
