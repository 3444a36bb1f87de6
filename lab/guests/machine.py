"""One guest: a QEMU process, its console, its agent and its cables' carriers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path

from lab.guests.accelerator import Accelerator
from lab.guests.agent import Agent
from lab.guests.errors import GuestError
from lab.guests.image import Image
from lab.guests.process import kill, last_words, running_pid, spawn, start_qemu, until
from lab.guests.qemu import GuestPaths, guest_arguments
from lab.guests.qmp import qmp
from lab.guests.seed import INTERFACES, GuestConfig, write_seed

RESTARTS = 3
# What the kernel, or our own init, says when this boot leads nowhere.
PANICS = ("Kernel panic", "sparkloom: no root file system", "sparkloom: the seed cannot be read")
_GRACE = 5.0
_WATCH = 1.0
_COMMAND = 60.0


class Guest:
    """A virtual node. Its files and sockets are in ``state``, named after it.

    Whoever moves frames must listen on ``state/net/NAME.INTERFACE`` for every interface before ``start``.
    """

    def __init__(self, config: GuestConfig, image: Image, state: Path, accelerator: Accelerator) -> None:
        self.config = config
        self.paths = GuestPaths(state.resolve(), config.name)
        self.restarts = 0
        self._image = image
        self._accelerator = accelerator
        self._process: asyncio.subprocess.Process | None = None
        self._agent = Agent(self.paths.agent)
        # A NIC of a new process has carrier; what was asked for is said again.
        self._down: set[str] = set()

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def alive(self) -> bool:
        """Whether its process runs, be it one that an earlier rack started."""
        return running_pid(self.paths.pid) is not None

    async def start(self) -> None:
        """Start the guest; it keeps its disk from an earlier start unless the image is another one."""
        await kill(self.paths.pid, _GRACE)
        self._agent.close()
        self.paths.state.mkdir(parents=True, exist_ok=True)
        await self._ensure_disk()
        write_seed(self.paths.seed, self.config)
        if self.paths.console.exists():  # The last start's may tell why there is another.
            self.paths.console.rename(self.paths.console.with_suffix(".console.old"))
        arguments = guest_arguments(
            self.paths, self.config.macs, self._image.kernel, self._image.initrd, self._accelerator
        )
        self._process = await start_qemu(
            arguments, self.paths.log, self.paths.qmp, [self.paths.net(name) for name in INTERFACES], self.name
        )
        for interface in self._down:
            await self._set_link(interface, up=False)

    async def stop(self) -> None:
        """Stop the guest as a pulled plug does."""
        self._agent.close()
        if self.alive:
            with contextlib.suppress(GuestError):  # It is killed then.
                await qmp(self.paths.qmp, "quit")
                await until(lambda: not self.alive, _GRACE)
        await kill(self.paths.pid, _GRACE)
        if self._process is not None:
            await self._process.wait()
            self._process = None

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
                return
            if time.monotonic() >= end:
                raise GuestError(f"{self.name}: not ready within {timeout:.0f} s: {trouble}; see {self.paths.console}")
            if self.restarts >= RESTARTS:
                raise GuestError(
                    f"{self.name}: gave up after {RESTARTS} new starts: {trouble}; see {self.paths.console}"
                )
            self.restarts += 1
            await self.start()

    async def set_carrier(self, interface: str, up: bool) -> None:
        """Give a NIC carrier or take it away, as its cable and the far end do."""
        if interface not in INTERFACES:
            raise GuestError(f"{self.name}: no interface {interface}; it has {', '.join(INTERFACES)}")
        await self._set_link(interface, up)
        (self._down.discard if up else self._down.add)(interface)

    async def agent(self, command: str) -> None:
        """Run one command of the agent: speed, pcie, clock, loss (see its text in files/)."""
        try:
            await self._agent.run(command, _COMMAND)
        except GuestError as error:
            raise GuestError(f"{self.name}: {error}") from error

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
                return f"QEMU ended: {last_words(self.paths.log)}"

    def _panic(self) -> str | None:
        try:
            text = self.paths.console.read_text(errors="replace")
        except OSError:
            return None
        return next((line.strip() for line in text.splitlines() if any(panic in line for panic in PANICS)), None)

    async def _set_link(self, interface: str, up: bool) -> None:
        await qmp(self.paths.qmp, "set_link", name=interface, up=up)

    async def _ensure_disk(self) -> None:
        """Make the guest's own disk, a layer over the image; one over another image is of no use."""
        backing = self.paths.disk.with_suffix(".image")
        if self.paths.disk.exists() and backing.exists() and backing.read_text() == str(self._image.disk):
            return
        log = self.paths.log
        arguments = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(self._image.disk)]
        process = await spawn([*arguments, str(self.paths.disk)], log, self.name)
        if await process.wait():
            raise GuestError(f"{self.name}: its disk cannot be made: {last_words(log)}")
        backing.write_text(str(self._image.disk))
