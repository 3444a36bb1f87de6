# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables: whether their plugs fit, carry the rate, and bring every node to every other."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import hardware
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks.draft import Draft
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults, Key, nearest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cable, CableEnd, CableKind


def check(draft: Draft, faults: Faults) -> None:
    entries = draft.data.get("cables") or []
    for index, entry in enumerate(entries):
        draft.cables.append(_Reading(draft, faults, ("cables", index)).cable(entry) if entry else None)
    _used_once(draft, faults)
    _one_cable_a_node(draft, faults)
    _no_loops(draft, faults)
    if None not in draft.cables and draft.cables:
        # With a cable that could not be understood, all that it reaches would be called unreachable.
        _all_reached(draft, faults)
    _interfaces(draft, faults)


class _Reading:
    """Reads one cable of the file."""

    def __init__(self, draft: Draft, faults: Faults, key: Key) -> None:
        self.draft = draft
        self.faults = faults
        self.key = key

    def cable(self, entry: dict[str, Any]) -> Cable | None:
        """Return the cable, or None when it has a fault (which is then noted)."""
        targets = entry.get("to")
        far_texts = targets if isinstance(targets, list) else [targets]
        far_keys: list[Key] = [
            (*self.key, "to", index) if isinstance(targets, list) else (*self.key, "to")
            for index in range(len(far_texts))
        ]
        kind = hardware.cable_kinds().get(entry.get("kind", ""))
        near = self._end(entry.get("from"), (*self.key, "from"))
        far = [self._end(text, key) for text, key in zip(far_texts, far_keys, strict=True)]
        fitting = [
            self._plug_fits(kind, kind.near_plug, near, (*self.key, "from")) if kind and near else False,
            *(
                self._plug_fits(kind, kind.far_plug, end, key) if kind and end else False
                for end, key in zip(far, far_keys, strict=True)
            ),
        ]
        if kind is None or near is None or None in far or not all(fitting):
            return None
        cable = Cable(kind, near, tuple(end for end in far if end), entry.get("rate_gbps"))
        sound = [self._legs(cable), self._no_short_circuit(cable), self._rate(cable, far_keys)]
        return cable if all(sound) else None

    def _end(self, text: str | None, key: Key) -> CableEnd | None:
        if text is None:
            return None
        device, cage = text.split("/", 1)
        if device in self.draft.nodes:
            return self._node_end(device, cage, key)
        if device in self.draft.switches:
            return self._switch_end(device, cage, key)
        known = [*self.draft.nodes, *self.draft.switches]
        if not self.draft.nodes or self.draft.data.get("switches", {}) is None:
            return None  # The hosts as a whole are missing or misshapen, which is said once.
        guess = nearest(device, known)
        self.faults.add(
            key,
            f"{device!r} is no node or switch of this file",
            f"Did you mean {guess}?" if guess else f"Known: {', '.join(known)}",
        )
        return None

    def _node_end(self, device: str, cage: str, key: Key) -> CableEnd | None:
        cages = [known.cage for known in self.draft.node_model(device).cages]
        if cage in cages:
            return CableEnd(device, cage)
        self.faults.add(
            key,
            f"a Spark has no cage {cage!r}",
            f"Write {device}/0 for the cage next to the RJ45 port, {device}/1 for the other",
        )
        return None

    def _switch_end(self, device: str, cage: str, key: Key) -> CableEnd | None:
        model = self.draft.switch_model(device)
        if model is None:
            return None
        cages = {name: lanes for name, lanes in model.cages().items() if lanes[0].kind != "10GBASE-T"}
        if cage in cages:
            return CableEnd(device, cage)
        stem, _hyphen, lane = cage.rpartition("-")
        if stem in cages:
            lanes = len(cages[stem])
            known = lane.isdigit() and 1 <= int(lane) <= lanes
            problem = (
                f"{cage!r} is a lane of cage {stem}" if known else f"cage {stem} has lanes 1 to {lanes}, no {lane}"
            )
            remedy = (
                f"Write the cage alone, {device}/{stem}; the legs of a breakout cable take its lanes in the order of to"
            )
        else:
            problem = f"a {model.model} has no cage {cage!r}"
            guess = nearest(cage, cages)
            remedy = (f"Did you mean {guess}? " if guess else "") + f"Its cages: {', '.join(cages)}"
        self.faults.add(key, problem, remedy)
        return None

    def _plug_fits(self, kind: CableKind, plug: str, end: CableEnd, key: Key) -> bool:
        cage_plug = _cage_plug(self.draft, end)
        if hardware.plug_fits(plug, cage_plug):
            return True
        owner = (
            "a Spark" if end.device in self.draft.nodes else self.draft.switches[end.device].get("model", "a switch")
        )
        remedy = f"Take a cable with a plug that fits {cage_plug}"
        if end.device in self.draft.nodes and plug == "QSFP56-DD":
            remedy = "Take a 400g-dac-2x200g, whose legs end in QSFP56, or turn the cable round"
        self.faults.add(
            key, f"the {plug} plug of a {kind.kind} does not fit the {cage_plug} cage of {owner} ({end})", remedy
        )
        return False

    def _legs(self, cable: Cable) -> bool:
        if len(cable.far) <= cable.kind.far_ends:
            return True
        self.faults.add(
            (*self.key, "to"),
            f"lists {len(cable.far)} ends, a {cable.kind.kind} has {cable.kind.far_ends}",
            "List only the ends that the cable has, or correct its kind",
        )
        return False

    def _no_short_circuit(self, cable: Cable) -> bool:
        if all(end.device != cable.near.device for end in cable.far):
            return True
        self.faults.add(self.key, f"both ends of the cable are in {cable.near.device}", "Join two different devices")
        return False

    def _rate(self, cable: Cable, far_keys: list[Key]) -> bool:
        kind = cable.kind
        rate = cable.rate_gbps or kind.leg_rate_gbps
        if rate > kind.leg_rate_gbps:
            what = "a QSFP28 cable" if kind.encoding == "nrz" else f"a {kind.kind}"
            self.faults.add(
                (*self.key, "rate_gbps"),
                f"{what} carries at most {kind.leg_rate_gbps}G a link, not {rate}G",
                "Buy a QSFP56 cable (200g-dac: 4 x 50G PAM4) for 200G, or lower rate_gbps",
            )
            return False
        # Every end is judged, also after a bad one.
        fitting = [
            self._layout(cable.near, (*self.key, "from"), kind.far_ends, rate),
            *(self._layout(end, key, 1, rate) for end, key in zip(cable.far, far_keys, strict=True)),
        ]
        return all(fitting)

    def _layout(self, end: CableEnd, key: Key, legs: int, rate: int) -> bool:
        """Note a fault when an end cannot be split into ``legs`` links of ``rate``."""
        if end.device in self.draft.nodes:
            if legs == 1:
                return True
            self.faults.add(
                key, "a Spark's cage cannot be split", "The from end of a breakout cable belongs in a switch"
            )
            return False
        model = self.draft.switch_model(end.device)
        if model is None:
            return False
        plug = _cage_plug(self.draft, end)
        if hardware.breakout_for(model, plug, legs, rate):
            return True
        layouts = ", ".join(row.layout for row in model.breakouts.get(plug, ()))
        self.faults.add(
            key,
            f"a {plug} cage of a {model.model} has no layout {legs}x{rate}G ({end})",
            f"Its layouts: {layouts or 'none'}; choose another cable, cage or rate_gbps",
        )
        return False


