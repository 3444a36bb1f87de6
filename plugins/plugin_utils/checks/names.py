# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that mean two things, names that mean none, and settings that contradict each other."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks.draft import Draft
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.deny import denied_variable
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults, nearest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import rail_name

# Groups that the inventory makes beside the cluster's own, and those of Ansible.
_RESERVED = frozenset({"all", "ungrouped", "nodes", "switches", "heads", "localhost"})


def check(draft: Draft, faults: Faults) -> None:
    _hosts(draft, faults)
    _rail_names(draft, faults)
    _head(draft, faults)
    _settings(draft, faults)
    _environment(draft, faults)


def _hosts(draft: Draft, faults: Faults) -> None:
    cluster = draft.data.get("cluster")
    for name in draft.switches:
        if name in draft.nodes:
            faults.add(("switches", name), "is the name of a node as well", "Give the switch another name")
    groups = {f"{cluster}_{suffix}" for suffix in ("nodes", "switches", "head")} | {cluster} | _RESERVED
    for section, entries in (("nodes", draft.nodes), ("switches", draft.switches)):
        for name in entries:
            if name in groups:
                faults.add((section, name), "is the name of a group in the inventory", "Give the host another name")
    if cluster in _RESERVED:
        faults.add(
            ("cluster",), f"{cluster!r} is a group of every inventory", "Name the cluster otherwise, such as spark8"
        )


def _rail_names(draft: Draft, faults: Faults) -> None:
    """Note hosts named as the plan names a node's rail: /etc/hosts would give the name two addresses."""
    rails = {rail_name(node, rail): node for node in draft.nodes for rail in RAILS}
    for section, entries in (("nodes", draft.nodes), ("switches", draft.switches)):
        for name in entries:
            if node := rails.get(name):
                faults.add((section, name), f"is the name of a rail of {node} as well", "Give the host another name")


def _head(draft: Draft, faults: Faults) -> None:
    head = draft.data.get("head")
    if head and draft.nodes and head not in draft.nodes:
        guess = nearest(head, draft.nodes)
        faults.add(
            ("head",),
            f"{head!r} is not a node of this file",
            f"Did you mean {guess}?" if guess else f"Name one of {', '.join(draft.nodes)}",
        )


def _settings(draft: Draft, faults: Faults) -> None:
    for name, entry in draft.switches.items():
        if entry.get("tls") is False and "ca_path" in entry:
            faults.add(
                ("switches", name, "ca_path"),
                "is given although tls is false",
                "Remove tls: false to verify the switch's certificate, or remove ca_path",
            )
    ofed = draft.data.get("ofed") or {}
    if "doca_floor" in ofed and ofed.get("provider") != "doca":
        faults.add(
            ("ofed", "doca_floor"),
            "is given although the provider is inbox",
            "Set provider: doca when DOCA-OFED is really wanted, or remove doca_floor",
        )


def _environment(draft: Draft, faults: Faults) -> None:
    for name, value in (draft.data.get("environment") or {}).items():
        if denied := denied_variable(name, str(value), len(draft.nodes)):
            faults.add(("environment", name), f"{str(value)!r} does harm: {denied.reason}", denied.remedy)
