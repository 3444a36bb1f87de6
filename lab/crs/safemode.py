"""Safe mode: what is changed while a session holds it is undone when that session is lost.

Since RouterOS 7.18 over the API. Manual and tik4net's tests against a CHR: changes of *other*
sessions are undone too, the undoing comes a moment after the disconnect, and more than a hundred
changes leave safe mode without undoing anything.
"""

from __future__ import annotations

from collections.abc import Callable

from . import errors
from .state import State
from .store import Snapshot

_HISTORY = 100


class SafeMode:
    """Who holds safe mode, and the state that it goes back to."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._snapshot: Snapshot | None = None
        self._changes = 0
        self._owner: object | None = None
        self.user = ""
        state.watchers.add(self._count)

    def _count(self) -> None:
        if self._snapshot is not None:
            self._changes += 1
            if self._changes > _HISTORY:
                self.release()

    @property
    def enabled(self) -> bool:
        return self._snapshot is not None

    def held_by(self, session: object) -> bool:
        return self.enabled and self._owner is session

    def take(self, session: object, user: str) -> None:
        if self.held_by(session):
            return
        if self.enabled:
            # The device's words over the API were not recorded.
            raise errors.failure("safe mode is taken by another session")
        self._snapshot, self._changes = self._state.store.snapshot(), 0
        self._owner, self.user = session, user

    def release(self) -> None:
        """Keep the changes; any session may."""
        self._snapshot, self._owner, self.user = None, None, ""

    def unroll(self) -> None:
        """Undo the changes and leave safe mode."""
        snapshot = self._snapshot
        self.release()
        if snapshot is not None:
            self._state.restore(snapshot)

    def lost(self, session: object, later: Callable[[Callable[[], None]], object]) -> None:
        """Take note that a session is gone; ``later`` calls its argument after the device's delay."""
        if not self.held_by(session):
            return
        snapshot = self._snapshot
        self._owner = None

        def undo() -> None:
            # Meanwhile released by another session, perhaps even taken anew: then there is nothing to undo.
            if self._snapshot is snapshot:
                self.unroll()

        later(undo)

    def row(self, session: object) -> dict[str, str]:
        if not self.enabled:
            return {"enabled": "false", "current": "false"}
        current = "true" if self.held_by(session) else "false"
        # What the device shows as owner was not recorded.
        return {"enabled": "true", "user": self.user, "current": current, "owner": "api"}
