# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL, UCX, Gloo and vLLM environment of one node.

data/environment.json holds the variables with their reasons; this fills in what
differs between nodes.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import RailPlan, common_range

_FILE = Path(__file__).parents[1] / "data" / "environment.json"


@cache
def _variables() -> tuple[tuple[str, str], ...]:
    rows = json.loads(_FILE.read_text(encoding="utf-8"))["variables"]
    return tuple((row["name"], row["value"]) for row in rows)


def environment(cluster: Cluster, node: str, rails: tuple[RailPlan, ...]) -> dict[str, str]:
    """Return the variables of a node, sorted by name; what the owner sets wins."""
    values = {
        "rdma_ports": ",".join(f"{rail.rdma_device}:1" for rail in rails),
        "management_interface": cluster.nodes[node].management_interface,
        "address_range": str(common_range(cluster.fabric.subnets)),
        "fabric_address": str(rails[0].address) if rails else str(cluster.nodes[node].address),
    }
    planned = {name: template.format(**values) for name, template in _variables()}
    index = cluster.fabric.gid_index
    if isinstance(index, int):
        planned["NCCL_IB_GID_INDEX"] = str(index)
    return dict(sorted({**planned, **cluster.environment}.items()))
