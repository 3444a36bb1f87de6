"""The action plugin: what hosts registered becomes evidence, and the verdict claims no more than was seen."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible_collections.sparkloom.cluster.plugins.action import verify_judge
from seen_rack import Rack, spark8

FAILED = {"failed": True, "msg": "MODULE FAILURE: it broke"}
UNREACHABLE = {"unreachable": True, "msg": "Failed to connect to the host via ssh: No route to host"}


def slurped(environment: Mapping[str, str]) -> dict[str, Any]:
    text = "# Written by Sparkloom\n" + "".join(f"{name}={value}\n" for name, value in environment.items())
    return {"content": base64.b64encode(text.encode()).decode(), "encoding": "base64"}


def rounds(rack: Rack, name: str) -> list[dict[str, Any]]:
    """Return the loop of rdma_bandwidth: the server's figures too, and an item that was skipped for want of a partner."""
    figures = rack.node(name).bandwidth or []
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
    """Return hostvars as they are once the first two plays of verify.yml are done."""
    found = {name: dict(values) for name, values in rack.values.items()}
    for name, node in rack.evidence.nodes.items():
        found[name] |= {
            "verify_facts": {"changed": False, "facts": node.facts},
            "verify_paths": {"changed": False, "paths": node.paths},
            "verify_logins": {"changed": False, "logins": node.logins},
            "verify_clock": {"changed": False, **(node.clock or {})},
            "verify_bandwidth": {"changed": False, "results": rounds(rack, name)},
            "verify_environment": slurped(node.environment or {}),
        }
    for name, switch in rack.evidence.switches.items():
        found[name] |= {
            "verify_switch": {"facts": {"ports": switch.ports, "bridge_ports": switch.bridge_ports}},
            "verify_links": {"links": switch.links},
        }
    return found


