"""Addresses and names of rails, and /etc/hosts."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import (
    RailPlan,
    common_range,
    hosts,
    rail_name,
    rails_of,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import links
from clusters import fabric, four_legs, one_switch, pair


def rails(rack: Cluster) -> dict[str, tuple[RailPlan, ...]]:
    return {name: rails_of(rack, name, links(rack)) for name in rack.nodes}


def test_both_rails_of_the_cabled_cage_a_before_b() -> None:
    first, second = rails(one_switch())["n1"]
    assert (first.rail, first.interface, first.rdma_device, first.cage) == ("A", "enp1s0f0np0", "rocep1s0f0", "0")
    assert (second.rail, second.interface, second.rdma_device) == ("B", "enP2p1s0f0np0", "roceP2p1s0f0")


def test_the_place_in_the_file_decides_the_address() -> None:
    rack = one_switch(head="n3", fabric=fabric(first_host=40))
    assert {name: [str(rail.address) for rail in found] for name, found in rails(rack).items()} == {
        "n1": ["192.168.100.40", "192.168.101.40"],
        "n2": ["192.168.100.41", "192.168.101.41"],
        "n3": ["192.168.100.42", "192.168.101.42"],
    }


def test_an_interface_as_the_role_wants_it() -> None:
    rack = pair(fabric=fabric(a="172.20.0.0/22", mtu=4200))
    assert rails(rack)["n2"][0].to_interface() == {
        "name": "enp1s0f1np1",
        "rail": "A",
        "cage": "1",
        "address": "172.20.0.12/22",
        "mtu": 4200,
        "speed_mbps": 200000,
    }


def test_the_speed_is_that_of_the_leg() -> None:
    assert {rail.speed_mbps for found in rails(four_legs()).values() for rail in found} == {100000}


def test_a_node_without_a_cable_has_no_rails() -> None:
    assert rails_of(pair(), "n1", ()) == ()


def test_hosts_lists_each_node_with_its_rails_then_the_switches() -> None:
    rack = one_switch()
    lines = hosts(rack, rails(rack))
    assert lines[:3] == [
        {"address": "10.0.0.11", "names": ["n1"]},
        {"address": "192.168.100.11", "names": ["n1-a"]},
        {"address": "192.168.101.11", "names": ["n1-b"]},
    ]
    assert lines[-1] == {"address": "10.0.0.2", "names": ["crs812"]}
    assert len(lines) == 3 * 3 + 1


def test_the_name_of_a_rail() -> None:
    assert rail_name("spark-1", "B") == "spark-1-b"


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        ("192.168.100.0/24", "192.168.101.0/24", "192.168.100.0/23"),
        ("192.168.101.0/24", "192.168.102.0/24", "192.168.100.0/22"),
        ("10.1.0.0/16", "10.1.2.0/24", "10.1.0.0/16"),
        ("10.1.2.0/24", "10.1.0.0/16", "10.1.0.0/16"),
        ("10.0.0.0/24", "192.168.0.0/24", "0.0.0.0/0"),
    ],
)
def test_the_range_that_holds_both_rails(a: str, b: str, common: str) -> None:
    assert common_range({"A": IPv4Network(a), "B": IPv4Network(b)}) == IPv4Network(common)
