"""Faults: what can be made to go wrong in the virtual rack, and how it is put right again.

Each fault has a kind, a target and mostly a value. Setting one remembers what was there before;
clearing puts that back, whatever the product has done to it meanwhile.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import nearest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS

from lab.cables import PluggedCable
from lab.crs.device import VirtualCrs
from lab.crs.errors import Trap
from lab.guests.machine import Guest
from lab.rack import Rack, RackError, Switchboard

Undo = Callable[[], Awaitable[None]]
CableChange = Callable[[PluggedCable], PluggedCable]
ETHERNET = "/interface/ethernet"
DEFAULT_PCIE_WIDTH = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault, as `lab fault` shows it."""

    target: str
    value: str
    text: str


KINDS = {
    "cable": Kind("CAGE", "KIND", "another kind of cable is plugged in, e.g. crs812/qsfp56-2 100g-dac"),
    "eeprom": Kind("CAGE", "bad", "the module's EEPROM has a bad checksum"),
    "unplug": Kind("CAGE", "", "this end of the cable is pulled out"),
    "port-speed": Kind("SWITCH/PORT", "SPEED", "the port is set to another speed, e.g. 50G-baseCR2, or auto"),
    "l2mtu": Kind("SWITCH/PORT", "BYTES", "the port's l2mtu is changed"),
    "lane-disabled": Kind("SWITCH/PORT", "", "a lane is disabled"),
    "nic-width": Kind("NODE", "LANES", "the node's NIC has fewer PCIe lanes than it should, on rail B"),
    "clock": Kind("NODE", "SECONDS", "the node's clock is wrong by that much"),
    "loss": Kind("NODE", "PERCENT", "the node's rails lose packets"),
    "dead": Kind("NODE", "", "the node is off"),
    "api-down": Kind("SWITCH", "", "the switch's API does not answer"),
    "api-dies": Kind("SWITCH", "SENTENCES", "the API session dies at the Nth sentence from now"),
}


