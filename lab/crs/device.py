"""The virtual CRS: the API's servers around the state of one switch."""

from __future__ import annotations

import asyncio
import hmac
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import switch_models

from lab.wiring import ForwardingPort, PortSettings, Wiring

from . import errors
from .commands import Commands
from .faults import Faults
from .safemode import SafeMode
from .session import Session
from .state import State
from .store import Values


@dataclass(frozen=True, slots=True)
class Options:
    """What a test may want otherwise; the times are those of devices, in seconds."""

    rollback_delay: float = 2.0  # from a lost session to the undoing of its safe mode
    monitor_interval: float = 1.0


class VirtualCrs:
    """One switch of the lab. Everything but ``serve`` belongs to the event loop that serves it."""

    def __init__(
        self,
        name: str,
        model: str,
        *,
        version: str,
        wiring: Wiring,
        users: Mapping[str, tuple[str, str]],
        options: Options | None = None,
    ) -> None:
        options = options or Options()
        self.name = name
        self.state = State(name, switch_models()[model], version, wiring, users)
        self.safe_mode = SafeMode(self.state)
        self.commands = Commands(self.state, self.safe_mode, options.monitor_interval)
        self.faults = Faults(on_api_down=self._cut)
        self.sentences = 0
        self.sessions: set[Session] = set()
        self.state.connections = lambda: [session.connection() for session in self.sessions]
        self._rollback_delay = options.rollback_delay
        self._servers: list[asyncio.Server] = []
        self._rollbacks: dict[asyncio.TimerHandle, Callable[[], None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    # --- what the rest of the rack sees --------------------------------------------------------

    def port_settings(self) -> dict[str, PortSettings]:
        """Return the settings of every port by the name it left the factory with."""
        return self.state.port_settings()

    def forwarding_ports(self) -> dict[str, ForwardingPort]:
        """Return how each port forwards."""
        return self.state.forwarding_ports()

    def export(self) -> dict[str, list[Values]]:
        """Return the whole configuration, for comparison: no counter, no measured value."""
        return self.state.export()

    def configure(self, path: str, item: str, **changes: str) -> None:
        """Change a row behind the API's back; underscores in the names of ``changes`` stand for hyphens.

        ``item`` is an id, a name or, in tables without names, the interface of the row. The device's own checks of values and rules apply, users' rights do not.
        """
        directory = self.state.schema.directory(path)
        if directory is None:
            raise KeyError(path)
        table = self.state.store.tables[path]
        row = table.rows[0] if table.singleton else table.find(item)
        row = row or next((member for member in table.rows if member.values.get("interface") == item), None)
        if row is None:
            raise errors.no_such_item()
        given = {name.replace("_", "-"): value for name, value in changes.items()}
        self.state.change(path, row, self.state.parse(directory, given))

    # --- serving -------------------------------------------------------------------------------

    async def serve(self, host: str, port: int, ssl_context: ssl.SSLContext | None = None) -> asyncio.Server:
        """Listen for API clients; with a context as ``api-ssl``."""
        self._loop = asyncio.get_running_loop()
        service = "api" if ssl_context is None else "api-ssl"
        server = await self._loop.create_server(lambda: Session(self, service), host, port, ssl=ssl_context)
        self._servers.append(server)
        return server

    async def close(self) -> None:
        """Stop serving, cut every session and undo at once what safe mode would undo later."""
        for server in self._servers:
            server.close()
        for session in tuple(self.sessions):
            session.abort()
            await session.closed.wait()
        for handle, undo in tuple(self._rollbacks.items()):
            handle.cancel()
            undo()
        self._rollbacks.clear()
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()

    # --- what sessions ask ---------------------------------------------------------------------

    def admits(self, name: str, password: str | None) -> bool:
        """Tell whether a user may log in over the API."""
        row = self.state.store.tables["/user"].find(name)
        if row is None or password is None or not {"api"} <= self.commands.policies(name):
            return False
        known = row.values.get("password", "")
        return hmac.compare_digest(
            known.encode("utf-8", "surrogateescape"), password.encode("utf-8", "surrogateescape")
        )

    def gone(self, session: Session) -> None:
        """Forget a session that lost its connection."""
        self.sessions.discard(session)
        self.safe_mode.lost(session, self._later)

    def _later(self, undo: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()

        def run() -> None:
            self._rollbacks.pop(handle, None)
            undo()

        handle = loop.call_later(self._rollback_delay, run)
        self._rollbacks[handle] = undo

    def _cut(self) -> None:
        """Cut every session, whichever thread asks for it."""
        if self._loop is not None and not self._loop.is_closed():
            for session in tuple(self.sessions):
                self._loop.call_soon_threadsafe(session.abort)
