# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who trusts whom among the nodes: known hosts, authorized keys, stale entries. Pure.

Each line of a managed block ends in ``sparkloom NODE``, which says whose it is. So a run
over a part of the nodes can leave the lines of the others as they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BLOCK = "mesh"
KNOWN_HOSTS = "/etc/ssh/ssh_known_hosts"
CLIENT_CONFIG = "/etc/ssh/ssh_config.d/60-sparkloom.conf"

_OWNER = "sparkloom"

# A line of known hosts: names, type, key.
_WORDS = 3


@dataclass(frozen=True)
class Peer:
    """A node of this run: every name that it answers to, its host keys, its users' keys."""

    name: str
    hosts: tuple[str, ...]
    host_keys: tuple[str, ...] = ()
    user_keys: Mapping[str, str] = field(default_factory=dict)


def key_of(line: str) -> str:
    """Return type and base64 of a public key without its comment; empty for what is none."""
    words = line.split()
    return " ".join(words[:2]) if len(words) > 1 else ""


def _owner(line: str) -> str:
    words = line.split()
    return words[-1] if len(words) > 1 and words[-2] == _OWNER else ""


def _merge(block: str, members: Iterable[str], fresh: Mapping[str, list[str]]) -> str:
    """Return a block: fresh lines where there are some, else those it has; nobody else's."""
    kept: dict[str, list[str]] = {}
    for line in block.splitlines():
        kept.setdefault(_owner(line), []).append(line)
    lines = [line for name in members for line in fresh.get(name) or kept.get(name, [])]
    return "".join(f"{line}\n" for line in lines)


def known_hosts(block: str, members: Iterable[str], peers: Iterable[Peer]) -> str:
    """Return the block of known hosts: one line a host key, with every name of the node."""
    fresh = {
        peer.name: [f"{','.join(peer.hosts)} {key_of(key)} {_OWNER} {peer.name}" for key in sorted(peer.host_keys)]
        for peer in peers
    }
    return _merge(block, members, fresh)


def authorized_keys(block: str, user: str, members: Iterable[str], peers: Iterable[Peer]) -> str:
    """Return the block of the keys that may log in as ``user``: those of the same user on every node."""
    fresh = {
        peer.name: [f"{key_of(peer.user_keys[user])} {_OWNER} {peer.name}"]
        for peer in peers
        if key_of(peer.user_keys.get(user, ""))
    }
    return _merge(block, members, fresh)


def client_config(hosts: Iterable[str]) -> str:
    """Return the client's drop-in: the mesh's names are checked strictly, whatever else is set."""
    return (
        "# Written by Sparkloom (role ssh_mesh); the keys stand in /etc/ssh/ssh_known_hosts.\n"
        f"Host {' '.join(hosts)}\n"
        "    StrictHostKeyChecking yes\n"
    )


def _names_hashed(pattern: str, host: str) -> bool:
    """Return whether a hashed name (|1|salt|digest) is that of ``host``."""
    try:
        _empty, kind, salt, digest = pattern.split("|")
        if kind != "1":
            return False
        wanted = base64.b64decode(digest, validate=True)
        found = hmac.new(base64.b64decode(salt, validate=True), host.encode(), hashlib.sha1).digest()
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(found, wanted)


def _names(pattern: str, hosts: Iterable[str]) -> bool:
    if pattern.startswith("|"):
        return any(_names_hashed(pattern, host) for host in hosts)
    return pattern in set(hosts)


def without_stale(text: str, peers: Iterable[Peer]) -> tuple[str, list[str]]:
    """Return known hosts without keys that a peer no longer has, and the names they stood under.

    Such a line makes strict checking fail although the right key is known elsewhere. Lines
    with a marker (@revoked, @cert-authority) are the owner's decision and stay.
    """
    known = [peer for peer in peers if peer.host_keys]
    kept: list[str] = []
    stale: list[str] = []
    for line in text.splitlines(keepends=True):
        words = line.split()
        if len(words) < _WORDS or words[0][0] in "#@" or _owner(line):
            kept.append(line)
            continue
        key = f"{words[1]} {words[2]}"
        hosts = [host for peer in known if key not in set(map(key_of, peer.host_keys)) for host in peer.hosts]
        patterns = words[0].split(",")
        left = [pattern for pattern in patterns if not _names(pattern, hosts)]
        if len(left) == len(patterns):
            kept.append(line)
            continue
        stale += [pattern for pattern in patterns if pattern not in left]
        if left:
            kept.append(line.replace(words[0], ",".join(left), 1))
    return "".join(kept), stale


def shared_keys(peers: Iterable[Peer]) -> list[str]:
    """Return in words which nodes have a key in common: whoever takes one of them takes all."""
    holders: dict[tuple[str, str], list[str]] = {}
    for peer in peers:
        for key in peer.host_keys:
            holders.setdefault(("host key", key_of(key)), []).append(peer.name)
        for user, key in peer.user_keys.items():
            holders.setdefault((f"key of user {user}", key_of(key)), []).append(peer.name)
    shared = {(what, tuple(names)): None for (what, key), names in holders.items() if key and len(names) > 1}
    return [
        f"{', '.join(names)} have the same {what}: whoever takes one of these nodes can pose as all of them. "
        f"Make new ones on all but one of them and run again"
        for what, names in shared
    ]


@dataclass(frozen=True)
class Login:
    """One login to prove."""

    user: str
    peer: str
    host: str

    def command(self, timeout: int) -> list[str]:
        """Return the ssh that neither asks nor waits, and trusts no unknown key."""
        return [
            "ssh", "-n", "-T",
            "-o", "BatchMode=yes",
            "-o", "StrictHostKeyChecking=yes",
            "-o", f"ConnectTimeout={timeout}",
            "-o", "ControlPath=none",
            f"{self.user}@{self.host}", "true",
        ]  # fmt: skip


def logins(users: Iterable[str], peers: Sequence[Mapping[str, Any]], own: str, names: str) -> list[Login]:
    """Return the logins of a node, beginning behind itself: not every node calls the same one first."""
    at = next((index for index, peer in enumerate(peers) if peer["name"] == own), -1) + 1
    return [
        Login(user, peer["name"], host)
        for peer in [*peers[at:], *peers[:at]]
        for host in (peer["hosts"] if names == "all" else peer["hosts"][:1])
        for user in users
    ]


def complaint(rc: int, stderr: str) -> str:
    """Return what ssh complained of, its last line; empty for a login that worked."""
    if rc == 0:
        return ""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"ssh ended with {rc}"