class FaultBook:
    """The faults that are set on one rack."""

    def __init__(self, board: Switchboard, rack: Rack | None = None) -> None:
        self._board = board
        self._rack = rack
        self._set: dict[tuple[str, str], tuple[str, Undo]] = {}
        self._cables: dict[int, tuple[PluggedCable, list[CableChange]]] = {}  # the good cable and its faults

    def listing(self) -> list[dict[str, str]]:
        return [{"kind": kind, "target": target, "value": value} for (kind, target), (value, _) in self._set.items()]

    async def set(self, kind: str, target: str, value: str) -> None:
        """Set a fault. Raises RackError when there is no such kind, target or value."""
        if kind not in KINDS:
            guess = nearest(kind, KINDS)
            raise RackError(
                f"no fault {kind!r}; " + (f"did you mean {guess}?" if guess else f"known: {', '.join(KINDS)}")
            )
        if KINDS[kind].value and not value:
            raise RackError(f"{kind} needs a value: lab fault {kind} {KINDS[kind].target} {KINDS[kind].value}")
        await self.clear(kind, target)
        handler: Callable[[str, str], Awaitable[Undo]] = getattr(self, "_" + kind.replace("-", "_"))
        try:
            undo = await handler(target, value)
        except Trap as trap:
            raise RackError(f"{target} refuses: {trap.message}") from None
        self._set[kind, target] = (value, undo)

    async def clear(self, kind: str = "", target: str = "") -> int:
        """Clear the faults of a kind and target; empty words stand for all. Return how many."""
        chosen = [key for key in self._set if kind in {"", key[0]} and target in {"", key[1]}]
        for key in reversed(chosen):
            _, undo = self._set.pop(key)
            await undo()
        return len(chosen)

    # --- cables --------------------------------------------------------------------------------

    async def _change_cable(self, target: str, change: CableChange) -> Undo:
        """Change a cable on top of what other faults have done to it; they may be cleared in any order."""
        index = self._board.cable_at(target)
        good, changes = self._cables.setdefault(index, (self._board.cables[index], []))

        def plug() -> None:
            self._board.replace_cable(index, functools.reduce(lambda cable, each: each(cable), changes, good))

        changes.append(change)
        plug()

        async def undo() -> None:
            changes.remove(change)
            plug()

        return undo

    async def _cable(self, target: str, value: str) -> Undo:
        if value not in cable_kinds():
            raise RackError(f"no cable kind {value!r}; known: {', '.join(cable_kinds())}")
        return await self._change_cable(target, lambda cable: cable.with_kind(value))

    async def _eeprom(self, target: str, _value: str) -> Undo:
        return await self._change_cable(target, lambda cable: replace(cable, eeprom_good=False))

    async def _unplug(self, target: str, _value: str) -> Undo:
        pulled = {end for cable in self._board.cables for end in cable.ends if str(end) == target}
        return await self._change_cable(target, lambda cable: replace(cable, unplugged=cable.unplugged | pulled))

    # --- switches ------------------------------------------------------------------------------

    def _switch(self, name: str) -> VirtualCrs:
        if name not in self._board.switches:
            raise RackError(f"no switch {name!r}; known: {', '.join(self._board.switches) or 'none'}")
        return self._board.switches[name]

    async def _configure(self, target: str, changes: dict[str, str]) -> Undo:
        """Change a port behind the API's back."""
        name, _, port = target.partition("/")
        switch = self._switch(name)
        rows = {row["name"]: row for row in switch.export()[ETHERNET]}
        if port not in rows:
            raise RackError(f"{name} has no port {port!r}")
        before = {key: rows[port].get(key, "") for key in changes}
        switch.configure(ETHERNET, port, **changes)

        async def undo() -> None:
            switch.configure(ETHERNET, port, **before)

        return undo

    async def _port_speed(self, target: str, value: str) -> Undo:
        if value == "auto":
            return await self._configure(target, {"auto-negotiation": "yes"})
        return await self._configure(target, {"auto-negotiation": "no", "speed": value})

    async def _l2mtu(self, target: str, value: str) -> Undo:
        name, _, port = target.partition("/")
        # The device refuses an l2mtu below the mtu, when this is set and when it is cleared: both go together.
        mtu = {row["name"]: row["mtu"] for row in self._switch(name).export()[ETHERNET]}.get(port, "0")
        lowered = value if value.isdigit() and int(value) < int(mtu) else mtu
        return await self._configure(target, {"mtu": lowered, "l2mtu": value})

    async def _lane_disabled(self, target: str, _value: str) -> Undo:
        return await self._configure(target, {"disabled": "yes"})

    async def _api_down(self, target: str, _value: str) -> Undo:
        faults = self._switch(target).faults
        faults.api_down = True

        async def undo() -> None:
            faults.api_down = False

        return undo

    async def _api_dies(self, target: str, value: str) -> Undo:
        faults = self._switch(target).faults
        faults.die_after = _whole(value)

        async def undo() -> None:
            faults.die_after = None

        return undo

    # --- nodes ---------------------------------------------------------------------------------

    def _guest(self, name: str) -> tuple[Rack, Guest]:
        if self._rack is None:
            raise RackError("this rack has no guests")
        if name not in self._rack.guests:
            raise RackError(f"no node {name!r}; known: {', '.join(self._rack.guests)}")
        return self._rack, self._rack.guests[name]

    def _rails(self, rack: Rack, name: str) -> list[str]:
        return [
            cage.rails[rail].interface
            for cage in rack.cluster.nodes[name].model.cages
            for rail in RAILS
            if any(end.device == name and end.cage == cage.cage for cable in rack.board.cables for end in cable.ends)
        ]

    async def _nic_width(self, target: str, value: str) -> Undo:
        rack, guest = self._guest(target)
        rail_b = self._rails(rack, target)[-1]
        await guest.agent(f"pcie {rail_b} {_whole(value)}")

        async def undo() -> None:
            await guest.agent(f"pcie {rail_b} {DEFAULT_PCIE_WIDTH}")

        return undo

    async def _clock(self, target: str, value: str) -> Undo:
        _, guest = self._guest(target)
        await guest.agent(f"clock {_whole(value)}")

        async def undo() -> None:
            """Leave the clock: the product has put it right, and turning it back would break it again."""

        return undo

    async def _loss(self, target: str, value: str) -> Undo:
        rack, guest = self._guest(target)
        for interface in self._rails(rack, target):
            await guest.agent(f"loss {interface} {_whole(value)}")

        async def undo() -> None:
            for interface in self._rails(rack, target):
                await guest.agent(f"loss {interface} 0")

        return undo

    async def _dead(self, target: str, _value: str) -> Undo:
        rack, _ = self._guest(target)
        await rack.kill(target)

        async def undo() -> None:
            await rack.restart(target)

        return undo


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise RackError(f"{text!r} is not a whole number") from None
