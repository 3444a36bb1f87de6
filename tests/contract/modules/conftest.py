"""The virtual rack's switches on the loopback, each module one call away."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import crs_wire
import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import make_plan
from module_runner import Outcome, run_module

from lab.crs.device import Options, VirtualCrs
from lab.rack import USERS, RackOptions, Switchboard

HOST = "127.0.0.1"
ROOT = Path(__file__).parents[3]
PASSWORD = USERS["admin"][0]
CLOSED = 10.0  # seconds after which a test that waits has failed


@cache
def spark8() -> Cluster:
    return parse_text((ROOT / "inventories/lab/spark8.cluster.yml").read_text(encoding="utf-8"))


@cache
def host_vars(switch: str) -> dict[str, Any]:
    """Return what the plan gives the role of a switch."""
    return dict(make_plan(spark8()).host_vars[switch])


class ServedSwitch:
    """One switch of a rack, served; state is touched in its own loop alone."""

    def __init__(self, board: Switchboard, name: str, port: int, loop: asyncio.AbstractEventLoop) -> None:
        self.board = board
        self.name = name
        self.crs: VirtualCrs = board.switches[name]
        self.host = HOST
        self.port = port
        self.variables = host_vars(name)
        self._loop = loop
        self.connection: dict[str, Any] = {
            "host": HOST,
            "port": port,
            "username": "admin",
            "password": PASSWORD,
            "tls": False,
            "timeout": 5.0,
        }

    def arguments(self, module: str) -> dict[str, Any]:
        """Return the arguments with which the role calls a module."""
        variables = self.variables
        own: dict[str, dict[str, Any]] = {
            "facts": {"model": variables["switch_model"], "min_version": "7.18"},
            "ports": {"ports": variables["switch_ports"]},
            "bridge": dict(variables["switch_bridge"]),
            "links": {"links": variables["switch_links"], "wait": 5.0, "interval": 0.02},
            "evidence": {"links": variables["switch_links"]},
        }
        return self.connection | own[module]

    def run(self, module: str, *, check: bool = False, **changes: Any) -> Outcome:
        return run_module(module, self.arguments(module) | changes, check=check)

    def call(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        async def inside() -> Any:
            return function(*arguments, **named)

        return self._wait(inside())

    def wait_for(self, condition: Callable[[], object]) -> None:
        async def poll() -> None:
            async with asyncio.timeout(CLOSED):
                while not condition():  # noqa: ASYNC110 - a condition has no event.
                    await asyncio.sleep(0.002)

        self._wait(poll())

    def session(self) -> Any:
        """Return a session of somebody else, who speaks sentences."""
        wire: Any = crs_wire.Wire
        return wire(self, login=("admin", self.connection["password"]))

    def settle(self) -> None:
        """Wait until no session is open and none is still to be undone."""
        self.wait_for(lambda: not self.crs.sessions and not self.crs.safe_mode.enabled)

    def export(self) -> Any:
        return self.call(self.crs.export)

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CLOSED + 5)


class ServeRack(Protocol):
    def __call__(
        self, *, version: str = "7.24.2", context: ssl.SSLContext | None = None
    ) -> dict[str, ServedSwitch]: ...


@pytest.fixture
def serve_rack(loop: asyncio.AbstractEventLoop) -> Iterator[ServeRack]:
    """Return a function that serves the factory-fresh switches of a rack."""
    boards: list[Switchboard] = []

    def start(*, version: str = "7.24.2", context: ssl.SSLContext | None = None) -> dict[str, ServedSwitch]:
        board = Switchboard(
            spark8(),
            RackOptions(
                settle_seconds=0.05,
                routeros_version=version,
                crs=Options(rollback_delay=0.02, monitor_interval=0.05),
            ),
        )
        boards.append(board)
        served = {}
        for name, crs in board.switches.items():
            server = asyncio.run_coroutine_threadsafe(crs.serve(HOST, 0, context), loop).result(CLOSED)
            served[name] = ServedSwitch(board, name, server.sockets[0].getsockname()[1], loop)
        return served

    yield start
    for board in boards:
        asyncio.run_coroutine_threadsafe(board.close(), loop).result(CLOSED)


@pytest.fixture
def rack(serve_rack: ServeRack) -> dict[str, ServedSwitch]:
    return serve_rack()


@pytest.fixture
def switch(rack: dict[str, ServedSwitch]) -> ServedSwitch:
    return rack["crs812"]
