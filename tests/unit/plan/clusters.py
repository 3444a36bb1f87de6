"""Small clusters, built in code from the model alone: no file, no parse."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, node_models, switch_models
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import (
    Cable,
    CableEnd,
    Cluster,
    Fabric,
    Node,
    Switch,
)

SUBNETS = {"A": "192.168.100.0/24", "B": "192.168.101.0/24"}


def end(text: str) -> CableEnd:
    device, cage = text.split("/")
    return CableEnd(device, cage)


def cable(kind: str, near: str, *far: str, rate_gbps: int | None = None) -> Cable:
    return Cable(cable_kinds()[kind], end(near), tuple(map(end, far)), rate_gbps)


def node(number: int, **more: Any) -> Node:
    return Node(f"n{number}", IPv4Address(f"10.0.0.{10 + number}"), node_models()["dgx-spark"], **more)


def switch(name: str, model: str, number: int, **more: Any) -> Switch:
    return Switch(name, IPv4Address(f"10.0.0.{number}"), switch_models()[model], **more)


def fabric(a: str = SUBNETS["A"], b: str = SUBNETS["B"], **more: Any) -> Fabric:
    return Fabric(subnets={"A": IPv4Network(a), "B": IPv4Network(b)}, **more)


def cluster(nodes: list[Node], cables: list[Cable], switches: tuple[Switch, ...] = (), **more: Any) -> Cluster:
    settings: dict[str, Any] = {"name": "rack", "fabric": fabric(), "head": nodes[0].name, **more}
    return Cluster(
        nodes={one.name: one for one in nodes},
        cables=tuple(cables),
        switches={one.name: one for one in switches},
        **settings,
    )


def pair(**more: Any) -> Cluster:
    """Two nodes, one cable, no switch."""
    return cluster([node(1), node(2)], [cable("200g-dac", "n1/1", "n2/1")], **more)


def one_switch(**more: Any) -> Cluster:
    """Three nodes behind a CRS812: one on a QSFP56 cage, two on the legs of a breakout cable."""
    return cluster(
        [node(1), node(2), node(3)],
        [
            cable("200g-dac", "crs812/qsfp56-1", "n1/0"),
            cable("400g-dac-2x200g", "crs812/qsfp56-dd-2", "n2/1", "n3/1"),
        ],
        (switch("crs812", "CRS812-8DS-2DQ-2DDQ", 2),),
        **more,
    )


def two_switches(**more: Any) -> Cluster:
    """A node on each of two switches that 400G joins."""
    return cluster(
        [node(1), node(2)],
        [
            cable("400g-dac", "crs812/qsfp56-dd-1", "crs804/qsfp56-dd-1"),
            cable("200g-dac", "n1/1", "crs812/qsfp56-1"),
            cable("400g-dac-2x200g", "crs804/qsfp56-dd-2", "n2/1"),
        ],
        (switch("crs812", "CRS812-8DS-2DQ-2DDQ", 2), switch("crs804", "CRS804-4DDQ", 3)),
        **more,
    )


def four_legs(**more: Any) -> Cluster:
    """Four nodes at 100G on one cage."""
    return cluster(
        [node(1), node(2), node(3), node(4)],
        [cable("400g-dac-4x100g", "crs804/qsfp56-dd-3", "n1/1", "n2/1", "n3/1", "n4/1")],
        (switch("crs804", "CRS804-4DDQ", 3),),
        **more,
    )


def optical(**more: Any) -> Cluster:
    """Two switches and two nodes, joined by light."""
    return cluster(
        [node(1), node(2)],
        [
            cable("400g-aoc", "crs812/qsfp56-dd-1", "crs804/qsfp56-dd-1"),
            cable("200g-aoc", "crs812/qsfp56-1", "n1/1"),
            cable("400g-aoc-2x200g", "crs804/qsfp56-dd-2", "n2/1"),
        ],
        (switch("crs812", "CRS812-8DS-2DQ-2DDQ", 2), switch("crs804", "CRS804-4DDQ", 3)),
        **more,
    )
