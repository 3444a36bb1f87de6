# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric's netplan file, and what in other netplan files contradicts it. Pure.

netplan merges all files key by key, the last name winning: an address in a file of
NVIDIA Sync (99-…) joins those of the fabric file, whatever the fabric file says.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

FOLDERS = ("/etc/netplan", "/run/netplan", "/lib/netplan")

# Kinds of devices that are made of others.
_COMPOUND = ("bonds", "bridges", "vrfs")

_HEADER = "# Written by Sparkloom (role fabric); edit the cluster file instead.\n"


def render(interfaces: Iterable[Mapping[str, Any]]) -> str:
    """Return the netplan file of the fabric interfaces.

    No gateway and no IPv6 at all: the fabric leads nowhere else, and an IPv6 link-local
    address would move the index of the RoCE v2 GID. Optional: a boot does not wait for it.
    """
    entries = (
        f"    {interface['name']}:\n"
        f'      addresses: ["{interface["address"]}"]\n'
        f"      mtu: {interface['mtu']}\n"
        "      dhcp4: false\n"
        "      dhcp6: false\n"
        "      accept-ra: false\n"
        "      link-local: []\n"
        "      optional: true\n"
        for interface in interfaces
    )
    return "".join([_HEADER, "network:\n", "  version: 2\n", "  ethernets:\n", *entries])


@dataclass(frozen=True)
class Retirement:
    """What of one file is retired; ``remaining`` is the document that stays, None where all goes."""

    path: str
    names: tuple[str, ...]
    remaining: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        return {"path": self.path, "names": list(self.names), "file": "moved" if self.remaining is None else "kept"}


@dataclass(frozen=True)
class Competition:
    """Everything in other files that speaks of fabric interfaces."""

    retirements: tuple[Retirement, ...]
    virtual: tuple[str, ...]  # bonds, bridges and vlans that stood over fabric interfaces alone
    warnings: tuple[str, ...]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _network(document: Any) -> dict[str, Any]:
    return _mapping(_mapping(document).get("network"))


def _devices(document: Any, kind: str) -> dict[str, dict[str, Any]]:
    return {str(name): _mapping(device) for name, device in _mapping(_network(document).get(kind)).items()}


def _members(device: Mapping[str, Any]) -> list[str]:
    members = device.get("interfaces")
    return [str(member) for member in members] if isinstance(members, list) else []


def _stands_for(name: str, device: Mapping[str, Any], macs: Mapping[str, str]) -> set[str]:
    """Return the interfaces that an ethernet entry configures; ``macs`` holds those of the node."""
    match = _mapping(device.get("match"))
    if not match:
        return {name}
    patterns = match.get("name", [])
    patterns = patterns if isinstance(patterns, list) else [patterns]
    address = str(match.get("macaddress", "")).lower()
    named = {known for known in macs if any(fnmatchcase(known, str(pattern)) for pattern in patterns)}
    by_mac = {known for known, mac in macs.items() if mac.lower() == address}
    set_name = {str(device["set-name"])} if device.get("set-name") else set()
    if patterns and address:
        return named & by_mac | set_name
    return named | by_mac | set_name


def _ethernets(
    documents: Mapping[str, Any], fabric: set[str], macs: Mapping[str, str]
) -> tuple[set[tuple[str, str]], list[str]]:
    """Return the (file, name) of entries for fabric interfaces alone, and words on mixed ones."""
    own: set[tuple[str, str]] = set()
    mixed = []
    for path, document in documents.items():
        for name, device in _devices(document, "ethernets").items():
            claimed = _stands_for(name, device, macs)
            if claimed and claimed <= fabric:
                own.add((path, name))
            elif claimed & fabric:
                mixed.append(
                    f"{path}: the entry '{name}' matches {', '.join(sorted(claimed & fabric))} and also "
                    f"{', '.join(sorted(claimed - fabric))}; it is kept as it is, narrow its pattern by hand"
                )
    return own, mixed


def _virtual(documents: Mapping[str, Any], gone: set[str]) -> set[str]:
    """Return the devices that stand over ``gone`` alone, and those over them in turn."""
    found: set[str] = set()
    while True:
        below = gone | found
        more = {
            name
            for document in documents.values()
            for kind in _COMPOUND
            for name, device in _devices(document, kind).items()
            if _members(device) and set(_members(device)) <= below
        }
        more |= {
            name
            for document in documents.values()
            for name, device in _devices(document, "vlans").items()
            if str(device.get("link")) in below
        }
        if more <= found:
            return found
        found |= more


def _without(
    document: Any, ethernets: set[str], virtual: set[str], members: set[str]
) -> tuple[dict[str, Any], set[str]]:
    """Return a document without what is retired, and the names that it lost."""
    left = copy.deepcopy(_mapping(document))
    network = _network(left)
    lost: set[str] = set()
    for kind, gone in [("ethernets", ethernets), *((kind, virtual) for kind in (*_COMPOUND, "vlans"))]:
        devices = _mapping(network.get(kind))
        for name in [name for name in devices if str(name) in gone]:
            del devices[name]
            lost.add(str(name))
        for device in map(_mapping, devices.values()):
            kept = [member for member in _members(device) if member not in members]
            if kind in _COMPOUND and kept != _members(device):
                lost |= set(_members(device)) - set(kept)
                device["interfaces"] = kept
        if kind in network and not devices:
            del network[kind]
    return left, lost


def compete(documents: Mapping[str, Any], fabric: Iterable[str], macs: Mapping[str, str]) -> Competition:
    """Return what is to be retired from other netplan files.

    A file that would hold nothing more is moved aside; from one that holds other devices
    too only the fabric's part is removed. ``macs`` are the node's interfaces with their MAC.
    """
    names = set(fabric)
    own, warnings = _ethernets(documents, names, macs)
    members = names | {name for _path, name in own}
    virtual = _virtual(documents, members)
    left: dict[str, tuple[dict[str, Any], set[str]]] = {}
    for path, document in documents.items():
        ethernets = {name for where, name in own if where == path}
        remaining, lost = _without(document, ethernets, virtual, members | virtual)
        if lost:
            left[path] = (remaining, lost)
    # A renderer set in one file holds for all: it stays where no other file sets it.
    elsewhere = any("renderer" in _network(document) for path, document in documents.items() if path not in left)
    retirements = []
    for path, (remaining, lost) in left.items():
        holds = set(_network(remaining)) - {"version"} - ({"renderer"} if elsewhere else set())
        elsewhere = elsewhere or "renderer" in _network(remaining)
        retirements.append(Retirement(path, tuple(sorted(lost)), remaining if holds else None))
    return Competition(tuple(retirements), tuple(sorted(virtual)), tuple(warnings))
