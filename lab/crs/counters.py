"""Counters of ports, as `/interface/ethernet/print stats` shows them.

Names are those of RouterOS' crawl; which of them a CRS8xx fills is not known, and the figures are a stand-in: codewords
grow with the time that a link is up, errors are what faults of the lab add.
"""

from __future__ import annotations

import time
from collections import Counter

from lab.wiring import LinkState

from .store import Values

_CODEWORDS_PER_SECOND = 10_000_000
# A healthy PAM4 link corrects some symbols all the time; RS-FEC is there for that.
_CORRECTED_PER_SECOND = 3
NAMES = frozenset({"rs-fec-uncorrected", "rx-fcs-error", "rx-drop", "tx-drop", "rx-pause", "tx-pause", "link-downs"})


class Counters:
    """The counters of one switch, by the ports' factory names."""

    def __init__(self) -> None:
        self._up_since: dict[str, float] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, port: str, name: str, count: int) -> None:
        """Let a counter grow."""
        self._counts[port, name] += count

    def take_back(self, port: str, name: str) -> None:
        """Forget what was counted, as `reset-counters` does."""
        self._counts.pop((port, name), None)

    def link_seen(self, port: str, up: bool) -> None:
        """Take note of a link's state; one that goes down is counted."""
        if up:
            self._up_since.setdefault(port, time.monotonic())
        elif self._up_since.pop(port, None) is not None:
            self.add(port, "link-downs", 1)

    def row(self, port: str, link: LinkState) -> Values:
        """Return the counters of a port in the device's words."""
        shown = {name: str(self._counts[port, name]) for name in sorted(NAMES)}
        if link.fec == "fec91":
            seconds = time.monotonic() - self._up_since.get(port, time.monotonic())
            shown["rs-fec-codewords"] = str(int(seconds * _CODEWORDS_PER_SECOND))
            shown["rs-fec-corrected"] = str(int(seconds * _CORRECTED_PER_SECOND))
        return shown
