"""Everything a virtual CRS answers when it refuses, in the device's words.

The texts were recorded from devices; data/api-errors.json names the sources.
A text that nobody recorded yet says so here.
"""

from __future__ import annotations


class Trap(Exception):  # noqa: N818 - the protocol's own name for it.
    """A command that failed; answered by ``!trap`` and ``!done``, the session goes on."""

    def __init__(self, message: str, category: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.category = category


class Fatal(Exception):  # noqa: N818 - the protocol's own name for it.
    """The end of a session; answered by ``!fatal`` with a bare reason."""


def no_such_directory(element: str) -> Trap:
    return Trap(f"no such command or directory ({element})", category=0)


def no_such_command() -> Trap:
    return Trap("no such command", category=0)


def no_such_item() -> Trap:
    return Trap("no such item", category=0)


def unknown_parameter(name: str) -> Trap:
    """Name the parameter, as devices do since 7.13 at the latest."""
    return Trap(f"unknown parameter {name}")


def missing_parameter(name: str) -> Trap:
    """Use the console's text; none was recorded over the API."""
    return Trap(f"missing value(s) of argument(s) {name}")


def no_match(argument: str) -> Trap:
    return Trap(f"input does not match any value of {argument}", category=1)


def ambiguous(argument: str) -> Trap:
    return Trap(f"ambiguous value of {argument}, more than one possible value matches input", category=1)


def trailing_characters(argument: str) -> Trap:
    return Trap(f"value of {argument} contains invalid trailing characters", category=1)


def invalid_value(argument: str) -> Trap:
    return Trap(f"invalid value for argument {argument}", category=1)


def invalid_mac(argument: str) -> Trap:
    return Trap(f"invalid value of {argument}, mac address required", category=1)


def out_of_range(argument: str, low: int, high: int) -> Trap:
    return Trap(f"value of {argument} out of range ({low}..{high})", category=1)


def failure(text: str) -> Trap:
    return Trap(f"failure: {text}")


def not_permitted() -> Trap:
    return Trap("not enough permissions (9)")


def interrupted() -> Trap:
    return Trap("interrupted", category=2)


def not_in_the_lab(command: str) -> Trap:
    """Say that the device has the command and the lab does not: better than to pretend."""
    return failure(f"the virtual CRS does not play {command}")
