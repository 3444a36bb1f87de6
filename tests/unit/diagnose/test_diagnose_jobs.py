"""Bandwidth, logins, clocks and the environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from seen_rack import Rack, brief, declared, judge, plan_of, the_root

PAIR = "spark-2 to spark-1, rail A (rocep1s0f1)"


def slow(rack: Rack, gbps: float | None, error: str = "") -> None:
    """Let the first pair's client measure something else on rail A."""
    entry = next(
        row for row in rack.node("spark-2")["bandwidth"] or () if row["partner"] == "spark-1" and row["rail"] == "A"
    )
    entry.update(average_gbps=gbps, error=error)


@pytest.mark.parametrize(
    ("gbps", "severity", "remedy"),
    [
        (89.99, "warn", "PCIe width"),
        (80.0, "warn", "PCIe width"),
        (79.9, "fail", "PCIe width"),
        (25.1, "fail", "PCIe width"),
        (25.0, "fail", "reboot both nodes"),
        (12.9, "fail", "reboot both nodes"),
        (0.3, "fail", "PCIe width"),
    ],
)
def test_slow_rdma(rack: Rack, gbps: float, severity: str, remedy: str) -> None:
    slow(rack, gbps)
    found = the_root(judge(rack))
    assert (found.code, found.where, found.severity) == ("SL407", PAIR, severity)
    assert (found.expected, found.actual) == ("at least 90 Gb/s", f"{gbps:.2f} Gb/s")
    assert remedy in found.remedy


def test_the_threshold_itself_is_well(rack: Rack) -> None:
    slow(rack, 90.0)
    assert judge(rack) == []


def test_no_figure(rack: Rack) -> None:
    slow(rack, None, "ib_write_bw: Couldn't connect to 192.168.100.11:12000")
    found = the_root(judge(rack))
    assert (found.code, found.where, found.expected) == ("SL408", PAIR, "at least 90 Gb/s")
    assert found.actual == "ib_write_bw: Couldn't connect to 192.168.100.11:12000"
    assert found.remedy


def test_a_pair_that_was_not_measured_is_not_taken_to_be_fast(rack: Rack) -> None:
    rows = rack.node("spark-2")["bandwidth"]
    assert rows is not None
    rows.clear()
    assert [(one.code, one.actual) for one in judge(rack)] == [("SL408", "it was not measured")] * 2


@pytest.mark.parametrize(
    ("gbps", "codes"),
    [(45.0, []), (44.0, [("SL407", "warn")]), (39.0, [("SL407", "fail")]), (12.0, [("SL407", "fail")])],
)
def test_a_link_of_half_the_rate_is_held_to_half(gbps: float, codes: list[tuple[str, str]]) -> None:
    rack = Rack(plan_of("examples/crs812-eight-100g/crs812-eight-100g.cluster.yml"))
    name, node = next((name, node) for name, node in rack.evidence.nodes.items() if node.parts["bandwidth"])
    rows = node.parts["bandwidth"]
    rows[0]["average_gbps"] = gbps
    findings = judge(rack)
    assert [(one.code, one.severity) for one in findings] == codes
    assert all(one.where.startswith(f"{name} to ") and one.expected == "at least 45 Gb/s" for one in findings)


def test_an_owner_may_set_other_thresholds(rack: Rack) -> None:
    slow(rack, 3.0)
    assert judge(rack, rdma_warn_gbps=2.0, rdma_fail_gbps=1.0) == []


def test_a_peer_that_nobody_logs_in_to_is_one_finding(rack: Rack) -> None:
    for node in rack.evidence.nodes.values():
        for login in node.parts["logins"]:
            if login["peer"] == "spark-4":
                login.update(ok=False, error="Host key verification failed.")
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL501", "spark on every node to spark-4")
    assert (found.expected, found.actual) == ("a login with the host key checked", "Host key verification failed.")
    assert "--tags ssh_mesh" in found.remedy


def test_a_node_that_logs_in_nowhere_is_one_finding(rack: Rack) -> None:
    for login in rack.node("spark-4")["logins"] or ():
        login.update(ok=False, error=f"spark@{login['host']}: Permission denied (publickey).")
    found = the_root(judge(rack))
    assert found.where.startswith("spark on spark-4 to spark-5, spark-6")
    assert found.actual == "spark@spark-5: Permission denied (publickey)."


