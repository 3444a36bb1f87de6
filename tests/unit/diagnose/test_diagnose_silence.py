"""What was not seen is never taken to be well: hosts, parts of evidence, single entries."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.catalogue import RULES
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import Evidence, EvidenceError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seen_rack import Rack, brief, declared, judge, pair, spark8, the_root

PLANS = {"spark8": spark8, "pair": pair}
# (kind, part) of everything that some rule cannot do without.
NEEDED = sorted({tuple(need.split(".", 1)) for rule in RULES for need in rule.needs})


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
    rack.without("spark-3", **dict.fromkeys(rack.node("spark-3"), "it was not asked"))
    assert brief(judge(rack)) == [("SL001", "spark-3")]
    hosts: Any = rack.evidence.nodes
    del hosts["spark-3"]
    assert brief(judge(rack)) == [("SL001", "spark-3")]


def test_a_dead_head_explains_the_clocks_that_follow_it(rack: Rack) -> None:
    rack.silence("spark-1")
    for name in ("spark-2", "spark-8"):
        rack.node(name)["clock"].update(synchronised=False, offset_ms=None, problem="no answer from 10.83.0.11")
    assert the_root(judge(rack)).title == "SL001 spark-1"


def test_a_rack_without_any_evidence(rack: Rack) -> None:
    hosts: Any
    for hosts in (rack.evidence.nodes, rack.evidence.switches):
        hosts.clear()
    names = [*rack.values]
    assert brief(judge(rack)) == [("SL001", name) for name in names]


@pytest.mark.parametrize(("kind", "part"), NEEDED)
def test_a_missing_part_that_a_rule_needs_is_said_with_its_reason(rack: Rack, kind: str, part: str) -> None:
    host = {"node": "spark-5", "switch": "crs804"}[kind]
    rack.without(host, **{part: "it broke"})
    found = the_root(judge(rack))
    assert (found.code, found.where, found.severity) == ("SL002", host, "unknown")
    assert found.problem == f"the host gave no evidence of {part.replace('_', ' ')}"
    assert found.actual == f"{part.replace('_', ' ')}: it broke"
    assert found.expected.startswith("an answer, to judge SL")
    assert found.remedy


def test_parts_that_no_rule_needs_may_be_missing(rack: Rack) -> None:
    rack.without("spark-5", gpu="nvidia-smi is not installed", containers="docker is not installed")
    assert judge(rack) == []


def test_what_was_not_asked_for_is_not_missed(rack: Rack) -> None:
    for name in rack.evidence.nodes:
        for probe in ("paths", "logins", "bandwidth"):
            del rack.node(name)[probe]
    assert judge(rack) == []


def test_all_that_a_host_did_not_show_is_one_finding(rack: Rack) -> None:
    rack.without("spark-5", environment="no such file", bandwidth="ib_write_bw is not installed on this node")
    found = the_root(judge(rack))
    assert found.problem == "the host gave no evidence of environment, bandwidth"
    assert found.actual == "environment: no such file; bandwidth: ib_write_bw is not installed on this node"
    assert found.remedy == "run site.yml with --tags nccl; run site.yml with --tags ofed, then run this again"


def test_a_partner_that_did_not_measure_explains_why_there_is_no_figure(rack: Rack) -> None:
    rack.without("spark-1", bandwidth="ib_write_bw hangs")
    for row in rack.node("spark-2")["bandwidth"]:
        row.update(average_gbps=None, error="no partner called")
    findings = judge(rack)
    assert the_root(findings).title == "SL002 spark-1"
    assert [one.code for one in findings[1:]] == ["SL408", "SL408"]


def test_addresses_that_could_not_be_read(rack: Rack) -> None:
    rack.rail("spark-5", "A").update(ipv4=None, ipv6=None)
    found = the_root(judge(rack))
    assert (found.code, found.actual) == ("SL303", "not read")


def test_a_path_and_a_login_that_were_not_tried(rack: Rack) -> None:
    node = rack.node("spark-5")
    node["paths"] = [path for path in node["paths"] if (path["rail"], path["peer"]) != ("A", "spark-7")]
    node["logins"] = [login for login in node["logins"] if login["peer"] != "spark-6"]
    found = the_root(judge(rack))
    assert found.problem == "the host gave no evidence of paths on rail A to spark-7, logins of spark to spark-6"


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
        node["paths"] = [path for path in node["paths"] if path["peer"] in run]
        node["logins"] = [login for login in node["logins"] if login["peer"] in run]
        node["bandwidth"] = [row for row in node["bandwidth"] if row["partner"] in run]
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


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where a record holds something, outermost first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, ...]] = []
    for key, inner in items:
        found += [(*path, key), *spots(inner, (*path, key))]
    return found


LIES = [None, "", "x" * 5000, "\x1b[2J\u202e", -1, 10**30, 2.5, True, [], {}, [[]], {"a": {"b": 1}}, ["200G"] * 5000]


def spoil(value: Any, path: tuple[Any, ...], lie: Any) -> None:
    """Put a lie in the place of something, or take it away (Ellipsis)."""
    for key in path[:-1]:
        value = value[key]
    if lie is ...:
        del value[path[-1]]
    else:
        value[path[-1]] = lie


ALL_SPOTS = {name: spots(Rack(plan()).evidence.to_dict()) for name, plan in PLANS.items()}
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def readable(document: Any) -> Evidence | None:
    try:
        return Evidence.from_dict(document)
    except EvidenceError:
        return None


def dropped(document: Any, evidence: Evidence) -> list[tuple[str, str]]:
    """Return the parts that rules need and that were not believed."""
    found = []
    for kind, hosts in (("node", evidence.nodes), ("switch", evidence.switches)):
        for name, host in hosts.items():
            given = document[{"node": "nodes", "switch": "switches"}[kind]].get(name)
            asked = given.get("parts") if isinstance(given, dict) else None
            parts = asked if isinstance(asked, dict) else {}
            found += [(name, part) for part in parts if part not in host.parts and (kind, part) in NEEDED]
    return found


@settings(UNHURRIED, max_examples=150)
@given(st.data())
def test_whatever_hosts_say_nothing_crashes_and_nothing_that_was_dropped_is_called_well(data: st.DataObject) -> None:
    which = data.draw(st.sampled_from(sorted(PLANS)))
    chosen = data.draw(st.lists(st.sampled_from(ALL_SPOTS[which]), min_size=1, max_size=12, unique=True))
    rack = Rack(PLANS[which]())
    document = json.loads(json.dumps(rack.evidence.to_dict()))
    # The later ones of a list first, the inner ones before what holds them.
    for path in sorted(
        chosen, key=lambda one: [(isinstance(key, int), str(key).zfill(4)) for key in one], reverse=True
    ):
        spoil(document, path, data.draw(st.sampled_from([*LIES, ...])))
    evidence = readable(document)
    if evidence is None:
        return
    findings = diagnose(declared(rack.plan), evidence)
    for finding in findings:
        assert str(finding)
        assert finding.to_dict()["remedy"]
    titles = {finding.title for finding in findings if not finding.follows}
    assert {finding.follows for finding in findings} - {""} <= titles
    said = {finding.where for finding in findings if finding.code in {"SL001", "SL002"}}
    assert {name for name, _part in dropped(document, evidence)} <= said


@pytest.mark.parametrize("lie", [None, ...])
def test_every_single_thing_may_be_missing(lie: Any) -> None:
    """Not sampled: each place of a pair's evidence, one at a time."""
    for path in ALL_SPOTS["pair"]:
        rack = Rack(pair())
        document = json.loads(json.dumps(rack.evidence.to_dict()))
        spoil(document, path, lie)
        evidence = readable(document)
        if evidence is not None:
            findings = diagnose(declared(rack.plan), evidence)
            said = {finding.where for finding in findings if finding.code in {"SL001", "SL002"}}
            assert {name for name, _part in dropped(document, evidence)} <= said, path
