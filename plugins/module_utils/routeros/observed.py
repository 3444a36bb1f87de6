# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a switch's evidence: what each is read from, in one session.

A path that this RouterOS does not have, or a right that the user lacks, costs its own part. A switch that stops
answering costs what would have come after: its late answer would be taken for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import bridge, links, ports
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import (
    Row,
    Session,
    TrapError,
    UnreachableError,
)

_BRIDGE_PORT_PROPLIST = (*bridge.PORT_PROPLIST, "role", "status", "forwarding", "path-cost", "internal-path-cost")
_BRIDGE_PROPLIST = (*bridge.BRIDGE_PROPLIST, "mtu", "actual-mtu", "l2mtu", "vlan-filtering", "protocol-mode")
# Counters of print stats that a rule or a trend looks at; which of them a chip fills is not known for every model.
_COUNTERS = (
    "rs-fec-codewords",
    "rs-fec-corrected",
    "rs-fec-uncorrected",
    "rx-fcs-error",
    "rx-drop",
    "tx-drop",
    "link-downs",
    "rx-pause",
    "tx-pause",
)
_FDB_ROWS = 4096
_YES = {"true", "yes"}
Parts = dict[str, Any]


def whole(value: str | None) -> int | None:
    """Return a counter of RouterOS as a number; None where it shows none."""
    return int(value) if value is not None and value.isdecimal() else None


def counters(rows: Sequence[Row], factory: Mapping[str, str]) -> dict[str, dict[str, int | None]]:
    """Return the counters of each port by its factory name."""
    return {
        factory[row["name"]]: {name.replace("-", "_"): whole(row.get(name)) for name in _COUNTERS}
        for row in rows
        if row.get("name") in factory
    }


def _system(session: Session) -> Parts:
    resource = session.call("/system/resource/print")[0]
    board = session.call("/system/routerboard/print")[0]
    return {
        "identity": session.call("/system/identity/print")[0].get("name", ""),
        "version": resource.get("version", ""),
        "model": board.get("model", resource.get("board-name", "")),
        "serial_number": board.get("serial-number", ""),
        "current_firmware": board.get("current-firmware", ""),
        "upgrade_firmware": board.get("upgrade-firmware", ""),
        "uptime": resource.get("uptime", ""),
        "board_name": resource.get("board-name", ""),
    }


def _fdb(session: Session) -> list[Parts]:
    rows = session.table("/interface/bridge/host", ("mac-address", "on-interface", "interface", "bridge", "local"))
    return [
        {
            "mac": row.get("mac-address", ""),
            "interface": row.get("on-interface") or row.get("interface", ""),
            "bridge": row.get("bridge", ""),
        }
        for row in rows[:_FDB_ROWS]
        if row.get("local") not in _YES
    ]


def _neighbours(session: Session) -> list[Parts]:
    rows = session.table("/ip/neighbor", ("interface", "identity", "mac-address", "address"))
    return [
        {
            "interface": row.get("interface", ""),
            "identity": row.get("identity", ""),
            "mac": row.get("mac-address", ""),
            "address": row.get("address", ""),
        }
        for row in rows
    ]


def _services(session: Session) -> list[Parts]:
    rows = session.table("/ip/service", ("name", "disabled", "address", "certificate", "dynamic"))
    return [
        {
            "name": row.get("name", ""),
            "disabled": row.get("disabled") in _YES,
            "address": row.get("address", ""),
            "certificate": row.get("certificate", ""),
        }
        for row in rows
        # A connection shows as a row of its own.
        if row.get("dynamic") not in _YES
    ]


def _users(session: Session) -> list[Parts]:
    rows = session.table("/user", ("name", "group", "disabled"))
    return [
        {"name": row.get("name", ""), "group": row.get("group", ""), "disabled": row.get("disabled") in _YES}
        for row in rows
    ]


def _health(session: Session) -> dict[str, str]:
    return {row["name"]: row.get("value", "") for row in session.call("/system/health/print") if "name" in row}


class Observer:
    """Reads one switch; what ports are called is read once and used by several parts."""

    def __init__(self, session: Session, declared: list[Mapping[str, Any]]) -> None:
        self._session = session
        self._declared = declared
        self._ports: list[Row] | None = None
        self._monitored: list[Row] | None = None

    def sources(self) -> dict[str, Callable[[], Any]]:
        """Return every source by the part that it gives, what rules need most before the rest."""
        session = self._session
        table = session.table
        return {
            "system": lambda: _system(session),
            "ports": self._all_ports,
            "monitor": self._monitor,
            "links": self._links,
            "bridges": lambda: table(bridge.BRIDGES, _BRIDGE_PROPLIST),
            "bridge_ports": lambda: table(bridge.PORTS, _BRIDGE_PORT_PROPLIST),
            "counters": lambda: counters(session.call(f"{ports.PATH}/print", {"stats": ""}), self._factory_names()),
            "fdb": lambda: _fdb(session),
            "health": lambda: _health(session),
            "services": lambda: _services(session),
            "users": lambda: _users(session),
            "neighbours": lambda: _neighbours(session),
            "qos_ports": lambda: table(
                "/interface/ethernet/switch/qos/port", ("name", "egress-rate-queue3", "pfc", "trust-l3")
            ),
            "nd": lambda: table("/ipv6/nd", ("interface", "ra-lifetime", "disabled")),
        }

    def _all_ports(self) -> list[Row]:
        if self._ports is None:
            self._ports = self._session.table(ports.PATH, ports.PROPLIST)
        return self._ports

    def _factory_names(self) -> dict[str, str]:
        """Return the factory name of each port by the name that its owner gave it."""
        return {row["name"]: row.get(ports.KEY, row["name"]) for row in self._all_ports()}

    def _monitor(self) -> list[Row]:
        if self._monitored is None:
            own = {factory: name for name, factory in self._factory_names().items()}
            wanted = ",".join(own[link["port"]] for link in self._declared if link["port"] in own)
            asked = {"numbers": wanted, "once": ""}
            self._monitored = self._session.call(f"{ports.PATH}/monitor", asked) if wanted else []
        return self._monitored

    def _links(self) -> list[dict[str, Any]]:
        factory = self._factory_names()
        rows = {factory.get(row["name"], row["name"]): row for row in self._monitor()}
        return [result.to_dict() for result in links.judge_all(self._declared, rows)]


def observe(session: Session, declared: list[Mapping[str, Any]]) -> tuple[Parts, dict[str, str]]:
    """Return what the switch showed by part, and why other parts are missing."""
    parts: Parts = {}
    missing: dict[str, str] = {}
    lost = ""
    for name, source in Observer(session, declared).sources().items():
        if lost:
            missing[name] = lost
            continue
        try:
            parts[name] = source()
        except TrapError as error:
            missing[name] = error.message
        except UnreachableError as error:
            missing[name] = lost = str(error)
        except (KeyError, IndexError) as error:
            missing[name] = f"the answer lacks {error}"
    return parts, missing
