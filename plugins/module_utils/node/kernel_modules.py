# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel modules: which are there, which are missing, and the file that loads them at boot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import names, read

# Mellanox; the vendor of a Spark's ConnectX-7 (15b3:1021).
VENDOR = "0x15b3"

HEADER = "# Managed by Sparkloom: loaded at boot by systemd-modules-load.\n"


def same(name: str) -> str:
    """Return a module's name as the kernel spells it; modprobe takes ``-`` and ``_`` alike."""
    return name.replace("-", "_")


def loaded(proc_modules: str | None, builtin: str | None) -> set[str]:
    """Return the modules of /proc/modules and of modules.builtin (paths such as kernel/net/x.ko)."""
    running = {line.split()[0] for line in (proc_modules or "").splitlines() if line.strip()}
    fixed = {Path(line.strip()).name.split(".")[0] for line in (builtin or "").splitlines() if line.strip()}
    return {same(name) for name in running | fixed}


def hardware_present(root: str = "/sys/bus/pci/devices") -> bool:
    """Tell whether the node has a NIC of the vendor right now: hot-plug takes uncabled ones away."""
    return any(read(Path(root) / name / "vendor") == VENDOR for name in names(Path(root)))


def wanted(modules: list[dict[str, Any]], present: bool) -> list[str]:
    """Return the modules that this node needs; the optional ones where their hardware is."""
    return [module["name"] for module in modules if present or not module.get("optional")]


def missing(needed: list[str], there: set[str]) -> list[str]:
    """Return the modules to load, in the order given."""
    return [name for name in needed if same(name) not in there]


def boot_file(modules: list[dict[str, Any]]) -> str:
    """Return the text of the file in /etc/modules-load.d.

    Optional modules are left out: udev loads a driver with its hardware, and the file
    must not change when a cable is pulled.
    """
    return HEADER + "".join(f"{module['name']}\n" for module in modules if not module.get("optional"))
