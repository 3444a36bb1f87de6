# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether all devices of a node have their RoCE v2 IPv4 GID at one index. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """The index that all devices share, or in words why there is none."""

    index: int | None
    complaint: str


def choose(gids: Sequence[Mapping[str, Any]]) -> Choice:
    """Judge one (device, address, index) a device; NCCL takes one index for all of a node."""
    missing = [f"{gid['device']} ({gid['address']})" for gid in gids if gid["index"] is None]
    if missing:
        return Choice(
            None,
            f"no RoCE v2 GID over IPv4 on {', '.join(missing)}: is the address set and the link up? "
            "The role fabric sets the address",
        )
    indexes = sorted({gid["index"] for gid in gids})
    if len(indexes) == 1:
        return Choice(indexes[0], "")
    if not indexes:
        return Choice(None, "no devices were given")
    where = ", ".join(f"{gid['index']} on {gid['device']}" for gid in gids)
    return Choice(
        None,
        f"the RoCE v2 GID over IPv4 has a different index on each device ({where}), and NCCL_IB_GID_INDEX is one for "
        "all: use gid_index auto, where NCCL looks it up by address family and range",
    )
