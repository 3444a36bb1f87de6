# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which finding explains which: one broken cable is said once, and what runs over it is put after it.

A finding names the things that it breaks; a rule that runs later asks for the cause of what it sees there.
Things are strings: a host (``spark-1``), a rail of a node (``spark-1/A``), the path of a rail
between two nodes (``spark-1~spark-2/A``), a link (its name), what a node takes part in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding


def rail_of(node: str, rail: str) -> str:
    return f"{node}/{rail}"


def way_of(node: str, peer: str, rail: str) -> str:
    """Return the path between two nodes, the same from both ends."""
    first, second = sorted((node, peer))
    return f"{first}~{second}/{rail}"


def measuring_of(node: str) -> str:
    """Return a node's part in measuring: without it, its partner has no figure either."""
    return f"{node} measures"


def rails_of_interface(declared: Declared, node: str, interfaces: Iterable[str]) -> tuple[str, ...]:
    """Return the rails that some interfaces of a node are; none for a node outside this run."""
    names = set(interfaces)
    wanted = declared.nodes.get(node, {}).get("fabric_interfaces", ())
    return tuple(rail_of(node, entry["rail"]) for entry in wanted if entry["name"] in names)


def rails_of_link(declared: Declared, link: Record) -> tuple[str, ...]:
    """Return every rail that runs over a link."""
    return tuple(
        rail
        for end in link["ends"]
        if end["kind"] == "node"
        for rail in rails_of_interface(declared, end["name"], end["interfaces"])
    )


@dataclass(frozen=True, slots=True)
class Causes:
    """What is known to be broken, and the title of the finding that says so."""

    declared: Declared
    broken: Mapping[str, str] = field(default_factory=dict)

    def and_of(self, findings: Iterable[Finding]) -> Causes:
        """Return these causes and those that more findings add; the first to name a thing keeps it."""
        broken = dict(self.broken)
        for finding in findings:
            for thing in finding.breaks:
                broken.setdefault(thing, finding.follows or finding.title)
        return Causes(self.declared, broken)

    def of(self, *things: str) -> str:
        """Return the cause of the first broken thing; empty when none of them is known to be broken."""
        return next((self.broken[thing] for thing in things if thing in self.broken), "")

    def of_path(self, node: str, peer: str, rail: str) -> str:
        """Return the cause of a path between two nodes: of its ends, then of the links between."""
        return self.of(rail_of(node, rail), rail_of(peer, rail), way_of(node, peer, rail), *self._between(node, peer))

    def _between(self, node: str, peer: str) -> list[str]:
        """Return the names of the links on the shortest way; none when this run does not know one."""
        came: dict[str, tuple[str, str]] = {node: ("", "")}
        queue = deque([node])
        while queue and peer not in came:
            here = queue.popleft()
            for link in self.declared.links:
                ends = [end["name"] for end in link["ends"]]
                if here in ends:
                    there = ends[1 - ends.index(here)]
                    if there not in came:
                        came[there] = (here, link["name"])
                        queue.append(there)
        names = []
        here = peer
        while here in came and here != node:
            here, name = came[here]
            names.append(name)
        return names[::-1]
