"""What was not seen is never taken to be well: hosts, parts of evidence, single entries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seen_rack import Rack, brief, declared, judge, pair, spark8, the_root

NODE_PARTS = ["facts", "paths", "logins", "clock", "bandwidth", "environment"]
SWITCH_PARTS = ["links", "bridge_ports", "ports"]


def test_a_dead_node_is_one_finding_and_explains_what_others_miss(rack: Rack) -> None:
    rack.silence("spark-3")
    rack.monitor("crs812", "qsfp56-1-1", status="no-link")
    findings = judge(rack)
    found = the_root(findings)
    assert (found.code, found.where, found.expected) == ("SL001", "spark-3", "an answer")
    assert found.actual == "Failed to connect to the host via ssh: No route to host"
    assert found.remedy
    assert {one.code for one in findings} == {"SL001", "SL201", "SL307", "SL408", "SL501"}


def test_a_dead_node_is_never_well_even_if_nobody_misses_it(rack: Rack) -> None:
    rack.without("spark-3", *NODE_PARTS)
    assert brief(judge(rack)) == [("SL001", "spark-3")]
    del rack.evidence.nodes["spark-3"]
    assert brief(judge(rack)) == [("SL001", "spark-3")]


def test_a_dead_head_explains_the_clocks_that_follow_it(rack: Rack) -> None:
    rack.silence("spark-1")
    for name in ("spark-2", "spark-8"):
        clock: Any = rack.node(name).clock
        clock.update(offset_ms=None, problem="no answer from 10.83.0.11")
    assert the_root(judge(rack)).title == "SL001 spark-1"


def test_a_rack_without_any_evidence(rack: Rack) -> None:
    for hosts in (rack.evidence.nodes, rack.evidence.switches):
        hosts.clear()
    names = [*rack.values]
    assert brief(judge(rack)) == [("SL001", name) for name in names]


@pytest.mark.parametrize("part", NODE_PARTS[1:])
def test_a_missing_part_of_a_node_is_a_finding(rack: Rack, part: str) -> None:
    rack.without("spark-5", part)
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL002", "spark-5")
    assert found.problem == f"the host gave no evidence of {part}"
    assert (found.expected, found.actual) == ("an answer to every question", "nothing")
    assert "--tags" in found.remedy


def test_what_a_task_said_is_why_all_later_parts_are_missing(rack: Rack) -> None:
    rack.without("spark-5", "environment", bandwidth="ib_write_bw is not installed on this node")
    found = the_root(judge(rack))
    assert found.problem == "the host gave no evidence of bandwidth, environment"
    assert found.actual == "bandwidth: ib_write_bw is not installed on this node"
    assert found.remedy == "run site.yml with --tags ofed, then verify again"


def test_a_partner_that_did_not_measure_explains_why_there_is_no_figure(rack: Rack) -> None:
    rack.without("spark-1", "environment", "bandwidth", clock="chronyc hangs")
    for row in rack.node("spark-2").bandwidth or ():
        row.update(average_gbps=None, error="no partner called")
    findings = judge(rack)
    assert the_root(findings).title == "SL002 spark-1"
    assert [one.code for one in findings[1:]] == ["SL408", "SL408"]


@pytest.mark.parametrize("part", ["interfaces", "rdma_devices", "default_routes"])
@pytest.mark.parametrize("absent", [True, False])
def test_a_missing_section_of_the_facts_is_a_finding_and_no_absence(rack: Rack, part: str, absent: bool) -> None:
    facts: Any = rack.node("spark-5").facts
    if absent:
        del facts[part]
    else:
        facts[part] = None
    found = the_root(judge(rack))
    assert (found.code, found.problem) == ("SL002", f"the host gave no evidence of {part.replace('_', ' ')}")


def test_addresses_that_could_not_be_read(rack: Rack) -> None:
    rack.rail("spark-5", "A").update(ipv4=None, ipv6=None)
    found = the_root(judge(rack))
    assert (found.code, found.actual) == ("SL303", "not read")


@pytest.mark.parametrize("part", SWITCH_PARTS)
def test_a_missing_part_of_a_switch_is_a_finding(rack: Rack, part: str) -> None:
    rack.without("crs804", part)
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL001" if part == "links" else "SL002", "crs804")
    assert found.remedy


def test_a_path_and_a_login_that_were_not_tried(rack: Rack) -> None:
    node = rack.node("spark-5")
    paths = [path for path in node.paths or () if (path["rail"], path["peer"]) != ("A", "spark-7")]
    logins = [login for login in node.logins or () if login["peer"] != "spark-6"]
    rack.evidence.nodes["spark-5"] = replace(node, paths=paths, logins=logins)
    found = the_root(judge(rack))
    assert found.problem == ("the host gave no evidence of paths on rail A to spark-7, logins of spark to spark-6")


def test_a_run_over_some_hosts_judges_those_alone(rack: Rack) -> None:
    rack.silence("spark-3")
    rack.monitor("crs804", "qsfp56-dd-3-1", rate="50Gbps")
    assert judge(rack, "spark-1", "spark-2", "crs812") == []
    assert judge(rack, "spark-4") == []
    assert brief(judge(rack, "spark-2", "spark-3")) == [("SL001", "spark-3")]


def test_a_run_over_some_hosts_misses_nothing_of_the_others(rack: Rack) -> None:
    run = ["spark-1", "spark-2"]
    for name in run:
        node = rack.node(name)
        rack.evidence.nodes[name] = replace(
            node,
            paths=[path for path in node.paths or () if path["peer"] in run],
            logins=[login for login in node.logins or () if login["peer"] in run],
            bandwidth=[row for row in node.bandwidth or () if row["partner"] in run],
        )
    assert judge(rack, *run) == []


def test_a_run_over_a_node_alone_still_sees_the_rate_of_its_rails(rack: Rack) -> None:
    rack.rail("spark-1", "A")["speed_mbps"] = 50000
    found = the_root(judge(rack, "spark-1"))
    assert found.code == "SL201"
    assert found.actual == ("crs812/qsfp56-dd-2-1 not part of this run; spark-1 enp1s0f1np1 50G, enP2p1s0f1np1 200G")


def test_a_run_over_the_switches_alone(rack: Rack) -> None:
    assert judge(rack, "crs812", "crs804") == []
    rack.monitor("crs804", "qsfp56-dd-3-1", rate="50Gbps")
    assert [one.code for one in judge(rack, "crs812", "crs804")] == ["SL201"]


# What rules go by, within each part; a part as a whole always matters.
GOES_BY = {
    "interfaces": {"mtu", "carrier", "speed_mbps", "ipv4", "ipv6", "pcie_width", "pcie_speed_gts"},
    "rdma_devices": {"netdev", "state", "link_layer", "gids"},
    "paths": {"peer", "rail", "transmitted", "received"},
    "logins": {"user", "peer", "ok"},
    "clock": {"problem"},
    "bandwidth": {"partner", "rail", "average_gbps"},
    "links": {"name", "port", "up", "rate_gbps"},
    "bridge_ports": {"interface", "bridge", "hw-offload"},
}


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where a record holds something, outermost first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, ...]] = []
    for key, inner in items:
        found += [(*path, key), *spots(inner, (*path, key))]
    return found


def remove(value: Any, path: tuple[Any, ...], how: str) -> None:
    for key in path[:-1]:
        value = value[key]
    if how == "none" and isinstance(value, dict):
        value[path[-1]] = None
    else:
        del value[path[-1]]


def parts_of(rack: Rack) -> dict[str, Any]:
    """Return the evidence as one record: host, part, and what is in there."""
    found: dict[str, Any] = {}
    for name, node in rack.evidence.nodes.items():
        found[name] = {part: getattr(node, part) for part in NODE_PARTS}
    for name, switch in rack.evidence.switches.items():
        found[name] = {part: getattr(switch, part) for part in SWITCH_PARTS}
    return found


def put_back(rack: Rack, record: dict[str, Any]) -> None:
    hosts: Any
    for hosts, kinds in ((rack.evidence.nodes, NODE_PARTS), (rack.evidence.switches, SWITCH_PARTS)):
        for name in list(hosts):
            parts = record.get(name) or {}
            hosts[name] = replace(hosts[name], **{part: parts.get(part) for part in kinds})


def matters(path: tuple[Any, ...]) -> bool:
    """Tell whether a rule goes by what is at this place."""
    _host, *parts = path
    if parts[:1] == ["facts"]:
        parts = parts[1:]
        if parts[:1] not in ([], ["interfaces"], ["rdma_devices"]):
            return parts == ["default_routes"]
    if not parts or len(parts) == 1 or parts[0] == "environment":
        return True
    part, entry, *inner = parts
    if part == "clock":
        return entry in GOES_BY["clock"]
    if entry == "enP7s7" or part == "ports":
        return False
    return not inner or (inner[0] in GOES_BY[part] and inner[0] != "gids") or inner == ["gids"]


ALL_SPOTS = {"spark8": spots(parts_of(Rack(spark8()))), "pair": spots(parts_of(Rack(pair())))}
PLANS = {"spark8": spark8, "pair": pair}
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@settings(UNHURRIED, max_examples=150)
@given(st.data())
def test_whatever_is_missing_nothing_crashes_and_nothing_is_called_well(data: st.DataObject) -> None:
    which = data.draw(st.sampled_from(sorted(PLANS)))
    chosen = data.draw(st.lists(st.sampled_from(ALL_SPOTS[which]), min_size=1, max_size=12, unique=True))
    how = data.draw(st.sampled_from(["none", "delete"]))
    rack = Rack(PLANS[which]())
    record = parts_of(rack)
    # The later ones of a list first, the inner ones before what holds them.
    for path in sorted(
        chosen, key=lambda one: [(isinstance(key, int), str(key).zfill(4)) for key in one], reverse=True
    ):
        remove(record, path, how)
    put_back(rack, record)
    findings = diagnose(declared(rack.plan), rack.evidence)
    for finding in findings:
        assert str(finding)
        assert finding.to_dict()["remedy"]
    titles = {finding.title for finding in findings if not finding.follows}
    assert {finding.follows for finding in findings} - {""} <= titles
    if any(matters(path) for path in chosen):
        assert findings, chosen


@pytest.mark.parametrize("how", ["none", "delete"])
def test_every_single_thing_that_a_rule_goes_by_is_missed(how: str) -> None:
    """Not sampled: each place of a pair's evidence that matters, one at a time."""
    for path in ALL_SPOTS["pair"]:
        rack = Rack(pair())
        record = parts_of(rack)
        remove(record, path, how)
        put_back(rack, record)
        assert bool(diagnose(declared(rack.plan), rack.evidence)) >= matters(path), path
