# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and subnets: readable, unique, and apart from one another."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv4Network, NetmaskValueError
from itertools import combinations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks.draft import Draft
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults, Key
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS

# Never given to hosts: this network, loopback, link-local, multicast and what is reserved.
_SPECIAL = tuple(
    IPv4Network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4")
)
_DEFAULT_PORT = {"nodes": 22, "switches": 8729}
_PLAIN_API_PORT = 8728


def check(draft: Draft, faults: Faults) -> None:
    _hosts(draft, faults)
    _endpoints(draft, faults)
    _subnets(draft, faults)
    _inside_management(draft, faults)
    _apart(draft, faults)


def _subnet(text: str | None, key: Key, faults: Faults) -> IPv4Network | None:
    if text is None:
        return None
    try:
        loose = IPv4Network(text, strict=False)
    except (AddressValueError, NetmaskValueError, ValueError):
        faults.add(key, f"{text!r} is not an IPv4 subnet", "Write it like 192.168.100.0/24")
        return None
    if str(loose) != text:
        faults.add(key, f"{text!r} has bits beyond its prefix", f"Write {loose}")
        return None
    if any(loose.overlaps(special) for special in _SPECIAL):
        faults.add(key, f"{text!r} cannot be given to hosts", "Choose a private subnet such as 192.168.100.0/24")
        return None
    return loose


def _hosts(draft: Draft, faults: Faults) -> None:
    owners: dict[IPv4Address, str] = {}
    for section, entries in (("nodes", draft.nodes), ("switches", draft.switches)):
        for name, entry in entries.items():
            key: Key = (section, name, "address")
            if (text := entry.get("address")) is None:
                continue
            try:
                address = IPv4Address(text)
            except AddressValueError:
                faults.add(key, f"{text!r} is not an IPv4 address", "Write it like 10.0.0.11")
                continue
            if any(address in special for special in _SPECIAL if not special.is_link_local):
                faults.add(key, f"{text} cannot be the address of a host", "Give its address on the management network")
            elif other := owners.get(address):
                faults.add(key, f"{text} is the address of {other} as well", "Give each host its own address")
            else:
                owners[address] = name
                draft.addresses[name] = address


def _endpoints(draft: Draft, faults: Faults) -> None:
    owners: dict[tuple[str, int], str] = {}
    for section, entries in (("nodes", draft.nodes), ("switches", draft.switches)):
        for name, entry in entries.items():
            if not (connect := entry.get("connect")) or "host" not in connect:
                continue
            default = _PLAIN_API_PORT if entry.get("tls") is False else _DEFAULT_PORT[section]
            where = (connect["host"], connect.get("port", default))
            if where in owners:
                faults.add(
                    (section, name, "connect"), f"reaches {owners[where]} as well", "Give each host its own way in"
                )
            owners.setdefault(where, name)


def _subnets(draft: Draft, faults: Faults) -> None:
    declared = draft.fabric.get("subnets") or {}
    for rail in RAILS:
        if subnet := _subnet(declared.get(rail), ("fabric", "subnets", rail), faults):
            draft.subnets[rail] = subnet
    management = draft.data.get("management") or {}
    draft.management = _subnet(management.get("subnet"), ("management", "subnet"), faults)
    first = draft.fabric.get("first_host", 11)
    last = first + len(draft.nodes) - 1
    for rail, subnet in draft.subnets.items():
        room = subnet.num_addresses - 2
        if last > room:
            faults.add(
                ("fabric", "subnets", rail),
                f"{subnet} is too small: {len(draft.nodes)} nodes from host {first} need host {last}, it has {max(room, 0)}",
                "Take a larger subnet such as a /24, or lower first_host",
            )


def _inside_management(draft: Draft, faults: Faults) -> None:
    if draft.management is None:
        return
    for name, address in draft.addresses.items():
        section = "nodes" if name in draft.nodes else "switches"
        if address not in draft.management:
            faults.add(
                (section, name, "address"),
                f"{address} is outside the management subnet {draft.management}",
                "Correct the address or management.subnet",
            )
        elif address in {draft.management.network_address, draft.management.broadcast_address}:
            faults.add(
                (section, name, "address"), f"{address} is the subnet's own address", "Give the host another one"
            )


def _apart(draft: Draft, faults: Faults) -> None:
    if len(draft.subnets) == len(RAILS) and draft.subnets["A"] == draft.subnets["B"]:
        faults.add(
            ("fabric", "subnets"),
            f"both rails are in {draft.subnets['A']}",
            "Give each rail a subnet of its own: in one subnet the rails answer for each other and RoCE fails",
        )
    named = [(("fabric", "subnets", rail), f"rail {rail}", subnet) for rail, subnet in draft.subnets.items()]
    for (_first_key, other, left), (key, _name, right) in combinations(named, 2):
        if left != right and left.overlaps(right):
            faults.add(key, f"{right} overlaps {left} of {other}", "Choose subnets that share no address")
    for key, _name, subnet in named:
        if draft.management and subnet.overlaps(draft.management):
            faults.add(
                key,
                f"{subnet} overlaps the management subnet {draft.management}",
                "Choose a subnet that nothing else uses",
            )
            continue
        inside = [name for name, address in draft.addresses.items() if address in subnet]
        if inside:
            faults.add(
                key,
                f"{subnet} holds the management address of {', '.join(inside)}",
                "Choose a subnet that nothing else uses",
            )
