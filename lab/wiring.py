"""What the parts of the virtual rack know of one another.

A virtual CRS (``lab.crs``) owns settings of its ports and answers ``monitor``
from link states. The physical layer (``lab.physical``) computes link states
from settings, cables and far ends. The data plane moves frames where a link
is up. These types are all that passes between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PortSettings:
    """What a switch port is set to, in RouterOS' words; plain values, already parsed."""

    name: str
    cage: str
    lane: int
    kind: str  # QSFP56-DD, QSFP56, SFP56, 10GBASE-T
    disabled: bool = False
    auto_negotiation: bool = True
    speed: str = ""
    advertise: tuple[str, ...] = ()
    fec_mode: str = "auto"
    mtu: int = 1500
    l2mtu: int = 1584


@dataclass(frozen=True, slots=True)
class ModuleInfo:
    """What a module's EEPROM says; the ``sfp-*`` fields of ``monitor``, by RouterOS name.

    ``fields`` is empty when the EEPROM's checksum is bad, as on the device.
    """

    present: bool
    checksum_good: bool = True
    supported: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinkState:
    """What ``/interface/ethernet/monitor`` shows for one port."""

    status: str  # unknown, link-ok, no-link, initializing, auto-init-failed
    auto_negotiation: str  # done, failed, disabled, incomplete …
    rate_gbps: int | None = None
    fec: str | None = None
    advertising: tuple[str, ...] = ()
    partner_advertising: tuple[str, ...] = ()
    module: ModuleInfo = ModuleInfo(present=False)
    carrier: bool = False  # frames pass; false on a false link-ok


class Wiring(Protocol):
    """The physical layer as one switch sees it."""

    def link_state(self, switch: str, port: str) -> LinkState:
        """Return what the named port of the named switch shows now."""

    def learned(self, switch: str) -> Iterable[tuple[str, str, str]]:
        """Return the MAC addresses that were seen behind a switch's ports: address, port, bridge."""

    def settings_changed(self, switch: str, restarted: frozenset[str]) -> None:
        """Take note that settings changed and that ``restarted`` ports bounced."""


@dataclass(frozen=True, slots=True)
class ForwardingPort:
    """How the data plane treats one port of a switch."""

    name: str
    l2mtu: int
    bridge: str | None
    pvid: int = 1
    forwarding: bool = True


class SwitchView(Protocol):
    """A switch as wiring and data plane see it."""

    name: str

    def port_settings(self) -> dict[str, PortSettings]:
        """Return the settings of every port by name."""

    def forwarding_ports(self) -> dict[str, ForwardingPort]:
        """Return how each port forwards, by port name."""


class Unwired:
    """A wiring without cables, for a switch on its own: a stand-in for tests of the API alone."""

    def link_state(self, switch: str, port: str) -> LinkState:  # noqa: ARG002
        return LinkState(status="no-link", auto_negotiation="incomplete")

    def learned(self, switch: str) -> Iterable[tuple[str, str, str]]:  # noqa: ARG002
        return ()

    def settings_changed(self, switch: str, restarted: frozenset[str]) -> None:
        """Nothing is wired."""
