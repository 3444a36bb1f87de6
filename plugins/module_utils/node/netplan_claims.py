# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which interfaces a netplan file claims."""

from __future__ import annotations

from typing import Any

FOLDERS = ("/etc/netplan", "/run/netplan", "/lib/netplan")

# Kinds of devices that stand for other interfaces, or are made of them.
_MADE_OF = {"bonds": "interfaces", "bridges": "interfaces"}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def claimed(document: Any) -> list[str]:
    """Return the interfaces that a parsed file names: by key, by match, as a member or as a vlan's link."""
    network = _mapping(_mapping(document).get("network"))
    found: list[str] = []
    for kind, devices in network.items():
        for name, raw in _mapping(devices).items():
            device = _mapping(raw)
            matched = _mapping(device.get("match")).get("name")
            found.append(str(matched or device.get("set-name") or name))
            members = device.get(_MADE_OF.get(kind, ""), [])
            found += [str(member) for member in members] if isinstance(members, list) else []
            if kind == "vlans" and device.get("link"):
                found.append(str(device["link"]))
    return sorted(set(found))
