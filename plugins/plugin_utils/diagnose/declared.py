# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was declared: the part of the plan that evidence is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Declared:
    """The plan of the hosts of a run; host variables by their own names."""

    links: list[Record]  # cluster_links
    nodes: Mapping[str, Mapping[str, Any]]
    switches: Mapping[str, Mapping[str, Any]]


def declared_for(hosts: Mapping[str, Mapping[str, Any]], nodes: Sequence[str], switches: Sequence[str]) -> Declared:
    """Return the plan's part for the hosts of a run; a link with one end outside is judged from the other.

    Hosts come in the order of their ranks: that of a play may differ from run to run.
    """
    run = {*nodes, *switches}
    nodes = sorted(nodes, key=lambda name: (hosts[name]["cluster_name"], hosts[name]["node_rank"]))
    switches = sorted(switches)
    links = {
        link["name"]: link
        for name in (*nodes, *switches)
        for link in hosts[name]["cluster_links"]
        if any(end["name"] in run for end in link["ends"])
    }
    return Declared(
        links=list(links.values()),
        nodes={name: hosts[name] for name in nodes},
        switches={name: hosts[name] for name in switches},
    )


def summary(declared: Declared) -> str:
    """Return what is as declared, in words that claim no more than was looked at."""
    run = declared.nodes.keys() | declared.switches.keys()
    half = sum(1 for link in declared.links if any(end["name"] not in run for end in link["ends"]))
    counts = (len(declared.nodes), "node"), (len(declared.switches), "switch"), (len(declared.links), "link")
    words = [
        f"{count} {word if count == 1 else {'switch': 'switches'}.get(word, f'{word}s')}" for count, word in counts
    ]
    seen = f" ({half} seen from one end: the other is not part of this run)" if half else ""
    return f"{words[0]}, {words[1]} and {words[2]}{seen} are as declared"
