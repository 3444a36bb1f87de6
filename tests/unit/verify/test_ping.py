from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import ping

TARGET = ping.Target("spark2", "A", "enp1s0f1np1", "192.168.100.12")

GOOD = """PING 192.168.100.12 (192.168.100.12) from 192.168.100.11 enp1s0f1np1: 8972(9000) bytes of data.

--- 192.168.100.12 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 401ms
rtt min/avg/max/mdev = 2.013/2.204/2.480/0.201 ms
"""
LOST = """PING 192.168.100.12 (192.168.100.12) from 192.168.100.11 enp1s0f1np1: 8972(9000) bytes of data.

--- 192.168.100.12 ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 2041ms

"""
TOO_LONG = """PING 192.168.100.12 (192.168.100.12) from 192.168.100.11 enp1s0f1np1: 8972(9000) bytes of data.

--- 192.168.100.12 ping statistics ---
3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 401ms

"""


def test_the_payload_fills_the_frame() -> None:
    assert ping.payload_for(9000) == 8972


def test_each_rail_is_paired_with_the_same_rail_of_each_peer() -> None:
    interfaces = [{"name": "enp1s0f1np1", "rail": "A"}, {"name": "enP2p1s0f1np1", "rail": "B"}]
    peers = [
        {"name": "spark2", "addresses": {"A": "192.168.100.12", "B": "192.168.101.12"}},
        {"name": "spark3", "addresses": {"A": "192.168.100.13"}},
    ]
    assert [(target.peer, target.rail, target.address) for target in ping.targets(interfaces, peers)] == [
        ("spark2", "A", "192.168.100.12"),
        ("spark2", "B", "192.168.101.12"),
        ("spark3", "A", "192.168.100.13"),
    ]


@pytest.mark.parametrize(
    ("stdout", "stderr", "received", "rtt", "error"),
    [
        (GOOD, "", 3, 2.204, ""),
        (LOST, "", 0, None, ""),
        (
            TOO_LONG,
            "ping: local error: message too long, mtu=1500\n",
            0,
            None,
            "ping: local error: message too long, mtu=1500",
        ),
        (
            "",
            "ping: SO_BINDTODEVICE enp1s0f1np1: No such device\n",
            0,
            None,
            "ping: SO_BINDTODEVICE enp1s0f1np1: No such device",
        ),
        ("", "", 0, None, "ping gave no summary"),
    ],
)
def test_the_answer_is_read(stdout: str, stderr: str, received: int, rtt: float | None, error: str) -> None:
    result = ping.parse(TARGET, 8972, stdout, stderr)
    assert (result.received, result.rtt_ms, result.error) == (received, rtt, error)


def test_pings_may_not_be_fragmented_and_end_by_themselves() -> None:
    words = ping.command(TARGET, 8972, 3, 10)
    assert words[words.index("-M") + 1] == "do"
    assert words[words.index("-w") + 1] == "10"
    assert words[-1] == "192.168.100.12"
