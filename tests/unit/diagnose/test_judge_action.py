"""The action plugin: what hosts registered becomes evidence, and the verdict claims no more than was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleActionFail
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible_collections.sparkloom.cluster.plugins.action import judge as plugin
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import Evidence
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.judgement import PROBES, host_evidence
from seen_rack import Rack, spark8

FAILED = {"failed": True, "msg": "MODULE FAILURE: it broke"}
UNREACHABLE = {"unreachable": True, "msg": "Failed to connect to the host via ssh: No route to host"}
SKIPPED = {"skipped": True, "changed": False}


def rounds(rack: Rack, name: str) -> list[dict[str, Any]]:
    """Return the loop of rdma_bandwidth: the server's figures too, and an item that was skipped for want of a partner."""
    figures = rack.node(name)["bandwidth"]
    return [
        {
            "item": part,
            "changed": False,
            "bandwidth": [row for row in figures if row["partner"] == part["partner"]]
            if part["role"] == "client"
            else [{**rail, "partner": part["partner"], "average_gbps": None, "error": "x"} for rail in part["rails"]],
        }
        for part in rack.values[name]["verify_rounds"]
    ]


def registered(rack: Rack) -> dict[str, dict[str, Any]]:
    """Return hostvars as they are once the role observe is done."""
    found = {name: dict(values) for name, values in rack.values.items()}
    for name in rack.evidence.nodes:
        parts = dict(rack.node(name))
        probed = {probe: parts.pop(probe) for probe in list(parts) if probe in PROBES}
        found[name] |= {
            "observe_seen": {"changed": False, "seconds": 1.5, "evidence": {"parts": parts, "missing": {}}},
            "observe_paths": {"changed": False, "paths": probed["paths"]},
            "observe_logins": {"changed": False, "logins": probed["logins"]},
            "observe_bandwidth": {"changed": False, "results": rounds(rack, name)},
        }
    for name in rack.evidence.switches:
        found[name]["observe_seen"] = {"evidence": {"parts": rack.switch(name), "missing": {}}, "seconds": 0.1}
    return found


def judge(hosts: Mapping[str, Any], *only: str, **options: Any) -> dict[str, Any]:
    run = only or tuple(hosts)
    task = Task()
    task.action = "sparkloom.cluster.judge"
    task.args = {
        "nodes": [name for name in run if "node_name" in hosts[name]],
        "switches": [name for name in run if "switch_model" in hosts[name]],
        **options,
    }
    action = plugin.ActionModule(
        task=task,
        connection=MagicMock(),
        play_context=PlayContext(),
        loader=MagicMock(),
        templar=MagicMock(),
        shared_loader_obj=MagicMock(),
    )
    answer: dict[str, Any] = action.run(task_vars={"hostvars": hosts})
    return answer


def told(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["code"], one["where"]) for one in answer["findings"] if not one["follows"]]


@pytest.fixture
def hosts(rack: Rack) -> dict[str, dict[str, Any]]:
    return registered(rack)


def test_what_was_registered_is_the_evidence(rack: Rack, hosts: dict[str, dict[str, Any]]) -> None:
    for name, node in rack.evidence.nodes.items():
        seen = host_evidence("node", hosts[name])
        assert (seen.parts, seen.missing, seen.seconds) == (node.parts, {}, 1.5)
    for name, switch in rack.evidence.switches.items():
        assert host_evidence("switch", hosts[name]).parts == switch.parts


def test_a_rack_that_is_well(hosts: dict[str, dict[str, Any]]) -> None:
    answer = judge(hosts)
    assert answer["findings"] == []
    assert answer["changed"] is False
    assert answer["msg"] == "8 nodes, 2 switches and 9 links are as declared"
    judgement = answer["judgement"]
    assert (judgement["verdict"], judgement["kind"], judgement["cluster"]) == ("ok", "verify", "spark8")
    links = [link for cable in judgement["rack"]["cables"] for link in cable["links"]]
    assert {link["state"] for link in links} == {"ok"}
    assert {link["seen_gbps"] for link in links} == {200, 400}
    assert Evidence.from_dict(judgement["evidence"]).nodes["spark-1"].parts


def test_a_run_over_some_hosts_says_what_it_saw_from_one_end(hosts: dict[str, dict[str, Any]]) -> None:
    answer = judge(hosts, "spark-1", "crs804")
    assert answer["msg"] == (
        "1 node, 1 switch and 6 links (6 seen from one end: the other is not part of this run) are as declared"
    )


def test_findings_come_in_the_order_of_ranks_whatever_the_order_of_the_play(rack: Rack) -> None:
    for name in ("spark-2", "spark-7", "spark-5"):
        rack.rail(name, "B")["mtu"] = 1500
    hosts = registered(rack)
    answer = judge({name: hosts[name] for name in reversed(hosts)})
    assert [where for _code, where in told(answer)] == [f"spark-{number} enP2p1s0f1np1" for number in (2, 5, 7)]


