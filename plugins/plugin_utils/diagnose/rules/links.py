# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links, judged from both ends of the cable: the switch's monitor and the node's two rails."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import (
    Causes,
    rails_of_interface,
    rails_of_link,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import Declared, Evidence, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding

MBPS_PER_GBPS = 1000


@dataclass(frozen=True, slots=True)
class _End:
    """What one end shows. An end that was not read is neither well nor ill."""

    kind: str
    name: str
    words: str
    read: bool = True
    well: bool = True
    dark: bool = False  # no link at all, and no better explanation
    problem: str = ""
    remedy: str = ""
    ill: tuple[str, ...] = ()  # interfaces of a node that are not at the rate


def _unread(end: Record, place: str, known: bool) -> _End:
    words = f"{end['name']}/{place} {'not read' if known else 'not part of this run'}"
    return _End(end["kind"], end["name"], words, read=False, well=False)


def _switch_end(end: Record, link: Record, declared: Declared, evidence: Evidence) -> _End:
    seen = evidence.switches.get(end["name"])
    if seen is None or seen.links is None:
        return _unread(end, end["port"], end["name"] in declared.switches)
    place = f"{end['name']}/{end['port']}"
    row = next((row for row in seen.links if row.get("port") == end["port"] and row.get("name") == link["name"]), None)
    if row is None:
        return _End(
            "switch",
            end["name"],
            f"{place} not shown",
            well=False,
            problem=f"{end['name']} shows nothing of the port {end['port']}",
            remedy="compare the switch's model with the cluster file, then verify again",
        )
    rate, fec, problem = row.get("rate_gbps"), row.get("fec"), row.get("problem") or ""
    shown = f"{rate}G" if rate else row.get("status") or "status unknown"
    return _End(
        "switch",
        end["name"],
        f"{place} {shown}{f' {fec}' if fec else ''}",
        well=bool(row.get("up")) and rate == link["rate_gbps"],
        dark=not rate and problem.startswith("no link"),
        problem=problem,
        remedy=row.get("remedy") or "",
    )


def _rail_words(seen: Record | None) -> str:
    if seen is None:
        return "absent"
    if not seen.get("carrier"):
        return "no carrier"
    mbps = seen.get("speed_mbps")
    return f"{mbps / MBPS_PER_GBPS:g}G" if mbps else "speed unknown"


def _node_end(end: Record, link: Record, declared: Declared, evidence: Evidence) -> _End:
    node = evidence.nodes.get(end["name"])
    interfaces = (node.facts or {}).get("interfaces") if node else None
    if interfaces is None:
        return _unread(end, end["cage"], end["name"] in declared.nodes)
    wanted = f"{link['rate_gbps']:g}G"
    rails = {name: _rail_words(interfaces.get(name)) for name in end["interfaces"]}
    ill = tuple(name for name, words in rails.items() if words != wanted)
    return _End(
        "node",
        end["name"],
        f"{end['name']} {', '.join(f'{name} {words}' for name, words in rails.items())}",
        well=not ill,
        dark=all(words in {"absent", "no carrier"} for words in rails.values()),
        ill=ill,
    )


def links(declared: Declared, evidence: Evidence, causes: Causes) -> list[Finding]:
    """SL201: a link is not at its rate. SL202: the switch shows a link that the node does not see."""
    findings = []
    for link in declared.links:
        ends = [
            (_switch_end if end["kind"] == "switch" else _node_end)(end, link, declared, evidence)
            for end in link["ends"]
        ]
        if any(end.read and not end.well for end in ends):
            findings.append(_ill(link, ends, declared, causes))
    return findings


def _ill(link: Record, ends: list[_End], declared: Declared, causes: Causes) -> Finding:
    cable = link["cable"]
    read = [end for end in ends if end.read]
    seen_well = [end for end in read if end.kind == "switch" and end.well]
    one_sided = bool(seen_well) and all(end.kind == "node" for end in read if not end.well)
    # A far end that is off leaves this one dark.
    silent = causes.of(*(end.name for end in ends if not end.read)) if all(end.dark for end in read) else ""
    # "no link" is what every end says; one that says more is the better explanation.
    problem = min((end for end in read if end.problem), key=lambda end: end.dark, default=None)
    return Finding(
        code="SL202" if one_sided else "SL201",
        severity="fail",
        where=f"cable {cable['kind']} between {' and '.join(cable['ends'])}",
        problem=(
            "the switch shows the link, the node does not see it at its rate"
            if one_sided
            else (problem.problem if problem else "the link is not at its rate")
        ),
        expected=f"{link['rate_gbps']}G on both ends",
        actual="; ".join(end.words for end in ends),
        remedy=(
            "compare speed and FEC of both ends (ethtool --show-fec), then reseat or replace the cable"
            if one_sided
            else (problem.remedy if problem and problem.remedy else "reseat the cable at both ends, then replace it")
        ),
        cause="a forced port shows link-ok although the far end disagrees on FEC or mode" if one_sided else "",
        follows=silent,
        breaks=_broken(link, read, declared),
    )


def _broken(link: Record, read: list[_End], declared: Declared) -> tuple[str, ...]:
    """Return what cannot work: all that runs over the link, unless one rail alone is ill."""
    ill = {
        end["name"]: [interface for seen in read if seen.name == end["name"] for interface in seen.ill]
        for end in link["ends"]
        if end["kind"] == "node"
    }
    whole = any(end.kind == "switch" and not end.well for end in read) or any(
        set(ill[end["name"]]) == set(end["interfaces"]) for end in link["ends"] if end["kind"] == "node"
    )
    if whole:
        return (link["name"], *rails_of_link(declared, link))
    return tuple(rail for node, names in ill.items() for rail in rails_of_interface(declared, node, names))
