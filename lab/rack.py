"""The rack: switches, cables and guests of one cluster file, wired together.

``Switchboard`` is the part without guests: virtual switches and the physical layer between them. ``Rack``
adds the guests and moves their frames. Everything belongs to one event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS, CableEnd, Cluster

from lab import keys
from lab.cables import PluggedCable
from lab.crs.device import Options, VirtualCrs
from lab.dataplane import Fabric, ManagementNetwork, Nic
from lab.guests.accelerator import Choice
from lab.guests.errors import GuestError
from lab.guests.gateway import Gateway
from lab.guests.image import Image
from lab.guests.machine import Guest
from lab.guests.paths import GuestPaths
from lab.guests.qemu_machine import qemu_guest
from lab.guests.seed import FABRIC, INTERFACES, MANAGEMENT, GuestConfig
from lab.guests.uml.machine import uml_guest
from lab.physical import NodeLink, PhysicalState, Physics, compute
from lab.sockets import Sockets
from lab.wiring import LinkState

# The stand-ins' accounts; on loopback alone, and named in the lab's group variables.
USERS = {"admin": ("sparkloom-lab", "full"), "viewer": ("sparkloom-lab-viewer", "read")}
ROUTEROS_VERSION = "7.24.2"
READY_SECONDS = 900.0
PARALLEL_STARTS = 8


class RackError(Exception):
    """Something the rack cannot do, in words for its owner."""


@dataclass(frozen=True, slots=True)
class RackOptions:
    """How the rack behaves; ``settle_seconds`` is how long a restarted port stays down (about 10 s on a device)."""

    physics: Physics = field(default_factory=Physics)
    settle_seconds: float = 2.0
    routeros_version: str = ROUTEROS_VERSION
    crs: Options = field(default_factory=Options)


class Switchboard:
    """Virtual switches and the cables between them and the nodes. The wiring that the switches ask."""

    def __init__(self, cluster: Cluster, options: RackOptions | None = None) -> None:
        self.cluster = cluster
        self.options = options or RackOptions()
        self.cables = [PluggedCable.declared(cable) for cable in cluster.cables]
        self.listeners: list[Callable[[], None]] = []
        # Set by the rack once frames move; a board without guests learns nothing.
        self.hosts: Callable[[str], Iterable[tuple[str, str, str]]] = lambda _switch: ()
        self._restarted: dict[tuple[str, str], float] = {}
        self._wake: asyncio.TimerHandle | None = None
        self._state: PhysicalState | None = None
        self.switches: dict[str, VirtualCrs] = {}
        for name, switch in cluster.switches.items():
            self.switches[name] = VirtualCrs(
                name,
                switch.model.model,
                version=self.options.routeros_version,
                wiring=self,
                users=USERS,
                options=self.options.crs,
            )

    # --- the switches' wiring ------------------------------------------------------------------

    def link_state(self, switch: str, port: str) -> LinkState:
        return self.state().ports[switch, port]

    def learned(self, switch: str) -> Iterable[tuple[str, str, str]]:
        return self.hosts(switch)

    def settings_changed(self, switch: str, restarted: frozenset[str]) -> None:
        until = time.monotonic() + self.options.settle_seconds
        for port in restarted:
            self._restarted[switch, port] = until
        self.touch()

    # --- the physical layer --------------------------------------------------------------------

    def state(self) -> PhysicalState:
        """Return the state of every link now."""
        if self._state is None:
            settings = {name: switch.port_settings() for name, switch in self.switches.items()}
            self._state = compute(settings, self.cables, self.options.physics, self._settling)
            for (name, port), link in self._state.ports.items():
                self.switches[name].state.counters.link_seen(port, link.status == "link-ok")
        return self._state

    def touch(self) -> None:
        """Take note that a setting or a cable changed; look again once restarted ports have settled."""
        self._state = None
        now = time.monotonic()
        self._restarted = {key: until for key, until in self._restarted.items() if until > now}
        for listener in self.listeners:
            listener()
        with contextlib.suppress(RuntimeError):  # Without a loop nobody waits for the ports to settle.
            loop = asyncio.get_running_loop()
            if self._wake:
                self._wake.cancel()
            if self._restarted:
                self._wake = loop.call_later(max(self._restarted.values()) - now + 0.01, self.touch)

    def _settling(self, switch: str, port: str) -> bool:
        return self._restarted.get((switch, port), 0.0) > time.monotonic()

    def cable_at(self, end: str) -> int:
        """Return the index of the cable that ``DEVICE/CAGE`` is an end of."""
        for index, cable in enumerate(self.cables):
            if end in map(str, cable.ends):
                return index
        known = ", ".join(str(end) for cable in self.cables for end in cable.ends)
        raise RackError(f"no cable ends in {end!r}; ends: {known}")

    def replace_cable(self, index: int, cable: PluggedCable) -> None:
        self.cables[index] = cable
        self.touch()

    async def serve(self) -> None:
        """Listen where the cluster file says that the controller reaches each switch."""
        for name, switch in self.cluster.switches.items():
            host, port = loopback(name, switch.connect.host if switch.connect else str(switch.address)), 8728
            if switch.connect and switch.connect.port:
                port = switch.connect.port
            try:
                await self.switches[name].serve(host, port)
            except OSError as error:
                raise RackError(
                    f"{name} cannot listen on {host}:{port}: {error.strerror}; is another lab up?"
                ) from error

    async def close(self) -> None:
        if self._wake:
            self._wake.cancel()
        for switch in self.switches.values():
            await switch.close()


def loopback(name: str, host: str) -> str:
    """Return ``host`` if it is a loopback address: a virtual rack never listens on another."""
    try:
        if ipaddress.ip_address(host).is_loopback:
            return host
    except ValueError:
        pass
    raise RackError(
        f"{name} is reached at {host}, which is not a loopback address; give it connect: {{host: 127.x.y.z}}"
    )


def mac_address(index: int, interface: int) -> str:
    """Return a locally administered MAC for a node's interface."""
    return f"52:54:00:{interface:02x}:00:{index + 1:02x}"