@pytest.mark.parametrize(("use", "verdict"), [("verify", "ok"), ("doctor", "findings"), ("drift", "findings")])
def test_a_warning_is_a_finding_to_all_but_verification(rack: Rack, use: str, verdict: str) -> None:
    rack.rail("spark-1", "A")["ipv6"] = ["fe80::1/64"]
    answer = judge(registered(rack), use=use)
    assert answer["msg"].startswith("1 finding\n\nSL304 spark-1 enp1s0f1np1: ")
    assert answer["judgement"]["verdict"] == verdict


def test_causes_come_first(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    rack.rail("spark-1", "A")["ipv6"] = ["fe80::1/64"]
    answer = judge(registered(rack))
    assert answer["msg"].startswith("2 findings, and 14 that follow\n\nSL201 cable 200g-dac between")
    assert len(answer["findings"]) == 16
    states = {
        link["name"]: (link["state"], link["seen_gbps"])
        for cable in answer["judgement"]["rack"]["cables"]
        for link in cable["links"]
    }
    assert [name for name, state in states.items() if state not in {("ok", 200), ("ok", 400)}] == [
        "crs812/qsfp56-1-1 = spark-3/1"
    ]
    assert states["crs812/qsfp56-1-1 = spark-3/1"] == ("fail", None)


@pytest.mark.parametrize("use", ["doctor", "verify", "drift"])
def test_it_explains_and_never_fails_itself(rack: Rack, use: str) -> None:
    rack.rail("spark-5", "A")["mtu"] = 1500
    answer = judge(registered(rack), use=use)
    assert not answer.get("failed")
    assert answer["judgement"]["verdict"] == "findings"


def test_an_unreachable_node(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"] = {**Rack(spark8()).values["spark-4"], "observe_seen": UNREACHABLE}
    answer = judge(hosts)
    assert told(answer) == [("SL001", "spark-4")]
    assert "No route to host" in answer["msg"]


def test_a_node_that_answers_garbage_costs_itself_alone(hosts: dict[str, dict[str, Any]]) -> None:
    for lie in (
        {"evidence": "hello"},
        {"evidence": {"parts": [1, 2]}},
        {"evidence": {"parts": {"system": "x" * 10**7}}},
    ):
        hosts["spark-4"]["observe_seen"] = lie
        for probe, _key in PROBES.values():
            hosts["spark-4"].pop(probe, None)
        assert told(judge(hosts)) == [("SL001", "spark-4")]


def test_a_part_that_is_not_what_it_should_be_is_said(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"]["observe_seen"]["evidence"]["parts"]["interfaces"] = {"enp1s0f1np1": "fast"}
    answer = judge(hosts, use="doctor")
    assert told(answer) == [("SL002", "spark-4")]
    assert answer["judgement"]["verdict"] == "unknown"
    assert "interfaces: not valid at enp1s0f1np1" in answer["findings"][0]["actual"]


def test_a_probe_that_failed_is_said_with_its_words(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"]["observe_paths"] = FAILED
    answer = judge(hosts)
    assert told(answer) == [("SL002", "spark-4")]
    assert "MODULE FAILURE: it broke" in answer["msg"]


def test_a_probe_that_was_not_asked_for_is_not_missed(hosts: dict[str, dict[str, Any]]) -> None:
    for name in Rack(spark8()).evidence.nodes:
        hosts[name]["observe_bandwidth"] = {**SKIPPED, "results": [SKIPPED]}
        hosts[name].pop("observe_logins")
    assert judge(hosts)["findings"] == []


def test_a_measurement_that_failed_is_the_client_s(hosts: dict[str, dict[str, Any]], rack: Rack) -> None:
    client = next(name for name in rack.evidence.nodes if rack.node(name)["bandwidth"])
    results = hosts[client]["observe_bandwidth"]["results"]
    index = next(number for number, item in enumerate(results) if item["item"]["role"] == "client")
    results[index] = {"item": results[index]["item"], **FAILED}
    answer = judge(hosts)
    assert {code for code, _where in told(answer)} == {"SL408"}
    assert {one["actual"] for one in answer["findings"]} == {"MODULE FAILURE: it broke"}


@pytest.mark.parametrize("thresholds", [{"rdma_warm_gbps": 9}, {"rdma_warn_gbps": "fast"}])
def test_a_threshold_that_is_none_is_refused_in_words(hosts: dict[str, Any], thresholds: dict[str, Any]) -> None:
    with pytest.raises(AnsibleActionFail, match=next(iter(thresholds))):
        judge(hosts, thresholds=thresholds)


def test_a_rail_in_the_rack_s_drawing_knows_its_address(hosts: dict[str, dict[str, Any]]) -> None:
    drawn = judge(hosts)["judgement"]["rack"]
    assert [node["name"] for node in drawn["nodes"]] == [f"spark-{number}" for number in range(1, 9)]
    first = drawn["nodes"][0]
    assert (first["head"], first["rank"]) == (True, 0)
    assert first["cages"][0]["rails"][0] == {"rail": "A", "interface": "enp1s0f1np1", "address": "192.168.100.11/24"}
    assert [cable["kind"] for cable in drawn["cables"]].count("400g-dac-2x200g") == 3
