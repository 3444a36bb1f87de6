from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.interfaces import pcie, read_interfaces

if TYPE_CHECKING:  # the package of tests is not importable when they run
    from tests.unit.node.conftest import Sysfs

IP_ADDR: list[dict[str, Any]] = [
    {
        "ifindex": 3,
        "ifname": "enp1s0f1np1",
        "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
        "mtu": 9000,
        "operstate": "UP",
        "address": "4c:bb:47:00:00:01",
        "addr_info": [
            {"family": "inet", "local": "192.168.100.11", "prefixlen": 24, "scope": "global", "label": "enp1s0f1np1"},
            {"family": "inet6", "local": "fe80::4ebb:47ff:fe00:1", "prefixlen": 64, "scope": "link"},
        ],
    },
    {},  # ip prints an empty entry for what a filter left out
]


def test_an_interface_with_all_that_it_shows(sysfs: Sysfs) -> None:
    sysfs.add_interface("enp1s0f1np1", sysfs.add_function("0000:01:00.1"), speed="200000")
    assert read_interfaces(IP_ADDR, str(sysfs.net)) == {
        "enp1s0f1np1": {
            "mac": "4c:bb:47:00:00:01",
            "mtu": 9000,
            "state": "UP",
            "carrier": True,
            "carrier_changes": 2,
            "speed_mbps": 200000,
            "master": None,
            "kind": None,
            "ipv4": ["192.168.100.11/24"],
            "ipv6": ["fe80::4ebb:47ff:fe00:1/64"],
            "driver": "mlx5_core",
            "firmware": None,
            "pcie_width": 4,
            "pcie_speed_gts": 32.0,
        }
    }


def test_an_interface_without_a_carrier_has_no_speed(sysfs: Sysfs) -> None:
    sysfs.add_interface("enp1s0f0np0", None, operstate="down", carrier="0", speed="-1")
    seen = read_interfaces(None, str(sysfs.net))["enp1s0f0np0"]
    assert (seen["state"], seen["carrier"], seen["speed_mbps"]) == ("DOWN", False, None)
    assert (seen["ipv4"], seen["ipv6"]) == (None, None), "without ip nothing is known of addresses"
    assert (seen["driver"], seen["pcie_width"]) == (None, None)


def test_a_file_among_the_interfaces_is_none(sysfs: Sysfs) -> None:
    sysfs.add_interface("lo", None)
    (sysfs.net / "bonding_masters").write_text("bond0\n")
    assert list(read_interfaces([], str(sysfs.net))) == ["lo"]


@pytest.mark.parametrize(
    ("width", "speed", "expected"),
    [
        ("4", "32.0 GT/s PCIe", (4, 32.0)),
        ("2", "16.0 GT/s PCIe", (2, 16.0)),
        ("1", "2.5 GT/s PCIe", (1, 2.5)),
        ("0", "Unknown", (None, None)),
    ],
)
def test_the_pcie_link_as_sysfs_spells_it(
    sysfs: Sysfs, width: str, speed: str, expected: tuple[int | None, float | None]
) -> None:
    sysfs.add_interface("enp1s0f1np1", sysfs.add_function("0000:01:00.1", width, speed))
    assert pcie(sysfs.net / "enp1s0f1np1/device") == expected


def test_a_device_without_a_link_hangs_from_its_ancestors(sysfs: Sysfs) -> None:
    function = sysfs.add_function("0002:01:00.1")
    virtio = function / "virtio1"
    virtio.mkdir()
    sysfs.add_interface("enP2p1s0f1np1", virtio)
    assert pcie(sysfs.net / "enP2p1s0f1np1/device") == (4, 32.0)
