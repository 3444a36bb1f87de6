"""A guest on QEMU: an unmodified Debian kernel, on KVM or emulated."""

from __future__ import annotations

import asyncio
import contextlib

from lab.guests.accelerator import QemuAccelerator
from lab.guests.agent import Agent, Connection
from lab.guests.errors import GuestError
from lab.guests.image import Image
from lab.guests.machine import Guest
from lab.guests.paths import GuestPaths
from lab.guests.process import kill, last_words, running_pid, spawn, start_qemu, until
from lab.guests.qemu import guest_arguments
from lab.guests.qmp import qmp
from lab.guests.seed import INTERFACES, GuestConfig

_GRACE = 5.0


class QemuMachine:
    """Runs one guest on QEMU."""

    name = "QEMU"
    early_carrier = True

    def __init__(self, config: GuestConfig, paths: GuestPaths, image: Image, accelerator: QemuAccelerator) -> None:
        self._config = config
        self._paths = paths
        self._image = image
        self._accelerator = accelerator
        self._process: asyncio.subprocess.Process | None = None

    @property
    def alive(self) -> bool:
        return running_pid(self._paths.pid) is not None

    async def start(self, agent: Agent) -> None:  # noqa: ARG002 - QEMU keeps the agent's channel by itself.
        await self._ensure_disk()
        paths = self._paths
        arguments = guest_arguments(paths, self._config.macs, self._image.kernel, self._image.initrd, self._accelerator)
        cables = [paths.net(name) for name in INTERFACES]
        self._process = await start_qemu(arguments, paths.log, paths.qmp, cables, paths.name)

    async def stop(self) -> None:
        if self.alive:
            with contextlib.suppress(GuestError):  # It is killed then.
                await qmp(self._paths.qmp, "quit")
                await until(lambda: not self.alive, _GRACE)
        await kill(self._paths.pid, _GRACE)
        if self._process is not None:
            await self._process.wait()
            self._process = None

    async def connect(self) -> Connection:
        return await asyncio.open_unix_connection(self._paths.agent)

    async def set_carrier(self, interface: str, up: bool) -> None:
        await qmp(self._paths.qmp, "set_link", name=interface, up=up)

    async def _ensure_disk(self) -> None:
        """Make the guest's own disk, a layer over the image; one over another image is of no use."""
        disk = self._paths.disk("qcow2")
        mark = disk.with_suffix(".image")
        if disk.exists() and mark.exists() and mark.read_text() == str(self._image.disk):
            return
        log = self._paths.log
        arguments = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(self._image.disk)]
        process = await spawn([*arguments, str(disk)], log, self._paths.name)
        if await process.wait():
            raise GuestError(f"{self._paths.name}: its disk cannot be made: {last_words(log)}")
        mark.write_text(str(self._image.disk))


def qemu_guest(config: GuestConfig, image: Image, paths: GuestPaths, accelerator: QemuAccelerator) -> Guest:
    return Guest(config, paths, QemuMachine(config, paths, image, accelerator))
