# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``monitor`` has to show for a link, and what to say when it shows something else. Pure.

``link-ok`` alone is no proof (a port can show it while the node sees nothing), so status, rate and
FEC are all compared; the node's end is judged by verification.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

Row = Mapping[str, str]

# A lane above 25G is PAM4; what a QSFP28 cable can do ends there.
_NRZ = "nrz"
_SHOWN = (
    "sfp-module-present",
    "sfp-type",
    "sfp-encoding",
    "sfp-vendor-name",
    "sfp-vendor-part-number",
    "sfp-vendor-serial",
    "eeprom-checksum",
)


@dataclass(frozen=True, slots=True)
class LinkResult:
    """One declared link as the switch shows it; rates in Gb/s, None when there is no link."""

    name: str
    port: str
    up: bool
    status: str
    rate_gbps: int | None
    expected_gbps: int
    fec: str | None
    cable: Mapping[str, Any]
    module: Mapping[str, str]
    problem: str = ""
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        """Return the message for the owner: cable, both ends, rate seen and expected, what to do."""
        seen = f"{self.rate_gbps}G" if self.rate_gbps else f"no link ({self.status})"
        near, far = self.cable["ends"]
        return (
            f"{self.name}: {self.problem}\n"
            f"  cable:    {self.cable['kind']} ({self.cable['description']}) between {near} and {far}\n"
            f"  rate:     {seen} seen, {self.expected_gbps}G expected\n"
            f"  do:       {self.remedy}"
        )


def rate_of(row: Row) -> int | None:
    """Return the rate in Gb/s of a monitor row (``200Gbps``), None when it shows none."""
    found = re.fullmatch(r"(\d+)Gbps", row.get("rate", ""))
    return int(found[1]) if found and row.get("status") == "link-ok" else None


def _module_text(row: Row) -> str:
    words = [row.get(name, "") for name in ("sfp-vendor-name", "sfp-vendor-part-number", "sfp-vendor-serial")]
    known = " ".join(word for word in words if word)
    return (
        f"the module says {known}, {row.get('sfp-type', 'type unknown')}, encoding {row.get('sfp-encoding', 'unknown')}"
    )


def _cage_here(expected: Mapping[str, Any]) -> str:
    """Return the cage of this switch that the cable ends in; the link may be written from its other end."""
    peer = expected["peer"]
    near, far = expected["cable"]["ends"]
    return str(far if near == f"{peer['name']}/{peer['cage']}" else near)


def _explain(expected: Mapping[str, Any], row: Row) -> tuple[str, str]:
    """Return (problem, remedy) of a link that is not as declared; both empty when it is."""
    rate, wanted = rate_of(row), expected["rate_gbps"]
    cable, peer = expected["cable"], expected["peer"]["label"]
    if row.get("sfp-module-present") in {"false", "no"}:
        return f"no cable is plugged into {expected['port']}", f"plug the {cable['kind']} in at {_cage_here(expected)}"
    if row.get("sfp-encoding") == _NRZ and cable.get("encoding") != _NRZ:
        return (
            f"a QSFP28 cable is plugged in where the cluster file declares a {cable['kind']}; {_module_text(row)}",
            f"buy a {cable['description']}; a QSFP28 cable looks the same and carries at most 100G",
        )
    if row.get("eeprom-checksum") == "bad" and rate != wanted:
        return (
            "the module's EEPROM has a bad checksum, so auto-negotiation cannot start",
            "run the role switch, which forces speed and FEC, or replace the cable",
        )
    if rate is None:
        return (
            f"no link; {_module_text(row)}" if row.get("sfp-vendor-name") else "no link",
            f"check that the other end ({peer}) is plugged in and powered, then the cable itself",
        )
    if rate != wanted:
        return (
            f"the port came up at {rate}G",
            "run the role switch, which forces the speed; if it is forced already, replace the cable",
        )
    if row.get("fec", "") != expected["fec"]:
        return (
            f"the port runs FEC {row.get('fec', 'off')}, its far end {expected['fec']}",
            f"run the role switch, which sets fec-mode={expected['fec']}",
        )
    return "", ""


def judge(expected: Mapping[str, Any], row: Row) -> LinkResult:
    """Hold one monitor row against one declared link (an element of ``switch_links``)."""
    problem, remedy = _explain(expected, row)
    return LinkResult(
        name=expected["name"],
        port=expected["port"],
        up=not problem,
        status=row.get("status", "unknown"),
        rate_gbps=rate_of(row),
        expected_gbps=expected["rate_gbps"],
        fec=row.get("fec"),
        cable=expected["cable"],
        module={name: row[name] for name in _SHOWN if name in row},
        problem=problem,
        remedy=remedy,
    )


def judge_all(links: Sequence[Mapping[str, Any]], rows: Mapping[str, Row]) -> list[LinkResult]:
    """Judge every declared link; ``rows`` are monitor's by the port's factory name."""
    return [judge(link, rows.get(link["port"], {})) for link in links]


def report(results: Sequence[LinkResult]) -> str:
    """Return the message about all links that are not as declared; empty when all are."""
    return "\n".join(str(result) for result in results if not result.up)
