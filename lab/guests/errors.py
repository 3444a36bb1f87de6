"""What goes wrong with guests, in words for the owner of the machine."""

from __future__ import annotations


class GuestError(Exception):
    """A guest, its image or its emulator did not do as asked; the text says what to look at."""
