# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA: devices, link layer, PCIe width, GIDs, and measured bandwidth."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    Record,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, Severity

RUN_OFED = "run site.yml with --tags ofed"
_FULL_RATE_GBPS = 200
# A ConnectX-7 that came up wrong after boot or hot-plug (NVIDIA/dgx-spark-playbooks PR 108).
_STALE_GBPS = (6.0, 25.0)


def _device(node: str, wanted: Record, facts: Record) -> list[Finding]:
    where = f"{node} {wanted['rdma_device']}"
    seen = (facts.get("rdma_devices") or {}).get(wanted["rdma_device"])
    if seen is None:
        known = ", ".join(facts.get("rdma_devices") or {}) or "no RDMA device"
        return [Finding("SL401", "fail", where, "the RDMA device is absent", "present", known, RUN_OFED)]
    findings = []
    if seen["netdev"] != wanted["interface"]:
        findings.append(
            Finding(
                "SL402",
                "fail",
                where,
                "the RDMA device belongs to another interface",
                wanted["interface"],
                str(seen["netdev"]),
                "correct the node's cage in the cluster file, or move the cable",
            )
        )
    if seen["link_layer"] != "Ethernet":
        findings.append(
            Finding("SL403", "fail", where, "the link layer is wrong", "Ethernet", str(seen["link_layer"]), RUN_OFED)
        )
    if seen["state"] != "ACTIVE":
        findings.append(
            Finding(
                "SL404",
                "fail",
                where,
                "the RDMA device is not active",
                "ACTIVE",
                str(seen["state"]),
                "see the findings about the link of this node first",
            )
        )
    return findings


def _pcie(node: str, wanted: Record, facts: Record) -> list[Finding]:
    seen = (facts.get("interfaces") or {}).get(wanted["interface"]) or {}
    width, speed = seen.get("pcie_width"), seen.get("pcie_speed_gts")
    if width is None or (width >= wanted["pcie_width"] and (speed or 0) >= wanted["pcie_speed_gts"]):
        return []
    return [
        Finding(
            "SL405",
            "fail",
            f"{node} {wanted['interface']}",
            "the NIC has fewer or slower PCIe lanes than it should",
            f"x{wanted['pcie_width']} at {wanted['pcie_speed_gts']:g} GT/s",
            f"x{width} at {speed:g} GT/s" if speed else f"x{width}",
            "power the node off and on; if it stays so, have it repaired under warranty",
            "units with half of the lanes on one rail were seen (NVIDIA forum 367853)",
        )
    ]


def _gid(node: str, wanted: Record, facts: Record) -> list[Finding]:
    device = (facts.get("rdma_devices") or {}).get(wanted["device"])
    if device is None:
        return []
    if any(gid.get("ipv4") == wanted["address"] and "v2" in gid.get("kind", "") for gid in device["gids"] or ()):
        return []
    return [
        Finding(
            "SL406",
            "fail",
            f"{node} {wanted['device']}",
            "no RoCE v2 GID carries the rail's address",
            wanted["address"],
            ", ".join(gid["ipv4"] for gid in device["gids"] or () if gid.get("ipv4")) or "none",
            "run site.yml with --tags fabric",
        )
    ]


def devices(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL401 to SL406: each rail's RDMA device as the plan says."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        if node is None or node.facts is None:
            continue
        for wanted in variables["ofed_devices"]:
            findings += _device(name, wanted, node.facts) + _pcie(name, wanted, node.facts)
        for wanted in variables["nccl_devices"]:
            findings += _gid(name, wanted, node.facts)
    return findings


def bandwidth(declared: Declared, evidence: Evidence, thresholds: Thresholds) -> list[Finding]:
    """SL407: RDMA between two nodes is too slow. SL408: it gave no figure. Said once a pair, by the client."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        rates = {wanted["rail"]: wanted["speed_mbps"] / 1000 for wanted in variables["fabric_interfaces"]}
        for entry in (node.bandwidth if node else None) or ():
            share = rates.get(entry["rail"], _FULL_RATE_GBPS) / _FULL_RATE_GBPS
            findings += _measured(name, entry, thresholds.warn_gbps * share, thresholds.fail_gbps * share)
    return findings


def _measured(node: str, entry: Record, warn: float, fail: float) -> list[Finding]:
    where = f"{node} to {entry['partner']}, rail {entry['rail']} ({entry['device']})"
    average = entry["average_gbps"]
    if average is None:
        return [
            Finding(
                "SL408",
                "fail",
                where,
                "RDMA gave no figure",
                f"at least {fail:g} Gb/s",
                entry["error"],
                "see the findings about links and GIDs of both nodes first",
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
        )
    ]
