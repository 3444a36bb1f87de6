# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock as chronyd sees it: ``chronyc -c tracking`` and ``chronyc -c sources``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

# chronyc prints 14 values for tracking and 10 for a source (chronyc(1); -c gives them raw).
_TRACKING = 14
_SOURCE = 10

# 127.127.1.1: chronyd's own clock, by the directive `local`.
LOCAL_CLOCK = "7F7F0101"


@dataclass(frozen=True)
class Tracking:
    """What chronyd follows, and how far the system clock is from it, in seconds."""

    reference_id: str
    reference: str
    stratum: int
    offset: float
    leap: str

    @property
    def synchronised(self) -> bool:
        return self.leap != "Not synchronised" and 0 < self.stratum < 16  # noqa: PLR2004 - 16: unsynchronised


@dataclass(frozen=True)
class Source:
    """One server; ``state`` is ``*`` for the one that is followed; ``offset`` of its last sample in seconds."""

    state: str
    name: str
    stratum: int
    reach: int
    age: int
    offset: float


@dataclass(frozen=True)
class Clock:
    """The judgement of one look at the clock."""

    synchronised: bool
    offset_ms: float | None
    reference: str | None
    stratum: int | None
    problem: str  # empty when all is well

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def parse_tracking(output: str) -> Tracking | None:
    """Read the one line of ``chronyc -c tracking``; anything else is None."""
    values = output.strip().split(",")
    if len(values) != _TRACKING:
        return None
    return Tracking(values[0], values[1], int(values[2]), float(values[4]), values[13])


def parse_sources(output: str) -> list[Source]:
    """Read the lines of ``chronyc -c sources``."""
    rows = [line.split(",") for line in output.splitlines()]
    return [
        # chronyc prints reach as an octal register of the last eight polls.
        Source(row[1], row[2], int(row[3]), int(row[5], 8), int(row[6]), float(row[7]))
        for row in rows
        if len(row) == _SOURCE
    ]


def judge(tracking: Tracking | None, sources: list[Source], max_offset_ms: float, is_reference: bool) -> Clock:
    """Say whether the clock agrees with its reference.

    ``is_reference``: this node is what the others follow and has no servers itself, so
    there is nothing that its clock could be off from.
    """
    if tracking is None:
        return Clock(False, None, None, None, "chronyd does not answer: see `systemctl status chrony`")
    if is_reference:
        return Clock(True, 0.0, "this node", tracking.stratum, "")
    followed = next((source for source in sources if source.state == "*"), None)
    if tracking.reference_id == LOCAL_CLOCK:
        words = "chronyd follows its own clock instead of a server"
        return Clock(False, None, tracking.reference, tracking.stratum, words)
    # chronyd keeps to a server that fell silent; after eight polls without an answer nobody can vouch for it.
    if not tracking.synchronised or followed is None or followed.reach == 0:
        return Clock(False, None, None, None, _unsynchronised(sources))
    # The clock may have moved since the last sample (tracking), or when it was taken (source).
    offset_ms = round(max(abs(tracking.offset), abs(followed.offset)) * 1000, 3)
    problem = ""
    if offset_ms > max_offset_ms:
        problem = f"the clock is {offset_ms} ms off {followed.name}, more than {max_offset_ms} ms"
    return Clock(True, offset_ms, followed.name, tracking.stratum, problem)


def _unsynchronised(sources: list[Source]) -> str:
    if not sources:
        return "chronyd has no server to ask: see /etc/chrony/chrony.conf"
    silent = [source.name for source in sources if source.reach == 0]
    if len(silent) == len(sources):
        return f"no answer from {', '.join(silent)}: is UDP port 123 open between the nodes, and chronyd running there?"
    return f"chronyd asks {', '.join(source.name for source in sources)} but follows none yet"
