"""The physical layer: settings of ports and cables in, state of every link out. Pure.

It plays what owners of these switches saw, not what one would wish for; where their reports
conflict, ``Physics`` has an option whose default is the manual or the majority. Sources: MikroTik
manual, wired interface compatibility and ethernet; owners' reports as tagged below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import link_modes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import CableEnd, LinkMode

from lab.cables import PluggedCable, carries, module_info
from lab.wiring import LinkState, ModuleInfo, PortSettings

NODE_RATE_GBPS = 200  # a Spark's cage

PortKey = tuple[str, str]  # switch, port


@dataclass(frozen=True, slots=True)
class Physics:
    """Where sources conflict."""

    # A port on auto-negotiation towards a Spark: 50G (the recap, S-LANES, S-KR) or 100G (S-98, NVIDIA's playbook).
    auto_rate_to_node_gbps: int = 50
    # The manual wants companions enabled; one owner forced 200G with the other lanes disabled (S-KR).
    companions_must_be_enabled: bool = True
    # A forced port whose FEC the far end does not share shows link-ok all the same (S-FALSE).
    false_link_ok: bool = True


@dataclass(frozen=True, slots=True)
class LaneMaster:
    """A lane that carries a link: its mode, and whether its cage gives it all the lanes that it needs."""

    port: PortSettings
    mode: LinkMode | None  # None: nothing usable is advertised
    complete: bool = True
    offered: tuple[str, ...] = ()  # what it advertises


@dataclass(frozen=True, slots=True)
class NodeLink:
    """What a node's cage sees; both of its rails show the same rate."""

    carrier: bool
    rate_gbps: int = 0


@dataclass(frozen=True, slots=True)
class PhysicalState:
    ports: Mapping[PortKey, LinkState]
    nodes: Mapping[CableEnd, NodeLink]
    # Which port or cage a lane master's frames come out at.
    peers: Mapping[PortKey, PortKey | CableEnd]


def _offered(port: PortSettings, module: ModuleInfo, free: int) -> tuple[str, ...]:
    """Return what a port on auto-negotiation advertises: its list, cut to what module and free lanes can do."""
    known = link_modes()
    wanted = port.advertise or tuple(known)
    return tuple(mode for mode in wanted if mode in module.supported and known[mode].lanes <= free)


def _free_lanes(lanes: Sequence[PortSettings], physics: Physics) -> int:
    """Return how many lanes the first of some may take.

    Those to the cage's end (lane 5 does 200G at most, S-DGXARLEY), or to the first disabled one (lanes 1
    and 5 alone enabled gave 50G each, S-LANES).
    """
    if not physics.companions_must_be_enabled:
        return len(lanes)
    return next((index for index, lane in enumerate(lanes) if lane.disabled), len(lanes))


def lane_masters(lanes: Sequence[PortSettings], module: ModuleInfo, physics: Physics) -> list[LaneMaster]:
    """Return the lane masters of a cage: each enabled lane takes the lanes after it that its mode needs."""
    known = link_modes()
    masters = []
    index = 0
    while index < len(lanes):
        lane = lanes[index]
        if lane.disabled:
            index += 1
            continue
        free = _free_lanes(lanes[index:], physics)
        offered = _offered(lane, module, free) if lane.auto_negotiation else ()
        mode = known.get(lane.speed)
        if lane.auto_negotiation:
            mode = max((known[name] for name in offered), key=lambda mode: mode.gbps, default=None)
        needed = mode.lanes if mode else 1
        masters.append(LaneMaster(lane, mode, needed <= free, offered))
        index += needed
    return masters


def _fec(port: PortSettings, mode: LinkMode) -> str:
    """Return the FEC that a port runs. ``auto`` was measured to give RS-FEC at 200G, and nothing below PAM4."""
    if port.fec_mode == "auto":
        return "fec91" if mode.fec_required else "off"
    return port.fec_mode if port.fec_mode in {"off", *mode.fec} else "off"


@dataclass(frozen=True, slots=True)
class _Verdict:
    status: str
    auto_negotiation: str
    rate_gbps: int | None = None
    fec: str | None = None
    carrier: bool = False


def _down(port: PortSettings) -> _Verdict:
    return _Verdict("no-link", "incomplete" if port.auto_negotiation else "disabled")


def _toward_node(master: LaneMaster, cable: PluggedCable, legs: int, physics: Physics) -> _Verdict:
    """Judge a link between a switch and a Spark."""
    port, mode = master.port, master.mode
    if port.auto_negotiation:
        if not cable.eeprom_good:
            return _Verdict("auto-init-failed", "failed")
        if mode is None or not master.complete or (legs > 1 and mode.gbps > cable.kind.leg_rate_gbps):
            # A breakout cable that claims 400G: the near lane fails, the others advertise nothing.
            return _Verdict("no-link", "failed" if mode else "incomplete")
        rate = min(physics.auto_rate_to_node_gbps, cable.kind.leg_rate_gbps)
        return _Verdict("link-ok", "done", rate, "fec91" if mode.fec_required else "off", carrier=True)
    if mode is None or not master.complete or not carries(cable.kind, mode) or mode.gbps > NODE_RATE_GBPS:
        return _down(port)
    fec = _fec(port, mode)
    # A Spark's NIC runs RS-FEC on everything that knows it.
    shared = fec == "fec91" or "fec91" not in mode.fec
    if not shared and not physics.false_link_ok:
        return _down(port)
    return _Verdict("link-ok", "disabled", int(mode.gbps), fec, carrier=shared)


