# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proving an MTU path: what to ping, and what ping's answer means."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

# An IPv4 header is 20 bytes and an ICMP echo header 8 (RFC 791, RFC 792).
HEADERS = 28

_SUMMARY = re.compile(r"(\d+) packets transmitted, (\d+) received")
_RTT = re.compile(r"= ([\d.]+)/([\d.]+)/")


@dataclass(frozen=True)
class Target:
    """One path to prove: from a rail's interface to a peer's address on the same rail."""

    peer: str
    rail: str
    interface: str
    address: str


@dataclass(frozen=True)
class PathResult:
    """What a path answered; ``payload`` in bytes, ``rtt_ms`` the average."""

    peer: str
    rail: str
    interface: str
    address: str
    payload: int
    transmitted: int
    received: int
    rtt_ms: float | None
    error: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def payload_for(mtu: int) -> int:
    """Return the ICMP payload that fills a frame of ``mtu`` bytes exactly."""
    return mtu - HEADERS


def targets(interfaces: list[dict[str, Any]], peers: list[dict[str, Any]]) -> list[Target]:
    """Pair each rail of this node with the same rail of each peer."""
    return [
        Target(peer["name"], interface["rail"], interface["name"], peer["addresses"][interface["rail"]])
        for peer in peers
        for interface in interfaces
        if interface["rail"] in peer["addresses"]
    ]


def command(target: Target, payload: int, count: int, deadline: int) -> list[str]:
    """Return the ping that may not be fragmented (``-M do``) and ends by itself."""
    return [
        "ping", "-n", "-q", "-M", "do", "-s", str(payload), "-c", str(count), "-i", "0.2",
        "-w", str(deadline), "-I", target.interface, target.address,
    ]  # fmt: skip


def parse(target: Target, payload: int, stdout: str, stderr: str) -> PathResult:
    """Read ping's summary; text without one (no such device, no route) is an error in words."""
    summary = _SUMMARY.search(stdout)
    rtt = _RTT.search(stdout)
    complaint = next((line.strip() for line in (stderr + stdout).splitlines() if "rror" in line or "ping:" in line), "")
    transmitted, received = (int(summary[1]), int(summary[2])) if summary else (0, 0)
    if not summary and not complaint:
        complaint = "ping gave no summary"
    return PathResult(
        target.peer,
        target.rail,
        target.interface,
        target.address,
        payload,
        transmitted,
        received,
        float(rtt[2]) if rtt else None,
        complaint if received < transmitted or not summary else "",
    )
