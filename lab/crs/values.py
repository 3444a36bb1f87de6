"""Types of values: what the device takes for an argument and how it prints it back."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import Literal

from . import errors

Kind = Literal["bool", "number", "time", "mac", "interface", "address", "enum", "list", "text"]

_MAC = re.compile(r"[0-9A-Fa-f]{2}([:.-]?[0-9A-Fa-f]{2}){5}")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|-?\d+")
_RATE = re.compile(r"(\d+)([kMG])(?:bps)?")
_RATE_FACTORS = {"k": 10**3, "M": 10**6, "G": 10**9}
_DURATION = re.compile(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
_CLOCK = re.compile(r"(?:(\d+)d ?)?(\d+):(\d\d):(\d\d)(?:\.(\d{1,3}))?")
_RANGE = re.compile(r"\[\s*(\d*)\s*\.\.\s*(\d+)\s*\]")
_YES = {"yes", "true"}
_NO = {"no", "false"}

# Ranges that no schema gives. Sources: MikroTik's manual (l2mtu as the device words it; priorities, VLAN ids).
_RANGES: dict[str, tuple[int, int]] = {
    "l2mtu": (0, 65536),
    "mtu": (0, 65535),
    "pvid": (1, 4094),
    "vlan-id": (1, 4094),
    "port": (1, 65535),
    "traffic-class": (0, 7),
    "sfp-shutdown-temperature": (0, 255),
}
# Words that a property takes beside numbers, where no schema says so. Source: MikroTik's manual, bridge and QoS chapters.
_QOS = "/interface/ethernet/switch/qos"
_WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("/interface/bridge", "mtu"): ("auto",),
    ("/interface/bridge/port", "horizon"): ("none",),
    (f"{_QOS}/settings", "lossless-buffers"): ("auto",),
    (f"{_QOS}/settings", "multicast-buffers"): ("auto",),
    (f"{_QOS}/settings", "shared-buffers"): ("auto",),
    (f"{_QOS}/priority-flow-control", "pause-threshold"): ("auto",),
    (f"{_QOS}/priority-flow-control", "resume-threshold"): ("auto",),
}
# Properties that take a rate with a unit and print bit/s.
_RATES = re.compile(r"egress-rate|ingress-rate")


@dataclass(frozen=True, slots=True)
class ValueType:
    """What values one property takes.

    ``words`` are the literal values; with kind ``enum`` or ``list`` there are no
    others (unless it is empty: then any text goes), with the other kinds they
    are taken beside numbers, times and so on.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    rate: bool = False

    @property
    def refers(self) -> bool:
        """Whether the value names an interface."""
        return self.kind == "interface"


def _kind(text: str) -> Kind:
    simple: dict[str, Kind] = {
        "bool": "bool",
        "num": "number",
        "time": "time",
        "macAddr": "mac",
        "iface_enum": "interface",
        "ipAddr": "address",
        "enum": "enum",
        "multi": "list",
        "ubit": "list",
    }
    head, _, rest = text.partition(" ")
    if head == "alt":
        # The alternatives that matter here: a word or a time, a word or a number, an interface or a list.
        for inner, kind in (("iface_enum", "interface"), ("time", "time"), ("num", "number")):
            if re.search(rf"\b{inner}\b", rest) and "string" not in rest and "ipAddr" not in rest:
                return kind  # type: ignore[return-value]
        return "text"
    return simple.get(head, "text")


def value_type(path: str, name: str, text: str, words: Sequence[str] | None) -> ValueType:
    """Build the type of a property from the CLI reference's notation and the words it or a device lists."""
    kind = _kind(text)
    known = tuple(words or ())
    if kind == "bool":
        # sfp-rate-select is a bool by the reference and high/low by the device.
        return ValueType("enum", known) if known and set(known) != {"yes", "no"} else ValueType("bool")
    if kind == "list":
        known = tuple(word.strip() for entry in known for word in entry.split(","))
        return ValueType("list", known if "iface" not in text else ())
    if kind == "enum" and name in _CREATED_BY_USERS:
        return ValueType("text")
    low, high = _RANGES.get(name, (None, None))
    if found := _RANGE.search(text):
        low, high = int(found[1] or 0), int(found[2])
    known = (*known, *(word for word in _WORDS.get((path, name), ()) if word not in known))
    return ValueType(kind, known, low, high, rate=bool(_RATES.match(name)))


