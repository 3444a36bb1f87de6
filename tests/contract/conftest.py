"""A virtual CRS on the loopback, in a thread with an event loop of its own."""

import asyncio
import ssl
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from crs_certificates import make_authority

from lab.crs.device import Options, VirtualCrs
from lab.wiring import Unwired

HOST = "127.0.0.1"


@dataclass
class Served:
    host: str
    port: int
    crs: VirtualCrs
    loop: asyncio.AbstractEventLoop

    def call(self, function, *args, **named) -> Any:
        """Call a function in the switch's own loop, where its state may be touched."""

        async def run():
            return function(*args, **named)

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(10)

    def wait_for(self, condition) -> None:
        """Return once a condition on the switch holds; fail after ten seconds."""

        async def poll():
            async with asyncio.timeout(10):
                while not condition():  # noqa: ASYNC110 - a condition has no event.
                    await asyncio.sleep(0.005)

        asyncio.run_coroutine_threadsafe(poll(), self.loop).result(15)


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def serve(loop):
    """Return a function that serves a switch; every switch it served is closed at the end."""
    switches = []

    def start(version: str = "7.24", context: ssl.SSLContext | None = None) -> Served:
        crs = VirtualCrs(
            "crs812",
            "CRS812-8DS-2DQ-2DDQ",
            version=version,
            wiring=Unwired(),
            options=Options(rollback_delay=0.05, monitor_interval=0.05),
            users={"admin": ("password", "full"), "viewer": ("pw", "read")},
        )
        server = asyncio.run_coroutine_threadsafe(crs.serve(HOST, 0, context), loop).result(10)
        switches.append(crs)
        return Served(HOST, server.sockets[0].getsockname()[1], crs, loop)

    yield start
    for crs in switches:
        asyncio.run_coroutine_threadsafe(crs.close(), loop).result(10)


@pytest.fixture
def served(serve):
    return serve()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return make_authority(tmp_path_factory.mktemp("ca"))
