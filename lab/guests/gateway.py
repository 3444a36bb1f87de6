"""The way from the controller into the management network: a QEMU without a machine.

QEMU's user network forwards loopback ports, one address a guest, without root; a hub joins it with the socket
on which the rack's data plane listens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from lab.guests.process import kill, running_pid, start_qemu
from lab.guests.qemu import gateway_arguments

_GRACE = 5.0


class Gateway:
    """``forwards`` maps "127.83.0.11:2222" to "10.83.0.11:22"; ``host`` is the gateway's own address."""

    def __init__(
        self, state: Path, forwards: Mapping[str, str], subnet: str = "10.83.0.0/24", host: str = "10.83.0.1"
    ) -> None:
        state = state.resolve()
        self._log = state / "gateway.log"
        self._pid = state / "gateway.pid"
        self._qmp = state / "gateway.qmp"
        self._socket = state / "net" / "gateway"
        self._arguments = gateway_arguments(self._socket, subnet, host, forwards, self._pid, self._qmp)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def alive(self) -> bool:
        return running_pid(self._pid) is not None

    async def start(self) -> None:
        """Start it; whoever listens on ``STATE/net/gateway`` must do so already."""
        await kill(self._pid, _GRACE)
        self._process = await start_qemu(self._arguments, self._log, self._qmp, [self._socket], "gateway")

    async def stop(self) -> None:
        await kill(self._pid, _GRACE)
        if self._process is not None:
            await self._process.wait()
            self._process = None
