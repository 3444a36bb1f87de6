"""What of other netplan files is retired, and what is never lost."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.netplan import compete, render

FABRIC = ("enp1s0f1np1", "enP2p1s0f1np1")
MACS = {"enP7s7": "52:54:00:00:00:07", "enp1s0f1np1": "52:54:00:00:00:01", "enP2p1s0f1np1": "52:54:00:00:00:02"}

CX7 = """
network:
  version: 2
  ethernets:
    enp1s0f1np1: {dhcp4: no, addresses: [192.168.100.10/24]}
    enP2p1s0f1np1: {dhcp4: no, addresses: [192.168.100.11/24]}
"""
MANAGEMENT = """
network:
  version: 2
  renderer: NetworkManager
  ethernets:
    enP7s7: {dhcp4: true}
"""


def load(**texts: str) -> dict[str, Any]:
    return {f"/etc/netplan/{name}.yaml": yaml.safe_load(text) for name, text in texts.items()}


def test_the_file_says_what_is_declared_and_no_more() -> None:
    document = yaml.safe_load(render([{"name": "enp1s0f1np1", "address": "192.168.100.11/24", "mtu": 9000}]))
    assert document == {
        "network": {
            "version": 2,
            "ethernets": {
                "enp1s0f1np1": {
                    "addresses": ["192.168.100.11/24"],
                    "mtu": 9000,
                    "dhcp4": False,
                    "dhcp6": False,
                    "accept-ra": False,
                    "link-local": [],
                    "optional": True,
                }
            },
        }
    }


def test_a_file_of_fabric_interfaces_alone_goes_and_the_management_stays() -> None:
    found = compete(load(cx7=CX7, mgmt=MANAGEMENT), FABRIC, MACS)
    (retired,) = found.retirements
    assert (retired.path, retired.remaining) == ("/etc/netplan/cx7.yaml", None)
    assert set(retired.names) == set(FABRIC)


def test_from_a_mixed_file_only_the_fabric_goes() -> None:
    mixed = load(all=MANAGEMENT + "    enp1s0f1np1: {dhcp4: true}\n")
    (retired,) = compete(mixed, FABRIC, MACS).retirements
    assert retired.remaining == yaml.safe_load(MANAGEMENT)
    assert "enp1s0f1np1" in mixed["/etc/netplan/all.yaml"]["network"]["ethernets"], "the input is not changed"


def test_bonds_and_vlans_over_the_fabric_go_with_it() -> None:
    bond = CX7 + (
        "  bonds: {bond0: {interfaces: [enp1s0f1np1, enP2p1s0f1np1], addresses: [10.0.0.1/24]}}\n"
        "  vlans: {bond0.5: {id: 5, link: bond0}}\n"
        "  bridges: {br0: {interfaces: [bond0.5]}}\n"
    )
    found = compete(load(sync=bond), FABRIC, MACS)
    assert found.virtual == ("bond0", "bond0.5", "br0")
    assert found.retirements[0].remaining is None


def test_a_bridge_with_the_management_interface_loses_only_its_fabric_member() -> None:
    bridge = "network: {version: 2, bridges: {br0: {interfaces: [enP7s7, enp1s0f1np1], dhcp4: true}}}"
    found = compete(load(br=bridge), FABRIC, MACS)
    assert found.virtual == ()
    assert found.retirements[0].remaining == {
        "network": {"version": 2, "bridges": {"br0": {"interfaces": ["enP7s7"], "dhcp4": True}}}
    }


@pytest.mark.parametrize(
    ("entry", "gone", "warned"),
    [
        ('{match: {name: "en*f1np1"}, dhcp4: true}', True, False),
        ('{match: {macaddress: "52:54:00:00:00:01"}, dhcp4: true}', True, False),
        ('{match: {name: "en*"}, dhcp4: true}', False, True),
        ('{match: {name: "eth*"}, dhcp4: true}', False, False),
    ],
)
def test_an_entry_claims_what_its_match_matches(entry: str, *, gone: bool, warned: bool) -> None:
    found = compete(load(any=f"network: {{version: 2, ethernets: {{any: {entry}}}}}"), FABRIC, MACS)
    assert (bool(found.retirements), bool(found.warnings)) == (gone, warned)


def test_the_only_renderer_of_a_node_is_kept() -> None:
    cx7 = CX7 + "  renderer: NetworkManager\n"
    (alone,) = compete(load(cx7=cx7), FABRIC, MACS).retirements
    assert alone.remaining == {"network": {"version": 2, "renderer": "NetworkManager"}}
    (beside,) = compete(load(cx7=cx7, mgmt=MANAGEMENT), FABRIC, MACS).retirements
    assert beside.remaining is None


@pytest.mark.parametrize("text", ["", "network:", "network: {ethernets: }", "[]", "network: {version: 2}"])
def test_files_without_devices_are_left_alone(text: str) -> None:
    assert compete(load(empty=text), FABRIC, MACS).retirements == ()
