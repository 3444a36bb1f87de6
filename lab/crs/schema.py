"""What paths, commands, arguments and values a version of RouterOS knows.

The names come from crawls of real devices and from MikroTik's CLI reference
(data/routeros-schema-*.json says which). A crawl was made on a CHR, which has
no switch chip: an argument that needs a capability is taken from the CLI
reference, if a CRS8xx has that capability.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import link_modes

from .values import ValueType, value_type

Version = tuple[int, ...]

DATA = Path(__file__).parent / "data"
NEWEST = "7.24"

# Capabilities of a CRS8xx in the CLI reference's words (routeros facts: chip family prestera-cpss).
_CAPABILITIES = frozenset(
    {
        "switch",
        "crs_prestera",
        "prestera-cpss",
        "switch-mirror-prestera",
        "switch-rate",
        "health",
        "health-settings",
        "nochr",
        "smp",
    }
)

# When a path, or an argument of every command of a path, came; the schema files know two versions alone.
# Sources: RouterOS changelogs 7.18 (safe-mode), 7.23 (PFC and ECN on CRS8xx), 7.24 (order-by, available-from).
_SINCE: dict[tuple[str, str | None], Version] = {
    ("/safe-mode", None): (7, 18),
    ("/interface/ethernet/switch/qos/priority-flow-control", None): (7, 23),
    ("/interface/ethernet/switch/qos/port", "pfc"): (7, 23),
    ("/interface/ethernet/switch/qos/settings", "lossless-traffic-class"): (7, 23),
    ("/interface/ethernet/switch/qos/settings", "lossless-buffers"): (7, 23),
    ("/interface/ethernet/switch/qos/tx-manager/queue", "ecn"): (7, 23),
    ("/interface/ethernet/switch/qos/tx-manager/queue", "wred"): (7, 23),
    ("/interface/bridge", "querier-uses-bridge-address"): (7, 24),
    ("/ip/service", "available-from"): (7, 24),
}
_ORDER_BY_SINCE: Version = (7, 24)

_CONSOLE_ONLY = frozenset({"find", "edit"})  # the API has queries instead and cannot be interactive
_OF_EVERY_ROW = ("comment", "disabled", "numbers")
_TABLE_COMMANDS = frozenset({"print", "get", "set", "export", "reset", "comment", "enable", "disable", "unset"})
_SETTINGS_COMMANDS = frozenset({"print", "get", "set", "export", "reset"})
_LISTABLE = frozenset({"listen", "getall"})  # the API's own names, in no crawl
_LIKE_ANY_TABLE = "/interface/ethernet"  # whose print and get stand for those of tables without a crawl


def parse_version(text: str) -> Version:
    """Return the leading numbers of a version such as ``7.24.2`` or ``7.24rc4 (testing)``."""
    numbers: list[int] = []
    for part in text.split(" ", maxsplit=1)[0].split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)


def _satisfied(capability: str | None) -> bool:
    if capability is None:
        return True
    if capability.startswith("!"):
        return capability[1:] not in _CAPABILITIES
    return capability in _CAPABILITIES


@cache
def _load(name: str) -> dict[str, dict[str, Any]]:
    paths: dict[str, dict[str, Any]] = json.loads((DATA / name).read_text(encoding="utf-8"))["paths"]
    return paths


class Directory:
    """One path that has commands, e.g. ``/interface/ethernet``."""

    def __init__(self, path: str, entry: dict[str, Any], version: Version, kinds: frozenset[str]) -> None:
        self.path = path
        self._inspect: dict[str, Any] = entry.get("inspect", {})
        self._arm64: dict[str, Any] = entry.get("inspect_arm64_only", {})
        self._completions: dict[str, list[str]] = entry.get("completions_7.22.3", {})
        reference = entry.get("cli_reference", {})
        self._writable: dict[str, dict[str, Any]] = reference.get("args", {})
        self._read_only: dict[str, dict[str, Any]] = reference.get("ro", {})
        self.flags: tuple[str, ...] = tuple(reference.get("flags", {}).values())
        self.singleton: bool = reference.get("type") == "Settings Directory"
        self._version = version
        self._commands = self._find_commands(kinds)
        self._arguments: dict[str, frozenset[str]] = {}
        self._types: dict[str, ValueType] = {}

    def _find_commands(self, child_commands: frozenset[str]) -> frozenset[str]:
        crawled = set(self._inspect.get("commands", ()))
        if not crawled:
            crawled = set(_SETTINGS_COMMANDS if self.singleton else _TABLE_COMMANDS)
            if not self._writable:
                crawled -= {"set", "reset", "unset", "comment", "enable", "disable"}
            if not (self._writable or self._read_only):
                crawled = set()  # a directory of directories
        if "print" in crawled:
            crawled |= _LISTABLE
        return frozenset((crawled | child_commands) - _CONSOLE_ONLY)

    @property
    def commands(self) -> frozenset[str]:
        """Names of the commands that the API offers here."""
        return self._commands

    def extend(self, commands: frozenset[str]) -> None:
        """Add commands that no source lists but the table is known to have."""
        self._commands |= commands

    def available(self, name: str) -> bool:
        """Return whether this version on this hardware has a property of that name."""
        since = _SINCE.get((self.path, name))
        if since is not None and self._version < since:
            return False
        known = self._writable.get(name) or self._read_only.get(name)
        return known is None or _satisfied(known.get("syscap"))

    def knows(self, name: str) -> bool:
        """Return whether the property exists here, writable or not."""
        return self.available(name) and (name in self._writable or name in self._read_only or name in self.flags)

    def mandatory(self) -> list[str]:
        """Return the arguments that ``add`` cannot do without, alphabetically."""
        return sorted(name for name, known in self._writable.items() if known.get("mandatory"))

    def properties(self) -> Iterator[str]:
        """Yield every writable property, alphabetically."""
        yield from sorted(self.arguments("set" if "set" in self.commands else "add") - set(_OF_EVERY_ROW))

    def arguments(self, command: str) -> frozenset[str]:
        """Return the names of the arguments that ``command`` takes."""
        if command not in self._arguments:
            self._arguments[command] = self._find_arguments(command)
        return self._arguments[command]

    def _find_arguments(self, command: str) -> frozenset[str]:
        names = set(self._inspect.get(command, ())) | set(self._arm64.get(command, ()))
        if command in {"set", "add"}:
            crawled = bool(names)
            names |= {name for name, known in self._writable.items() if not crawled or known.get("syscap") is not None}
            if not crawled:
                names |= set() if self.singleton else set(_OF_EVERY_ROW)
            names = {name for name in names if self.available(name)}
        elif command in {"print", "listen"} and not names:
            names = set(_load(_file(self._version))[_LIKE_ANY_TABLE]["inspect"]["print"])
        if command == "print" and self._version < _ORDER_BY_SINCE:
            names.discard("order-by")
        return frozenset(names)

    def type_of(self, name: str) -> ValueType:
        """Return the type of a property; free text where no source knows it."""
        if name not in self._types:
            known = self._writable.get(name) or self._read_only.get(name) or {}
            kind = "bool" if name == "disabled" else known.get("t", "string")
            words = known.get("enum") or self._completions.get(name)
            if self.path == "/interface/ethernet" and name in {"speed", "advertise"}:
                words = list(link_modes())  # a completion sorts them, the device prints them in this order
            self._types[name] = value_type(self.path, name, kind, words)
        return self._types[name]


def _file(version: Version) -> str:
    """Return the schema that comes nearest: 7.23 and newer are played with the names of 7.24."""
    return "routeros-schema-7.24.json" if version >= (7, 23) else "routeros-schema-7.22.3.json"


class Schema:
    """All directories of one version; versions older than 7.22 are played with the names of 7.22.3."""

    def __init__(self, version: str) -> None:
        self.version = parse_version(version)
        entries = _load(_file(self.version)) | _load("routeros-extra.json")
        self._directories: dict[str, Directory] = {}
        self._parents: set[str] = set()
        commands = {path for path, entry in entries.items() if entry.get("cli_reference", {}).get("type") == "Command"}
        for path, entry in entries.items():
            since = _SINCE.get((path, None))
            if path in commands or (since is not None and self.version < since):
                continue
            if not _satisfied(entry.get("cli_reference", {}).get("syscap")) and path != "/interface/ethernet/switch":
                continue
            children = frozenset(
                command.rpartition("/")[2] for command in commands if command.rpartition("/")[0] == path
            )
            self._directories[path] = Directory(path, entry, self.version, children)
        for path in self._directories:
            parts = path.split("/")
            self._parents |= {"/".join(parts[:end]) for end in range(1, len(parts))}

    def directory(self, path: str) -> Directory | None:
        return self._directories.get(path)

    def is_parent(self, path: str) -> bool:
        """Return whether ``path`` merely leads to directories."""
        return path in self._parents

    def paths(self) -> Iterator[str]:
        yield from self._directories
