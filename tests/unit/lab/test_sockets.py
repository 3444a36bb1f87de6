"""NICs' sockets: streams of QEMU, packets of a user-mode kernel, and one that does not keep up."""

from __future__ import annotations

import asyncio
import socket
import struct
from pathlib import Path

import pytest

from lab import sockets
from lab.dataplane import Nic
from lab.sockets import Sockets

STREAM: Nic = ("spark-1", "a")
PACKET: Nic = ("spark-2", "b")


def frame(number: int, size: int = 100) -> bytes:
    return number.to_bytes(4, "big") + bytes(size)


async def until(condition: object) -> None:
    async with asyncio.timeout(10):
        while not condition():  # type: ignore[operator]  # noqa: ASYNC110 - a condition has no event.
            await asyncio.sleep(0.002)


def packet_nic(folder: Path) -> socket.socket:
    nic = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    nic.connect(str(folder / "spark-2.b"))
    nic.setblocking(False)
    return nic


def test_frames_pass_between_a_stream_and_a_packet_nic(tmp_path: Path) -> None:
    async def live() -> None:
        there = {STREAM: PACKET, PACKET: STREAM}
        rack = Sockets(tmp_path, lambda nic, data: rack.send(there[nic], data))
        await rack.listen(STREAM)
        rack.listen_for_packets(PACKET)
        reader, writer = await asyncio.open_unix_connection(tmp_path / "spark-1.a")
        nic = packet_nic(tmp_path)
        loop = asyncio.get_running_loop()
        await until(lambda: len(rack._ports) == 2)
        writer.write(struct.pack(">I", 104) + frame(1))
        assert await loop.sock_recv(nic, 65536) == frame(1)
        await loop.sock_sendall(nic, frame(2))
        assert await reader.readexactly(108) == struct.pack(">I", 104) + frame(2)
        writer.close()
        nic.close()
        await rack.close()

    asyncio.run(live())


def test_a_nic_that_went_down_comes_back_and_what_is_no_frame_is_dropped(tmp_path: Path) -> None:
    async def live() -> None:
        seen: list[bytes] = []
        rack = Sockets(tmp_path, lambda _nic, data: seen.append(data))
        rack.listen_for_packets(PACKET)
        for number in (1, 2):
            nic = packet_nic(tmp_path)
            nic.send(b"short")
            nic.send(frame(number))
            await until(lambda number=number: len(seen) == number)
            nic.close()
            await until(lambda: not rack._ports[PACKET])
            rack.send(PACKET, frame(9))  # Nobody is there.
        assert seen == [frame(1), frame(2)]
        await rack.close()

    asyncio.run(live())


def test_a_burst_waits_for_a_slow_nic_in_order(tmp_path: Path) -> None:
    async def live() -> None:
        rack = Sockets(tmp_path, lambda _nic, _data: None)
        rack.listen_for_packets(PACKET)
        nic = packet_nic(tmp_path)
        await until(lambda: rack._ports.get(PACKET))
        burst = [frame(number, 9000) for number in range(500)]
        for data in burst:
            rack.send(PACKET, data)
        loop = asyncio.get_running_loop()
        assert [await loop.sock_recv(nic, 65536) for _ in burst] == burst
        nic.close()
        await rack.close()

    asyncio.run(live())


def test_more_than_the_queue_holds_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "_QUEUE_BYTES", 100_000)

    async def live() -> None:
        rack = Sockets(tmp_path, lambda _nic, _data: None)
        rack.listen_for_packets(PACKET)
        nic = packet_nic(tmp_path)
        await until(lambda: rack._ports.get(PACKET))
        for number in range(500):
            rack.send(PACKET, frame(number, 9000))
        loop = asyncio.get_running_loop()
        got = []
        while not got or int.from_bytes(got[-1][:4], "big") == len(got) - 1:
            try:
                async with asyncio.timeout(0.5):
                    got.append(await loop.sock_recv(nic, 65536))
            except TimeoutError:
                break
        assert 10 < len(got) < 500
        nic.close()
        await rack.close()

    asyncio.run(live())
