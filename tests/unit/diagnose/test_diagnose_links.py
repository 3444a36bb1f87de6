"""Cables, ports and rates: each fault is said once, with both ends, and what follows comes after it."""

from __future__ import annotations

from typing import Any

import pytest
from seen_rack import Rack, brief, judge, the_root

CABLE_3 = "cable 200g-dac between crs812/qsfp56-1 and spark-3/1"


def test_a_healthy_rack_has_no_findings(rack: Rack, two: Rack) -> None:
    assert judge(rack) == []
    assert judge(two) == []


def test_a_qsfp28_cable(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", rate="100Gbps", fec="fec91", sfp_encoding="nrz", sfp_type="QSFP28")
    for rail in "AB":
        rack.rail("spark-3", rail)["speed_mbps"] = 100000
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL201", CABLE_3)
    assert "a QSFP28 cable is plugged in where the cluster file declares a 200g-dac" in found.problem
    assert found.expected == "200G on both ends"
    assert found.actual == "crs812/qsfp56-1-1 100G fec91; spark-3 enp1s0f1np1 100G, enP2p1s0f1np1 100G"
    assert "carries at most 100G" in found.remedy


def test_a_port_at_50g_on_both_ends(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", rate="50Gbps", fec="fec91")
    for rail in "AB":
        rack.rail("spark-3", rail)["speed_mbps"] = 50000
    for node in rack.evidence.nodes.values():
        for row in node.parts["bandwidth"]:
            if node.parts is rack.node("spark-3") or row["partner"] == "spark-3":
                row["average_gbps"] = 23.0
    findings = judge(rack)
    found = the_root(findings)
    assert (found.code, found.where, found.problem) == ("SL201", CABLE_3, "the port came up at 50G")
    assert found.actual == "crs812/qsfp56-1-1 50G fec91; spark-3 enp1s0f1np1 50G, enP2p1s0f1np1 50G"
    assert "forces the speed" in found.remedy
    # What is slow because of it is still listed: two pairs on two rails.
    assert [one.code for one in findings[1:]] == ["SL407"] * 4


def test_a_switch_that_shows_link_ok_while_the_node_sees_nothing(rack: Rack) -> None:
    rack.unplug("spark-5")
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL202", "cable 400g-dac-2x200g between crs804/qsfp56-dd-2 and spark-5/1")
    assert "qsfp56-dd-2-1 200G fec91; spark-5 enp1s0f1np1 no carrier, enP2p1s0f1np1 no carrier" in found.actual
    assert "ethtool --show-fec" in found.remedy
    assert "link-ok" in found.cause


def test_an_unplugged_cable_is_said_once_and_before_all_that_follows(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link", sfp_module_present="false", sfp_vendor_name="")
    rack.unplug("spark-3")
    findings = judge(rack)
    found = the_root(findings)
    assert (found.code, found.where, found.problem) == ("SL201", CABLE_3, "no cable is plugged into qsfp56-1-1")
    assert found.remedy == "plug the 200g-dac in at crs812/qsfp56-1"
    assert {one.code for one in findings[1:]} == {"SL307", "SL404", "SL408"}


def test_an_interface_that_dgx_os_removed_follows_from_its_cable(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    facts = rack.node("spark-3")
    for rail in "AB":
        del facts["interfaces"][rack.interface("spark-3", rail)]
        del facts["rdma_devices"][rack.device_name("spark-3", rail)]
    findings = judge(rack)
    assert the_root(findings).code == "SL201"
    assert {one.code for one in findings[1:]} == {"SL301", "SL307", "SL401", "SL408"}


def test_one_rail_at_another_speed(rack: Rack) -> None:
    rack.rail("spark-4", "B")["speed_mbps"] = 100000
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL202", "cable 200g-dac between crs812/qsfp56-2 and spark-4/1")
    assert found.actual.endswith("spark-4 enp1s0f1np1 200G, enP2p1s0f1np1 100G")


def test_one_ill_rail_explains_nothing_of_the_other(rack: Rack) -> None:
    rack.unplug("spark-4", "B")
    rack.cut_paths("spark-4", "spark-1", rails="A")
    assert brief(judge(rack)) == [
        ("SL202", "cable 200g-dac between crs812/qsfp56-2 and spark-4/1"),
        ("SL307", "spark-4 rail A to spark-1"),
    ]


def test_fec_that_the_switch_refuses(rack: Rack) -> None:
    rack.monitor("crs804", "qsfp56-dd-3-5", fec="fec74")
    found = the_root(judge(rack))
    assert (found.code, found.problem) == ("SL201", "the port runs FEC fec74, its far end fec91")
    assert "fec-mode=fec91" in found.remedy
    assert "qsfp56-dd-3-5 200G fec74" in found.actual


def test_a_dead_cable_between_switches_explains_the_paths_that_cross_it(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-dd-1-1", status="no-link")
    rack.monitor("crs804", "qsfp56-dd-1-1", status="no-link", sfp_module_present="false")
    near, far = ["spark-1", "spark-2", "spark-3", "spark-4"], ["spark-5", "spark-6", "spark-7", "spark-8"]
    for name in near:
        rack.cut_paths(name, *far)
    for name in far:
        rack.cut_paths(name, *near)
    found = the_root(judge(rack))
    assert found.where == "cable 400g-dac between crs812/qsfp56-dd-1 and crs804/qsfp56-dd-1"
    # The end that says more than "no link" is the one that is believed.
    assert found.problem == "no cable is plugged into qsfp56-dd-1-1"
    rack.cut_paths("spark-1", "spark-2")
    assert brief(judge(rack))[1:] == [("SL307", "spark-1 rails A and B to spark-2")]


def test_two_faults_are_two_findings(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", rate="50Gbps", fec="fec91")
    rack.rail("spark-7", "A")["mtu"] = 1500
    assert brief(judge(rack)) == [("SL201", CABLE_3), ("SL302", "spark-7 enp1s0f1np1")]


@pytest.mark.parametrize("rate", [100, None])
def test_up_without_the_declared_rate_is_no_proof(rack: Rack, rate: int | None) -> None:
    for row in rack.switch("crs812")["links"] or ():
        if row["port"] == "qsfp56-1-1":
            row["rate_gbps"] = rate
    assert brief(judge(rack)) == [("SL201", CABLE_3)]


def test_a_port_that_the_switch_says_nothing_of_is_not_taken_to_be_well(rack: Rack) -> None:
    links = rack.switch("crs812")["links"]
    assert links is not None
    links[:] = [row for row in links if row["port"] != "qsfp56-1-1"]
    found = the_root(judge(rack))
    assert (found.code, found.problem) == ("SL201", "crs812 shows nothing of the port qsfp56-1-1")


def test_a_switch_that_was_not_read_is_said_and_its_links_are_judged_from_the_nodes(rack: Rack) -> None:
    rack.off("crs812", "connection refused")
    found = the_root(judge(rack))
    assert (found.code, found.where, found.actual) == ("SL001", "crs812", "connection refused")
    # A node that sees the wrong rate is not blamed on a switch that nobody asked.
    rack.rail("spark-3", "A")["speed_mbps"] = 50000
    assert brief(judge(rack)) == [("SL001", "crs812"), ("SL201", CABLE_3)]


def test_a_switch_without_power_explains_its_dark_links(rack: Rack) -> None:
    rack.off("crs812", "timed out")
    rack.monitor("crs804", "qsfp56-dd-1-1", status="no-link")
    for name in ("spark-1", "spark-2", "spark-3", "spark-4"):
        rack.unplug(name)
    assert the_root(judge(rack)).title == "SL001 crs812"


def test_a_qsfp28_cable_is_not_explained_by_a_node_that_was_not_reached(rack: Rack) -> None:
    rack.silence("spark-3")
    rack.monitor("crs812", "qsfp56-1-1", status="no-link", sfp_encoding="nrz", sfp_type="QSFP28")
    assert brief(judge(rack)) == [("SL001", "spark-3"), ("SL201", CABLE_3)]


@pytest.mark.parametrize("rails", ["A", "B", "AB"])
def test_a_direct_cable_is_judged_from_both_nodes(two: Rack, rails: str) -> None:
    first, second = two.evidence.nodes
    for rail in rails:
        two.rail(first, rail)["speed_mbps"] = 100000
    found = the_root(judge(two))
    assert found.code == "SL201"
    assert found.problem == "the link is not at its rate"
    assert found.actual.count("100G") == len(rails)
    assert second in found.actual


def test_a_direct_cable_without_a_link(two: Rack) -> None:
    for name in two.evidence.nodes:
        two.unplug(name)
    found = the_root(judge(two))
    assert found.code == "SL201"
    assert found.actual.count("no carrier") == 4
    assert "reseat" in found.remedy


def test_a_dead_node_of_a_pair_explains_the_dark_link(two: Rack) -> None:
    first, second = two.evidence.nodes
    two.unplug(first)
    two.silence(second)
    assert the_root(judge(two)).title == f"SL001 {second}"


def test_ports_in_a_second_bridge(rack: Rack) -> None:
    members = rack.switch("crs812")["bridge_ports"]
    assert members is not None
    for row in members:
        if row["interface"] in {"qsfp56-1-1", "qsfp56-2-1"}:
            row.update({"bridge": "bridge2", "hw-offload": "false"})
    rack.cut_rail("spark-3")
    rack.cut_rail("spark-4")
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL203", "crs812/qsfp56-1-1, qsfp56-2-1")
    assert (found.expected, found.actual) == ("in bridge, hw-offload true", "in bridge2")
    assert "second bridge" in found.remedy


@pytest.mark.parametrize(
    ("change", "actual"),
    [
        ({"hw-offload": "false"}, "in bridge, hw-offload false"),
        ({"disabled": "true", "hw-offload": "false"}, "in bridge, disabled"),
        ({"hw-offload": None}, "in bridge, hw-offload None"),
    ],
)
def test_a_port_that_the_cpu_forwards(rack: Rack, change: dict[str, Any], actual: str) -> None:
    members: Any = rack.switch("crs804")["bridge_ports"]
    members[0].update(change)
    found = the_root(judge(rack))
    assert (found.code, found.where, found.actual) == ("SL203", f"crs804/{members[0]['interface']}", actual)


def test_a_port_in_no_bridge_at_all(rack: Rack) -> None:
    members: Any = rack.switch("crs804")["bridge_ports"]
    gone = members.pop()["interface"]
    found = the_root(judge(rack))
    assert (found.code, found.where, found.actual) == ("SL203", f"crs804/{gone}", "in no bridge")


def test_a_wrong_bridge_does_not_follow_from_a_dead_link(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    members: Any = rack.switch("crs812")["bridge_ports"]
    next(row for row in members if row["interface"] == "qsfp56-1-1").update(
        {"bridge": "bridge2", "hw-offload": "false"}
    )
    assert brief(judge(rack)) == [("SL201", CABLE_3), ("SL203", "crs812/qsfp56-1-1")]


def test_offload_that_was_lost_with_the_link_follows_from_it(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    members: Any = rack.switch("crs812")["bridge_ports"]
    next(row for row in members if row["interface"] == "qsfp56-1-1")["hw-offload"] = "false"
    assert the_root(judge(rack)).code == "SL201"


@pytest.mark.parametrize(("value", "actual"), [("1584", "l2mtu 1584"), (None, "l2mtu not shown")])
def test_a_port_too_narrow_for_the_frames_explains_the_paths_it_drops(rack: Rack, value: Any, actual: str) -> None:
    ports: Any = rack.switch("crs812")["ports"]
    next(row for row in ports if row["name"] == "qsfp56-1-1")["l2mtu"] = value
    rack.cut_rail("spark-3")
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL204", "crs812/qsfp56-1-1")
    assert (found.expected, found.actual) == ("l2mtu 9216", actual)
    assert "--tags switch" in found.remedy


def test_a_wider_port_than_declared_is_well(rack: Rack) -> None:
    ports: Any = rack.switch("crs812")["ports"]
    for row in ports:
        row["l2mtu"] = "9570"
    assert judge(rack) == []
