# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric on the nodes: interfaces, addresses and default routes."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

RUN_FABRIC = "run site.yml with --tags fabric"


@rule(
    "SL301",
    "the interface is absent",
    needs=("node.interfaces",),
    cause="without a cable DGX OS removes the ports from PCI",
    remedy="see that the cable is plugged in at both ends; without one DGX OS removes the ports",
    source="NVIDIA/daqiri's documentation; spark-pulse docs/upstream-cluster-parity.md",
    covers=("spark-22", "spark-23"),
)
def absent(view: View, found: Found) -> Iterator[Finding]:
    for rail in view.rails():
        if rail.seen is None:
            yield found(
                rail.where,
                expected="present",
                actual="absent",
                hosts=[rail.host.name],
                follows=view.causes.of(rail.name),
                breaks=[rail.name],
            )


@rule(
    "SL305",
    "the rail is part of a bond or bridge, which breaks RDMA over both rails",
    needs=("node.interfaces",),
    cause="guides for other machines bond the two rails",
    remedy=RUN_FABRIC,
    source="NVIDIA forum 350417, posts 41 and 47; capetron/gb10-cluster-guide, known issue 7",
    covers=("spark-46",),
)
def master(view: View, found: Found) -> Iterator[Finding]:
    for rail in view.rails():
        if rail.seen and rail.seen["master"]:
            yield found(
                rail.where,
                expected="no master",
                actual=rail.seen["master"],
                hosts=[rail.host.name],
                # A bond takes the addresses of its members.
                breaks=[rail.name, f"{rail.name} address"],
            )


@rule(
    "SL302",
    "the MTU differs",
    needs=("node.interfaces",),
    cause="set at run time and lost at a reboot, or another netplan file wins",
    remedy=RUN_FABRIC,
    source="eugr/spark-vllm-docker docs/NETWORKING.md; NVIDIA/dgx-spark-playbooks#25",
    covers=("spark-14",),
)
def mtu(view: View, found: Found) -> Iterator[Finding]:
    for rail in view.rails():
        if rail.seen and rail.seen["mtu"] != rail.plan["mtu"]:
            yield found(
                rail.where,
                expected=str(rail.plan["mtu"]),
                actual=str(rail.seen["mtu"] or "not read"),
                cause="",
                hosts=[rail.host.name],
                breaks=[rail.name],
            )


@rule(
    "SL303",
    "the addresses differ",
    needs=("node.interfaces",),
    remedy=RUN_FABRIC,
    source="NVIDIA/dgx-spark-playbooks, the switch README of 2026-07-21: one subnet a rail",
    covers=("spark-17", "spark-21"),
)
def addresses(view: View, found: Found) -> Iterator[Finding]:
    for rail in view.rails():
        if rail.seen and rail.seen["ipv4"] != [rail.plan["address"]]:
            seen = rail.seen["ipv4"]
            # Without a carrier networkd gives no address.
            dark = [rail.name] if rail.seen["carrier"] is False and not seen else []
            yield found(
                rail.where,
                expected=rail.plan["address"],
                actual="not read" if seen is None else ", ".join(seen) or "none",
                hosts=[rail.host.name],
                follows=view.causes.of(f"{rail.name} address", *dark),
                breaks=[rail.name],
            )


@rule(
    "SL304",
    "the interface has IPv6 addresses, so the RoCE GID index moves",
    severity="warn",
    needs=("node.interfaces",),
    remedy=RUN_FABRIC,
    source="owners who saw the index move from 3 to 4 or 5; sparknet asserts that it does not",
    covers=("spark-14", "B25"),
)
def ipv6(view: View, found: Found) -> Iterator[Finding]:
    for rail in view.rails():
        if rail.seen and (rail.seen["ipv6"] or (rail.seen["ipv6"] is None and rail.seen["ipv4"] is not None)):
            yield found(
                rail.where,
                expected="none",
                actual=", ".join(rail.seen["ipv6"] or ()) or "not read",
                hosts=[rail.host.name],
            )


@rule(
    "SL306",
    "the default route leaves by the fabric",
    needs=("node.routes",),
    cause="DHCP or a gateway in another netplan file",
    remedy=RUN_FABRIC,
    source="NVIDIA forum 364126",
    covers=("spark-19",),
)
def default_route(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        rails = {wanted["name"] for wanted in host.plan["fabric_interfaces"]}
        for route in host["routes"]:
            if route["destination"] == "default" and route["interface"] in rails:
                yield found(
                    f"{host.name} {route['interface']}",
                    expected="no default route there",
                    actual=f"via {route.get('gateway') or 'the interface itself'}",
                    hosts=[host.name],
                )


RULES = (absent, master, mtu, addresses, ipv6, default_route)
