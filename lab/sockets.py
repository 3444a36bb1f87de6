"""The unix sockets of NICs: they read and write frames, and know nothing of where these go.

QEMU writes each frame on a stream after its length (4 bytes, big endian); a user-mode kernel's NIC sends each as a
packet of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from lab.dataplane import ETHERNET_HEADER, Nic

_LENGTH = struct.Struct(">I")
# More than any jumbo frame: a longer one is no frame, and the peer is out of step.
_LONGEST_FRAME = 65536
# Frames waiting for a slow guest; a real port has a queue as well, and drops. perftest has 128 messages of 64 KiB in
# flight on each rail, and a guest sends faster than the other one reads.
_QUEUE_BYTES = 32 * 1024 * 1024
# Frames taken from one NIC before the others have their turn.
_BURST = 64

OnFrame = Callable[[Nic, bytes], None]


class _Port(Protocol):
    def send(self, frame: bytes) -> None:
        """Hand a frame to the NIC; one that does not keep up loses it."""

    def close(self) -> None: ...


class _StreamPort:
    """A NIC of QEMU."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def send(self, frame: bytes) -> None:
        if not self._writer.is_closing() and self._writer.transport.get_write_buffer_size() <= _QUEUE_BYTES:
            self._writer.write(_LENGTH.pack(len(frame)) + frame)

    def close(self) -> None:
        self._writer.close()


class _PacketPort:
    """A NIC of a user-mode kernel, which opens its socket when it goes up and closes it when it goes down."""

    def __init__(self, connection: socket.socket, on_frame: Callable[[bytes], None], gone: Callable[[], None]) -> None:
        self._connection = connection
        self._on_frame = on_frame
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        # The kernel's own queue holds some dozens of frames; a burst of RDMA is more than that.
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        connection.setblocking(False)
        self._loop.add_reader(connection, self._read)

    def _read(self) -> None:
        for _frame in range(_BURST):
            try:
                frame = self._connection.recv(_LONGEST_FRAME)
            except BlockingIOError:
                return
            except OSError:
                frame = b""
            if not frame:
                self.close()
                self._gone()
                return
            if len(frame) >= ETHERNET_HEADER:
                self._on_frame(frame)

    def send(self, frame: bytes) -> None:
        if self._waiting:
            self._wait(frame)
        elif not self._sent(frame):
            self._wait(frame)
            self._loop.add_writer(self._connection, self._write)

    def _wait(self, frame: bytes) -> None:
        if self._waiting_bytes + len(frame) <= _QUEUE_BYTES:
            self._waiting.append(frame)
            self._waiting_bytes += len(frame)

    def _write(self) -> None:
        while self._waiting and self._sent(self._waiting[0]):
            self._waiting_bytes -= len(self._waiting.popleft())
        if not self._waiting:
            self._loop.remove_writer(self._connection)

    def _sent(self, frame: bytes) -> bool:
        """Send a frame; one for a NIC that is gone counts as sent: the reader notices that."""
        try:
            self._connection.send(frame)
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True

    def close(self) -> None:
        self._waiting.clear()
        self._loop.remove_reader(self._connection)
        self._loop.remove_writer(self._connection)
        self._connection.close()


class Sockets:
    """All NICs of a rack, by node and interface."""

    def __init__(self, folder: Path, on_frame: OnFrame) -> None:
        self._folder = folder
        self._on_frame = on_frame
        # A NIC has one guest; another client on its path (one that only looks) must not cut it off.
        self._ports: dict[Nic, list[_Port]] = {}
        self._servers: list[asyncio.Server] = []
        self._listeners: list[socket.socket] = []

    def _path(self, nic: Nic, name: str | None) -> Path:
        path = self._folder / (name or f"{nic[0]}.{nic[1]}")
        path.unlink(missing_ok=True)
        return path

    async def listen(self, nic: Nic, name: str | None = None) -> None:
        """Wait for the QEMU of a NIC."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            port = _StreamPort(writer)
            self._ports.setdefault(nic, []).append(port)
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._read(nic, reader)
            self._ports[nic].remove(port)
            writer.close()

        path = self._path(nic, name)
        self._servers.append(await asyncio.start_unix_server(serve, path, limit=_LONGEST_FRAME * 2))

    def listen_for_packets(self, nic: Nic) -> None:
        """Wait for the user-mode kernel of a NIC."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.setblocking(False)
        listener.bind(str(self._path(nic, None)))
        listener.listen()
        self._listeners.append(listener)
        asyncio.get_running_loop().add_reader(listener, self._accept, nic, listener)

    def _accept(self, nic: Nic, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # It may be gone again.
            connection, _address = listener.accept()
            ports = self._ports.setdefault(nic, [])
            port = _PacketPort(connection, lambda frame: self._on_frame(nic, frame), lambda: ports.remove(port))
            ports.append(port)

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
        for port in self._ports.get(nic, ()):
            port.send(frame)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for listener in self._listeners:
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
        for ports in self._ports.values():
            for port in tuple(ports):
                port.close()
        self._servers.clear()
        self._listeners.clear()
