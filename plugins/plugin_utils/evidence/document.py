# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was seen of a rack: a typed, versioned document that can be saved, replayed and attached to a report.

Every part of every host is held against its schema (data/evidence/) by itself. A part that is not what it
should be is dropped and said to be missing, so a host that lies costs that part and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

VERSION = 1
Kind = Literal["node", "switch"]

# Under this name `missing` says why a host gave nothing at all.
HOST = "host"
# A part that is larger than this as JSON is not looked at, let alone validated.
MAX_PART_BYTES = 1024 * 1024
_REASON_LENGTH = 300
_SCHEMAS = Path(__file__).parents[1] / "data" / "evidence"


class EvidenceError(Exception):
    """A saved document that cannot be used."""


@dataclass(frozen=True, slots=True)
class HostEvidence:
    """What one host showed. A part is in ``parts``, or in ``missing`` with the reason, or was not asked for."""

    parts: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    bytes: int | None = None

    @property
    def silent(self) -> bool:
        """Whether the host gave nothing at all."""
        return not self.parts

    def to_dict(self) -> dict[str, Any]:
        return {
            "parts": dict(self.parts),
            "missing": dict(self.missing),
            "seconds": self.seconds,
            "bytes": self.bytes,
        }


@dataclass(frozen=True, slots=True)
class Evidence:
    taken_at: str = ""  # UTC, ISO 8601
    nodes: Mapping[str, HostEvidence] = field(default_factory=dict)
    switches: Mapping[str, HostEvidence] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "taken_at": self.taken_at,
            "nodes": {name: host.to_dict() for name, host in self.nodes.items()},
            "switches": {name: host.to_dict() for name, host in self.switches.items()},
        }

    @classmethod
    def from_dict(cls, document: object) -> Evidence:
        """Read a saved document.

        :raises EvidenceError: it is no document of this version
        """
        if not isinstance(document, Mapping) or not isinstance(document.get("version"), int):
            raise EvidenceError("this is no evidence of Sparkloom: it has no version")
        if document["version"] != VERSION:
            raise EvidenceError(
                f"this evidence has version {document['version']}, this Sparkloom reads version {VERSION}; "
                "use the release that wrote it"
            )
        return cls(
            taken_at=str(document.get("taken_at", "")),
            nodes=_hosts("node", document.get("nodes")),
            switches=_hosts("switch", document.get("switches")),
        )


def _hosts(kind: Kind, hosts: object) -> dict[str, HostEvidence]:
    if not isinstance(hosts, Mapping):
        raise EvidenceError(f"this evidence holds no {kind} hosts: its {kind} part is not a mapping")
    return {str(name): accept(kind, host) for name, host in hosts.items()}


@cache
def schemas(kind: Kind) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of every part of a kind of host, by the part's name."""
    found: dict[str, dict[str, Any]] = json.loads((_SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))["parts"]
    return found


@cache
def _validator(kind: Kind, part: str) -> Draft202012Validator:
    # Imported on use: the inventory plugin has said by then that it is missing, in words.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(schemas(kind)[part])


def accept(kind: Kind, seen: object) -> HostEvidence:
    """Return what can be believed of what a host gave; the rest is missing, with the reason."""
    if not isinstance(seen, Mapping):
        return HostEvidence(missing={HOST: f"the answer is no mapping but {type(seen).__name__}"})
    parts, missing = seen.get("parts"), seen.get("missing")
    reasons = (
        {str(part)[:100]: _words(str(reason)) for part, reason in missing.items()}
        if isinstance(missing, Mapping)
        else {}
    )
    if not isinstance(parts, Mapping):
        return HostEvidence(missing=reasons or {HOST: "the answer holds no evidence"})
    good: dict[str, Any] = {}
    for part, value in parts.items():
        problem = _problem(kind, str(part), value)
        if problem:
            reasons[str(part)[:100]] = problem
        else:
            good[part] = value
    seconds, size = seen.get("seconds"), seen.get("bytes")
    return HostEvidence(
        parts=good,
        missing=reasons,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
        bytes=size if isinstance(size, int) and not isinstance(size, bool) else None,
    )


def _problem(kind: Kind, part: str, value: object) -> str:
    """Return why a part cannot be believed; empty when it can."""
    if part not in schemas(kind):
        return "not valid: no part of this name is known"
    try:
        size = len(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        return _words(f"not valid: {error}")
    if size > MAX_PART_BYTES:
        return f"not valid: {size} bytes, more than {MAX_PART_BYTES}"
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    wrong: ValidationError | None = best_match(_validator(kind, part).iter_errors(value))
    if wrong is None:
        return ""
    where = "/".join(str(step) for step in wrong.absolute_path)
    return _words(f"not valid{f' at {where}' if where else ''}: {wrong.message}")


def _words(text: str) -> str:
    """Return a reason on one line, without what could steer a terminal, and not too long to read."""
    clean = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * _REASON_LENGTH]).split())
    return clean if len(clean) <= _REASON_LENGTH else f"{clean[:_REASON_LENGTH]}…"