def cage_nics(cluster: Cluster) -> dict[CableEnd, tuple[Nic, ...]]:
    """Return the two rails of every cage of every node."""
    return {
        CableEnd(name, cage.cage): tuple((name, cage.rails[rail].interface) for rail in RAILS)
        for name, node in cluster.nodes.items()
        for cage in node.model.cages
    }


class Rack:
    """The whole rack of one cluster file."""

    def __init__(
        self, cluster: Cluster, folder: Path, image: Image, choice: Choice, options: RackOptions | None = None
    ) -> None:
        self.cluster = cluster
        self.folder = folder
        self.board = Switchboard(cluster, options)
        self.board.listeners.append(self._relink)
        self.board.hosts = lambda switch: self._fabric.hosts(switch) if self._fabric else ()
        self.problems: dict[str, str] = {}  # guests that did not come up, with the reason
        self.ready: set[str] = set()
        self.dead: set[str] = set()  # guests that a fault stopped
        self._shown: dict[CableEnd, NodeLink] = {}
        self._relinking = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._fabric: Fabric | None = None
        self._sockets = Sockets(folder / "net", self._on_frame)
        self._management = ManagementNetwork(self._sockets.send)
        self._cages = cage_nics(cluster)
        self._choice = choice
        self.guests = {name: self._guest(config, image) for name, config in self._configs().items()}
        forwards = {
            f"{loopback(name, node.connect.host)}:{node.connect.port or 22}": f"{node.address}:22"
            for name, node in cluster.nodes.items()
            if node.connect
        }
        subnet = cluster.management or ipaddress.IPv4Network("10.83.0.0/24")
        self._gateway = Gateway(folder, forwards, str(subnet), str(subnet[1]))

    def _guest(self, config: GuestConfig, image: Image) -> Guest:
        paths = GuestPaths(self.folder.resolve(), config.name)
        choice = self._choice
        if choice.accelerator == "uml" and choice.kernel is not None:
            return uml_guest(config, image, paths, choice.kernel)
        return qemu_guest(config, image, paths, "kvm" if choice.accelerator == "kvm" else "tcg")

    def _configs(self) -> Mapping[str, GuestConfig]:
        folder = self.folder / "keys"
        login = keys.key_pair(folder, "login", "sparkloom lab")
        host_keys = {name: keys.key_pair(folder, f"host-{name}", name) for name in self.cluster.nodes}
        keys.write_ssh_config(self.folder, self.cluster, {name: key.public for name, key in host_keys.items()})
        prefix = self.cluster.management.prefixlen if self.cluster.management else 24
        return {
            name: GuestConfig(
                name=name,
                index=index,
                address=f"{node.address}/{prefix}",
                macs={interface: mac_address(index, number) for number, interface in enumerate(INTERFACES)},
                authorized_key=login.public,
                host_key_private=host_keys[name].private,
                host_key_public=host_keys[name].public,
                machine_id=keys.machine_id(self.cluster.name, name),
                login=self.cluster.login or "spark",
            )
            for index, (name, node) in enumerate(self.cluster.nodes.items())
        }

    # --- up and down ---------------------------------------------------------------------------

    async def start(self) -> None:
        """Start switches and guests; guests boot on in the background, see ``ready`` and ``problems``."""
        (self.folder / "net").mkdir(parents=True, exist_ok=True, mode=0o700)
        await self.board.serve()
        await self._sockets.listen(ManagementNetwork.GATEWAY, "gateway")
        for name in self.guests:
            for interface in INTERFACES:
                if self._choice.accelerator == "uml":
                    self._sockets.listen_for_packets((name, interface))
                else:
                    await self._sockets.listen((name, interface))
            self._management.join((name, MANAGEMENT))
        await self._gateway.start()
        limit = asyncio.Semaphore(PARALLEL_STARTS)
        for name in self.guests:
            self._spawn(self._boot(name, limit))

    async def _boot(self, name: str, limit: asyncio.Semaphore) -> None:
        guest = self.guests[name]
        async with limit:
            try:
                await guest.start()
                await self._show_links(name, self.board.state(), force=True, speeds=False)
                await guest.wait_ready(READY_SECONDS)
                self.ready.add(name)
                await self._show_links(name, self.board.state(), force=True)
            except GuestError as error:
                self.problems[name] = str(error)

    async def restart(self, name: str) -> None:
        """Start a guest that was stopped, and wait until it answers."""
        self.dead.discard(name)
        self.problems.pop(name, None)
        await self._boot(name, asyncio.Semaphore(1))
        if name in self.problems:
            raise RackError(self.problems[name])

    async def kill(self, name: str) -> None:
        """Pull a guest's plug."""
        self.ready.discard(name)
        self.dead.add(name)
        await self.guests[name].stop()

    async def close(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(guest.stop() for guest in self.guests.values()), return_exceptions=True)
        await self._gateway.stop()
        await self._sockets.close()
        await self.board.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- links ---------------------------------------------------------------------------------

    def _relink(self) -> None:
        """Something changed: forward by the new state, and show guests their links."""
        self._fabric = None
        self._spawn(self._show_all())

    async def _show_all(self) -> None:
        async with self._relinking:
            state = self.board.state()
            for name in sorted(self.ready):
                try:
                    await self._show_links(name, state)
                except GuestError as error:
                    self.problems[name] = str(error)

    async def _show_links(self, name: str, state: PhysicalState, force: bool = False, speeds: bool = True) -> None:
        """Give a guest's NICs the carrier and speed of their cages."""
        guest = self.guests[name]
        for end, nics in self._cages.items():
            if end.device != name:
                continue
            link = state.nodes.get(end, NodeLink(carrier=False))
            if not force and self._shown.get(end) == link:
                continue
            for _, interface in nics:
                await guest.set_carrier(interface, link.carrier)
                if link.carrier and speeds:
                    await guest.agent(f"speed {interface} {link.rate_gbps * 1000}")
            if speeds:
                self._shown[end] = link

    def _on_frame(self, nic: Nic, frame: bytes) -> None:
        if nic[1] not in FABRIC:
            self._management.on_frame(nic, frame)
            return
        if self._fabric is None:
            self._fabric = self._wire()
        for other in self._fabric.deliver(nic, frame):
            self._sockets.send(other, frame)

    def _wire(self) -> Fabric:
        state = self.board.state()
        nodes = {end: state.nodes.get(end, NodeLink(carrier=False)) for end in self._cages}
        direct = {
            end: other
            for cable in self.board.cables
            for near, far in [(cable.near, cable.far[0])]
            for end, other in ((near, far), (far, near))
            if near.device in self.cluster.nodes and far.device in self.cluster.nodes
        }
        forwarding = {name: switch.forwarding_ports() for name, switch in self.board.switches.items()}
        return Fabric(self._cages, PhysicalState(state.ports, nodes, state.peers), forwarding, direct)
