# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who measures with whom: rounds of neighbours in which no node has two partners."""

from __future__ import annotations

from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import RailPlan

ROUNDS = 2


def pairs(nodes: list[str]) -> list[list[tuple[str, str]]]:
    """Return two rounds of (server, client) pairs.

    The first joins neighbours (1-2, 3-4 …), the second shifts by one (2-3, 4-5 …, last-first),
    so that a chain of all nodes is measured and each inter-switch link is crossed. With
    two nodes, the second round turns the direction round.
    """
    count = len(nodes)
    first = [(nodes[i], nodes[i + 1]) for i in range(0, count - 1, 2)]
    second = [(nodes[i], nodes[i + 1]) for i in range(1, count - 1, 2)]
    if count > 1 and count % 2 == 0:
        second.append((nodes[-1], nodes[0]))
    return [first, second]


def _rails(own: tuple[RailPlan, ...], partner: tuple[RailPlan, ...]) -> list[dict[str, Any]]:
    return [
        {
            "rail": mine.rail,
            "device": mine.rdma_device,
            "own_address": str(mine.address),
            "partner_address": str(other.address),
        }
        for mine, other in zip(own, partner, strict=True)
    ]


def rounds(rails: dict[str, tuple[RailPlan, ...]]) -> dict[str, list[dict[str, Any]]]:
    """Return each node's part in each round, as the options of ``rdma_bandwidth``."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for node, own in rails.items():
        parts[node] = []
        for round_pairs in pairs(list(rails)):
            part: dict[str, Any] = {"partner": "", "role": "server", "rails": []}
            for server, client in round_pairs:
                if node in {server, client}:
                    partner = client if node == server else server
                    role = "server" if node == server else "client"
                    part = {"partner": partner, "role": role, "rails": _rails(own, rails[partner])}
            parts[node].append(part)
    return parts
