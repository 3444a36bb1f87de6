"""The part of QEMU's machine protocol that the rack speaks."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from lab.guests.errors import GuestError

_TIMEOUT = 20.0


async def qmp(socket: Path, command: str, **arguments: Any) -> Any:
    """Send one command over a connection of its own and return what it returns."""
    try:
        async with asyncio.timeout(_TIMEOUT):
            return await _converse(socket, command, arguments)
    except (OSError, EOFError, TimeoutError) as error:
        raise GuestError(f"{socket.stem}: QEMU does not answer {command}: {error or type(error).__name__}") from error


async def _converse(socket: Path, command: str, arguments: dict[str, Any]) -> Any:
    reader, writer = await asyncio.open_unix_connection(socket)
    try:
        await _line(reader)  # the greeting
        for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
            writer.write(json.dumps(request).encode() + b"\n")
            answer = await _line(reader)
            while "event" in answer:
                answer = await _line(reader)
            if "error" in answer:
                raise GuestError(f"{socket.stem}: QEMU refuses {command}: {answer['error'].get('desc', answer)}")
        return answer["return"]
    finally:
        writer.close()


async def _line(reader: asyncio.StreamReader) -> dict[str, Any]:
    line = await reader.readline()
    if not line:
        raise EOFError("connection closed")
    message: dict[str, Any] = json.loads(line)
    return message
