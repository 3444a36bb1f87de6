# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA: devices, link layer, PCIe width and GIDs."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, rails_of_interface
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

RUN_OFED = "run site.yml with --tags ofed"


def _device(node: str, wanted: Record, known: Record) -> list[Finding]:
    """Return what is wrong with one device; InfiniBand explains what else is wrong with it."""
    where = f"{node} {wanted['rdma_device']}"
    seen = known.get(wanted["rdma_device"])
    if seen is None:
        names = ", ".join(known) or "no RDMA device"
        return [Finding("SL401", "fail", where, "the RDMA device is absent", "present", names, RUN_OFED)]
    findings = []
    if seen.get("link_layer") != "Ethernet":
        layer = seen.get("link_layer") or "not read"
        remedy = "a Spark's ConnectX-7 knows Ethernet alone: see which device bears this name (rdma link)"
        findings.append(Finding("SL403", "fail", where, "the link layer is wrong", "Ethernet", layer, remedy))
    if seen.get("netdev") != wanted["interface"]:
        findings.append(
            Finding(
                "SL402",
                "fail",
                where,
                "the RDMA device belongs to another interface",
                wanted["interface"],
                seen.get("netdev") or "none",
                "correct the node's cage in the cluster file, or move the cable",
            )
        )
    if seen.get("state") != "ACTIVE":
        findings.append(
            Finding(
                "SL404",
                "fail",
                where,
                "the RDMA device is not active",
                "ACTIVE",
                seen.get("state") or "not read",
                f"see that the interface is up and has a link; then {RUN_OFED}",
            )
        )
    return [findings[0], *(replace(later, follows=findings[0].title) for later in findings[1:])] if findings else []


def _pcie(node: str, wanted: Record, seen: Record, rails: tuple[str, ...]) -> list[Finding]:
    width, speed = seen.get("pcie_width"), seen.get("pcie_speed_gts")
    if width and speed and width >= wanted["pcie_width"] and speed >= wanted["pcie_speed_gts"]:
        return []
    read = bool(width and speed)
    narrow = bool((width and width < wanted["pcie_width"]) or (speed and speed < wanted["pcie_speed_gts"]))
    return [
        Finding(
            "SL405",
            "fail" if narrow else "warn",
            f"{node} {wanted['interface']}",
            "the NIC has fewer or slower PCIe lanes than it should"
            if narrow
            else "the PCIe lanes of the NIC are not known",
            f"x{wanted['pcie_width']} at {wanted['pcie_speed_gts']:g} GT/s",
            f"{f'x{width}' if width else 'width not read'} at {f'{speed:g} GT/s' if speed else 'a speed not read'}"
            if width or speed
            else "not read",
            "power the node off and on; if it stays so, have it repaired under warranty",
            "units with half of the lanes on one rail were seen (NVIDIA forum 367853)" if narrow and read else "",
            breaks=rails if narrow else (),
        )
    ]


def _gid(node: str, wanted: Record, known: Record) -> list[Finding]:
    device = known.get(wanted["device"])
    if device is None:
        return []
    gids = device.get("gids") or ()
    if any(gid.get("ipv4") == wanted["address"] and "v2" in (gid.get("kind") or "") for gid in gids):
        return []
    return [
        Finding(
            "SL406",
            "fail",
            f"{node} {wanted['device']}",
            "no RoCE v2 GID carries the rail's address",
            wanted["address"],
            ", ".join(gid["ipv4"] for gid in gids if gid.get("ipv4")) or "none",
            "run site.yml with --tags fabric",
        )
    ]


def _over(rails: tuple[str, ...], findings: list[Finding], causes: Causes) -> list[Finding]:
    """Return findings about a rail with what explains them, if something does."""
    cause = causes.of(*rails)
    return [
        replace(finding, follows=cause or finding.follows, breaks=rails if finding.severity == "fail" else ())
        for finding in findings
    ]


def devices(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL401 to SL406: each rail's RDMA device as the plan says."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        facts = (node.facts if node else None) or {}
        interfaces, known = facts.get("interfaces"), facts.get("rdma_devices")
        addresses = {wanted["device"]: wanted for wanted in variables["nccl_devices"]}
        for wanted in variables["ofed_devices"]:
            rails = rails_of_interface(declared, name, [wanted["interface"]])
            # The lanes of a NIC do not depend on its cable: nothing else explains them.
            seen = (interfaces or {}).get(wanted["interface"])
            found = _pcie(name, wanted, seen, rails) if seen is not None else []
            if known is not None:
                device = _over(rails, _device(name, wanted, known), causes)
                gid = _gid(name, addresses[wanted["rdma_device"]], known) if wanted["rdma_device"] in addresses else []
                found += [*device, *_over(rails, gid, causes.and_of(device))]
            findings += found
    return findings
