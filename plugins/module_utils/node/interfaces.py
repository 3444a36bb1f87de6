# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Network interfaces as sysfs and ``ip -j addr`` show them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import names, read, read_int

SYSFS = "/sys/class/net"

_GENERATION = re.compile(r"([\d.]+) GT/s")


def addresses(entry: dict[str, Any], family: str) -> list[str]:
    """Return the addresses with prefix length that ``ip -j addr`` gives for ``inet`` or ``inet6``."""
    return [
        f"{info['local']}/{info['prefixlen']}"
        for info in entry.get("addr_info", [])
        if info.get("family") == family and "local" in info
    ]


def pcie(device: Path) -> tuple[int | None, float | None]:
    """Return width and speed in GT/s of the PCIe link that a device hangs from.

    A virtual function or a virtio device has no link of its own: the first ancestor with one counts.
    """
    try:
        here = device.resolve(strict=True)
    except OSError:
        return None, None
    for folder in (here, *here.parents):
        if (folder / "current_link_width").exists():
            generation = _GENERATION.match(read(folder / "current_link_speed") or "")
            # 0 and "Unknown" are what a function without a trained link says.
            return read_int(folder / "current_link_width") or None, float(generation[1]) if generation else None
    return None, None


def _speed(home: Path) -> int | None:
    speed = read_int(home / "speed")
    return speed if speed is not None and speed > 0 else None  # -1: unknown


def _carrier(home: Path) -> bool | None:
    carrier = read(home / "carrier")
    return None if not carrier else carrier == "1"


def _driver(home: Path) -> str | None:
    driver = home / "device/driver"
    return driver.resolve().name if driver.exists() else None


def read_interfaces(ip_addr: list[dict[str, Any]] | None, root: str = SYSFS) -> dict[str, dict[str, Any]]:
    """Return every interface by name; without ``ip`` the addresses are None."""
    by_name = {entry["ifname"]: entry for entry in ip_addr or [] if "ifname" in entry}
    found: dict[str, dict[str, Any]] = {}
    for name in names(Path(root)):
        home = Path(root) / name
        if not home.is_dir():  # bonding_masters is a file
            continue
        entry = by_name.get(name)
        width, speed = pcie(home / "device")
        found[name] = {
            "mac": read(home / "address"),
            "mtu": read_int(home / "mtu"),
            "state": (read(home / "operstate") or "unknown").upper(),
            "carrier": _carrier(home),
            "carrier_changes": read_int(home / "carrier_changes"),
            "speed_mbps": _speed(home),
            "master": (home / "master").resolve().name if (home / "master").exists() else None,
            "kind": None if entry is None else entry.get("linkinfo", {}).get("info_kind"),
            "ipv4": None if entry is None else addresses(entry, "inet"),
            "ipv6": None if entry is None else addresses(entry, "inet6"),
            "driver": _driver(home),
            "firmware": None,
            "pcie_width": width,
            "pcie_speed_gts": speed,
        }
    return found
