"""A node's /sys as a tree of plain files and links, as a Spark has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

MAPPED = "0000:0000:0000:0000:0000:ffff:c0a8:640b"  # 192.168.100.11


@dataclass(frozen=True)
class Sysfs:
    root: Path

    @property
    def net(self) -> Path:
        return self.root / "class/net"

    @property
    def infiniband(self) -> Path:
        return self.root / "class/infiniband"

    def write(self, path: str, **attributes: str) -> Path:
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in attributes.items():
            (folder / name).write_text(value + "\n")
        return folder

    def add_function(self, name: str, width: str = "4", speed: str = "32.0 GT/s PCIe") -> Path:
        domain = name[:7]
        driver = self.write("bus/pci/drivers/mlx5_core")
        function = self.write(f"devices/pci{domain}/{domain}:00.0/{name}", vendor="0x15b3")
        self.write(f"devices/pci{domain}/{domain}:00.0/{name}", current_link_width=width, current_link_speed=speed)
        (function / "driver").symlink_to(driver)
        return function

    def add_interface(self, name: str, device: Path | None, **attributes: str) -> None:
        shown = {"address": "4c:bb:47:00:00:01", "mtu": "9000", "operstate": "up", "carrier": "1", **attributes}
        home = self.write(f"class/net/{name}", carrier_changes="2", **shown)
        if device:
            (home / "device").symlink_to(device)
            (device / "net" / name).mkdir(parents=True)

    def add_rdma(self, name: str, device: Path | None, netdev: str, link_layer: str = "Ethernet") -> None:
        home = self.write(f"class/infiniband/{name}", fw_ver="28.45.4028")
        self.write(f"class/infiniband/{name}/ports/1", state="4: ACTIVE", link_layer=link_layer, rate="200 Gb/sec")
        for folder, value in (("gids", MAPPED), ("gid_attrs/types", "RoCE v2"), ("gid_attrs/ndevs", netdev)):
            (self.write(f"class/infiniband/{name}/ports/1/{folder}") / "0").write_text(value + "\n")
        if device:
            (home / "device").symlink_to(device)


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path / "sys")
