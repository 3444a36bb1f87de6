# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs rely on: logins between all nodes, clocks that agree, and the environment."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import Host, View

_INDEX = "NCCL_IB_GID_INDEX"
# From this many nodes on, a login that fails from all of them is the fault of its peer.
_SEVERAL = 2
_RUN_NCCL = "run site.yml with --tags nccl, then restart what was started with the old value"


@rule(
    "SL501",
    "the login without a password fails",
    needs=("node.logins",),
    remedy="run site.yml with --tags ssh_mesh on all nodes",
    source="NVIDIA/cluster-readiness-engine#111; spark-pulse PR 110",
    covers=("spark-35",),
)
def logins(view: View, found: Found) -> Iterator[Finding]:
    """Say it once a peer that nobody reaches, else once a node and reason."""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    failed: list[tuple[str, Record]] = []
    for host in view.nodes():
        for row in host["logins"]:
            if row["peer"] not in view.declared.nodes:
                continue
            if row["peer"] != host.name:
                asked[row["user"], row["peer"]].add(host.name)
            if row["ok"] is not True:
                failed.append((host.name, row))
    sources: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, row in failed:
        sources[row["user"], row["peer"]].add(name)
    groups: dict[tuple[str, str, str], list[tuple[str, Record]]] = defaultdict(list)
    for name, row in failed:
        user, peer = row["user"], row["peer"]
        everyone = len(asked[user, peer]) >= _SEVERAL and asked[user, peer] <= sources[user, peer]
        if everyone:
            place, reason = f"{user} on every node to {row.get('host') or peer}", ""
        else:
            place = f"{user} on {name} to"
            reason = (row.get("error") or "no reason given").replace(row.get("host") or peer, "HOST")
        groups[place, reason, view.causes.of(peer)].append((name, row))
    for (place, _reason, cause), rows in groups.items():
        peers = ", ".join(dict.fromkeys(row.get("host") or row["peer"] for _name, row in rows))
        errors = Counter(row.get("error") or "no reason given" for _name, row in rows)
        yield found(
            f"{place} {peers}" if place.endswith(" to") else place,
            expected="a login with the host key checked",
            actual=errors.most_common(1)[0][0],
            hosts=[host for name, row in rows for host in (name, row["peer"])],
            follows=cause,
        )


def _clock_problem(host: Host) -> str:
    """Return what is wrong with a node's clock; empty when it agrees with its reference."""
    clock, limit = host["clock"], host.plan["time_sync_max_offset_ms"]
    if not clock["running"]:
        return str(clock["problem"])
    # A head without time servers is the rack's own reference: there is nothing for it to agree with.
    if host.plan["time_sync_is_reference"] and not host.plan["time_sync_servers"]:
        return ""
    if not clock["synchronised"]:
        return clock["problem"] or "not synchronised"
    offset = clock["offset_ms"]
    if offset is None:
        return "offset not known"
    return f"{offset:g} ms off" if abs(offset) > limit else ""


@rule(
    "SL601",
    "the clock does not agree with its reference",
    needs=("node.clock",),
    remedy="run site.yml with --tags time_sync",
    source="NVIDIA's TRT-LLM playbook, troubleshooting: a wrong clock fails the check of certificates",
    covers=("spark-33",),
)
def clocks(view: View, found: Found) -> Iterator[Finding]:
    """Judge the reference first, since it explains the rest; sorted keeps the order of the file behind it."""
    causes = view.causes
    for host in sorted(view.nodes(), key=lambda host: not host.plan["time_sync_is_reference"]):
        problem = _clock_problem(host)
        if not problem:
            continue
        reference = host.plan["time_sync_reference"]["name"]
        own = not host.plan["time_sync_servers"] and reference != host.name
        finding = found(
            host.name,
            expected=f"within {host.plan['time_sync_max_offset_ms']:g} ms",
            actual=problem,
            hosts=[host.name],
            follows=causes.of(f"{reference} clock", reference) if own else "",
            breaks=[f"{host.name} clock"],
        )
        causes = causes.and_of([finding])
        yield finding


def _probed(host: Host) -> set[str]:
    """Return the variables whose value is the node's own: a probed GID index."""
    return {_INDEX} if host.plan["nccl_gid_index"] == "probe" else set()


@rule(
    "SL701",
    "the environment differs",
    needs=("node.environment",),
    remedy=_RUN_NCCL,
    source="NVIDIA/dgx-spark-playbooks#102 and PR 103; spark-pulse docs/upstream-cluster-parity.md 6.1",
    covers=("spark-11", "spark-13", "spark-16", "spark-18"),
)
def environment(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        wanted, seen = host.plan["nccl_environment"], host["environment"]
        differing = {key: value for key, value in wanted.items() if seen.get(key) != value}
        differing |= dict.fromkeys(_probed(host) - seen.keys() - wanted.keys(), "what was probed")
        for key, value in differing.items():
            actual = seen.get(key, "not set")
            yield found(f"{host.name} {key}", expected=value, actual=actual, hosts=[host.name])


@rule(
    "SL702",
    "a variable of the environment is not the plan's",
    needs=("node.environment",),
    remedy=_RUN_NCCL,
    source="im0xMagnus DeepSeek README: NCCL_BUFFSIZE=16777216 exhausts memory on eight ranks",
    covers=("spark-40",),
)
def unknown_variable(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        known = host.plan["nccl_environment"].keys() | _probed(host)
        for key in sorted(host["environment"].keys() - known):
            yield found(f"{host.name} {key}", expected="not set", actual=host["environment"][key], hosts=[host.name])


RULES = (logins, clocks, environment, unknown_variable)
