# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ib_write_bw of the perftest package: its command line and its table."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

# perftest's first port in NVIDIA's Spark performance guide; one more for each rail.
FIRST_PORT = 12000

# What timeout(1) exits with when it had to end the command.
TIMED_OUT = 124

_ROW = re.compile(
    r"^\s*(?P<bytes>\d+)\s+(?P<iterations>\d+)\s+(?P<peak>[\d.]+)\s+(?P<average>[\d.]+)\s+(?P<rate>[\d.]+)\s*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Bandwidth:
    """One row of ib_write_bw --report_gbits; rates in Gb/s."""

    size: int
    iterations: int
    peak_gbps: float
    average_gbps: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def command(device: str, port: int, size: int, iterations: int, gid_index: int | None, server: str | None) -> list[str]:
    """Return the command of one side; ``server`` is the address a client calls, None for the server."""
    gid = [] if gid_index is None else ["-x", str(gid_index)]
    words = ["ib_write_bw", "-d", device, "-i", "1", "-p", str(port), "-F", "--report_gbits"]
    return [*words, *gid, "-s", str(size), "-n", str(iterations), *([server] if server else [])]


def parse(stdout: str) -> Bandwidth | None:
    """Return the last row of the table, or None when there is none.

    A rate of exactly nothing is no figure: perftest prints it when it could not make out how fast the CPU's counter runs.
    """
    rows = [row for row in _ROW.finditer(stdout) if float(row["average"]) > 0]
    if not rows:
        return None
    row = rows[-1]
    return Bandwidth(int(row["bytes"]), int(row["iterations"]), float(row["peak"]), float(row["average"]))