def test_two_reasons_are_two_findings(rack: Rack) -> None:
    logins = {login["peer"]: login for login in rack.node("spark-4")["logins"] or ()}
    logins["spark-1"].update(ok=False, error="Host key verification failed.")
    logins["spark-2"].update(ok=False, error="Permission denied (publickey).")
    assert brief(judge(rack)) == [("SL501", "spark on spark-4 to spark-1"), ("SL501", "spark on spark-4 to spark-2")]


def test_a_clock_that_is_off(rack: Rack) -> None:
    rack.node("spark-4")["clock"].update(offset_ms=83.2)
    found = the_root(judge(rack))
    assert (found.code, found.where, found.expected) == ("SL601", "spark-4", "within 50 ms")
    assert found.actual == "83.2 ms off"
    assert "--tags time_sync" in found.remedy


def test_the_rack_s_own_reference_has_nothing_to_agree_with(rack: Rack) -> None:
    rack.node("spark-1")["clock"].update(
        synchronised=False, problem="chronyd follows its own clock instead of a server"
    )
    assert judge(rack) == []


@pytest.mark.parametrize(
    ("clock", "actual"),
    [
        ({"offset_ms": -51.0}, "-51 ms off"),
        ({"offset_ms": None}, "offset not known"),
        ({"synchronised": False, "problem": ""}, "not synchronised"),
        ({"synchronised": False, "problem": "chronyd has no server to ask"}, "chronyd has no server to ask"),
    ],
)
def test_what_a_clock_may_suffer_from(rack: Rack, clock: dict[str, Any], actual: str) -> None:
    rack.node("spark-4")["clock"].update(clock)
    assert the_root(judge(rack)).actual == actual


def test_a_clock_at_the_bound_is_well(rack: Rack) -> None:
    rack.node("spark-4")["clock"].update(offset_ms=-50.0)
    assert judge(rack) == []


def test_a_reference_that_is_wrong_explains_those_that_follow_it(rack: Rack) -> None:
    for node in rack.evidence.nodes.values():
        node.parts["clock"].update(running=False, offset_ms=None, problem="chronyd does not answer")
    findings = judge(rack)
    assert the_root(findings).where == "spark-1"
    assert len(findings) == 8


def test_with_servers_of_their_own_clocks_do_not_explain_each_other(rack: Rack) -> None:
    for name in ("spark-1", "spark-2"):
        rack.node(name)["clock"].update(synchronised=False, problem="no answer from 192.0.2.1")
    values = declared(rack.plan)
    servers = {"time_sync_servers": ["192.0.2.1"]}
    values = replace(values, nodes={name: {**found, **servers} for name, found in values.nodes.items()})
    assert brief(diagnose(values, rack.evidence)) == [("SL601", "spark-1"), ("SL601", "spark-2")]


def test_a_changed_a_lacking_and_an_unknown_variable(rack: Rack) -> None:
    environment: Any = rack.node("spark-4")["environment"]
    wanted = environment["NCCL_IB_HCA"]
    environment["NCCL_IB_HCA"] = "mlx5_0"
    del environment["NCCL_NET"]
    environment["NCCL_BUFFSIZE"] = "8388608"
    findings = judge(rack)
    assert [(one.code, one.where, one.expected, one.actual) for one in findings] == [
        ("SL701", "spark-4 NCCL_IB_HCA", wanted, "mlx5_0"),
        ("SL701", "spark-4 NCCL_NET", "IB", "not set"),
        ("SL702", "spark-4 NCCL_BUFFSIZE", "not set", "8388608"),
    ]
    assert all("--tags nccl" in one.remedy for one in findings)


def test_a_gid_index_that_nobody_asked_for_is_unknown(rack: Rack) -> None:
    environment: Any = rack.node("spark-4")["environment"]
    environment["NCCL_IB_GID_INDEX"] = "3"
    assert brief(judge(rack)) == [("SL702", "spark-4 NCCL_IB_GID_INDEX")]


@pytest.mark.parametrize(("index", "codes"), [("5", []), (None, ["SL701"])])
def test_a_probed_gid_index_is_the_nodes_own(rack: Rack, index: str | None, codes: list[str]) -> None:
    values = declared(rack.plan, ["spark-4"])
    values = replace(values, links=[], nodes={"spark-4": {**values.nodes["spark-4"], "nccl_gid_index": "probe"}})
    if index:
        environment: Any = rack.node("spark-4")["environment"]
        environment["NCCL_IB_GID_INDEX"] = index
    assert [one.code for one in diagnose(values, rack.evidence)] == codes
