"""Frames between guests and switch ports, as the configuration says.

Forwarding is ``Fabric.deliver``: a frame and the place where it came in, to the places where it comes out. It
floods what it does not know and learns what it sees, as a bridge does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import CableEnd

from lab.physical import PhysicalState, PortKey
from lab.wiring import ForwardingPort

ETHERNET_HEADER = 14  # bytes that RouterOS' l2mtu does not count
_GROUP_BIT = 0x01

_UPLINK = "uplink"  # where a cage sees what comes in over its cable

Nic = tuple[str, str]  # node, interface


class Learned:
    """Where a group of ports saw each MAC address last."""

    def __init__(self) -> None:
        self._where: dict[tuple[object, bytes], object] = {}

    def learn(self, domain: object, mac: bytes, where: object) -> None:
        if not mac[0] & _GROUP_BIT:
            self._where[domain, mac] = where

    def seen(self) -> Iterator[tuple[object, bytes, object]]:
        """Yield domain, address and place of everything that was learned."""
        yield from ((domain, mac, where) for (domain, mac), where in self._where.items())

    def find(self, domain: object, mac: bytes) -> object | None:
        return None if mac[0] & _GROUP_BIT else self._where.get((domain, mac))


@dataclass
class Fabric:
    """The fabric's wiring as forwarding sees it: cages of nodes, ports of switches, and what joins them."""

    cages: Mapping[CableEnd, tuple[Nic, ...]]  # the two rails of each node's cage
    state: PhysicalState
    forwarding: Mapping[str, Mapping[str, ForwardingPort]]
    direct: Mapping[CableEnd, CableEnd] = field(default_factory=dict)  # node cages joined without a switch
    learned: Learned = field(default_factory=Learned)

    def __post_init__(self) -> None:
        self._cage_of = {nic: end for end, nics in self.cages.items() for nic in nics}
        self._port_of = {peer: port for port, peer in self.state.peers.items() if isinstance(peer, CableEnd)}

    def deliver(self, nic: Nic, frame: bytes) -> Iterator[Nic]:
        """Yield every NIC that gets a frame which a node sent from ``nic``."""
        cage = self._cage_of[nic]
        self.learned.learn(cage, frame[6:12], nic)
        # A cage switches between its own rails, like the NIC's embedded switch.
        yield from self._rails(cage, frame, sender=nic)
        if self.learned.find(cage, frame[0:6]) in self.cages[cage] or not self.state.nodes[cage].carrier:
            return
        if other := self.direct.get(cage):
            yield from self._into_cage(other, frame)
        elif port := self._port_of.get(cage):
            yield from self._through(port, frame, set())

    def hosts(self, switch: str) -> Iterator[tuple[str, str, str]]:
        """Yield what a switch learned: MAC address, port and bridge."""
        for domain, mac, where in self.learned.seen():
            # A cage's own switch learns as well, under the cage.
            if isinstance(domain, tuple) and domain[0] == switch:
                yield mac.hex(":").upper(), str(where), str(domain[1])

    def _into_cage(self, cage: CableEnd, frame: bytes) -> Iterator[Nic]:
        self.learned.learn(cage, frame[6:12], _UPLINK)
        yield from self._rails(cage, frame)

    def _rails(self, cage: CableEnd, frame: bytes, sender: Nic | None = None) -> Iterator[Nic]:
        known = self.learned.find(cage, frame[0:6])
        for nic in self.cages.get(cage, ()):
            if nic != sender and known in {None, nic}:
                yield nic

    def _through(self, ingress: PortKey, frame: bytes, entered: set[str]) -> Iterator[Nic]:
        """Yield where a frame goes that comes into a switch; no switch is entered twice, so loops end there."""
        switch, name = ingress
        ports = self.forwarding[switch]
        payload = len(frame) - ETHERNET_HEADER
        source = ports.get(name)
        if switch in entered or source is None or not self._passes(switch, source, payload):
            return
        entered.add(switch)
        domain = (switch, source.bridge, source.pvid)
        self.learned.learn(domain, frame[6:12], name)
        known = self.learned.find(domain, frame[0:6])
        for port in ports.values():
            if port.name == name or known not in {None, port.name}:
                continue
            if (port.bridge, port.pvid) != (source.bridge, source.pvid) or not self._passes(switch, port, payload):
                continue
            peer = self.state.peers.get((switch, port.name))
            if isinstance(peer, CableEnd):
                yield from self._into_cage(peer, frame)
            elif peer is not None:
                yield from self._through(peer, frame, entered)

    def _passes(self, switch: str, port: ForwardingPort, payload: int) -> bool:
        """Tell whether a port moves a frame: in a bridge, up, and no longer than its l2mtu."""
        link = self.state.ports.get((switch, port.name))
        return bool(port.bridge and port.forwarding and link and link.carrier and payload <= port.l2mtu)


class ManagementNetwork:
    """The RJ45 ports on one dumb switch, with the gateway to this machine."""

    GATEWAY: Nic = ("gateway", "")

    def __init__(self, send: Callable[[Nic, bytes], None]) -> None:
        self._send = send
        self._nics: list[Nic] = [self.GATEWAY]
        self._learned = Learned()

    def join(self, nic: Nic) -> None:
        self._nics.append(nic)

    def on_frame(self, nic: Nic, frame: bytes) -> None:
        self._learned.learn("lan", frame[6:12], nic)
        known = self._learned.find("lan", frame[0:6])
        for other in self._nics:
            if other != nic and known in {None, other}:
                self._send(other, frame)
