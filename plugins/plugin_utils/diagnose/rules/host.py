# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs rely on: logins between all nodes, clocks that agree, and the environment."""

from __future__ import annotations

from collections import Counter, defaultdict

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

_INDEX = "NCCL_IB_GID_INDEX"
# From this many nodes on, a login that fails from all of them is the fault of its peer.
_SEVERAL = 2


def logins(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL501: logins fail. One finding a peer that nobody reaches, else one a node and reason."""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    failed: list[tuple[str, Record]] = []
    for name in declared.nodes:
        node = evidence.nodes.get(name)
        for row in (node.logins if node else None) or ():
            if row.get("peer") not in declared.nodes:
                continue
            if row["peer"] != name:
                asked[row.get("user", "?"), row["peer"]].add(name)
            if row.get("ok") is not True:
                failed.append((name, row))
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, row in failed:
        sources[row.get("user", "?"), row["peer"]].add(name)
    groups: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
    for name, row in failed:
        user, peer = row.get("user", "?"), row["peer"]
        everyone = len(asked[user, peer]) >= _SEVERAL and asked[user, peer] <= sources[user, peer]
        if everyone:
            groups[f"{user} on every node to {row.get('host') or peer}", "", causes.of(peer)].append(row)
        else:
            reason = (row.get("error") or "no reason given").replace(row.get("host") or peer, "HOST")
            groups[f"{user} on {name} to", reason, causes.of(peer)].append(row)
    return [_failed(where, rows, cause) for (where, _reason, cause), rows in groups.items()]


def _failed(where: str, rows: list[Record], cause: str) -> Finding:
    hosts = ", ".join(dict.fromkeys(row.get("host") or row["peer"] for row in rows))
    errors = Counter(row.get("error") or "no reason given" for row in rows)
    return Finding(
        "SL501",
        "fail",
        f"{where} {hosts}" if where.endswith(" to") else where,
        "the login without a password fails",
        "a login with the host key checked",
        errors.most_common(1)[0][0],
        "run site.yml with --tags ssh_mesh on all nodes",
        follows=cause,
    )


def clocks(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL601: a clock does not agree with its reference. The reference comes first: it explains the rest."""
    findings: list[Finding] = []
    # sorted keeps the order of the file behind the reference.
    for name, variables in sorted(declared.nodes.items(), key=lambda item: not item[1]["time_sync_is_reference"]):
        node = evidence.nodes.get(name)
        if node is None or node.clock is None or node.clock.get("problem") == "":
            continue
        reference = variables["time_sync_reference"]["name"]
        own = not variables["time_sync_servers"] and reference != name
        offset, problem = node.clock.get("offset_ms"), node.clock.get("problem") or "no judgement"
        findings.append(
            Finding(
                "SL601",
                "fail",
                name,
                "the clock does not agree with its reference",
                f"within {variables['time_sync_max_offset_ms']:g} ms",
                problem if offset is None else f"{offset:g} ms off: {problem}",
                "run site.yml with --tags time_sync",
                follows=causes.of(f"{reference} clock", reference) if own else "",
                breaks=(f"{name} clock",),
            )
        )
        causes = causes.and_of(findings[-1:])
    return findings


def environment(declared: Declared, evidence: Evidence, _causes: Causes) -> list[Finding]:
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
        probed = {_INDEX} if variables["nccl_gid_index"] == "probe" else set()
        findings += [
            _variable("SL701", name, key, "what was probed", "not set") for key in probed - seen.keys() - wanted.keys()
        ]
        unknown = sorted(seen.keys() - wanted.keys() - probed)
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
