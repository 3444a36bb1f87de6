"""A guest on a user-mode kernel: a process of this machine that is a Linux of its own."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

from lab.guests.agent import Agent, Connection
from lab.guests.errors import GuestError
from lab.guests.image import Image
from lab.guests.machine import Guest
from lab.guests.paths import GuestPaths
from lab.guests.process import kill, running_pid, spawn
from lab.guests.seed import GuestConfig
from lab.guests.uml.command import pid_file, uml_arguments
from lab.guests.uml.kernel import UserModeKernel

# What the agent says once it has made the serial line pass on bytes as they are.
LISTENING = b"sparkloom: the agent listens\n"
_GRACE = 2.0
_CARRIER_SECONDS = 60.0


class UmlMachine:
    """Runs one guest on a user-mode kernel."""

    name = "the user-mode kernel"
    early_carrier = False

    def __init__(self, config: GuestConfig, paths: GuestPaths, image: Image, kernel: UserModeKernel) -> None:
        self._config = config
        self._paths = paths
        self._image = image
        self._kernel = kernel
        self._process: asyncio.subprocess.Process | None = None
        self._channel: socket.socket | None = None
        self._agent: Agent | None = None

    @property
    def alive(self) -> bool:
        return running_pid(pid_file(self._paths)) is not None or (
            self._process is not None and self._process.returncode is None
        )

    async def start(self, agent: Agent) -> None:
        self._agent = agent
        disk, mark = self._paths.disk("cow"), self._paths.disk("cow-image")
        if not mark.exists() or mark.read_text() != str(self._image.disk):
            # A layer over another image is of no use; the kernel makes a new one.
            disk.unlink(missing_ok=True)
            mark.write_text(str(self._image.disk))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            arguments = uml_arguments(
                self._kernel.program, self._image.disk, self._paths, self._config.macs, theirs.fileno()
            )
            self._process = await spawn(arguments, self._paths.console, self._paths.name, (theirs.fileno(),))
        self._channel = ours

    async def stop(self) -> None:
        await kill(pid_file(self._paths), _GRACE)
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            await self._process.wait()
            self._process = None

    async def connect(self) -> Connection:
        if self._channel is None:
            raise GuestError("the guest is not started")
        ours, self._channel = self._channel, None
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        await reader.readuntil(LISTENING)
        return reader, writer

    async def set_carrier(self, interface: str, up: bool) -> None:
        """Let the guest do it: there is no other hand on the NICs of its kernel."""
        if self._agent is not None:
            await self._agent.run(f"carrier {interface} {'on' if up else 'off'}", _CARRIER_SECONDS)


def uml_guest(config: GuestConfig, image: Image, paths: GuestPaths, kernel: UserModeKernel) -> Guest:
    modules = f"usr/lib/modules/{kernel.release}"
    files = {
        f"{modules}/modules.builtin": kernel.builtin.read_bytes(),
        f"{modules}/modules.order": b"",
        "usr/lib/sparkloom-lab/perftest-clock.so": kernel.perftest_clock.read_bytes(),
    }
    config = replace(config, kernel_files=files)
    return Guest(config, paths, UmlMachine(config, paths, image, kernel))
