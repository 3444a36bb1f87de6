# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA bandwidth between neighbours, judged by the share of a full link that each has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, measuring_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    Record,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, Severity

_FULL_RATE_GBPS = 200
# A ConnectX-7 that came up wrong after boot or hot-plug (NVIDIA/dgx-spark-playbooks PR 108).
_STALE_GBPS = (6.0, 25.0)


def _expected(declared: Declared, variables: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield partner, rail and device of each figure that a node owes as the client of a pair."""
    for part in variables["verify_rounds"]:
        if part["role"] == "client" and part["partner"] in declared.nodes:
            for rail in part["rails"]:
                yield part["partner"], rail["rail"], rail["device"]


def bandwidth(declared: Declared, evidence: Evidence, causes: Causes, thresholds: Thresholds) -> list[Finding]:
    """SL407: RDMA between two nodes is too slow. SL408: it gave no figure. Said once a pair, by the client."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        if node is None or node.bandwidth is None:
            continue
        rates = {wanted["rail"]: wanted["speed_mbps"] / 1000 for wanted in variables["fabric_interfaces"]}
        seen = {(row.get("partner"), row.get("rail")): row for row in node.bandwidth}
        for partner, rail, device in _expected(declared, variables):
            share = rates.get(rail, _FULL_RATE_GBPS) / _FULL_RATE_GBPS
            where = f"{name} to {partner}, rail {rail} ({device})"
            row = seen.get((partner, rail), {"error": "it was not measured"})
            cause = causes.of_path(name, partner, rail)
            if row.get("average_gbps") is None:
                cause = cause or causes.of(measuring_of(partner))
            findings += _measured(where, row, thresholds.warn_gbps * share, thresholds.fail_gbps * share, cause)
    return findings


def _measured(where: str, row: Record, warn: float, fail: float, cause: str) -> list[Finding]:
    average = row.get("average_gbps")
    if average is None:
        return [
            Finding(
                "SL408",
                "fail",
                where,
                "RDMA gave no figure",
                f"at least {warn:g} Gb/s",
                row.get("error") or "no reason given",
                "see that both nodes have the package perftest and let TCP ports 12000 and 12001 through, then verify again",
                follows=cause,
            )
        ]
    if average >= warn:
        return []
    severity: Severity = "fail" if average < fail else "warn"
    stale = severity == "fail" and _STALE_GBPS[0] <= average <= _STALE_GBPS[1]
    return [
        Finding(
            "SL407",
            severity,
            where,
            "RDMA is slow",
            f"at least {warn:g} Gb/s",
            f"{average:.2f} Gb/s",
            "reboot both nodes; if it stays, take the power brick off both for a minute, cables plugged in"
            if stale
            else "look at the PCIe width of both nodes, then at the switch port's bridge offload and shaper",
            "a ConnectX-7 that came up wrong shows 8 to 25 Gb/s on a clean 200G link" if stale else "",
            follows=cause,
        )
    ]
