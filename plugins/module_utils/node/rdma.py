# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""RDMA devices as sysfs shows them, and whether they are what the plan declares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import gid, interfaces
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import names, read

SYSFS = gid.SYSFS

# This rule of the package rdma-core names devices after their place (rocep1s0f1 instead of mlx5_1).
NAMING_RULE = "udev/rules.d/60-rdma-persistent-naming.rules"

# One cage is served by two Gen5 x4 links; units with a x2 half were seen (NVIDIA developer forum 367853).
NARROW = (
    "power the node off and reseat the cable; when the link stays narrow after a cold start, "
    "the unit is faulty: have it exchanged (such units were seen, NVIDIA developer forum 367853)"
)
ABSENT = (
    "see that a cable is plugged into this cage (the hot-plug service removes the ports of a cage without one), "
    "then `dmesg | grep mlx5`"
)


def names_devices(roots: tuple[str, ...] = ("/etc", "/usr/lib", "/lib")) -> bool:
    """Tell whether udev gives RDMA devices persistent names, that is, whether rdma-core is installed."""
    return any((Path(root) / NAMING_RULE).exists() for root in roots)


def _netdev(home: Path, gids: list[gid.Gid]) -> str | None:
    """Return the interface of a device: what its PCI function carries, else what its GIDs name."""
    carried = names(home / "device/net")
    if len(carried) == 1:
        return carried[0]
    # A software device (rxe) has no PCI function; port 1's first GID names its interface.
    own = read(home / "ports/1/gid_attrs/ndevs/0") or read(home / "parent")
    return own or next((entry.netdev for entry in gids if entry.netdev), None)


def read_devices(root: str = SYSFS) -> dict[str, dict[str, Any]]:
    """Return every RDMA device by name with the state of its port 1."""
    devices: dict[str, dict[str, Any]] = {}
    for name in names(Path(root)):
        home = Path(root) / name
        port = home / "ports/1"
        gids = gid.read_table(name, root=root)
        state = read(port / "state")  # "4: ACTIVE"
        devices[name] = {
            "netdev": _netdev(home, gids),
            "state": state.rpartition(": ")[2] if state else None,
            "link_layer": read(port / "link_layer"),
            "rate": read(port / "rate"),
            "firmware": read(home / "fw_ver") or None,
            "gids": [
                {
                    "index": entry.index,
                    "gid": entry.gid,
                    "kind": entry.kind,
                    "netdev": entry.netdev,
                    "ipv4": entry.ipv4,
                }
                for entry in gids
            ],
        }
    return devices


def device_faults(wanted: list[dict[str, Any]], devices: dict[str, dict[str, Any]]) -> list[str]:
    """Say of each declared device that is absent, on another interface or not Ethernet, what is wrong."""
    faults = []
    for declared in wanted:
        name, interface = declared["rdma_device"], declared["interface"]
        device = devices.get(name)
        if device is None:
            other = next((key for key, value in devices.items() if value["netdev"] == interface), None)
            faults.append(
                f"RDMA device {name} is absent, but {other} serves {interface}: udev of rdma-core did not give "
                "it its persistent name; reboot the node"
                if other
                else f"RDMA device {name} of {interface} is absent: {ABSENT}"
            )
            continue
        if device["link_layer"] != "Ethernet":
            faults.append(
                f"RDMA device {name} has link layer {device['link_layer'] or 'unknown'}, not Ethernet: a Spark's NIC "
                "knows Ethernet alone, so this is another card; correct the cluster file or take the card out"
            )
        if device["netdev"] != interface:
            faults.append(
                f"RDMA device {name} serves {device['netdev'] or 'no interface'}, not {interface}: "
                "correct the names in the cluster file, or undo what renamed the interface"
            )
    return faults


def pcie_faults(wanted: list[dict[str, Any]], net_root: str = interfaces.SYSFS) -> list[str]:
    """Say of each declared device whose PCIe link is narrower or slower than declared, what to do."""
    faults = []
    for declared in wanted:
        width, speed = interfaces.pcie(Path(net_root) / declared["interface"] / "device")
        want_width, want_speed = declared.get("pcie_width"), declared.get("pcie_speed_gts")
        narrow = bool(want_width and width and width < want_width)
        slow = bool(want_speed and speed and speed < want_speed)
        if narrow or slow:
            seen, want = f"x{width} at {speed} GT/s", f"x{want_width} at {want_speed} GT/s"
            faults.append(f"the PCIe link of {declared['interface']} is {seen}, not {want}: {NARROW}")
    return faults
