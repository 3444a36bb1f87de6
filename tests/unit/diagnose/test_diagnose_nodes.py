"""Interfaces, addresses, routes, RDMA devices and PCIe of a node."""

from __future__ import annotations

from typing import Any

import pytest
from seen_rack import Rack, brief, judge, the_root

WHERE = "spark-6 enP2p1s0f1np1"
DEVICE = "spark-6 roceP2p1s0f1"


def values(rack: Rack) -> tuple[str, str, str, str]:
    found = the_root(judge(rack))
    assert found.remedy
    return found.code, found.where, found.expected, found.actual


def test_an_interface_that_is_absent_although_its_link_is_not_in_this_run(rack: Rack) -> None:
    facts = rack.node("spark-6")
    del facts["interfaces"]["enP2p1s0f1np1"]
    found = the_root(judge(rack))
    assert found.code == "SL202"
    assert "enP2p1s0f1np1 absent" in found.actual


def test_mtu(rack: Rack) -> None:
    rack.rail("spark-6", "B")["mtu"] = 1500
    rack.cut_paths("spark-6", rails="B", error="ping: local error: message too long, mtu=1500")
    for other in ("spark-1", "spark-2"):
        rack.cut_paths(other, "spark-6", rails="B")
    assert values(rack) == ("SL302", WHERE, "9000", "1500")


@pytest.mark.parametrize(
    ("seen", "actual"),
    [
        ([], "none"),
        (["192.168.101.99/24"], "192.168.101.99/24"),
        (["192.168.101.16/24", "169.254.7.7/16"], "192.168.101.16/24, 169.254.7.7/16"),
    ],
)
def test_addresses(rack: Rack, seen: list[str], actual: str) -> None:
    rack.rail("spark-6", "B")["ipv4"] = seen
    if "192.168.101.16/24" not in seen:
        rack.device("spark-6", "B")["gids"] = []
        rack.cut_rail("spark-6", "B")
    assert values(rack) == ("SL303", WHERE, "192.168.101.16/24", actual)


def test_ipv6_is_a_warning(rack: Rack) -> None:
    rack.rail("spark-6", "B")["ipv6"] = ["fe80::1/64"]
    assert values(rack) == ("SL304", WHERE, "none", "fe80::1/64")
    assert judge(rack)[0].severity == "warn"


def test_a_bond_explains_the_address_that_it_took(rack: Rack) -> None:
    for rail in "AB":
        rack.rail("spark-6", rail).update(master="bond0", ipv4=[])
        rack.device("spark-6", rail)["gids"] = []
    findings = judge(rack)
    assert brief(findings) == [("SL305", "spark-6 enp1s0f1np1"), ("SL305", WHERE)]
    assert (findings[0].expected, findings[0].actual) == ("no master", "bond0")
    assert [one.code for one in findings if one.follows] == ["SL303", "SL303", "SL406", "SL406"]


@pytest.mark.parametrize(
    ("gateway", "actual"), [("192.168.100.1", "via 192.168.100.1"), (None, "via the interface itself")]
)
def test_a_default_route_by_the_fabric(rack: Rack, gateway: str | None, actual: str) -> None:
    facts = rack.node("spark-6")
    facts["routes"].append(
        {"destination": "default", "family": 4, "gateway": gateway, "interface": "enP2p1s0f1np1", "metric": 100}
    )
    assert values(rack) == ("SL306", WHERE, "no default route there", actual)


def test_an_absent_rdma_device(rack: Rack) -> None:
    facts = rack.node("spark-6")
    del facts["rdma_devices"]["roceP2p1s0f1"]
    assert values(rack) == ("SL401", DEVICE, "present", "rocep1s0f1")
    facts["rdma_devices"].clear()
    assert [one.actual for one in judge(rack)] == ["no RDMA device"] * 2


@pytest.mark.parametrize(
    ("change", "code", "expected", "actual"),
    [
        ({"netdev": "enp1s0f0np0"}, "SL402", "enP2p1s0f1np1", "enp1s0f0np0"),
        ({"netdev": None}, "SL402", "enP2p1s0f1np1", "none"),
        ({"link_layer": "InfiniBand", "gids": [], "netdev": None}, "SL403", "Ethernet", "InfiniBand"),
        ({"link_layer": None}, "SL403", "Ethernet", "not read"),
        ({"state": "DOWN"}, "SL404", "ACTIVE", "DOWN"),
        ({"state": None}, "SL404", "ACTIVE", "not read"),
        ({"gids": []}, "SL406", "192.168.101.16", "none"),
    ],
)
def test_rdma_devices(rack: Rack, change: dict[str, Any], code: str, expected: str, actual: str) -> None:
    rack.device("spark-6", "B").update(change)
    for entry in rack.node("spark-6")["bandwidth"] or ():
        if entry["rail"] == "B":
            entry.update(average_gbps=None, error="no GID")
    assert values(rack) == (code, DEVICE, expected, actual)


def test_a_gid_of_the_first_version_alone_is_none(rack: Rack) -> None:
    device = rack.device("spark-6", "B")
    device["gids"] = [gid for gid in device["gids"] if gid["kind"] != "RoCE v2"]
    assert values(rack) == ("SL406", DEVICE, "192.168.101.16", "192.168.101.16")


@pytest.mark.parametrize(
    ("width", "speed", "severity", "actual"),
    [
        (2, 32.0, "fail", "x2 at 32 GT/s"),
        (4, 16.0, "fail", "x4 at 16 GT/s"),
        (2, None, "fail", "x2 at a speed not read"),
        (4, None, "warn", "x4 at a speed not read"),
        (None, None, "warn", "not read"),
    ],
)
def test_pcie_lanes(rack: Rack, width: int | None, speed: float | None, severity: str, actual: str) -> None:
    rack.rail("spark-6", "B").update(pcie_width=width, pcie_speed_gts=speed)
    assert values(rack) == ("SL405", WHERE, "x4 at 32 GT/s", actual)
    assert judge(rack)[0].severity == severity


def test_half_of_the_lanes_explain_half_of_the_bandwidth(rack: Rack) -> None:
    rack.rail("spark-6", "B")["pcie_width"] = 2
    for node in rack.evidence.nodes.values():
        for entry in node.parts["bandwidth"]:
            if entry["rail"] == "B" and (node.parts is rack.node("spark-6") or entry["partner"] == "spark-6"):
                entry["average_gbps"] = 54.0
    findings = judge(rack)
    assert the_root(findings).code == "SL405"
    assert [one.code for one in findings[1:]] == ["SL407", "SL407"]


def test_lanes_that_could_not_be_read_explain_no_slowness(rack: Rack) -> None:
    rack.rail("spark-6", "B")["pcie_width"] = None
    for entry in rack.node("spark-6")["bandwidth"] or ():
        entry["average_gbps"] = 54.0
    assert {one.code for one in judge(rack) if not one.follows} == {"SL405", "SL407"}
    assert not any(one.follows for one in judge(rack))


def test_wider_and_faster_lanes_are_well(rack: Rack) -> None:
    rack.rail("spark-6", "B").update(pcie_width=8, pcie_speed_gts=64.0)
    assert judge(rack) == []
