# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the RDMA stack comes from: the distribution (inbox) or a DOCA-OFED installation."""

from __future__ import annotations

import re


def installed(ofed_info: str | None) -> str | None:
    """Return the release of ``ofed_info -s`` ("OFED-internal-25.07-0.9.7:"), or None without one."""
    found = re.search(r"\d+\.\d+(?:[.-]\d+)*", ofed_info or "")
    return found[0] if found else None


def _numbers(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]


def provider_fault(provider: str, floor: str | None, ofed_info: str | None) -> str:
    """Say in words why the stack on the node is not the declared one; empty when it is."""
    release = installed(ofed_info)
    if provider == "inbox":
        if ofed_info is None:
            return ""
        return (
            f"the cluster file declares the inbox RDMA stack, but ofed_info says that {release or 'an OFED'} is "
            "installed: NVIDIA ships a Spark without it, and mixed libraries fail in ways that are hard to see. "
            "Remove it (ofed_uninstall.sh of its package, then reboot), or declare ofed.provider: doca"
        )
    if release is None:
        return (
            "the cluster file declares ofed.provider: doca, but ofed_info finds no DOCA-OFED on this node. "
            "Sparkloom does not install it: install doca-ofed from NVIDIA's repository for this distribution and "
            "reboot, or declare ofed.provider: inbox"
        )
    if floor and _numbers(release) < _numbers(floor):
        return (
            f"DOCA-OFED {release} is older than the floor {floor} of the cluster file. Sparkloom does not upgrade "
            "it: upgrade doca-ofed from NVIDIA's repository and reboot, or lower ofed.doca_floor"
        )
    return ""
