# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabric interfaces as the kernel has them now against what they shall be. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Link:
    """One interface of ``ip -j addr``."""

    name: str
    mac: str
    mtu: int
    up: bool
    carrier: bool
    master: str | None
    addresses: tuple[str, ...]  # of both families, with prefix length


def parse(text: str) -> dict[str, Link]:
    """Return the interfaces by name; text that is no answer of ip gives none."""
    try:
        entries = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return {
        entry["ifname"]: Link(
            entry["ifname"],
            entry.get("address", ""),
            entry.get("mtu", 0),
            "UP" in entry.get("flags", []),
            "LOWER_UP" in entry.get("flags", []),
            entry.get("master"),
            tuple(f"{info['local']}/{info['prefixlen']}" for info in entry.get("addr_info", []) if "local" in info),
        )
        for entry in entries
        if "ifname" in entry
    }


def default_route_devices(text: str) -> set[str]:
    """Return the devices of ``ip -j route show default``."""
    try:
        return {entry["dev"] for entry in json.loads(text) if "dev" in entry}
    except json.JSONDecodeError:
        return set()


def absent(interfaces: Iterable[Mapping[str, Any]], links: Mapping[str, Link]) -> str:
    """Return in words which interfaces the node does not have; empty when it has all."""
    missing = [interface for interface in interfaces if interface["name"] not in links]
    if not missing:
        return ""
    named = ", ".join(f"{interface['name']} (cage {interface.get('cage') or '?'})" for interface in missing)
    return (
        f"this node has no interface {named}. The hot-plug service of a Spark removes the ports of a cage without "
        "a cable: see that the cable is plugged in at both ends, and that the cluster file names the right cage"
    )


def _of_one(interface: Mapping[str, Any], link: Link, *, needs_address: bool) -> list[str]:
    extra = [address for address in link.addresses if address != interface["address"]]
    words = []
    if not link.up:
        words.append("it is down")
    if link.master:
        words.append(f"it is a member of {link.master}")
    if link.mtu != interface["mtu"]:
        words.append(f"MTU is {link.mtu}, not {interface['mtu']}")
    if needs_address and interface["address"] not in link.addresses:
        words.append(f"it lacks {interface['address']}")
    words += [f"it has {address} besides" for address in extra]
    return [f"{link.name}: {word}" for word in words]


def differences(
    interfaces: Iterable[Mapping[str, Any]], links: Mapping[str, Link], carried: Iterable[str] = ()
) -> list[str]:
    """Return in words what differs. Absent interfaces are ``absent``'s.

    Without a carrier an address may be missing (networkd waits for the carrier), unless
    the interface is one of ``carried``: those had a carrier and will have it again.
    """
    expected = set(carried)
    return [
        words
        for interface in interfaces
        if interface["name"] in links
        for words in _of_one(
            interface,
            links[interface["name"]],
            needs_address=links[interface["name"]].carrier or interface["name"] in expected,
        )
    ]


def corrections(interfaces: Iterable[Mapping[str, Any]], links: Mapping[str, Link]) -> list[list[str]]:
    """Return the commands for what ``netplan apply`` leaves behind: it undoes only what it knows of."""
    commands = []
    for interface in interfaces:
        link = links.get(interface["name"])
        if link is None:
            continue
        device = ["dev", link.name]
        if link.master:
            commands.append(["ip", "link", "set", *device, "nomaster"])
        if link.mtu != interface["mtu"]:
            commands.append(["ip", "link", "set", *device, "mtu", str(interface["mtu"])])
        if not link.up:
            commands.append(["ip", "link", "set", *device, "up"])
        commands += [
            ["ip", "addr", "del", address, *device] for address in link.addresses if address != interface["address"]
        ]
    return commands
