# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peers of the SSH mesh: names of the plan joined with the keys that the nodes showed in this run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def mesh_peers(
    declared: Iterable[Mapping[str, Any]], hostvars: Mapping[str, Any], registered: str
) -> list[dict[str, Any]]:
    """Return the declared peers whose identity was read in this run, with their keys.

    ``registered`` is the variable that holds the identity of each host. A node that is not
    part of the run, or that failed on the way, has none and is left out: its keys are not
    known, which is no reason to forget what others know of it.
    """
    peers = []
    for peer in declared:
        identity = hostvars[peer["name"]].get(registered) if peer["name"] in hostvars else None
        if isinstance(identity, Mapping) and "host_keys" in identity:
            peers.append(
                {
                    "name": peer["name"],
                    "hosts": list(peer["hosts"]),
                    "host_keys": list(identity["host_keys"]),
                    "user_keys": dict(identity.get("user_keys", {})),
                }
            )
    return peers
