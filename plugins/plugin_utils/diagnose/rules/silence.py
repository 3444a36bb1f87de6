# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was not seen: a host, or a part of its evidence. It is never taken to be well."""

from __future__ import annotations

from collections import defaultdict

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, measuring_of, rail_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    NodeEvidence,
    Record,
    SwitchEvidence,
    is_tried,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

_AGAIN = "mend what the failed task of this host complains of, then verify again"

# Part of a node's evidence, and what makes a node give it.
_NODE_PARTS = {
    "paths": "run site.yml with --tags fabric",
    "logins": "run site.yml with --tags ssh_mesh",
    "clock": "run site.yml with --tags time_sync",
    "bandwidth": "run site.yml with --tags ofed",
    "environment": "run site.yml with --tags nccl",
}
_FACTS = {
    "interfaces": "see that /sys is readable on this node",
    "rdma_devices": "see that /sys is readable on this node",
    "default_routes": "install the package iproute2 on this node",
}


def hosts(declared: Declared, evidence: Evidence, _causes: Causes) -> list[Finding]:
    """SL001: a host gave no evidence, so nothing about it is known to be well."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name, NodeEvidence())
        if node.facts is None:
            rails = tuple(rail_of(name, wanted["rail"]) for wanted in variables["fabric_interfaces"])
            reason = node.errors.get("facts", "")
            findings.append(_silent(name, "node", reason, "see that it is on and that ssh reaches it", rails))
    for name in declared.switches:
        switch = evidence.switches.get(name, SwitchEvidence())
        if switch.links is None:
            reason = switch.errors.get("links") or switch.errors.get("bridge_ports", "")
            findings.append(_silent(name, "switch", reason, "see that it is on and that its API answers", ()))
    return findings


def _silent(name: str, kind: str, reason: str, remedy: str, rails: tuple[str, ...]) -> Finding:
    return Finding(
        "SL001",
        "fail",
        name,
        f"the {kind} gave no evidence",
        "an answer",
        reason or "none",
        remedy,
        breaks=(name, *rails),
    )


def parts(declared: Declared, evidence: Evidence, _causes: Causes) -> list[Finding]:
    """SL002: a host answered, but gave no evidence of something. One finding a host."""
    findings = []
    for name in declared.nodes:
        node = evidence.nodes.get(name, NodeEvidence())
        if node.facts is not None:
            findings += _missing(name, _node_gaps(declared, name, node), node.errors)
    for name in declared.switches:
        switch = evidence.switches.get(name, SwitchEvidence())
        if switch.links is not None:
            gaps = {part: _AGAIN for part in ("bridge_ports", "ports") if getattr(switch, part) is None}
            findings += _missing(name, gaps, switch.errors)
    return findings


def _missing(host: str, gaps: dict[str, str], errors: dict[str, str]) -> list[Finding]:
    if not gaps:
        return []
    # A task that fails ends the host's run: what comes after it is missing because of it.
    known = {part: errors[part] for part in gaps if part in errors}
    words = [part.replace("_", " ") for part in gaps]
    actual = "; ".join(f"{part}: {error}" for part, error in known.items())
    remedies = list(dict.fromkeys(gaps[part] for part in known or gaps))
    return [
        Finding(
            "SL002",
            "fail",
            host,
            f"the host gave no evidence of {', '.join(words)}",
            "an answer to every question",
            actual or "nothing",
            "; ".join(remedies) + ("" if _AGAIN in remedies else ", then verify again"),
            breaks=(measuring_of(host),) if "bandwidth" in gaps else (),
        )
    ]


def _node_gaps(declared: Declared, name: str, node: NodeEvidence) -> dict[str, str]:
    """Return what is missing, in words, and what to do about it."""
    facts = node.facts or {}
    gaps = {part: remedy for part, remedy in _FACTS.items() if facts.get(part) is None}
    gaps |= {part: remedy for part, remedy in _NODE_PARTS.items() if getattr(node, part) is None}
    if node.paths is not None:
        gaps |= dict.fromkeys(_untried_paths(declared, name, node.paths), _AGAIN)
    if node.logins is not None:
        gaps |= dict.fromkeys(_untried_logins(declared, name, node.logins), _AGAIN)
    return gaps


def _untried_paths(declared: Declared, name: str, paths: list[Record]) -> list[str]:
    tried = {(path["rail"], path["peer"]) for path in paths if is_tried(path)}
    untried: dict[str, list[str]] = defaultdict(list)
    variables = declared.nodes[name]
    for wanted in variables["fabric_interfaces"]:
        for peer in variables["fabric_peers"]:
            known = peer["name"] in declared.nodes and wanted["rail"] in peer["addresses"]
            if known and (wanted["rail"], peer["name"]) not in tried:
                untried[wanted["rail"]].append(peer["name"])
    return [f"paths on rail {rail} to {', '.join(peers)}" for rail, peers in untried.items()]


def _untried_logins(declared: Declared, name: str, logins: list[Record]) -> list[str]:
    tried = {(login.get("user"), login.get("peer")) for login in logins}
    variables = declared.nodes[name]
    untried = [
        f"{user} to {peer['name']}"
        for user in variables["ssh_mesh_users"]
        for peer in variables["ssh_mesh_peers"]
        if peer["name"] in declared.nodes and (user, peer["name"]) not in tried
    ]
    return [f"logins of {', '.join(untried)}"] if untried else []
