# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA: devices, link layer, PCIe width and GIDs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import rails_of_interface
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import Host, View

RUN_OFED = "run site.yml with --tags ofed"


@dataclass(frozen=True, slots=True)
class _Device:
    """The RDMA device of a rail: declared, and as the node shows it; None where it is absent."""

    host: Host
    plan: Record  # an entry of ofed_devices
    seen: Record | None
    rails: tuple[str, ...]

    @property
    def where(self) -> str:
        return f"{self.host.name} {self.plan['rdma_device']}"


def _devices(view: View) -> Iterator[_Device]:
    for host in view.nodes():
        for plan in host.plan["ofed_devices"]:
            rails = rails_of_interface(view.declared, host.name, [plan["interface"]])
            yield _Device(host, plan, host["rdma_devices"].get(plan["rdma_device"]), rails)


@rule(
    "SL401",
    "the RDMA device is absent",
    needs=("node.rdma_devices",),
    remedy=RUN_OFED,
    source="daqiri's documentation; spark-pulse docs/upstream-cluster-parity.md 6.5",
    covers=("spark-13", "spark-22"),
)
def absent(view: View, found: Found) -> Iterator[Finding]:
    for device in _devices(view):
        if device.seen is None:
            yield found(
                device.where,
                expected="present",
                actual=", ".join(device.host["rdma_devices"]) or "no RDMA device",
                hosts=[device.host.name],
                follows=view.causes.of(*device.rails),
                breaks=[*device.rails, device.where],
            )


@rule(
    "SL403",
    "the link layer is wrong",
    needs=("node.rdma_devices",),
    remedy="a Spark's ConnectX-7 knows Ethernet alone: see which device bears this name (rdma link)",
    source="NVIDIA forum 355444",
)
def link_layer(view: View, found: Found) -> Iterator[Finding]:
    for device in _devices(view):
        if device.seen and device.seen["link_layer"] != "Ethernet":
            yield found(
                device.where,
                expected="Ethernet",
                actual=device.seen["link_layer"] or "not read",
                hosts=[device.host.name],
                follows=view.causes.of(*device.rails),
                breaks=[*device.rails, device.where],
            )


@rule(
    "SL402",
    "the RDMA device belongs to another interface",
    needs=("node.rdma_devices",),
    remedy="correct the node's cage in the cluster file, or move the cable",
    source="MiaAI-Lab DSpark#4: a name was written down, the node cabled on its other port",
    covers=("spark-23",),
)
def netdev(view: View, found: Found) -> Iterator[Finding]:
    for device in _devices(view):
        if device.seen and device.seen["netdev"] != device.plan["interface"]:
            yield found(
                device.where,
                expected=device.plan["interface"],
                actual=device.seen["netdev"] or "none",
                hosts=[device.host.name],
                follows=view.causes.of(device.where, *device.rails),
                breaks=[*device.rails, device.where],
            )


@rule(
    "SL404",
    "the RDMA device is not active",
    needs=("node.rdma_devices",),
    remedy=f"see that the interface is up and has a link; then {RUN_OFED}",
    source="NVIDIA's playbooks: ibdev2netdev has to say Up",
)
def active(view: View, found: Found) -> Iterator[Finding]:
    for device in _devices(view):
        if device.seen and device.seen["state"] != "ACTIVE":
            yield found(
                device.where,
                expected="ACTIVE",
                actual=device.seen["state"] or "not read",
                hosts=[device.host.name],
                follows=view.causes.of(device.where, *device.rails),
                breaks=[*device.rails, device.where],
            )


@rule(
    "SL405",
    "the NIC has fewer or slower PCIe lanes than it should",
    needs=("node.interfaces",),
    cause="units with half of the lanes on one rail were seen (NVIDIA forum 367853)",
    remedy="power the node off and on; if it stays so, have it repaired under warranty",
    source="NVIDIA forum 367853; NVIDIA/dgx-spark-playbooks PR 108",
    covers=("spark-10",),
)
def pcie(view: View, found: Found) -> Iterator[Finding]:
    # The lanes of a NIC do not depend on its cable: nothing else explains them.
    for host in view.nodes():
        for wanted in host.plan["ofed_devices"]:
            seen = host["interfaces"].get(wanted["interface"])
            if seen is None:
                continue
            width, speed = seen["pcie_width"], seen["pcie_speed_gts"]
            narrow = (width and width < wanted["pcie_width"]) or (speed and speed < wanted["pcie_speed_gts"])
            if not narrow and width and speed:
                continue
            words = (
                f"{f'x{width}' if width else 'width not read'} at {f'{speed:g} GT/s' if speed else 'a speed not read'}"
            )
            yield found(
                f"{host.name} {wanted['interface']}",
                severity="fail" if narrow else "warn",
                problem="" if narrow else "the PCIe lanes of the NIC are not known",
                expected=f"x{wanted['pcie_width']} at {wanted['pcie_speed_gts']:g} GT/s",
                actual=words if width or speed else "not read",
                cause=None if narrow and width and speed else "",
                hosts=[host.name],
                breaks=rails_of_interface(view.declared, host.name, [wanted["interface"]]) if narrow else (),
            )


@rule(
    "SL406",
    "no RoCE v2 GID carries the rail's address",
    needs=("node.rdma_devices",),
    remedy="run site.yml with --tags fabric",
    source="im0xMagnus tools/gid_probe.sh",
    covers=("spark-14",),
)
def gid(view: View, found: Found) -> Iterator[Finding]:
    for device in _devices(view):
        wanted = next(
            (row for row in device.host.plan["nccl_devices"] if row["device"] == device.plan["rdma_device"]), None
        )
        if device.seen is None or wanted is None:
            continue
        gids = device.seen["gids"]
        if not any(row["ipv4"] == wanted["address"] and "v2" in (row["kind"] or "") for row in gids):
            yield found(
                device.where,
                expected=wanted["address"],
                actual=", ".join(row["ipv4"] for row in gids if row["ipv4"]) or "none",
                hosts=[device.host.name],
                follows=view.causes.of(*device.rails),
                breaks=device.rails,
            )


RULES = (absent, link_layer, netdev, active, pcie, gid)