def _cage_plug(draft: Draft, end: CableEnd) -> str:
    if end.device in draft.nodes:
        return next(cage.plug for cage in draft.node_model(end.device).cages if cage.cage == end.cage)
    model = draft.switch_model(end.device)
    return model.cages()[end.cage][0].kind if model else ""


def _ends(cable: Cable) -> tuple[CableEnd, ...]:
    return (cable.near, *cable.far)


def _used_once(draft: Draft, faults: Faults) -> None:
    users: dict[CableEnd, int] = {}
    for index, cable in enumerate(draft.cables):
        for end in _ends(cable) if cable else ():
            if end in users:
                first = users[end]
                other = "by this cable twice" if first == index else f"by cables[{first}] as well"
                faults.add(
                    ("cables", index), f"cage {end} is used {other}", "A cage takes one cable; correct one of the two"
                )
            users.setdefault(end, index)


def _one_cable_a_node(draft: Draft, faults: Faults) -> None:
    used: dict[str, set[str]] = defaultdict(set)
    for index, cable in enumerate(draft.cables):
        for end in _ends(cable) if cable else ():
            if end.device not in draft.nodes:
                continue
            used[end.device].add(end.cage)
            if len(used[end.device]) > 1:
                faults.add(
                    ("cables", index),
                    f"cables both cages of {end.device}",
                    "Use one cable a node: both cages share the same PCIe lanes, so a second one adds nothing (rings are not supported)",
                )


