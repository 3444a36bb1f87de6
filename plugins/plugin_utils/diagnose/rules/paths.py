# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU paths between all pairs, said as what they have in common: a whole rail, a node, a pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, rail_of, way_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, is_tried
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

# With fewer paths than this, a node and its peer are equally suspect.
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class _Path:
    node: str
    peer: str
    rail: str
    sent: int
    answered: int
    payload: int | None
    error: str


def _tried(declared: Declared, evidence: Evidence) -> list[_Path]:
    """Return every path between two nodes of this run that was tried."""
    return [
        _Path(
            name,
            row["peer"],
            row["rail"],
            row["transmitted"],
            row["received"],
            row.get("payload"),
            row.get("error") or "no answer",
        )
        for name in declared.nodes
        for row in (evidence.nodes[name].paths if name in evidence.nodes else None) or ()
        if is_tried(row) and row["peer"] in declared.nodes
    ]


def paths(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL307: frames of full MTU do not pass. SL308: some are lost."""
    tried = _tried(declared, evidence)
    findings = _dead(tried, causes)
    return [*findings, *_lossy(tried, causes.and_of(findings))]


def _dead(tried: list[_Path], causes: Causes) -> list[Finding]:
    dead = [path for path in tried if not path.answered]
    count = Counter((path.node, path.rail) for path in tried)
    findings: list[Finding] = []
    said: set[_Path] = set()
    for say in (_rails, _lonely, _pairs):
        open_ = [path for path in dead if not causes.of_path(path.node, path.peer, path.rail)]
        for finding, covered in say(open_, count):
            findings.append(finding)
            said.update(covered)
        causes = causes.and_of(findings)
    rest = [path for path in dead if path not in said]
    for (node, cause), found in _by(rest, lambda path: (path.node, causes.of_path(path.node, path.peer, path.rail))):
        findings += [_finding(_from(node, group), group, follows=cause) for group in _merged(found)]
    return findings


_Said = list[tuple[Finding, list[_Path]]]
_Count = Counter[tuple[str, str]]


def _rails(dead: list[_Path], count: _Count) -> _Said:
    """Return one finding for the rails on which no path at all works."""
    nodes = {node for node, _rail in count}
    whole = [
        rail
        for rail, found in _by(dead, lambda path: path.rail)
        if len(nodes) > _SEVERAL and Counter(path.node for path in found) == {n: count[n, rail] for n in nodes}
    ]
    found = [path for path in dead if path.rail in whole]
    if not found:
        return []
    breaks = tuple(dict.fromkeys(rail_of(path.node, path.rail) for path in found))
    return [(_finding(f"{_rail_words(found)} between all nodes", found, breaks=breaks), found)]


def _lonely(dead: list[_Path], count: _Count) -> _Said:
    """Return a finding for each node that reaches nobody on a rail, and is reached by nobody."""
    alone = {
        (node, rail)
        for (node, rail), found in _by(dead, lambda path: (path.node, path.rail))
        if len(found) == count[node, rail] >= _SEVERAL
    }
    return [
        (_finding(_from(node, group), group, breaks=tuple(dict.fromkeys(rail_of(node, p.rail) for p in group))), group)
        for node, found in _by((p for p in dead if (p.node, p.rail) in alone), lambda path: path.node)
        for group in _merged(found)
    ]


def _pairs(dead: list[_Path], _count: _Count) -> _Said:
    """Return what is left, by the first of both ends; the way back follows from it."""
    first: dict[str, _Path] = {}
    for path in dead:
        first.setdefault(way_of(path.node, path.peer, path.rail), path)
    return [
        (_finding(_from(node, group), group, breaks=tuple(way_of(p.node, p.peer, p.rail) for p in group)), group)
        for node, found in _by(first.values(), lambda path: path.node)
        for group in _merged(found)
    ]


def _by[K: Hashable](found: Iterable[_Path], key: Callable[[_Path], K]) -> list[tuple[K, list[_Path]]]:
    groups: dict[K, list[_Path]] = defaultdict(list)
    for path in found:
        groups[key(path)].append(path)
    return list(groups.items())


def _merged(found: list[_Path]) -> list[list[_Path]]:
    """Join the rails of a node that fail towards the same peers."""
    joined: dict[tuple[str, ...], list[_Path]] = defaultdict(list)
    for _rail, group in _by(found, lambda path: path.rail):
        joined[tuple(path.peer for path in group)] += group
    return list(joined.values())


def _rail_words(found: list[_Path]) -> str:
    rails = sorted({path.rail for path in found})
    return f"rail{'s' if len(rails) > 1 else ''} {' and '.join(rails)}"


def _from(node: str, found: list[_Path]) -> str:
    return f"{node} {_rail_words(found)} to {', '.join(dict.fromkeys(path.peer for path in found))}"


def _finding(where: str, found: list[_Path], follows: str = "", breaks: tuple[str, ...] = ()) -> Finding:
    return Finding(
        "SL307",
        "fail",
        where,
        "frames of the fabric's MTU do not pass",
        f"answers to a ping of {found[0].payload} bytes that may not be fragmented",
        "; ".join(sorted({path.error for path in found})),
        "if one peer fails, look at its end; if all fail, look at this node's link, then at l2mtu and bridge of the switch "
        "ports",
        follows=follows,
        breaks=breaks,
    )


def _lossy(tried: list[_Path], causes: Causes) -> list[Finding]:
    """Return one finding a rail and cause: a bad cable loses pings of every path over it."""
    lossy = [path for path in tried if 0 < path.answered < path.sent]
    groups = _by(lossy, lambda path: (path.rail, causes.of_path(path.node, path.peer, path.rail)))
    return [
        Finding(
            "SL308",
            "warn",
            f"rail {rail} {_common(found)}",
            "pings are lost",
            "no loss",
            ", ".join(f"{path.sent - path.answered} of {path.sent} {path.node} to {path.peer}" for path in found),
            "run verification again; if it stays, look at the port's FEC counters and replace the cable",
            follows=cause,
        )
        for (rail, cause), found in groups
    ]


def _common(found: list[_Path]) -> str:
    """Return the one node that all paths begin or end at, else all nodes."""
    shared = set.intersection(*({path.node, path.peer} for path in found))
    if len(shared) == 1:
        return f"of {shared.pop()}"
    return f"between {', '.join(sorted({name for path in found for name in (path.node, path.peer)}))}"
