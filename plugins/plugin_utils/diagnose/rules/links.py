# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Links, judged from both ends of the cable: the switch's monitor and the node's two rails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import (
    rails_of_interface,
    rails_of_link,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

MBPS_PER_GBPS = 1000


@dataclass(frozen=True, slots=True)
class End:
    """What one end shows. An end that was not read is neither well nor ill."""

    kind: str
    name: str
    words: str
    gbps: float | None = None
    read: bool = True
    well: bool = True
    dark: bool = False  # no link at all, and no better explanation
    problem: str = ""
    remedy: str = ""
    ill: tuple[str, ...] = ()  # interfaces of a node that are not at the rate


def _unread(end: Record, place: str, known: bool) -> End:
    words = f"{end['name']}/{place} {'not read' if known else 'not part of this run'}"
    return End(end["kind"], end["name"], words, read=False, well=False)


def _switch_end(view: View, end: Record, link: Record) -> End:
    seen = view.evidence.switches.get(end["name"])
    rows = seen.parts.get("links") if seen else None
    if rows is None:
        return _unread(end, end["port"], end["name"] in view.declared.switches)
    place = f"{end['name']}/{end['port']}"
    row = next((row for row in rows if row.get("port") == end["port"] and row.get("name") == link["name"]), None)
    if row is None:
        return End(
            "switch",
            end["name"],
            f"{place} not shown",
            well=False,
            problem=f"{end['name']} shows nothing of the port {end['port']}",
            remedy="compare the switch's model with the cluster file, then verify again",
        )
    rate, fec, problem = row.get("rate_gbps"), row.get("fec"), row.get("problem") or ""
    shown = f"{rate}G" if rate else row.get("status") or "status unknown"
    return End(
        "switch",
        end["name"],
        f"{place} {shown}{f' {fec}' if fec else ''}",
        gbps=rate or None,
        well=bool(row.get("up")) and rate == link["rate_gbps"],
        dark=not rate and problem.startswith("no link"),
        problem=problem,
        remedy=row.get("remedy") or "",
    )


def _rail_gbps(seen: Record | None) -> float | None:
    mbps = seen.get("speed_mbps") if seen and seen.get("carrier") else None
    return mbps / MBPS_PER_GBPS if mbps else None


def _rail_words(seen: Record | None) -> str:
    if seen is None:
        return "absent"
    if not seen.get("carrier"):
        return "no carrier"
    gbps = _rail_gbps(seen)
    return f"{gbps:g}G" if gbps else "speed unknown"


def _node_end(view: View, end: Record, link: Record) -> End:
    seen = view.evidence.nodes.get(end["name"])
    interfaces = seen.parts.get("interfaces") if seen else None
    if interfaces is None:
        return _unread(end, end["cage"], end["name"] in view.declared.nodes)
    wanted = f"{link['rate_gbps']:g}G"
    rails = {name: _rail_words(interfaces.get(name)) for name in end["interfaces"]}
    rates = [_rail_gbps(interfaces.get(name)) for name in end["interfaces"]]
    ill = tuple(name for name, words in rails.items() if words != wanted)
    return End(
        "node",
        end["name"],
        f"{end['name']} {', '.join(f'{name} {words}' for name, words in rails.items())}",
        gbps=min((rate for rate in rates if rate), default=None) if all(rates) else None,
        well=not ill,
        dark=all(words in {"absent", "no carrier"} for words in rails.values()),
        ill=ill,
    )


def ends_of(view: View, link: Record) -> list[End]:
    """Return what both ends of a link show."""
    return [(_switch_end if end["kind"] == "switch" else _node_end)(view, end, link) for end in link["ends"]]


def where_of(link: Record) -> str:
    cable = link["cable"]
    return f"cable {cable['kind']} between {' and '.join(cable['ends'])}"


def _ill_links(view: View) -> Iterator[tuple[Record, list[End], list[End], bool]]:
    """Yield each link with an end that is not well: the link, its ends, those that were read, whether one side is well."""
    for link in view.declared.links:
        ends = ends_of(view, link)
        read = [end for end in ends if end.read]
        if any(not end.well for end in read):
            seen_well = any(end.kind == "switch" and end.well for end in read)
            yield link, ends, read, seen_well and all(end.kind == "node" for end in read if not end.well)


@rule(
    "SL201",
    "the link is not at its rate",
    needs=("node.interfaces", "switch.links"),
    remedy="reseat the cable at both ends, then replace it",
    source="the video of the first eight-Spark rack; MikroTik's manual on QSFP56-DD; NVIDIA's playbook for Sparks behind a switch, step 3.1",
    covers=("spark-1", "spark-2", "spark-3", "spark-4", "B1", "B2", "B3", "B4", "B6", "B7", "B9"),
)
def rate(view: View, found: Found) -> Iterator[Finding]:
    for link, ends, read, one_sided in _ill_links(view):
        if one_sided:
            continue
        # A far end that is off leaves this one dark.
        dark = all(end.dark for end in read)
        silent = view.causes.of(*(end.name for end in ends if not end.read)) if dark else ""
        # "no link" is what every end says; one that says more is the better explanation.
        problem = min((end for end in read if end.problem), key=lambda end: end.dark, default=None)
        yield found(
            where_of(link),
            problem=problem.problem if problem else "",
            expected=f"{link['rate_gbps']}G on both ends",
            actual="; ".join(end.words for end in ends),
            remedy=problem.remedy if problem else "",
            hosts=[end["name"] for end in link["ends"]],
            follows=silent,
            breaks=_broken(link, read, view.declared),
        )


@rule(
    "SL202",
    "the switch shows the link, the node does not see it at its rate",
    needs=("node.interfaces", "switch.links"),
    cause="a forced port shows link-ok although the far end disagrees on FEC or mode",
    remedy="compare speed and FEC of both ends (ethtool --show-fec), then reseat or replace the cable",
    source="an owner's report of a false link-ok on a CRS8xx with RouterOS 7.20.8",
    covers=("B5", "B8"),
)
def one_sided(view: View, found: Found) -> Iterator[Finding]:
    for link, ends, read, only_one in _ill_links(view):
        if only_one:
            yield found(
                where_of(link),
                expected=f"{link['rate_gbps']}G on both ends",
                actual="; ".join(end.words for end in ends),
                hosts=[end["name"] for end in link["ends"]],
                breaks=_broken(link, read, view.declared),
            )


def _broken(link: Record, read: list[End], declared: Declared) -> tuple[str, ...]:
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


RULES = (rate, one_sided)