class _Parts:
    """Devices that are joined, as a union-find forest."""

    def __init__(self, devices: list[str]) -> None:
        self._parent = {device: device for device in devices}

    def root(self, device: str) -> str:
        while self._parent[device] != device:
            device = self._parent[device]
        return device

    def join(self, left: str, right: str) -> bool:
        """Join two parts; False when they were one already."""
        left, right = self.root(left), self.root(right)
        self._parent[left] = right
        return left != right


def _no_loops(draft: Draft, faults: Faults) -> None:
    parts = _Parts([*draft.nodes, *draft.switches])
    for index, cable in enumerate(draft.cables):
        for end in cable.far if cable else ():
            if cable and end.device != cable.near.device and not parts.join(cable.near.device, end.device):
                if end.device in draft.nodes or cable.near.device in draft.nodes:
                    continue  # A node with two cables; named by another check.
                faults.add(
                    ("cables", index),
                    f"closes a loop between {cable.near.device} and {end.device}",
                    "RSTP would block one of the paths: remove this cable, or use one cable of a higher rate",
                )


def _all_reached(draft: Draft, faults: Faults) -> None:
    parts = _Parts([*draft.nodes, *draft.switches])
    cabled: set[str] = set()
    for cable in draft.cables:
        for end in cable.far if cable else ():
            if cable:
                parts.join(cable.near.device, end.device)
                cabled |= {cable.near.device, end.device}
    for section, entries in (("nodes", draft.nodes), ("switches", draft.switches)):
        for name in entries:
            if name not in cabled:
                faults.add((section, name), "is reached by no cable", "Add its cable under cables, or remove the host")
    groups: dict[str, list[str]] = defaultdict(list)
    for device in [*draft.nodes, *draft.switches]:
        if device in cabled:
            groups[parts.root(device)].append(device)
    if len(groups) > 1:
        words = " | ".join(", ".join(group) for group in groups.values())
        faults.add(
            ("cables",),
            f"there is no path between parts of the fabric: {words}",
            "Join the parts by a cable (an inter-switch link), or declare two clusters",
        )


def _interfaces(draft: Draft, faults: Faults) -> None:
    for name, entry in draft.nodes.items():
        interface = entry.get("management_interface")
        if interface is None:
            continue
        rails = {rail.interface for cage in draft.node_model(name).cages for rail in cage.rails.values()}
        if interface in rails:
            faults.add(
                ("nodes", name, "management_interface"),
                f"{interface} is a rail of the fabric",
                "Use the RJ45 port, enP7s7",
            )
        elif interface.startswith("wl"):
            faults.add(
                ("nodes", name, "management_interface"),
                f"{interface} is Wi-Fi, and everything that is bootstrapped over it dies with it",
                "Use the RJ45 port, enP7s7",
            )
