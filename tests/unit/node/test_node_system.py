from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import system

UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nID=ubuntu\n'
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\nVERSION_ID="13"\nID=debian\n'
ETHTOOL = """driver: mlx5_core
version: 6.17.0-1029-nvidia
firmware-version: 28.45.4028 (NVD0000000087)
expansion-rom-version: 
bus-info: 0000:01:00.1
"""  # noqa: W291 - as ethtool prints it
VIRTIO = "driver: virtio_net\nversion: 1.0.0\nfirmware-version: \nexpansion-rom-version: \n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [(UBUNTU, "Ubuntu 24.04"), (DEBIAN, "Debian 13"), ("NAME=Void\n", "Void"), ("", None), (None, None)],
)
def test_a_distribution_is_its_first_word_and_version(text: str | None, expected: str | None) -> None:
    assert system.distribution(text) == expected


def test_memory_and_uptime() -> None:
    assert system.memory_kib("MemTotal:       127535252 kB\nMemFree: 1 kB\n") == 127535252
    assert system.uptime_seconds("350735.47 234388.90") == 350735.47
    assert system.memory_kib(None) is None
    assert system.uptime_seconds(None) is None


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("580.173.02\n", "580.173.02"),
        ("580.173.02\n580.173.02\n", "580.173.02"),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", None),
        ("", None),
        (None, None),
    ],
)
def test_a_driver_is_a_version_or_none(output: str | None, expected: str | None) -> None:
    assert system.nvidia_driver(output) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [(ETHTOOL, "28.45.4028"), (VIRTIO, None), ("firmware-version: N/A\n", None), (None, None)],
)
def test_firmware_leaves_the_board_out(output: str | None, expected: str | None) -> None:
    assert system.firmware(output) == expected


def test_a_package_of_which_only_the_configuration_is_left_is_not_installed() -> None:
    output = "chrony 4.5-1ubuntu4.2 installed\nperftest 24.01.0+0.38-1 config-files\nrdma-core  not-installed\n"
    wanted = ["chrony", "rdma-core", "perftest", "ethtool"]
    assert system.package_versions(output, wanted) == {
        "chrony": "4.5-1ubuntu4.2",
        "rdma-core": None,
        "perftest": None,
        "ethtool": None,
    }
    assert system.package_versions(None, wanted) is None


def test_default_routes_of_both_families() -> None:
    four = [{"dst": "default", "gateway": "10.83.0.1", "dev": "enP7s7", "protocol": "dhcp", "metric": 100, "flags": []}]
    assert system.default_routes({4: four, 6: []}) == [
        {"family": 4, "gateway": "10.83.0.1", "interface": "enP7s7", "metric": 100}
    ]
    assert system.default_routes({4: [], 6: []}) == []
    assert system.default_routes({4: None, 6: None}) is None
