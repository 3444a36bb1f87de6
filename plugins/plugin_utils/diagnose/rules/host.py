# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs rely on: logins between all nodes, clocks that agree, and the environment."""

from __future__ import annotations

from collections import defaultdict

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding


def logins(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL501: logins fail. One finding a node and reason, naming the peers."""
    findings = []
    for name in declared.nodes:
        node = evidence.nodes.get(name)
        failed: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for login in (node.logins if node else None) or ():
            if not login["ok"]:
                failed[login["user"], login["error"]].append(login)
        for (user, error), rows in failed.items():
            findings.append(
                Finding(
                    "SL501",
                    "fail",
                    f"{user} on {name} to {', '.join(row['host'] for row in rows)}",
                    "the login without a password fails",
                    "a login with the host key checked",
                    error,
                    "run site.yml with --tags ssh_mesh on all nodes",
                )
            )
    return findings


def clocks(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL601: a clock does not agree with its reference."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        if node is None or node.clock is None or not node.clock["problem"]:
            continue
        offset = node.clock["offset_ms"]
        findings.append(
            Finding(
                "SL601",
                "fail",
                name,
                "the clock does not agree with its reference",
                f"within {variables['time_sync_max_offset_ms']:g} ms",
                node.clock["problem"] if offset is None else f"{offset:.1f} ms off: {node.clock['problem']}",
                "run site.yml with --tags time_sync",
            )
        )
    return findings


def environment(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL701: a variable of the environment differs. SL702: a variable is there that the plan does not know."""
    findings = []
    for name, variables in declared.nodes.items():
        node = evidence.nodes.get(name)
        if node is None or node.environment is None:
            continue
        wanted, seen = variables["nccl_environment"], node.environment
        findings += [
            _variable("SL701", name, key, wanted[key], seen.get(key, "not set"))
            for key in wanted
            if seen.get(key) != wanted[key]
        ]
        # A probed GID index is the node's own.
        unknown = sorted(seen.keys() - wanted.keys() - {"NCCL_IB_GID_INDEX"})
        findings += [_variable("SL702", name, key, "not set", seen[key]) for key in unknown]
    return findings


def _variable(code: str, node: str, key: str, wanted: str, seen: str) -> Finding:
    return Finding(
        code,
        "fail",
        f"{node} {key}",
        "the environment differs",
        wanted,
        seen,
        "run site.yml with --tags nccl, then restart what was started with the old value",
    )


def silent(declared: Declared, evidence: Evidence) -> list[Finding]:
    """SL001: a host gave no evidence, so nothing about it is known to be well."""
    findings = []
    for name in declared.nodes:
        node = evidence.nodes.get(name)
        if node is None or node.facts is None:
            findings.append(_silent(name, "node", "see that it is on and that ssh reaches it"))
    for name in declared.switches:
        switch = evidence.switches.get(name)
        if switch is None or switch.links is None:
            findings.append(_silent(name, "switch", "see that it is on and that its API answers"))
    return findings


def _silent(name: str, kind: str, remedy: str) -> Finding:
    return Finding("SL001", "fail", name, f"the {kind} gave no evidence", "an answer", "none", remedy)
