"""What makes one guest of the image that all of them share; unpacked over it before the system starts."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MANAGEMENT = "enP7s7"
FABRIC = ("enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1")
INTERFACES = (MANAGEMENT, *FABRIC)
_SPARK_ID = 1000
# An emulated disk is read in sectors, and a tar's end must be whole.
_PADDING = 64 * 1024


@dataclass(frozen=True, slots=True)
class GuestConfig:
    """One guest, as the rack made it up."""

    name: str
    index: int
    address: str  # of the management interface, with its prefix: 10.83.0.11/24
    macs: dict[str, str]  # by interface
    authorized_key: str
    host_key_private: str
    host_key_public: str
    machine_id: str
    login: str = "spark"
    # What a kernel that is not the image's brings along, by path.
    kernel_files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _File:
    content: str | bytes
    mode: int = 0o644
    owner: int = 0


def seed_files(config: GuestConfig) -> dict[str, _File]:
    """Return the files of a seed by path."""
    home = f"home/{config.login}/.ssh"
    return {
        "etc/hostname": _File(f"{config.name}\n"),
        "etc/machine-id": _File(f"{config.machine_id}\n", 0o444),
        "etc/netplan/01-management.yaml": _File(_netplan(config), 0o600),
        "etc/ssh/ssh_host_ed25519_key": _File(_line(config.host_key_private), 0o600),
        "etc/ssh/ssh_host_ed25519_key.pub": _File(_line(config.host_key_public)),
        f"{home}/authorized_keys": _File(_line(config.authorized_key), 0o600, _SPARK_ID),
        **{path: _File(content) for path, content in config.kernel_files.items()},
        **{f"etc/systemd/network/10-{name}.link": _File(_link(name, mac)) for name, mac in config.macs.items()},
    }


def write_seed(path: Path, config: GuestConfig) -> None:
    """Write the seed as a tar, whole or not at all."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        home = tarfile.TarInfo(f"home/{config.login}/.ssh")
        home.type, home.mode, home.uid, home.gid = tarfile.DIRTYPE, 0o700, _SPARK_ID, _SPARK_ID
        tar.addfile(home)
        for name, file in seed_files(config).items():
            content = file.content.encode() if isinstance(file.content, str) else file.content
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.uid, member.gid = len(content), file.mode, file.owner, file.owner
            tar.addfile(member, io.BytesIO(content))
    content = buffer.getvalue()
    temporary = path.with_name(path.name + ".new")
    # It holds a private key.
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(content + b"\0" * (-len(content) % _PADDING))
    temporary.rename(path)


def _netplan(config: GuestConfig) -> str:
    return (
        "# The management network; the fabric is left as an owner finds it.\n"
        "network:\n"
        "  version: 2\n"
        "  ethernets:\n"
        f"    {MANAGEMENT}:\n"
        "      dhcp4: false\n"
        "      dhcp6: false\n"
        "      link-local: []\n"
        f"      addresses: [{config.address}]\n"
    )


def _link(name: str, mac: str) -> str:
    # QEMU's host_mtu is the greatest MTU of a NIC, and the driver starts with it; a Spark's starts with 1500.
    return f"[Match]\nMACAddress={mac}\n\n[Link]\nName={name}\nMTUBytes=1500\n"


def _line(text: str) -> str:
    return text.rstrip("\n") + "\n"
