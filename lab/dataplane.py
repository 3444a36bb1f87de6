"""Frames between guests and switch ports, as the configuration says.

A guest's NIC is a unix stream socket on which QEMU writes each frame after its length (4 bytes, big
endian). Forwarding itself is ``Fabric.deliver``: a frame and the place where it came in, to the places
where it comes out. It floods what it does not know and learns what it sees, as a bridge does.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import CableEnd

from lab.physical import PhysicalState, PortKey
from lab.wiring import ForwardingPort

_LENGTH = struct.Struct(">I")
ETHERNET_HEADER = 14  # bytes that RouterOS' l2mtu does not count
_GROUP_BIT = 0x01
# More than any jumbo frame: a longer one is no frame, and the peer is out of step.
_LONGEST_FRAME = 65536
# Frames waiting for a slow guest; a real port has a queue as well, and drops.
_QUEUE_BYTES = 4 * 1024 * 1024

_UPLINK = "uplink"  # where a cage sees what comes in over its cable

Nic = tuple[str, str]  # node, interface


class Learned:
    """Where a group of ports saw each MAC address last."""

    def __init__(self) -> None:
        self._where: dict[tuple[object, bytes], object] = {}

    def learn(self, domain: object, mac: bytes, where: object) -> None:
        if not mac[0] & _GROUP_BIT:
            self._where[domain, mac] = where

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


class Sockets:
    """The unix sockets of NICs: reads frames, writes frames, knows nothing of where they go."""

    def __init__(self, folder: Path, on_frame: Callable[[Nic, bytes], None]) -> None:
        self._folder = folder
        self._on_frame = on_frame
        # A NIC has one QEMU; another client on its path (one that only looks) must not cut it off.
        self._writers: dict[Nic, list[asyncio.StreamWriter]] = {}
        self._servers: list[asyncio.Server] = []

    async def listen(self, nic: Nic, name: str | None = None) -> None:
        """Wait for the QEMU of a NIC."""
        path = self._folder / (name or f"{nic[0]}.{nic[1]}")
        path.unlink(missing_ok=True)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._writers.setdefault(nic, []).append(writer)
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._read(nic, reader)
            self._writers[nic].remove(writer)
            writer.close()

        self._servers.append(await asyncio.start_unix_server(serve, path, limit=_LONGEST_FRAME * 2))

    async def _read(self, nic: Nic, reader: asyncio.StreamReader) -> None:
        while True:
            (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
            if length > _LONGEST_FRAME:
                return
            frame = await reader.readexactly(length)
            if length >= ETHERNET_HEADER:
                self._on_frame(nic, frame)

    def send(self, nic: Nic, frame: bytes) -> None:
        """Hand a frame to a NIC; one that is absent or does not keep up loses it."""
        for writer in self._writers.get(nic, ()):
            if not writer.is_closing() and writer.transport.get_write_buffer_size() <= _QUEUE_BYTES:
                writer.write(_LENGTH.pack(len(frame)) + frame)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for writers in self._writers.values():
            for writer in tuple(writers):
                writer.close()
        self._servers.clear()


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