# Enumerations whose values are rows of other tables: the device knows them, the schema cannot.
_CREATED_BY_USERS = frozenset({"profile", "map", "tx-manager", "pfc", "vrf", "switch", "group", "bridge", "container"})


def _parse_number(name: str, text: str, wanted: ValueType) -> str:
    if wanted.rate and (found := _RATE.fullmatch(text)):
        text = str(int(found[1]) * _RATE_FACTORS[found[2]])
    if not _NUMBER.fullmatch(text):
        raise errors.trailing_characters(name) if text[:1].isdigit() else errors.invalid_value(name)
    number = int(text, 0) if text.startswith("0x") else int(text)
    if wanted.low is not None and wanted.high is not None and not wanted.low <= number <= wanted.high:
        raise errors.out_of_range(name, wanted.low, wanted.high)
    return text if name == "priority" and text.startswith("0x") else str(number)  # priorities print as they were given


def parse_duration(text: str) -> float | None:
    """Return the seconds of ``1h30m``, ``00:01:30``, ``250ms`` or ``90``; None for anything else."""
    if text.isdigit():
        return float(text)
    if found := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds, fraction = found.groups()
        total = int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        return total + int((fraction or "0").ljust(3, "0")) / 1000
    found = _DURATION.fullmatch(text)
    if not text or found is None:
        return None
    factors = (604800.0, 86400.0, 3600.0, 60.0, 1.0, 0.001)
    return sum(float(part or 0) * factor for part, factor in zip(found.groups(), factors, strict=True))


def format_duration(seconds: float) -> str:
    """Return a time as the device prints it, e.g. ``4m15s`` or ``31s250ms``."""
    rest = round(seconds * 1000)
    text = ""
    for unit, size in (("w", 604800000), ("d", 86400000), ("h", 3600000), ("m", 60000), ("s", 1000), ("ms", 1)):
        count, rest = divmod(rest, size)
        if count:
            text += f"{count}{unit}"
    return text or "0s"


def _parse_time(name: str, text: str) -> str:
    seconds = parse_duration(text)
    if seconds is None:
        raise errors.invalid_value(name)
    return format_duration(seconds) if seconds else text


def _parse_list(name: str, text: str, wanted: ValueType) -> str:
    items = [item for item in text.split(",") if item]
    if not wanted.words:
        return ",".join(items)
    for item in items:
        if item not in wanted.words:
            raise errors.no_match(name)
    return ",".join(sorted(dict.fromkeys(items), key=wanted.words.index))


def _parse_interface(name: str, text: str, interfaces: Collection[str]) -> str:
    if not text:
        raise errors.ambiguous(name)
    if text not in interfaces:
        raise errors.no_match(name)
    return text


def _parse_bool(name: str, text: str) -> str:
    if text not in _YES | _NO:
        raise errors.no_match(name)
    return "true" if text in _YES else "false"


def _parse_enum(name: str, text: str, wanted: ValueType) -> str:
    if wanted.words:
        raise errors.no_match(name) if text else errors.ambiguous(name)
    return text


def _parse_mac(name: str, text: str) -> str:
    if not _MAC.fullmatch(text):
        raise errors.invalid_mac(name)
    digits = re.sub(r"[:.-]", "", text).upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def _parse_address(name: str, text: str) -> str:
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        raise errors.invalid_value(name) from None


def parse_value(name: str, text: str, wanted: ValueType, interfaces: Collection[str]) -> str:
    """Return ``text`` as the device will print it; raise the Trap it answers to a bad one.

    ``interfaces`` are the names that a property of kind ``interface`` may have.
    """
    if wanted.kind == "text" or (text in wanted.words and wanted.kind != "list"):
        return text
    parsers: dict[Kind, Callable[[], str]] = {
        "bool": lambda: _parse_bool(name, text),
        "enum": lambda: _parse_enum(name, text, wanted),
        "number": lambda: _parse_number(name, text, wanted),
        "time": lambda: _parse_time(name, text),
        "list": lambda: _parse_list(name, text, wanted),
        "interface": lambda: _parse_interface(name, text, interfaces),
        "mac": lambda: _parse_mac(name, text),
        "address": lambda: _parse_address(name, text),
    }
    return parsers[wanted.kind]()
