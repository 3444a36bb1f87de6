# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What owners found to do harm: the tables of data/deny_lists.json."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "deny_lists.json"


@dataclass(frozen=True, slots=True)
class DeniedVariable:
    name: str
    value: str | None  # None: every value does harm
    reason: str
    remedy: str
    source: str
    min_nodes: int = 1  # smaller clusters may use it


@cache
def _lists() -> dict[str, Any]:
    lists: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return lists


def denied_kernels() -> list[dict[str, str]]:
    """Return the kernels that no node may run: release, reason, remedy, source."""
    return list(_lists()["kernels"])


def kernel_arguments() -> list[dict[str, str]]:
    """Return what certain kernels need on their command line: release, argument, reason, source."""
    return list(_lists()["kernel_arguments"])


def warned_routeros() -> list[dict[str, str]]:
    """Return ranges of RouterOS that are worth a warning: from, below, reason, remedy, source."""
    return list(_lists()["routeros"])


def denied_variable(name: str, value: str, nodes: int) -> DeniedVariable | None:
    """Return why a variable may not have this value on a cluster of ``nodes``, or None."""
    for row in _lists()["environment"]:
        denied = DeniedVariable(**row)
        if denied.name != name or nodes < denied.min_nodes:
            continue
        # NCCL compares names of networks without regard to case.
        if denied.value is None or denied.value.casefold() == value.strip().casefold():
            return denied
    return None
