from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import kernel_modules

if TYPE_CHECKING:  # the package of tests is not importable when they run
    from tests.unit.node.conftest import Sysfs

MODULES: list[dict[str, Any]] = [{"name": "ib_uverbs"}, {"name": "rdma_ucm"}, {"name": "mlx5_ib", "optional": True}]
PROC = "ib_uverbs 200704 2 rdma_ucm,mlx5_ib, Live 0x0000000000000000\nrdma-rxe 1 0 - Live 0x0\n"
BUILTIN = "kernel/drivers/infiniband/core/rdma_ucm.ko\nkernel/fs/ext4/ext4.ko.zst\n"


def test_what_is_built_in_counts_as_loaded() -> None:
    assert kernel_modules.loaded(PROC, BUILTIN) == {"ib_uverbs", "rdma_rxe", "rdma_ucm", "ext4"}
    assert kernel_modules.loaded(None, None) == set()


def test_missing_ones_come_in_the_order_given() -> None:
    assert kernel_modules.missing(["rdma-ucm", "ib_uverbs", "mlx5_ib"], {"ib_uverbs"}) == ["rdma-ucm", "mlx5_ib"]


def test_an_optional_module_is_wanted_with_its_hardware_alone() -> None:
    assert kernel_modules.wanted(MODULES, present=False) == ["ib_uverbs", "rdma_ucm"]
    assert kernel_modules.wanted(MODULES, present=True) == ["ib_uverbs", "rdma_ucm", "mlx5_ib"]


def test_the_file_for_the_boot_does_not_depend_on_what_is_plugged_in() -> None:
    assert kernel_modules.boot_file(MODULES).splitlines()[1:] == ["ib_uverbs", "rdma_ucm"]


def test_hardware_is_found_by_its_vendor(sysfs: Sysfs) -> None:
    home = sysfs.root / "bus/pci/devices"
    assert not kernel_modules.hardware_present(str(home))
    sysfs.write("bus/pci/devices/0007:01:00.0", vendor="0x10ec")
    assert not kernel_modules.hardware_present(str(home))
    sysfs.write("bus/pci/devices/0000:01:00.1", vendor="0x15b3")
    assert kernel_modules.hardware_present(str(home))
