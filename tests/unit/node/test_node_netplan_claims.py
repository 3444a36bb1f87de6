from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.netplan_claims import claimed

NVIDIA = """
network:
  version: 2
  ethernets:
    enp1s0f0np0: {dhcp4: no, addresses: [192.168.100.10/24]}
    enP2p1s0f0np0: {link-local: [ipv4]}
"""
BOND = """
network:
  ethernets:
    fabric0: {match: {name: enp1s0f1np1}}
  bonds:
    bond0: {interfaces: [enp1s0f1np1, enP2p1s0f1np1]}
  vlans:
    vlan7: {id: 7, link: bond0}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NVIDIA, ["enP2p1s0f0np0", "enp1s0f0np0"]),
        (BOND, ["bond0", "enP2p1s0f1np1", "enp1s0f1np1", "vlan7"]),
        ("network: {version: 2, renderer: NetworkManager}", []),
        ("", []),
        ("[1, 2]", []),
    ],
)
def test_a_file_claims_what_it_names(text: str, expected: list[str]) -> None:
    document: Any = yaml.safe_load(text)
    assert claimed(document) == expected
