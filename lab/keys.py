"""Keys of one virtual rack: made once, so that host keys are checked in the lab as on a real rack."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster


@dataclass(frozen=True, slots=True)
class KeyPair:
    private: str
    public: str


def key_pair(folder: Path, name: str, comment: str) -> KeyPair:
    """Return the ed25519 key pair of a name; made on first use, readable by its owner alone."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    private, public = folder / name, folder / f"{name}.pub"
    if not private.exists():
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(private)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return KeyPair(private.read_text(), public.read_text().strip())


def machine_id(cluster: str, node: str) -> str:
    """Return a machine-id that differs between nodes and stays the same for one."""
    return uuid.uuid5(uuid.NAMESPACE_DNS, f"{node}.{cluster}.sparkloom.lab").hex


def write_ssh_config(state: Path, cluster: Cluster, host_keys: Mapping[str, str]) -> Path:
    """Write what ssh needs to reach the guests with strict checking of host keys; return its path."""
    known = state / "known_hosts"
    lines = []
    for name, node in cluster.nodes.items():
        if node.connect:
            lines.append(f"[{node.connect.host}]:{node.connect.port or 22} {_bare(host_keys[name])}")
    known.write_text("\n".join(lines) + "\n")
    config = state / "ssh_config"
    stanzas = [
        "# How ssh reaches the guests of the virtual rack; written by `lab up`.",
        "Host *",
        f"    IdentityFile {state / 'keys' / 'login'}",
        "    IdentitiesOnly yes",
        f"    UserKnownHostsFile {known}",
        "    GlobalKnownHostsFile none",
        "    StrictHostKeyChecking yes",
        "    PasswordAuthentication no",
        # An emulated CPU takes seconds for what a real one does in no time.
        "    KexAlgorithms curve25519-sha256",
        "    ConnectTimeout 60",
    ]
    temporary = config.with_suffix(".new")
    temporary.write_text("\n".join(stanzas) + "\n")
    temporary.replace(config)
    return config


def _bare(public: str) -> str:
    return " ".join(public.split()[:2])
