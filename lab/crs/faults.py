"""What can be made to go wrong between a client and the API, from outside of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Faults:
    """Faults of one switch; set them from the switch's event loop or between commands.

    ``die_after``: the session is cut when the Nth sentence from now arrives, before it is carried
    out; later sessions work again. ``refuse``: message of the ``!trap`` by command, e.g.
    ``{"/interface/ethernet/set": "not enough permissions (9)"}``. ``stall``: seconds that every
    answer comes late.
    """

    die_after: int | None = None
    refuse: dict[str, str] = field(default_factory=dict)
    stall: float = 0.0
    on_api_down: Callable[[], None] = lambda: None
    _api_down: bool = False

    @property
    def api_down(self) -> bool:
        """Whether connections are cut and new ones closed at once."""
        return self._api_down

    @api_down.setter
    def api_down(self, down: bool) -> None:
        self._api_down = down
        if down:
            self.on_api_down()

    def sentence_kills(self) -> bool:
        """Count one arriving sentence; tell whether the session dies of it."""
        if self.die_after is None:
            return False
        self.die_after -= 1
        if self.die_after > 0:
            return False
        self.die_after = None
        return True
