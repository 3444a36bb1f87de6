# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of RouterOS: compare them, and say which are too old or known to be broken. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# A release counts above its candidates, those above the test builds.
_STAGES = {"alpha": 0, "beta": 1, "rc": 2, None: 3}


def parse_version(text: str) -> tuple[int, ...]:
    """Return the numbers of ``7.24.2 (stable)`` or ``7.24rc4``, in an order that compares; empty when unreadable."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?(?:(alpha|beta|rc)(\d*))?", text)
    if not found:
        return ()
    major, minor, patch, stage, build = found.groups()
    return int(major), int(minor), int(patch or 0), _STAGES[stage], int(build or 0)


def too_old(version: str, floor: str) -> bool:
    return parse_version(version) < parse_version(floor)


def warnings(version: str, ranges: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a sentence for each range of versions that this one is in."""
    number = parse_version(version)
    return [
        f"RouterOS {version.split(maxsplit=1)[0]}: {row['reason']}; {row['remedy']} ({row['source']})"
        for row in ranges
        if parse_version(row["from"]) <= number < parse_version(row["below"])
    ]
