"""Cables to links."""

from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import (
    NodeCageEnd,
    SwitchPortEnd,
    cable_record,
    links,
    node_cage,
)
from clusters import cable, cluster, end, four_legs, node, one_switch, optical, pair, switch, two_switches


def modes(rack: Cluster) -> list[str]:
    return [one.mode.mode for link in links(rack) for one in link.ends if isinstance(one, SwitchPortEnd)]


def test_a_direct_cable_is_one_link_between_cages() -> None:
    (link,) = links(pair())
    assert (link.name, link.rate_gbps) == ("n1/1 = n2/1", 200)
    assert all(isinstance(one, NodeCageEnd) for one in link.ends)


def test_legs_of_a_breakout_take_the_master_lanes_in_order() -> None:
    assert [link.name for link in links(one_switch())] == [
        "crs812/qsfp56-1-1 = n1/0",
        "crs812/qsfp56-dd-2-1 = n2/1",
        "crs812/qsfp56-dd-2-5 = n3/1",
    ]
    assert [link.name.split(" ")[0] for link in links(four_legs())] == [
        f"crs804/qsfp56-dd-3-{lane}" for lane in (1, 3, 5, 7)
    ]


def test_a_breakout_with_legs_to_spare_keeps_its_layout() -> None:
    rack = two_switches()
    assert links(rack)[2].name == "crs804/qsfp56-dd-2-1 = n2/1"
    assert modes(rack) == ["400G-baseCR8", "400G-baseCR8", "200G-baseCR4", "200G-baseCR4"]


def test_the_switch_may_be_the_far_end() -> None:
    link = links(two_switches())[1]
    assert (link.name, isinstance(link.near, NodeCageEnd)) == ("n1/1 = crs812/qsfp56-1-1", True)


def test_the_mode_follows_medium_and_legs() -> None:
    assert modes(four_legs()) == ["100G-baseCR2"] * 4
    assert modes(optical()) == ["400G-baseSR8-LR8", "400G-baseSR8-LR8", "200G-baseSR4-LR4", "200G-baseSR4-LR4"]


def test_a_lower_rate_that_is_declared_is_the_rate_of_every_leg() -> None:
    rack = cluster(
        [node(1), node(2)],
        [
            cable("200g-dac-2x100g", "crs812/qsfp56-1", "n1/1", rate_gbps=50),
            cable("200g-dac", "crs812/qsfp56-2", "n2/1", rate_gbps=100),
        ],
        (switch("crs812", "CRS812-8DS-2DQ-2DDQ", 2),),
    )
    assert [link.rate_gbps for link in links(rack)] == [50, 100]
    assert modes(rack) == ["50G-baseCR2", "100G-baseCR4"]


def test_a_layout_that_the_switch_lacks_is_never_planned() -> None:
    rack = cluster([node(1)], [cable("200g-dac", "crs804/qsfp56-dd-1", "n1/1")], (switch("crs804", "CRS804-4DDQ", 3),))
    with pytest.raises(ValueError, match=r"crs804/qsfp56-dd-1 has no layout 1x200G"):
        links(rack)


def test_what_a_link_is_called_for_others() -> None:
    link = links(one_switch())[2]
    assert link.near.to_dict() == {
        "kind": "switch",
        "name": "crs812",
        "cage": "qsfp56-dd-2",
        "port": "qsfp56-dd-2-5",
    }
    assert link.far.to_dict() == {
        "kind": "node",
        "name": "n3",
        "cage": "1",
        "interfaces": ["enp1s0f1np1", "enP2p1s0f1np1"],
    }
    record = cable_record(link.cable, link)
    assert (record["kind"], record["ends"]) == ("400g-dac-2x200g", ["crs812/qsfp56-dd-2", "n3/1"])
    assert (record["leg_rate_gbps"], record["encoding"]) == (200, "pam4")


def test_a_cage_of_a_node() -> None:
    assert node_cage(pair(), end("n1/0")).rails["B"].rdma_device == "roceP2p1s0f0"
