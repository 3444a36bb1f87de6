"""Paths of full frames: what is lost is said as what it has in common."""

from __future__ import annotations

from seen_rack import Rack, brief, judge, the_root


def test_a_path_that_is_dead_both_ways_is_said_once(rack: Rack) -> None:
    rack.cut_paths("spark-2", "spark-7", rails="A", error="ping: local error: message too long, mtu=1500")
    rack.cut_paths("spark-7", "spark-2", rails="A")
    findings = judge(rack)
    found = the_root(findings)
    assert (found.code, found.where) == ("SL307", "spark-2 rail A to spark-7")
    assert found.expected == "answers to a ping of 8972 bytes that may not be fragmented"
    assert found.actual == "ping: local error: message too long, mtu=1500"
    assert found.remedy
    assert len(findings) == 2


def test_a_path_that_is_dead_one_way_is_said(rack: Rack) -> None:
    rack.cut_paths("spark-7", "spark-2", rails="B")
    assert brief(judge(rack)) == [("SL307", "spark-7 rail B to spark-2")]


def test_a_node_that_reaches_nobody_comes_before_those_that_do_not_reach_it(rack: Rack) -> None:
    rack.cut_rail("spark-7", "A")
    found = the_root(judge(rack))
    assert found.where == "spark-7 rail A to spark-1, spark-2, spark-3, spark-4, spark-5, spark-6, spark-8"
    assert found.actual == "no answer"


def test_both_rails_to_the_same_peers_are_one_finding(rack: Rack) -> None:
    rack.cut_paths("spark-2", "spark-7", "spark-8")
    assert brief(judge(rack)) == [("SL307", "spark-2 rails A and B to spark-7, spark-8")]


def test_a_rail_that_works_nowhere_is_one_finding(rack: Rack) -> None:
    for name in rack.evidence.nodes:
        rack.cut_paths(name, rails="B")
    found = the_root(judge(rack))
    assert (found.code, found.where) == ("SL307", "rail B between all nodes")


def test_a_ping_that_could_not_be_sent_is_no_answer(rack: Rack) -> None:
    for path in rack.node("spark-2")["paths"] or ():
        path.update(transmitted=0, received=0, error="ping: connect: Network is unreachable")
    found = the_root(judge(rack))
    assert found.where.startswith("spark-2 rails A and B to spark-1, spark-3")
    assert found.actual == "ping: connect: Network is unreachable"


def test_both_ways_of_a_pair(two: Rack) -> None:
    for name in two.evidence.nodes:
        two.cut_paths(name)
    first, second = two.evidence.nodes
    assert the_root(judge(two)).where == f"{first} rails A and B to {second}"


def test_lost_pings_are_a_warning_that_names_what_they_share(rack: Rack) -> None:
    rack.cut_paths("spark-3", rails="A", received=2)
    for other in rack.evidence.nodes:
        if other != "spark-3":
            rack.cut_paths(other, "spark-3", rails="A", received=1)
    found = the_root(judge(rack))
    assert (found.code, found.severity, found.where) == ("SL308", "warn", "rail A of spark-3")
    assert found.expected == "no loss"
    assert "1 of 3 spark-3 to spark-8" in found.actual
    assert "2 of 3 spark-8 to spark-3" in found.actual
    assert "FEC" in found.remedy


def test_lost_pings_of_one_pair_name_both(rack: Rack) -> None:
    rack.cut_paths("spark-3", "spark-5", rails="B", received=2)
    assert brief(judge(rack)) == [("SL308", "rail B between spark-3, spark-5")]


def test_pings_lost_over_a_slow_link_follow_from_it(rack: Rack) -> None:
    rack.rail("spark-3", "A")["speed_mbps"] = 50000
    rack.cut_paths("spark-3", rails="A", received=2)
    findings = judge(rack)
    assert the_root(findings).code == "SL202"
    assert [one.code for one in findings] == ["SL202", "SL308"]