def judge(hosts: Mapping[str, Any], *only: str, **options: Any) -> dict[str, Any]:
    run = only or tuple(hosts)
    task = Task()
    task.action = "sparkloom.cluster.verify_judge"
    task.args = {
        "nodes": [name for name in run if "node_name" in hosts[name]],
        "switches": [name for name in run if "switch_model" in hosts[name]],
        **options,
    }
    action = verify_judge.ActionModule(
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
        seen = asdict(verify_judge.node_evidence(hosts[name]))
        clock = {key: value for key, value in seen["clock"].items() if key != "changed"}
        assert {**seen, "clock": clock} == asdict(node)
    for name, switch in rack.evidence.switches.items():
        assert verify_judge.switch_evidence(hosts[name]) == switch


def test_a_rack_that_is_well(hosts: dict[str, dict[str, Any]]) -> None:
    answer = judge(hosts)
    assert not answer.get("failed")
    assert answer["findings"] == []
    assert answer["warnings"] == []
    assert answer["changed"] is False
    assert answer["msg"] == "8 nodes, 2 switches and 9 links are as declared"


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


def test_a_warning_does_not_fail(rack: Rack) -> None:
    rack.rail("spark-1", "A")["ipv6"] = ["fe80::1/64"]
    answer = judge(registered(rack))
    assert not answer.get("failed")
    assert answer["msg"].endswith("are as declared, with 1 warning")
    assert [text.split(":")[0] for text in answer["warnings"]] == ["SL304 spark-1 enp1s0f1np1"]


def test_a_fault_fails_with_causes_first(rack: Rack) -> None:
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    rack.unplug("spark-3")
    rack.rail("spark-1", "A")["ipv6"] = ["fe80::1/64"]
    answer = judge(registered(rack))
    assert answer["failed"] is True
    assert answer["msg"].startswith("1 finding, and 14 that follow\n\nSL201 cable 200g-dac between")
    assert "SL304" not in answer["msg"]
    assert len(answer["warnings"]) == 1
    assert len(answer["findings"]) == 16


def test_an_unreachable_node(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"] = {**Rack(spark8()).values["spark-4"], "verify_facts": UNREACHABLE}
    answer = judge(hosts)
    assert answer["failed"] is True
    assert told(answer) == [("SL001", "spark-4")]
    assert "No route to host" in answer["msg"]


def test_a_node_of_which_nothing_was_registered(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"] = dict(Rack(spark8()).values["spark-4"])
    assert told(judge(hosts)) == [("SL001", "spark-4")]


def test_a_node_lost_in_the_middle_of_the_run(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["spark-4"]["verify_logins"] = UNREACHABLE
    for later in ("verify_clock", "verify_bandwidth", "verify_environment"):
        del hosts["spark-4"][later]
    answer = judge(hosts)
    assert told(answer) == [("SL002", "spark-4")]
    assert answer["findings"][0]["actual"] == f"logins: {UNREACHABLE['msg']}"


@pytest.mark.parametrize(
    ("register", "part"),
    [
        ("verify_paths", "paths"),
        ("verify_logins", "logins"),
        ("verify_clock", "clock"),
        ("verify_environment", "environment"),
    ],
)
@pytest.mark.parametrize("result", [FAILED, {"skipped": True, "changed": False}, {}, None])
def test_a_task_that_gave_nothing(
    hosts: dict[str, dict[str, Any]], register: str, part: str, result: dict[str, Any] | None
) -> None:
    hosts["spark-4"][register] = result
    answer = judge(hosts)
    assert told(answer) == [("SL002", "spark-4")]
    assert answer["findings"][0]["problem"] == f"the host gave no evidence of {part}"
    assert (FAILED["msg"] in answer["findings"][0]["actual"]) is (result is FAILED)


@pytest.mark.parametrize("result", [FAILED, {"skipped": True}, {}, None])
def test_bandwidth_without_results(hosts: dict[str, dict[str, Any]], result: dict[str, Any] | None) -> None:
    hosts["spark-2"]["verify_bandwidth"] = result
    assert told(judge(hosts)) == [("SL002", "spark-2")]


def test_a_round_that_failed_is_said_on_each_rail(hosts: dict[str, dict[str, Any]]) -> None:
    results = hosts["spark-2"]["verify_bandwidth"]["results"]
    results[0] = {"item": results[0]["item"], **FAILED}
    hosts["spark-2"]["verify_bandwidth"]["failed"] = True
    answer = judge(hosts)
    assert [(one["code"], one["actual"]) for one in answer["findings"]] == [("SL408", FAILED["msg"])] * 2


@pytest.mark.parametrize("change", [{"skipped": True}, {"bandwidth": []}, {"bandwidth": None}])
def test_a_round_that_was_skipped_is_not_taken_to_be_fast(
    hosts: dict[str, dict[str, Any]], change: dict[str, Any]
) -> None:
    results = hosts["spark-2"]["verify_bandwidth"]["results"]
    results[0] = {"item": results[0]["item"], **change}
    assert [one["actual"] for one in judge(hosts)["findings"]] == ["it was not measured"] * 2


@pytest.mark.parametrize(("register", "code"), [("verify_links", "SL001"), ("verify_switch", "SL002")])
def test_a_switch_task_that_failed(hosts: dict[str, dict[str, Any]], register: str, code: str) -> None:
    hosts["crs804"][register] = {"failed": True, "msg": "connection refused by 127.83.0.3:8728"}
    answer = judge(hosts)
    assert told(answer) == [(code, "crs804")]
    assert "connection refused" in answer["findings"][0]["actual"]


def test_a_switch_that_was_never_asked(hosts: dict[str, dict[str, Any]]) -> None:
    hosts["crs804"] = dict(Rack(spark8()).values["crs804"])
    assert told(judge(hosts)) == [("SL001", "crs804")]


def test_a_port_that_its_owner_renamed_is_still_the_port(hosts: dict[str, dict[str, Any]]) -> None:
    facts = hosts["crs804"]["verify_switch"]["facts"]
    member = facts["bridge_ports"][0]
    next(row for row in facts["ports"] if row["name"] == member["interface"])["name"] = "to-crs812"
    member["interface"] = "to-crs812"
    assert judge(hosts)["findings"] == []


def test_thresholds_are_options(rack: Rack) -> None:
    for node in rack.evidence.nodes.values():
        for row in node.bandwidth or ():
            row["average_gbps"] = 2.5
    hosts = registered(rack)
    assert judge(hosts, warn_gbps=2.0, fail_gbps=1.0)["findings"] == []
    assert judge(hosts)["failed"] is True


def test_an_environment_file_with_comments_and_equal_signs() -> None:
    host = {"verify_environment": slurped({"NCCL_IB_HCA": "=rocep1s0f1:1", "EMPTY": ""})}
    assert verify_judge.node_evidence(host).environment == {"NCCL_IB_HCA": "=rocep1s0f1:1", "EMPTY": ""}
