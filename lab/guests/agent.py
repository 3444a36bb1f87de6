"""The rack's side of the in-guest agent (files/root/usr/lib/sparkloom-lab/agent)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable

from lab.guests.errors import GuestError

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Agent:
    """One connection, kept open: what the guest says while nobody listens is held back.

    A command sent before the guest has booted waits and is answered once the agent runs.
    """

    def __init__(self, connect: Callable[[], Awaitable[Connection]]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()
        self._ids = itertools.count(1)

    async def run(self, command: str, timeout: float) -> None:  # noqa: ASYNC109
        """Run a command in the guest; raise GuestError with the guest's text if it fails."""
        if "\n" in command:
            raise GuestError("a command for a guest is one line")
        async with self._turn:
            try:
                async with asyncio.timeout(timeout):
                    verdict, _, text = (await self._ask(command)).partition(" ")
            except TimeoutError as error:
                raise GuestError(f"no answer to '{command}' within {timeout:.0f} s") from error
            except OSError as error:
                self.close()
                raise GuestError(f"the guest's agent cannot be reached: {error}") from error
        if verdict != "ok":
            raise GuestError(text.strip() or "it failed without a word")

    def close(self) -> None:
        """Drop the connection; the next command makes a new one."""
        if self._connection is not None:
            self._connection[1].close()
            self._connection = None

    async def _ask(self, command: str) -> str:
        if self._connection is None:
            self._connection = await self._connect()
        reader, writer = self._connection
        # Answers to commands that were given up on may still come; theirs is another id.
        marker = f"{next(self._ids)}"
        writer.write(f"{marker} {command}\n".encode())
        while True:
            line = await reader.readline()
            if not line:
                raise ConnectionResetError("it closed the connection")
            got, _, answer = line.decode(errors="replace").rstrip("\n").partition(" ")
            if got == marker:
                return answer
