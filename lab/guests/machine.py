"""One guest: its process, its console, its agent and its cables' carriers."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from lab.guests.agent import Agent, Connection
from lab.guests.errors import GuestError
from lab.guests.paths import GuestPaths
from lab.guests.process import last_words
from lab.guests.seed import INTERFACES, GuestConfig, write_seed

RESTARTS = 3
# What the kernel, or our own init, says when this boot leads nowhere.
PANICS = ("Kernel panic", "sparkloom: no root file system", "sparkloom: the seed cannot be read")
_WATCH = 1.0
_COMMAND = 60.0


class Machine(Protocol):
    """What runs a guest: QEMU, or a user-mode kernel."""

    name: str
    # Whether a NIC's carrier can be taken before the guest has booted.
    early_carrier: bool

    @property
    def alive(self) -> bool:
        """Whether its process runs, be it one that an earlier rack started."""

    async def start(self, agent: Agent) -> None:
        """Start the process, all cables plugged in. A disk of an earlier start is kept unless the image is another one."""

    async def stop(self) -> None:
        """Stop it as a pulled plug does."""

    async def connect(self) -> Connection:
        """Open the agent's channel."""

    async def set_carrier(self, interface: str, up: bool) -> None:
        """Give a NIC carrier or take it away."""


class Guest:
    """A virtual node. Its files and sockets are in ``paths.state``, named after it.

    Whoever moves frames must listen on ``paths.net(INTERFACE)`` for every interface before ``start``.
    """

    def __init__(self, config: GuestConfig, paths: GuestPaths, machine: Machine) -> None:
        self.config = config
        self.paths = paths
        self.restarts = 0
        self._machine = machine
        self._agent = Agent(machine.connect)
        # A NIC of a new process has carrier; what was asked for is said again.
        self._down: set[str] = set()
        self._booted = False

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def alive(self) -> bool:
        """Whether its process runs, be it one that an earlier rack started."""
        return self._machine.alive

    async def start(self) -> None:
        """Start the guest; it keeps its disk from an earlier start unless the image is another one."""
        await self.stop()
        self.paths.state.mkdir(parents=True, exist_ok=True)
        write_seed(self.paths.seed, self.config)
        if self.paths.console.exists():  # The last start's may tell why there is another.
            self.paths.console.rename(self.paths.console.with_suffix(".console.old"))
        self._booted = False
        await self._machine.start(self._agent)
        if self._machine.early_carrier:
            await self._take_carriers()

    async def stop(self) -> None:
        """Stop the guest as a pulled plug does."""
        self._agent.close()
        await self._machine.stop()

    async def wait_ready(self, timeout: float) -> None:  # noqa: ASYNC109
        """Wait until ssh answers; a guest that panics or dies at boot is started again, a few times."""
        end = time.monotonic() + timeout
        self.restarts = 0
        while True:
            ready = asyncio.create_task(self._agent.run("ready", timeout=max(end - time.monotonic(), 0.0)))
            try:
                trouble = await self._watch(ready)
            finally:
                ready.cancel()
                await asyncio.gather(ready, return_exceptions=True)
            if trouble is None:
                break
            if time.monotonic() >= end:
                raise GuestError(f"{self.name}: not ready within {timeout:.0f} s: {trouble}; see {self.paths.console}")
            if self.restarts >= RESTARTS:
                raise GuestError(
                    f"{self.name}: gave up after {RESTARTS} new starts: {trouble}; see {self.paths.console}"
                )
            self.restarts += 1
            await self.start()
        self._booted = True
        if not self._machine.early_carrier:
            await self._take_carriers()

    async def set_carrier(self, interface: str, up: bool) -> None:
        """Give a NIC carrier or take it away, as its cable and the far end do."""
        if interface not in INTERFACES:
            raise GuestError(f"{self.name}: no interface {interface}; it has {', '.join(INTERFACES)}")
        if self._booted or self._machine.early_carrier:
            await self._machine.set_carrier(interface, up)
        (self._down.discard if up else self._down.add)(interface)

    async def agent(self, command: str) -> None:
        """Run one command of the agent: speed, pcie, clock, loss (see its text in files/)."""
        try:
            await self._agent.run(command, _COMMAND)
        except GuestError as error:
            raise GuestError(f"{self.name}: {error}") from error

    async def _take_carriers(self) -> None:
        for interface in self._down:
            await self._machine.set_carrier(interface, up=False)

    async def _watch(self, ready: asyncio.Task[None]) -> str | None:
        """Return None once ``ready`` is done, or what went wrong first."""
        while True:
            done, _ = await asyncio.wait({ready}, timeout=_WATCH)
            panic = self._panic()
            if panic is not None:
                return panic
            if done:
                error = ready.exception()
                return None if error is None else str(error)
            if not self.alive:
                return f"{self._machine.name} ended: {last_words(self.paths.log)}"

    def _panic(self) -> str | None:
        try:
            text = self.paths.console.read_text(errors="replace")
        except OSError:
            return None
        return next((line.strip() for line in text.splitlines() if any(panic in line for panic in PANICS)), None)
