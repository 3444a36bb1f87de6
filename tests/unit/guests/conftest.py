from pathlib import Path

import pytest

from lab.guests.image import Image
from lab.guests.seed import INTERFACES, GuestConfig


@pytest.fixture
def config() -> GuestConfig:
    return GuestConfig(
        name="spark1",
        index=1,
        address="10.83.0.11/24",
        macs={name: f"52:54:00:83:01:{n:02x}" for n, name in enumerate(INTERFACES)},
        authorized_key="ssh-ed25519 AAAA owner\n",
        host_key_private="PRIVATE",
        host_key_public="ssh-ed25519 BBBB",
        machine_id="1" * 32,
        login="spark",
    )


@pytest.fixture
def image(tmp_path: Path) -> Image:
    image = Image(tmp_path / "vmlinuz", tmp_path / "initrd", tmp_path / "disk.img")
    image.disk.write_bytes(b"\0" * 65536)
    return image
