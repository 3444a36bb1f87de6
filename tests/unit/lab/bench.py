"""A bench for the physical layer: switches, cables and their settings, without any API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, link_modes, switch_models
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import CableEnd

from lab.cables import PluggedCable
from lab.physical import NodeLink, PhysicalState, Physics, compute
from lab.wiring import LinkState, PortSettings

MODELS = {"crs812": "CRS812-8DS-2DQ-2DDQ", "crs804": "CRS804-4DDQ"}
FORCED_200G = {"auto_negotiation": False, "speed": "200G-baseCR4", "fec_mode": "fec91"}
UP_TO_200G = tuple(mode.mode for mode in link_modes().values() if mode.gbps <= 200)


def cage(text: str) -> CableEnd:
    device, _, name = text.partition("/")
    return CableEnd(device, name)


def cable(kind: str, near: str, *far: str) -> PluggedCable:
    return PluggedCable(cable_kinds()[kind], cage(near), tuple(map(cage, far)))


class Bench:
    """Factory-fresh switches and some cables."""

    def __init__(self, *cables: PluggedCable, physics: Physics | None = None) -> None:
        self.cables = list(cables)
        self.physics = physics or Physics()
        self.settings = {
            name: {
                port.name: PortSettings(port.name, port.cage, port.lane, port.kind)
                for port in switch_models()[model].ports
            }
            for name, model in MODELS.items()
        }
        self.settling: set[tuple[str, str]] = set()

    def set(self, ports: str | Iterable[str], **changes: object) -> Bench:
        """Change ports, each written ``SWITCH/PORT``."""
        for text in [ports] if isinstance(ports, str) else ports:
            switch, _, port = text.partition("/")
            self.settings[switch][port] = replace(self.settings[switch][port], **changes)  # type: ignore[arg-type]
        return self

    def state(self) -> PhysicalState:
        return compute(self.settings, self.cables, self.physics, lambda switch, port: (switch, port) in self.settling)

    def port(self, text: str) -> LinkState:
        switch, _, port = text.partition("/")
        return self.state().ports[switch, port]

    def node(self, text: str) -> NodeLink:
        return self.state().nodes[cage(text)]


def lanes(cage_name: str, numbers: Sequence[int]) -> list[str]:
    return [f"{cage_name}-{number}" for number in numbers]
