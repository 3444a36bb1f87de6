"""Rules about hosts as such: equality, switches' and nodes' health. Each for its fault, its absence, and no evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.catalogue import RULES
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.fleet import odd_ones
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import Host
from seen_rack import Rack, brief, judge, the_root

Break = Callable[[Rack], Any]


def port(rack: Rack, switch: str, part: str, name: str) -> dict[str, Any]:
    key = "interface" if part == "bridge_ports" else "name"
    row: dict[str, Any] = next(row for row in rack.switch(switch)[part] if row[key] == name)
    return row


def set_firmware(rack: Rack) -> None:
    for rail in "AB":
        rack.rail("spark-6", rail)["firmware"] = "28.43.1000"


def swap_cables(rack: Rack) -> None:
    macs = {name: rack.rail(name, "A")["mac"] for name in ("spark-3", "spark-4")}
    rack.switch("crs812")["fdb"] = [
        {"mac": macs["spark-4"].upper(), "interface": "qsfp56-1-1", "bridge": "bridge"},
        {"mac": macs["spark-3"], "interface": "qsfp56-2-1", "bridge": "bridge"},
    ]


# Code, place, what breaks it, and a word of what was seen.
FAULTS: list[tuple[str, str, Break, str]] = [
    ("SL801", "spark-6", lambda r: r.node("spark-6")["system"].update(kernel="6.17.0-1008-nvidia"), "1008"),
    ("SL802", "spark-6", lambda r: r.node("spark-6")["gpu"].update(driver="580.95.05"), "580.95.05"),
    ("SL803", "spark-6", set_firmware, "28.43.1000"),
    (
        "SL804",
        "spark-2 and spark-6",
        lambda r: r.node("spark-6")["system"].update(machine_id=r.node("spark-2")["system"]["machine_id"]),
        "the same one",
    ),
    (
        "SL805",
        "spark on spark-2, spark-6",
        lambda r: r.node("spark-6")["ssh"]["users"]["spark"]["keys"].append("SHA256:spark1"),
        "SHA256:spark1",
    ),
    ("SL806", "crs804", lambda r: r.switch("crs804")["system"].update(version="7.25 (stable)"), "7.25"),
    ("SL811", "spark-6", lambda r: r.node("spark-6")["system"].update(memory_available_kib=1_000_000), "0.95 GiB"),
    ("SL812", "spark-6", lambda r: r.node("spark-6")["kernel_log"].update(aer_errors=3), "3 PCIe errors"),
    ("SL812", "spark-6", lambda r: r.node("spark-6")["kernel_log"].update(oom_kills=1), "1 kills for want of memory"),
    ("SL813", "spark-6", lambda r: r.node("spark-6")["gpu"].update(temperature_c=90.0), "90 °C"),
    ("SL813", "spark-6", lambda r: r.node("spark-6")["gpu"].update(throttle=["sw_power_cap"]), "sw power cap"),
    ("SL814", "spark-6", lambda r: r.node("spark-6")["failed_units"].append("x.service"), "x.service"),
    (
        "SL321",
        "spark-6 /etc/netplan/99-nvidia-sync-cluster.yaml",
        lambda r: r.node("spark-6")["netplan"].append(
            {
                "path": "/etc/netplan/99-nvidia-sync-cluster.yaml",
                "mode": "0600",
                "interfaces": ["enp1s0f1np1", "wlP9s9"],
                "error": "",
            }
        ),
        "it claims enp1s0f1np1",
    ),
    (
        "SL322",
        "spark-6 /etc/netplan/60-sparkloom-fabric.yaml",
        lambda r: r.node("spark-6")["netplan"][0].update(mode="0644"),
        "0644",
    ),
    (
        "SL205",
        "crs812/qsfp56-1-1",
        lambda r: r.switch("crs812")["counters"]["qsfp56-1-1"].update(rs_fec_uncorrected=7),
        "7 uncorrected codewords",
    ),
    (
        "SL205",
        "crs812/qsfp56-1-1",
        lambda r: r.switch("crs812")["counters"]["qsfp56-1-1"].update(rx_fcs_error=2),
        "2 frames with a bad checksum",
    ),
    (
        "SL206",
        "crs812/qsfp56-1-1",
        lambda r: port(r, "crs812", "qos_ports", "qsfp56-1-1").update({"egress-rate-queue3": "100000000000"}),
        "100 Gb/s",
    ),
    (
        "SL207",
        "crs812/qsfp56-dd-1-1",
        lambda r: port(r, "crs812", "bridge_ports", "qsfp56-dd-1-1").update(role="alternate-port"),
        "alternate-port",
    ),
    ("SL222", "crs804", lambda r: r.switch("crs804")["system"].update(current_firmware="7.19.5"), "7.19.5"),
    (
        "SL223",
        "crs804 user ops",
        lambda r: r.switch("crs804")["users"].append({"name": "ops", "group": "full", "disabled": False}),
        "group full",
    ),
    ("SL224", "crs804", lambda r: r.switch("crs804")["health"].update({"psu2-state": "fail"}), "psu2 fail"),
]


@pytest.mark.parametrize(("code", "where", "spoil", "seen"), FAULTS)
def test_a_fault_is_named_alone(rack: Rack, code: str, where: str, spoil: Break, seen: str) -> None:
    assert judge(rack) == []
    spoil(rack)
    found = the_root(judge(rack))
    assert (found.code, found.where) == (code, where)
    assert seen in found.actual
    assert found.remedy
    assert found.hosts


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.needs], ids=lambda rule: rule.code)
def test_without_its_evidence_a_rule_is_silent_and_that_is_said(rack: Rack, rule: Any) -> None:
    for need in rule.needs:
        kind, part = need.split(".")
        for name in list(rack.evidence.nodes if kind == "node" else rack.evidence.switches):
            rack.without(name, **{part: "it broke"})
    findings = judge(rack)
    assert rule.code not in {one.code for one in findings}
    assert any(one.code == "SL002" and rule.code in one.expected for one in findings)


def test_exchanged_cables_are_seen_by_the_addresses_behind_the_ports(rack: Rack) -> None:
    swap_cables(rack)
    findings = judge(rack)
    assert brief(findings) == [("SL208", "crs812/qsfp56-1-1"), ("SL208", "crs812/qsfp56-2-1")]
    assert (findings[0].expected, findings[0].actual) == ("spark-3", "spark-4")


def test_addresses_behind_the_right_ports_and_unknown_ones_are_well(rack: Rack) -> None:
    rack.switch("crs812")["fdb"] = [
        {"mac": rack.rail("spark-3", "A")["mac"], "interface": "qsfp56-1-1", "bridge": "bridge"},
        {"mac": "00:11:22:33:44:55", "interface": "qsfp56-2-1", "bridge": "bridge"},
        {"mac": rack.rail("spark-8", "A")["mac"], "interface": "qsfp56-dd-1-1", "bridge": "bridge"},
    ]
    assert judge(rack) == []


@pytest.mark.parametrize(("version", "ill"), [("7.24.1 (stable)", True), ("7.24.2 (stable)", False)])
def test_a_release_with_known_faults_is_named_with_its_reason(rack: Rack, version: str, ill: bool) -> None:
    for switch in ("crs812", "crs804"):
        rack.switch(switch)["system"].update(version=version)
    findings = judge(rack)
    assert {one.code for one in findings} == ({"SL221"} if ill else set())
    assert all(one.cause and one.remedy and one.severity == "warn" for one in findings)


def test_errors_over_a_link_that_is_down_follow_from_it(rack: Rack) -> None:
    rack.switch("crs812")["counters"]["qsfp56-1-1"].update(rs_fec_uncorrected=7)
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    assert the_root(judge(rack)).code == "SL201"


def test_a_second_power_supply_may_be_unplugged(rack: Rack) -> None:
    rack.switch("crs804")["health"].update({"psu2-state": "no-input"})
    assert judge(rack) == []


def test_a_cap_at_the_link_s_rate_is_none(rack: Rack) -> None:
    port(rack, "crs812", "qos_ports", "qsfp56-1-1")["egress-rate-queue3"] = "200000000000"
    assert judge(rack) == []


def test_a_small_machine_is_held_to_its_own_size(rack: Rack) -> None:
    system = rack.node("spark-6")["system"]
    system.update(memory_kib=500_000, memory_available_kib=200_000)
    assert judge(rack) == []
    system.update(memory_available_kib=20_000)
    assert the_root(judge(rack)).code == "SL811"


def odd(values: dict[str, str], reference: str = "") -> dict[str, tuple[str, str]]:
    hosts = ((Host(name, {}, {}), value) for name, value in values.items())
    return {host.name: (common, own) for host, common, own in odd_ones(hosts, reference)}


@pytest.mark.parametrize(
    ("values", "reference", "named"),
    [
        ({}, "", {}),
        ({"a": "1"}, "", {}),
        ({"a": "1", "b": "1"}, "", {}),
        ({"a": "1", "b": "2", "c": "1"}, "b", {"b": ("1", "2")}),
        ({"a": "1", "b": "2"}, "a", {"b": ("1", "2")}),
        ({"a": "1", "b": "2"}, "b", {"a": ("2", "1")}),
        ({"a": "1", "b": "", "c": "1"}, "", {}),
        ({"a": "1", "b": "2", "c": "3", "d": "1"}, "", {"b": ("1", "2"), "c": ("1", "3")}),
    ],
)
def test_the_odd_one_out(values: dict[str, str], reference: str, named: dict[str, tuple[str, str]]) -> None:
    assert odd(values, reference) == named