def _between_switches(master: LaneMaster, other: LaneMaster | None, cable: PluggedCable) -> _Verdict:
    """Judge one side of a link between two switches: both have to run the same mode and FEC."""
    port, mode = master.port, master.mode
    if port.auto_negotiation and not cable.eeprom_good:
        return _Verdict("auto-init-failed", "failed")
    if other is None or mode is None or mode != other.mode or not (master.complete and other.complete):
        return _down(port)
    fec = _fec(port, mode)
    if not carries(cable.kind, mode) or fec != _fec(other.port, mode):
        return _down(port)
    return _Verdict("link-ok", "done" if port.auto_negotiation else "disabled", int(mode.gbps), fec, carrier=True)


class _Rack:
    """The rack's ports and cables, with what is looked up more than once."""

    def __init__(
        self,
        settings: Mapping[str, Mapping[str, PortSettings]],
        cables: Iterable[PluggedCable],
        physics: Physics,
    ) -> None:
        self.cables = tuple(cables)
        self.physics = physics
        self.lanes: dict[CableEnd, list[PortSettings]] = {}
        for switch, ports in settings.items():
            for port in ports.values():
                self.lanes.setdefault(CableEnd(switch, port.cage), []).append(port)
        self.modules = {end: module_info(cable, end) for cable in self.cables for end in cable.ends}
        for lanes in self.lanes.values():
            lanes.sort(key=lambda port: port.lane)
        self.masters = {end: lane_masters(lanes, self.module(end), physics) for end, lanes in self.lanes.items()}

    def module(self, end: CableEnd) -> ModuleInfo:
        return self.modules.get(end, ModuleInfo(present=False))

    def master(self, cable: PluggedCable, end: CableEnd, leg: int) -> LaneMaster | None:
        """Return the lane master that serves a leg of a cable at one of its ends, if one does."""
        lanes = self.lanes[end]
        first = lanes[0].lane + leg * (len(lanes) // cable.legs_at(end))
        return next((master for master in self.masters[end] if master.port.lane == first), None)


def _show(rack: _Rack, end: CableEnd, port: PortSettings, verdict: _Verdict) -> LinkState:
    module = rack.module(end)
    master = next((m for m in rack.masters[end] if m.port.name == port.name), None)
    return LinkState(
        status=verdict.status,
        auto_negotiation=verdict.auto_negotiation,
        rate_gbps=verdict.rate_gbps,
        fec=verdict.fec,
        advertising=master.offered if master else (),
        module=module,
        carrier=verdict.carrier,
    )


def compute(
    settings: Mapping[str, Mapping[str, PortSettings]],
    cables: Iterable[PluggedCable],
    physics: Physics,
    settling: Callable[[str, str], bool] = lambda _switch, _port: False,
) -> PhysicalState:
    """Return the state of every port of every switch and of every cabled cage of a node.

    ``settling`` tells whether a port was restarted a moment ago and is still down.
    """
    rack = _Rack(settings, cables, physics)
    ports: dict[PortKey, LinkState] = {}
    nodes: dict[CableEnd, NodeLink] = {}
    peers: dict[PortKey, PortKey | CableEnd] = {}
    for end, lanes in rack.lanes.items():
        for port in lanes:
            ports[end.device, port.name] = _show(rack, end, port, _down(port))
    for cable in rack.cables:
        for leg in range(len(cable.far)):
            sides = _sides(rack, cable, leg)
            for side, other in (sides, sides[::-1]):
                if side.master:
                    verdict = _verdict(rack, cable, side, other, settling)
                    ports[side.key] = _show(rack, side.end, side.master.port, verdict)
                    if other.master or not other.in_switch:
                        peers[side.key] = other.key if other.in_switch else other.end
            for side, other in (sides, sides[::-1]):
                if not side.in_switch:
                    nodes[side.end] = _node_link(cable, other, ports)
    return PhysicalState(ports, nodes, peers)


@dataclass(frozen=True, slots=True)
class _Side:
    """One end of one leg; ``master`` is the lane master there, if the end is in a switch that has one."""

    end: CableEnd
    in_switch: bool
    master: LaneMaster | None
    plugged: bool

    @property
    def key(self) -> PortKey:
        return (self.end.device, self.master.port.name if self.master else "")


def _sides(rack: _Rack, cable: PluggedCable, leg: int) -> tuple[_Side, _Side]:
    near, far = (
        _Side(
            end,
            end in rack.lanes,
            rack.master(cable, end, index) if end in rack.lanes else None,
            end not in cable.unplugged,
        )
        for end, index in ((cable.near, leg), (cable.far[leg], 0))
    )
    return near, far


def _verdict(
    rack: _Rack, cable: PluggedCable, side: _Side, other: _Side, settling: Callable[[str, str], bool]
) -> _Verdict:
    """Judge one side of a leg that is in a switch."""
    master = side.master
    if master is None:
        raise ValueError(f"no lane master serves {side.end}")
    if not (side.plugged and other.plugged):
        return _down(master.port)
    if other.in_switch:
        verdict = _between_switches(master, other.master, cable)
    else:
        verdict = _toward_node(master, cable, cable.legs_at(side.end), rack.physics)
    waits = any(each.master and settling(*each.key) for each in (side, other))
    return _Verdict("no-link", verdict.auto_negotiation) if waits and verdict.status == "link-ok" else verdict


def _node_link(cable: PluggedCable, other: _Side, ports: Mapping[PortKey, LinkState]) -> NodeLink:
    """Return what a node sees at its end, given the other side of the leg."""
    if not other.in_switch:
        plugged = not cable.unplugged
        return NodeLink(plugged, min(NODE_RATE_GBPS, cable.kind.leg_rate_gbps) if plugged else 0)
    port = ports.get(other.key)
    if port is None or not port.carrier:
        return NodeLink(carrier=False)
    return NodeLink(carrier=True, rate_gbps=port.rate_gbps or 0)
