from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import rdma

if TYPE_CHECKING:  # the package of tests is not importable when they run
    from tests.unit.node.conftest import Sysfs

WANTED: list[dict[str, Any]] = [
    {"rdma_device": "rocep1s0f1", "interface": "enp1s0f1np1", "pcie_width": 4, "pcie_speed_gts": 32.0}
]


def device(netdev: str = "enp1s0f1np1", link_layer: str = "Ethernet") -> dict[str, Any]:
    return {"netdev": netdev, "link_layer": link_layer}


def test_a_device_of_a_pci_function(sysfs: Sysfs) -> None:
    function = sysfs.add_function("0000:01:00.1")
    sysfs.add_interface("enp1s0f1np1", function)
    sysfs.add_rdma("rocep1s0f1", function, "enp1s0f1np1")
    seen = rdma.read_devices(str(sysfs.infiniband))["rocep1s0f1"]
    assert seen["gids"][0]["ipv4"] == "192.168.100.11"
    assert {key: value for key, value in seen.items() if key != "gids"} == {
        "netdev": "enp1s0f1np1",
        "state": "ACTIVE",
        "link_layer": "Ethernet",
        "rate": "200 Gb/sec",
        "firmware": "28.45.4028",
    }


def test_a_software_device_says_its_interface_by_its_gids(sysfs: Sysfs) -> None:
    sysfs.add_rdma("rocep1s0f1", None, "enp1s0f1np1")
    assert rdma.read_devices(str(sysfs.infiniband))["rocep1s0f1"]["netdev"] == "enp1s0f1np1"


def test_no_infiniband_class_is_no_device(sysfs: Sysfs) -> None:
    assert rdma.read_devices(str(sysfs.infiniband)) == {}


@pytest.mark.parametrize(
    ("devices", "words"),
    [
        ({"rocep1s0f1": device()}, []),
        ({}, ["rocep1s0f1 of enp1s0f1np1 is absent", "hot-plug"]),
        ({"mlx5_1": device()}, ["mlx5_1 serves enp1s0f1np1", "reboot"]),
        ({"rocep1s0f1": device(link_layer="InfiniBand")}, ["InfiniBand, not Ethernet"]),
        ({"rocep1s0f1": device("enp1s0f0np0")}, ["serves enp1s0f0np0, not enp1s0f1np1"]),
    ],
)
def test_a_device_that_is_not_as_declared_is_named(devices: dict[str, Any], words: list[str]) -> None:
    faults = rdma.device_faults(WANTED, devices)
    assert len(faults) == bool(words)
    assert all(word in faults[0] for word in words)


@pytest.mark.parametrize(
    ("width", "speed", "fault"),
    [
        ("4", "32.0 GT/s PCIe", False),
        ("8", "32.0 GT/s PCIe", False),
        ("2", "32.0 GT/s PCIe", True),
        ("4", "16.0 GT/s PCIe", True),
    ],
)
def test_a_narrow_or_slow_link_is_a_fault_with_a_remedy(sysfs: Sysfs, width: str, speed: str, fault: bool) -> None:
    sysfs.add_interface("enp1s0f1np1", sysfs.add_function("0000:01:00.1", width, speed))
    faults = rdma.pcie_faults(WANTED, str(sysfs.net))
    assert bool(faults) == fault
    if fault:
        assert f"x{width} at" in faults[0]
        assert "reseat" in faults[0]
        assert "367853" in faults[0]


def test_the_naming_rule_tells_whether_rdma_core_is_there(sysfs: Sysfs) -> None:
    assert not rdma.names_devices((str(sysfs.root),))
    sysfs.write("udev/rules.d", **{"60-rdma-persistent-naming.rules": "#"})
    assert rdma.names_devices((str(sysfs.root),))
