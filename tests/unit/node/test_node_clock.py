from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.module_utils.node.clock import (
    Clock,
    judge,
    parse_sources,
    parse_tracking,
)

# Recorded from chrony 4.3: a follower, its reference (`local stratum 8`), a follower just started, no daemon.
FOLLOWS = (
    "0A53000B,10.83.0.11,9,1796138925.917751620,0.000031325,-0.000000806,0.000000806,"
    "-2.293,-0.000,94.177,0.000008449,0.001437752,1.0,Normal\n"
)
LOCAL = (
    "7F7F0101,,8,1796138922.045943889,0.000000000,0.000000000,0.000000000,"
    "0.000,0.000,0.000,0.000000000,0.000000000,0.0,Normal\n"
)
UNSYNCHRONISED = (
    "00000000,,0,0.000000000,0.000000000,0.000000000,0.000000000,"
    "0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised\n"
)
REFUSED = "506 Cannot talk to daemon\n"

SELECTED = "^,*,10.83.0.11,8,2,77,14,0.000000897,0.000000092,0.000004386\n"
FAR = "^,*,10.83.0.11,8,2,77,14,-0.123000000,-0.123000000,0.000004386\n"
FELL_SILENT = "^,*,10.83.0.11,8,4,0,152,0.000000897,0.000000092,0.000004386\n"
SILENT = "^,?,10.83.0.11,0,2,0,4294967295,0.000000000,0.000000000,0.000000000\n"
SAMPLING = "^,?,10.83.0.11,8,2,1,0,0.000030145,0.000030145,0.000032622\n"


def seen(tracking: str, sources: str, is_reference: bool = False) -> Clock:
    return judge(parse_tracking(tracking), parse_sources(sources), 50.0, is_reference)


def test_a_clock_that_agrees() -> None:
    clock = seen(FOLLOWS, SELECTED)
    assert clock.to_dict() == {
        "synchronised": True,
        "offset_ms": 0.031,
        "reference": "10.83.0.11",
        "stratum": 9,
        "problem": "",
    }


def test_the_greater_of_both_offsets_counts() -> None:
    clock = seen(FOLLOWS, FAR)
    assert (clock.synchronised, clock.offset_ms) == (True, 123.0)
    assert clock.problem == "the clock is 123.0 ms off 10.83.0.11, more than 50.0 ms"


def test_a_server_that_fell_silent_vouches_for_nothing() -> None:
    clock = seen(FOLLOWS, FELL_SILENT)
    assert (clock.synchronised, clock.offset_ms) == (False, None)
    assert "no answer from 10.83.0.11" in clock.problem


def test_the_reference_has_nothing_to_be_off_from() -> None:
    clock = seen(LOCAL, "", is_reference=True)
    assert (clock.synchronised, clock.offset_ms, clock.stratum, clock.problem) == (True, 0.0, 8, "")


def test_a_node_that_follows_itself_is_not_synchronised() -> None:
    clock = seen(LOCAL, SILENT)
    assert not clock.synchronised
    assert "its own clock" in clock.problem


def test_a_daemon_that_does_not_answer_is_said_so_also_on_the_reference() -> None:
    for is_reference in (True, False):
        clock = seen(REFUSED, REFUSED, is_reference)
        assert not clock.synchronised
        assert "systemctl status chrony" in clock.problem


def test_why_a_clock_is_not_synchronised() -> None:
    assert "no server to ask" in seen(UNSYNCHRONISED, "").problem
    assert "no answer from 10.83.0.11" in seen(UNSYNCHRONISED, SILENT).problem
    assert "follows none yet" in seen(UNSYNCHRONISED, SAMPLING).problem


def test_reach_is_octal() -> None:
    assert parse_sources(SELECTED)[0].reach == 0o77
