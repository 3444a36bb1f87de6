# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""GIDs of an RDMA device: which index carries RoCE v2 over the node's own IPv4 address.

The index is 3 only while the interface has one IPv4 and no IPv6 address; it moves with
link-local addresses, reboots and firmware, and differs between nodes. So it is looked up
by what the entry is, never by its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

SYSFS = "/sys/class/infiniband"

_UNUSED = "0000:0000:0000:0000:0000:0000:0000:0000"


@dataclass(frozen=True)
class Gid:
    """One entry of a port's GID table; ``kind`` as sysfs says it (``RoCE v2``)."""

    index: int
    gid: str
    kind: str
    netdev: str

    @property
    def ipv4(self) -> str | None:
        """Return the IPv4 address that the GID maps, or None."""
        mapped = IPv6Address(self.gid).ipv4_mapped
        return str(mapped) if mapped else None


def find_ipv4(gids: list[Gid], address: str | None = None) -> Gid | None:
    """Return the first RoCE v2 entry over IPv4; of ``address``, where one is given."""
    wanted = str(IPv4Address(address)) if address else None
    return next(
        (gid for gid in gids if gid.kind == "RoCE v2" and gid.ipv4 and wanted in {None, gid.ipv4}),
        None,
    )


def _read(attribute: Path) -> str:
    try:
        return attribute.read_text(encoding="ascii", errors="replace").strip()
    except OSError:  # sysfs answers EINVAL for an unused entry
        return ""


def read_table(device: str, port: int = 1, read: Callable[[Path], str] = _read, root: str = SYSFS) -> list[Gid]:
    """Return the used entries of a device's GID table, in order of their index."""
    home = Path(root) / device / "ports" / str(port)
    try:
        indexes = sorted(int(entry.name) for entry in (home / "gids").iterdir())
    except OSError:
        return []
    attributes = home / "gid_attrs"
    entries = [
        Gid(
            index,
            read(home / "gids" / str(index)),
            read(attributes / "types" / str(index)),
            read(attributes / "ndevs" / str(index)),
        )
        for index in indexes
    ]
    return [entry for entry in entries if entry.gid and entry.gid != _UNUSED]
