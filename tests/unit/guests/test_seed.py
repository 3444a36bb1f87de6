import stat
import tarfile
from pathlib import Path

import yaml

from lab.guests.seed import FABRIC, INTERFACES, GuestConfig, write_seed


def test_a_seed_holds_the_guests_identity(tmp_path: Path, config: GuestConfig) -> None:
    seed = tmp_path / "spark1.seed"
    write_seed(seed, config)
    with tarfile.open(seed) as tar:
        content = {m.name: b"" if m.isdir() else tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
        members = {m.name: (m.mode, m.uid) for m in tar.getmembers()}
    assert content["etc/hostname"] == b"spark1\n"
    assert content["etc/machine-id"] == b"1" * 32 + b"\n"
    assert content["home/spark/.ssh/authorized_keys"] == b"ssh-ed25519 AAAA owner\n"
    assert members["etc/netplan/01-management.yaml"] == (0o600, 0)
    assert members["etc/ssh/ssh_host_ed25519_key"] == (0o600, 0)
    assert members["home/spark/.ssh"] == (0o700, 1000)
    assert members["home/spark/.ssh/authorized_keys"] == (0o600, 1000)
    # The directories above are the image's; a seed that named them would change their owners.
    assert "home/spark" not in members


def test_only_the_management_interface_is_configured(tmp_path: Path, config: GuestConfig) -> None:
    seed = tmp_path / "spark1.seed"
    write_seed(seed, config)
    with tarfile.open(seed) as tar:
        text = {m.name: tar.extractfile(m).read().decode() for m in tar if m.isfile()}  # type: ignore[union-attr]
    ethernets = yaml.safe_load(text["etc/netplan/01-management.yaml"])["network"]["ethernets"]
    assert list(ethernets) == ["enP7s7"]
    assert ethernets["enP7s7"]["addresses"] == ["10.83.0.11/24"]
    assert ethernets["enP7s7"]["link-local"] == []
    for name in INTERFACES:
        link = text[f"etc/systemd/network/10-{name}.link"]
        assert f"MACAddress={config.macs[name]}\n" in link
        assert f"Name={name}\n" in link
    assert "MTUBytes=1500" in text[f"etc/systemd/network/10-{FABRIC[0]}.link"]


def test_a_seed_is_whole_sectors_and_private(tmp_path: Path, config: GuestConfig) -> None:
    seed = tmp_path / "spark1.seed"
    write_seed(seed, config)
    assert seed.stat().st_size % 512 == 0
    assert stat.S_IMODE(seed.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["spark1.seed"]


def test_the_same_guest_gets_the_same_seed(tmp_path: Path, config: GuestConfig) -> None:
    """A guest unpacks each seed once, so a seed must not change without cause."""
    write_seed(tmp_path / "a", config)
    write_seed(tmp_path / "b", config)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
