# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA bandwidth between neighbours, one rail at a time and both at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import measuring_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

# The thresholds are those of a link of this rate.
FULL_RATE_GBPS = 200
_PORTS = "see that both nodes have the package perftest and let TCP ports 12000 and 12001 through, then verify again"


@dataclass(frozen=True, slots=True)
class _Figure:
    """What a client owed and gave for one rail of a pair."""

    node: str
    partner: str
    rail: str
    device: str
    share: float  # of the full rate
    average: float | None
    error: str
    cause: str

    @property
    def where(self) -> str:
        return f"{self.node} to {self.partner}, rail {self.rail} ({self.device})"


def _owed(declared: Declared, variables: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield partner, rail and device of each figure that a node owes as the client of a pair."""
    for part in variables["verify_rounds"]:
        if part["role"] == "client" and part["partner"] in declared.nodes:
            for rail in part["rails"]:
                yield part["partner"], rail["rail"], rail["device"]


def _figures(view: View) -> Iterator[_Figure]:
    for host in view.nodes():
        rates = {wanted["rail"]: wanted["speed_mbps"] / 1000 for wanted in host.plan["fabric_interfaces"]}
        seen = {(row.get("partner"), row.get("rail")): row for row in host["bandwidth"]}
        for partner, rail, device in _owed(view.declared, host.plan):
            row: Record = seen.get((partner, rail), {"error": "it was not measured"})
            average = row.get("average_gbps")
            cause = view.causes.of_path(host.name, partner, rail)
            if average is None:
                cause = cause or view.causes.of(measuring_of(partner))
            share = rates.get(rail, FULL_RATE_GBPS) / FULL_RATE_GBPS
            error = row.get("error") or "no reason given"
            yield _Figure(host.name, partner, rail, device, share, average, error, cause)


@rule(
    "SL408",
    "RDMA gave no figure",
    needs=("node.bandwidth",),
    remedy=_PORTS,
    source="NVIDIA's performance guide for Sparks: perftest on ports 12000 and 12001",
)
def no_figure(view: View, found: Found) -> Iterator[Finding]:
    for figure in _figures(view):
        if figure.average is None:
            yield found(
                figure.where,
                expected=f"at least {view.thresholds['rdma_warn_gbps'] * figure.share:g} Gb/s",
                actual=figure.error,
                hosts=[figure.node, figure.partner],
                follows=figure.cause,
            )


@rule(
    "SL407",
    "RDMA is slow",
    needs=("node.bandwidth",),
    remedy="look at the PCIe width of both nodes, then at the switch port's bridge offload and shaper",
    source="NVIDIA/dgx-spark-playbooks PR 108; NVIDIA forum 363461, 370035, 373538, 383649",
    covers=("spark-9", "spark-7", "B23"),
)
def slow(view: View, found: Found) -> Iterator[Finding]:
    limits = view.thresholds
    for figure in _figures(view):
        if figure.average is None or figure.average >= limits["rdma_warn_gbps"] * figure.share:
            continue
        fails = figure.average < limits["rdma_fail_gbps"] * figure.share
        stale = fails and limits["rdma_stale_low_gbps"] <= figure.average <= limits["rdma_stale_high_gbps"]
        yield found(
            figure.where,
            severity="fail" if fails else "warn",
            expected=f"at least {limits['rdma_warn_gbps'] * figure.share:g} Gb/s",
            actual=f"{figure.average:.2f} Gb/s",
            remedy="reboot both nodes; if it stays, take the power brick off both for a minute, cables plugged in"
            if stale
            else "",
            cause="a ConnectX-7 that came up wrong shows 8 to 25 Gb/s on a clean 200G link" if stale else "",
            hosts=[figure.node, figure.partner],
            follows=figure.cause,
        )


RULES = (no_figure, slow)
