# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MTU paths between all pairs, said as what they have in common: a whole rail, a node, a pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import rail_of, way_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

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


def is_tried(path: Record) -> bool:
    """Tell whether a row of ``paths`` says enough to be judged."""
    return all(path.get(key) is not None for key in ("peer", "rail", "transmitted", "received"))


def _tried(view: View) -> list[_Path]:
    """Return every path between two nodes of this run that was tried."""
    return [
        _Path(
            host.name,
            row["peer"],
            row["rail"],
            row["transmitted"],
            row["received"],
            row.get("payload"),
            row.get("error") or "no answer",
        )
        for host in view.nodes()
        for row in host["paths"]
        if is_tried(row) and row["peer"] in view.declared.nodes
    ]


@rule(
    "SL307",
    "frames of the fabric's MTU do not pass",
    needs=("node.paths",),
    remedy="if one peer fails, look at its end; if all fail, look at this node's link, then at l2mtu and bridge of the "
    "switch ports",
    source="eugr/spark-vllm-docker docs/NETWORKING.md: ping -M do -s 8972",
    covers=("spark-8", "spark-17", "spark-44"),
)
def dead(view: View, found: Found) -> Iterator[Finding]:
    tried = _tried(view)
    lost = [path for path in tried if not path.answered]
    count = Counter((path.node, path.rail) for path in tried)
    causes, said = view.causes, set[_Path]()
    for say in (_rails, _lonely, _pairs):
        open_ = [path for path in lost if not causes.of_path(path.node, path.peer, path.rail)]
        findings = []
        for where, covered, breaks in say(open_, count):
            findings.append(_made(found, where, covered, breaks=breaks))
            said.update(covered)
        yield from findings
        causes = causes.and_of(findings)
    rest = [path for path in lost if path not in said]
    for (node, cause), group in _by(rest, lambda path: (path.node, causes.of_path(path.node, path.peer, path.rail))):
        for merged in _merged(group):
            yield _made(found, _from(node, merged), merged, follows=cause)


def _made(found: Found, where: str, paths: list[_Path], follows: str = "", breaks: tuple[str, ...] = ()) -> Finding:
    return found(
        where,
        expected=f"answers to a ping of {paths[0].payload} bytes that may not be fragmented",
        actual="; ".join(sorted({path.error for path in paths})),
        hosts=[name for path in paths for name in (path.node, path.peer)],
        follows=follows,
        breaks=breaks,
    )


# Where, the paths that it covers, and what it explains.
_Said = list[tuple[str, list[_Path], tuple[str, ...]]]
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
    return [(f"{_rail_words(found)} between all nodes", found, breaks)]


def _lonely(dead: list[_Path], count: _Count) -> _Said:
    """Return a finding for each node that reaches nobody on a rail, and is reached by nobody."""
    alone = {
        (node, rail)
        for (node, rail), found in _by(dead, lambda path: (path.node, path.rail))
        if len(found) == count[node, rail] >= _SEVERAL
    }
    return [
        (_from(node, group), group, tuple(dict.fromkeys(rail_of(node, p.rail) for p in group)))
        for node, found in _by((p for p in dead if (p.node, p.rail) in alone), lambda path: path.node)
        for group in _merged(found)
    ]


def _pairs(dead: list[_Path], _count: _Count) -> _Said:
    """Return what is left, by the first of both ends; the way back follows from it."""
    first: dict[str, _Path] = {}
    for path in dead:
        first.setdefault(way_of(path.node, path.peer, path.rail), path)
    return [
        (_from(node, group), group, tuple(way_of(p.node, p.peer, p.rail) for p in group))
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


@rule(
    "SL308",
    "pings are lost",
    severity="warn",
    needs=("node.paths",),
    remedy="run verification again; if it stays, look at the port's FEC counters and replace the cable",
    source="inferred: a lossless fabric of two switches loses nothing at rest",
)
def lossy(view: View, found: Found) -> Iterator[Finding]:
    """Say it once a rail and cause: a bad cable loses pings of every path over it."""
    some = [path for path in _tried(view) if 0 < path.answered < path.sent]
    groups = _by(some, lambda path: (path.rail, view.causes.of_path(path.node, path.peer, path.rail)))
    for (rail, cause), paths in groups:
        yield found(
            f"rail {rail} {_common(paths)}",
            expected="no loss",
            actual=", ".join(
                f"{path.sent - path.answered} of {path.sent} {path.node} to {path.peer}" for path in paths
            ),
            hosts=[name for path in paths for name in (path.node, path.peer)],
            follows=cause,
        )


def _common(found: list[_Path]) -> str:
    """Return the one node that all paths begin or end at, else all nodes."""
    shared = set.intersection(*({path.node, path.peer} for path in found))
    if len(shared) == 1:
        return f"of {shared.pop()}"
    return f"between {', '.join(sorted({name for path in found for name in (path.node, path.peer)}))}"


RULES = (dead, lossy)
