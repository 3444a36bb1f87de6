"""Ports, bridge and expected links of a switch."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import (
    breakout_for,
    link_modes,
    plug_fits,
    speed_of,
    switch_models,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import links
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.switching import (
    bridge,
    expected_links,
    fec_of,
    ports,
)
from clusters import fabric, four_legs, one_switch, optical, switch, two_switches


def wanted(rack: Cluster, name: str) -> list[dict[str, Any]]:
    return ports(rack, rack.switches[name], links(rack))


def masters(rack: Cluster, name: str) -> dict[str, str]:
    return {port["name"]: port["speed"] for port in wanted(rack, name) if port["role"] == "master"}


def test_every_lane_of_a_cabled_cage_is_listed_and_no_other() -> None:
    names = [port["name"] for port in wanted(one_switch(), "crs812")]
    assert names == [*(f"qsfp56-1-{lane}" for lane in range(1, 5)), *(f"qsfp56-dd-2-{lane}" for lane in range(1, 9))]


def test_masters_are_forced_and_companions_idle() -> None:
    by_name = {port["name"]: port for port in wanted(one_switch(), "crs812")}
    frame = {"disabled": False, "l2mtu": 9216, "mtu": 9000}
    assert by_name["qsfp56-dd-2-5"] == {
        "name": "qsfp56-dd-2-5",
        "cage": "qsfp56-dd-2",
        "role": "master",
        "auto_negotiation": False,
        "speed": "200G-baseCR4",
        "fec_mode": "fec91",
        **frame,
    }
    assert by_name["qsfp56-dd-2-6"] == {
        "name": "qsfp56-dd-2-6",
        "cage": "qsfp56-dd-2",
        "role": "companion",
        **frame,
    }


def test_the_master_lanes_of_each_profile() -> None:
    assert masters(one_switch(), "crs812") == dict.fromkeys(
        ["qsfp56-1-1", "qsfp56-dd-2-1", "qsfp56-dd-2-5"], "200G-baseCR4"
    )
    assert masters(two_switches(), "crs804") == {"qsfp56-dd-1-1": "400G-baseCR8", "qsfp56-dd-2-1": "200G-baseCR4"}
    assert masters(four_legs(), "crs804") == dict.fromkeys(
        [f"qsfp56-dd-3-{lane}" for lane in (1, 3, 5, 7)], "100G-baseCR2"
    )
    assert masters(optical(), "crs812") == {"qsfp56-dd-1-1": "400G-baseSR8-LR8", "qsfp56-1-1": "200G-baseSR4-LR4"}


def test_frames_are_those_of_the_fabric_and_the_switch() -> None:
    rack = four_legs(fabric=fabric(mtu=4200))
    own = switch("crs804", "CRS804-4DDQ", 3, l2mtu=9500)
    assert {(port["mtu"], port["l2mtu"]) for port in ports(rack, own, links(rack))} == {(4200, 9500)}


def test_the_bridge_holds_the_masters() -> None:
    rack = two_switches()
    assert bridge(rack.switches["crs812"], links(rack)) == {
        "name": "bridge",
        "members": ["qsfp56-1-1", "qsfp56-dd-1-1"],
    }
    assert bridge(switch("crs804", "CRS804-4DDQ", 3, bridge="fabric"), ()) == {"name": "fabric", "members": []}


def test_an_inter_switch_link_is_expected_on_both_ends() -> None:
    rack = two_switches()
    near, far = (
        next(one for one in expected_links(rack.switches[name], links(rack)) if one["port"] == "qsfp56-dd-1-1")
        for name in ("crs812", "crs804")
    )
    assert (near["name"], near["rate_gbps"], near["fec"]) == (far["name"], far["rate_gbps"], far["fec"])
    assert (near["peer"]["label"], far["peer"]["label"]) == ("crs804/qsfp56-dd-1-1", "crs812/qsfp56-dd-1-1")


def test_a_link_to_a_node_names_its_cage_and_interfaces() -> None:
    rack = two_switches()
    link = expected_links(rack.switches["crs812"], links(rack))[1]
    assert link["port"] == "qsfp56-1-1"
    assert link["peer"] == {
        "kind": "node",
        "name": "n1",
        "cage": "1",
        "interfaces": ["enp1s0f1np1", "enP2p1s0f1np1"],
        "label": "n1/1",
    }


def test_rs_fec_wherever_the_mode_allows_it() -> None:
    modes = link_modes()
    found = {mode: fec_of(modes[mode]) for mode in ("200G-baseCR4", "25G-baseCR", "40G-baseCR4", "10G-baseCR")}
    assert found == {"200G-baseCR4": "fec91", "25G-baseCR": "fec91", "40G-baseCR4": "fec74", "10G-baseCR": "off"}


@pytest.mark.parametrize("model", sorted(switch_models()))
@pytest.mark.parametrize("medium", ["copper", "optical"])
def test_every_layout_has_a_mode_in_either_medium(model: str, medium: str) -> None:
    for plug, rows in switch_models()[model].breakouts.items():
        for row in rows:
            legs, rate = row.layout.removesuffix("G").split("x")
            assert breakout_for(switch_models()[model], plug, int(legs), int(rate)) == row
            assert len(row.master_lanes) == int(legs)
            assert speed_of(row, medium).gbps == int(rate)


@pytest.mark.parametrize(
    ("plug", "cage", "fits"),
    [
        ("QSFP56", "QSFP56", True),
        ("QSFP28", "QSFP56-DD", True),
        ("QSFP112", "QSFP56", True),
        ("QSFP56-DD", "QSFP56-DD", True),
        ("QSFP56-DD", "QSFP56", False),
        ("QSFP56", "SFP56", False),
        ("SFP56", "QSFP56", False),
    ],
)
def test_which_plug_fits_which_cage(plug: str, cage: str, fits: bool) -> None:
    assert plug_fits(plug, cage) is fits
