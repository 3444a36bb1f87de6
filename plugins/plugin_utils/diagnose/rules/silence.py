# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was not seen: a host, or a part of its evidence. It is never taken to be well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import measuring_of, rail_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, Rule, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.paths import is_tried
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import HOST, HostEvidence

AGAIN = "mend what the host complains of, then run this again"

# Part of the evidence, and what makes a host give it.
_REMEDIES = {
    "paths": "run site.yml with --tags fabric",
    "logins": "run site.yml with --tags ssh_mesh",
    "clock": "run site.yml with --tags time_sync",
    "bandwidth": "run site.yml with --tags ofed",
    "latency": "run site.yml with --tags ofed",
    "environment": "run site.yml with --tags nccl",
    "interfaces": "see that /sys is readable on this node",
    "rdma_devices": "see that /sys is readable on this node",
    "routes": "install the package iproute2 on this node",
}


@rule(
    "SL001",
    "the host gave no evidence",
    remedy="see that it is on and that ssh, or the API of a switch, reaches it",
    source="a host that does not answer is never taken to be well",
)
def hosts(view: View, found: Found) -> Iterator[Finding]:
    for name, variables in view.declared.nodes.items():
        node = view.evidence.nodes.get(name, HostEvidence())
        if node.silent:
            rails = [rail_of(name, wanted["rail"]) for wanted in variables["fabric_interfaces"]]
            yield _silent(found, name, "node", node, "see that it is on and that ssh reaches it", rails)
    for name in view.declared.switches:
        switch = view.evidence.switches.get(name, HostEvidence())
        if switch.silent:
            yield _silent(found, name, "switch", switch, "see that it is on and that its API answers", [])


def _silent(found: Found, name: str, kind: str, seen: HostEvidence, remedy: str, rails: list[str]) -> Finding:
    reasons = [seen.missing[HOST]] if HOST in seen.missing else list(dict.fromkeys(seen.missing.values()))
    return found(
        name,
        problem=f"the {kind} gave no evidence",
        expected="an answer",
        actual="; ".join(reasons) or "none",
        remedy=remedy,
        hosts=[name],
        breaks=[name, *rails],
    )


def gaps(rules: Iterable[Rule]) -> Rule:
    """Return the rule that says what the others could not tell for want of evidence. One finding a host."""
    judging: dict[str, list[str]] = defaultdict(list)
    for one in rules:
        for need in one.needs:
            judging[need].append(one.code)

    @rule(
        "SL002",
        "the host gave no evidence of a part that rules judge by",
        severity="unknown",
        remedy=AGAIN,
        source="a source that is absent or refuses is said, never guessed",
    )
    def judge(view: View, found: Found) -> Iterator[Finding]:
        for name, variables in view.declared.nodes.items():
            node = view.evidence.nodes.get(name, HostEvidence())
            if not node.silent:
                untried = _untried(view.declared, variables, node.parts)
                yield from _missing(found, name, "node", node, judging, untried)
        for name in view.declared.switches:
            switch = view.evidence.switches.get(name, HostEvidence())
            if not switch.silent:
                yield from _missing(found, name, "switch", switch, judging, [])

    return judge


def _missing(
    found: Found, name: str, kind: str, seen: HostEvidence, judging: Mapping[str, list[str]], untried: list[str]
) -> Iterator[Finding]:
    parts = {part: why for part, why in seen.missing.items() if f"{kind}.{part}" in judging}
    if not parts and not untried:
        return
    words = [part.replace("_", " ") for part in parts] + untried
    reasons = [f"{part.replace('_', ' ')}: {why}" for part, why in parts.items()]
    codes = sorted({code for part in parts for code in judging[f"{kind}.{part}"]})
    remedies = list(dict.fromkeys(_REMEDIES[part] for part in parts if part in _REMEDIES))
    yield found(
        name,
        problem=f"the host gave no evidence of {', '.join(words)}",
        expected=f"an answer{f', to judge {", ".join(codes)}' if codes else ''}",
        actual="; ".join(reasons) or "nothing",
        remedy=f"{'; '.join(remedies)}, then run this again" if remedies else AGAIN,
        hosts=[name],
        breaks=[measuring_of(name)] if "bandwidth" in parts else [],
    )


def _untried(declared: Declared, variables: Mapping[str, Any], parts: Mapping[str, Any]) -> list[str]:
    """Return what a probe that ran did not try, in words."""
    words = []
    if "paths" in parts:
        words += _untried_paths(declared, variables, parts["paths"])
    if "logins" in parts:
        words += _untried_logins(declared, variables, parts["logins"])
    return words


def _untried_paths(declared: Declared, variables: Mapping[str, Any], paths: list[Record]) -> list[str]:
    tried = {(path["rail"], path["peer"]) for path in paths if is_tried(path)}
    untried: dict[str, list[str]] = defaultdict(list)
    for wanted in variables["fabric_interfaces"]:
        for peer in variables["fabric_peers"]:
            known = peer["name"] in declared.nodes and wanted["rail"] in peer["addresses"]
            if known and (wanted["rail"], peer["name"]) not in tried:
                untried[wanted["rail"]].append(peer["name"])
    return [f"paths on rail {rail} to {', '.join(peers)}" for rail, peers in untried.items()]


def _untried_logins(declared: Declared, variables: Mapping[str, Any], logins: list[Record]) -> list[str]:
    tried = {(login.get("user"), login.get("peer")) for login in logins}
    untried = [
        f"{user} to {peer['name']}"
        for user in variables["ssh_mesh_users"]
        for peer in variables["ssh_mesh_peers"]
        if peer["name"] in declared.nodes and (user, peer["name"]) not in tried
    ]
    return [f"logins of {', '.join(untried)}"] if untried else []


RULES = (hosts,)
