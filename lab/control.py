"""How the `lab` command talks to a rack that runs: one JSON line asked, one answered, over a unix socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from pathlib import Path
from typing import Any

from lab.crs.errors import Trap
from lab.faults import FaultBook
from lab.guests.errors import GuestError
from lab.rack import Rack, RackError

SOCKET = "control"
# Clearing `dead` waits for a guest to boot.
ANSWER_SECONDS = 1000.0

Message = dict[str, Any]


class NotRunningError(Exception):
    """No rack answers."""


class Control:
    """Answers for one rack."""

    def __init__(self, rack: Rack) -> None:
        self._rack = rack
        self._faults = FaultBook(rack.board, rack)
        self.stopping = asyncio.Event()

    async def serve(self, path: Path) -> asyncio.Server:
        """Answer on a unix socket; its folder is closed to others."""
        return await asyncio.start_unix_server(self._client, path)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            line = await reader.readline()
            if line:
                writer.write(json.dumps(await self._answer(json.loads(line))).encode() + b"\n")
                await writer.drain()
        writer.close()

    async def _answer(self, message: Message) -> Message:
        try:
            return await self._do(message)
        except (RackError, GuestError) as error:
            return {"error": str(error)}
        except Trap as trap:
            return {"error": trap.message}

    async def _do(self, message: Message) -> Message:
        match message["command"]:
            case "status":
                return self._status()
            case "down":
                self.stopping.set()
                return {}
            case "fault":
                await self._faults.set(message["kind"], message["target"], message.get("value", ""))
                return {}
            case "clear":
                return {"cleared": await self._faults.clear(message.get("kind", ""), message.get("target", ""))}
            case "snapshot":
                return {"switches": {name: crs.export() for name, crs in self._rack.board.switches.items()}}
            case unknown:
                return {"error": f"the rack does not know {unknown!r}"}

    def _status(self) -> Message:
        rack = self._rack
        state = rack.board.state()
        ports = [
            {
                "switch": switch,
                "port": port,
                "status": link.status,
                "rate_gbps": link.rate_gbps,
                "carrier": link.carrier,
            }
            for (switch, port), link in state.ports.items()
            if (switch, port) in state.peers
        ]
        cages = [
            {"cage": str(end), "carrier": link.carrier, "rate_gbps": link.rate_gbps}
            for end, link in state.nodes.items()
        ]
        nodes = {
            name: "off" if name in rack.dead else "ready" if name in rack.ready else rack.problems.get(name, "booting")
            for name in rack.guests
        }
        sentences = {name: crs.sentences for name, crs in rack.board.switches.items()}
        return {
            "cluster": rack.cluster.name,
            "nodes": nodes,
            "booting": [name for name, word in nodes.items() if word == "booting"],
            "problems": rack.problems,
            "ports": ports,
            "cages": cages,
            "sentences": sentences,
            "faults": self._faults.listing(),
        }


def ask(folder: Path, message: Message) -> Message:
    """Ask the rack whose state is in ``folder``. Raises NotRunningError, or RackError with its complaint."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        try:
            connection.connect(str(folder / SOCKET))
            connection.sendall(json.dumps(message).encode() + b"\n")
            with connection.makefile() as stream:
                line = stream.readline()
        except OSError as error:
            raise NotRunningError(str(error)) from None
    if not line:
        raise NotRunningError("it hung up")
    answer: Message = json.loads(line)
    if "error" in answer:
        raise RackError(answer["error"])
    return answer
