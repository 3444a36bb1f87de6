"""The kernel's state against the declared one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import live

DECLARED = [{"name": "enp1s0f1np1", "cage": "1", "address": "192.168.100.11/24", "mtu": 9000}]


def links(*addresses: str, **more: Any) -> dict[str, live.Link]:
    infos = [{"local": address.split("/")[0], "prefixlen": int(address.split("/")[1])} for address in addresses]
    entry = {"ifname": "enp1s0f1np1", "flags": ["UP", "LOWER_UP"], "mtu": 9000, "addr_info": infos, **more}
    return live.parse(json.dumps([entry]))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (links("192.168.100.11/24"), []),
        (links("192.168.100.11/24", mtu=1500), ["MTU is 1500, not 9000"]),
        (links("192.168.100.11/16"), ["it lacks 192.168.100.11/24", "it has 192.168.100.11/16 besides"]),
        (links("192.168.100.11/24", "fe80::1/64"), ["it has fe80::1/64 besides"]),
        (links("192.168.100.11/24", master="bond0"), ["it is a member of bond0"]),
        (links(flags=["UP", "NO-CARRIER"]), []),
        (links("192.168.100.11/24", flags=[]), ["it is down"]),
    ],
    ids=["right", "mtu", "prefix", "link-local", "bond", "no carrier yet", "down"],
)
def test_differences_are_words(found: dict[str, live.Link], expected: list[str]) -> None:
    assert live.differences(DECLARED, found) == [f"enp1s0f1np1: {word}" for word in expected]


def test_what_had_a_carrier_is_waited_for() -> None:
    assert live.differences(DECLARED, links(flags=["UP"]), ["enp1s0f1np1"]) == [
        "enp1s0f1np1: it lacks 192.168.100.11/24"
    ]


def test_leftovers_are_put_right() -> None:
    found = links("192.168.100.11/24", "169.254.3.4/16", mtu=1500, master="bond0")
    assert live.corrections(DECLARED, found) == [
        ["ip", "link", "set", "dev", "enp1s0f1np1", "nomaster"],
        ["ip", "link", "set", "dev", "enp1s0f1np1", "mtu", "9000"],
        ["ip", "addr", "del", "169.254.3.4/16", "dev", "enp1s0f1np1"],
    ]


def test_an_absent_interface_names_its_cage_and_the_likely_cause() -> None:
    words = live.absent(DECLARED, {})
    assert "enp1s0f1np1 (cage 1)" in words
    assert "hot-plug" in words
    assert live.absent(DECLARED, links()) == ""


@pytest.mark.parametrize("text", ["", "Command 'ip' not found"])
def test_no_answer_of_ip_is_no_link(text: str) -> None:
    assert live.parse(text) == {}
    assert live.default_route_devices(text) == set()
