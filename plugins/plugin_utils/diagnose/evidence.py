# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was declared and what was seen, side by side: the two inputs of every rule.

A source that gave nothing is None, never an empty answer: a rule then says that it
could not tell, and never that all is well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NodeEvidence:
    """What one node's modules returned in a verification run."""

    facts: Record | None = None  # node_facts
    paths: list[Record] | None = None  # fabric_probe, one a rail and peer
    logins: list[Record] | None = None  # ssh_mesh_probe, one a user, peer and name
    clock: Record | None = None  # clock_check
    bandwidth: list[Record] | None = None  # rdma_bandwidth, one a rail and partner
    environment: dict[str, str] | None = None  # the variables that the node's environment file holds
    errors: dict[str, str] = field(default_factory=dict)  # why a part is missing, by its name, where that is known


def is_tried(path: Record) -> bool:
    """Tell whether an entry of ``paths`` says enough to be judged."""
    return all(path.get(key) is not None for key in ("peer", "rail", "transmitted", "received"))


@dataclass(frozen=True, slots=True)
class SwitchEvidence:
    links: list[Record] | None = None  # routeros_links, one a declared link
    bridge_ports: list[Record] | None = None  # routeros_facts, by the ports' factory names
    ports: list[Record] | None = None  # routeros_facts
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declared:
    """The plan's part that verification compares with; host variables by their own names."""

    links: list[Record]  # cluster_links
    nodes: Mapping[str, Mapping[str, Any]]
    switches: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What RDMA has to reach on one rail, in Gb/s of a 200G link; slower links are held to their share.

    Source: NVIDIA/dgx-spark-playbooks PR 108 (80 passes, 8 to 25 is the stale initialisation) and owners'
    measurements of 92 to 112 on one rail.
    """

    warn_gbps: float = 90.0
    fail_gbps: float = 80.0


@dataclass(frozen=True, slots=True)
class Evidence:
    nodes: dict[str, NodeEvidence] = field(default_factory=dict)
    switches: dict[str, SwitchEvidence] = field(default_factory=dict)
