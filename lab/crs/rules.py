"""What the tables of a CRS make of one another: values the device works out, and changes it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

from lab.wiring import ForwardingPort

from . import errors
from .store import Row, Values

if TYPE_CHECKING:
    from .state import State

ETHERNET, BRIDGE, MEMBERS = "/interface/ethernet", "/interface/bridge", "/interface/bridge/port"
INTERFACES = frozenset({ETHERNET, BRIDGE, "/interface/bonding", "/interface/vlan"})
# Properties that name interfaces and follow a rename.
REFERENCES = frozenset({"interface", "bridge", "slaves", "tagged", "untagged", "primary"})
_LISTS = frozenset({"slaves", "tagged", "untagged"})
_LOOSE_L2MTU = 65535  # what a bridge without members shows
_CPU_PORT = "10GBASE-T"  # ether1 and ether2 hang off the CPU: bridged in software
_SHAPER_CAP_UNTIL = (7, 22, 99)
_SHAPER_CAP = 100 * 10**9


def _yes(flag: bool) -> str:
    return "true" if flag else "false"


def _members(state: State, bridge: str) -> list[Row]:
    return [row for row in state.store.tables[MEMBERS].rows if row.values["bridge"] == bridge]


def _kind(state: State, interface: str) -> str:
    """Return the kind of cage behind an interface; empty for a virtual one."""
    found = state.interface(interface)
    return state.ports[found[1].values["default-name"]].kind if found and found[0] == ETHERNET else ""


def _is_running(state: State, interface: str) -> bool:
    found = state.interface(interface)
    if not found or found[1].values.get("disabled") == "true":
        return False
    return found[0] != ETHERNET or state.link_state(found[1]).status == "link-ok"


def offloaded_bridge(state: State) -> str | None:
    """Return the one bridge that the switch chip carries: the first with a member it could offload."""
    for bridge in state.store.tables[BRIDGE].rows:
        if bridge.values["disabled"] == "false" and any(
            _offloadable(state, row) for row in _members(state, bridge.name)
        ):
            return bridge.name
    return None


def _offloadable(state: State, member: Row) -> bool:
    kind = _kind(state, member.values["interface"])
    return member.values["hw"] == "true" and member.values["disabled"] == "false" and kind not in {"", _CPU_PORT}


def bridge_l2mtu(state: State, bridge: str) -> int:
    """Return a bridge's l2mtu: that of its smallest member."""
    found = (state.interface(row.values["interface"]) for row in _members(state, bridge))
    sizes = [int(row.values["l2mtu"]) for _, row in filter(None, found) if "l2mtu" in row.values]
    return min(sizes, default=_LOOSE_L2MTU)


# --- values the device works out ------------------------------------------------------------------


def _ethernet_row(state: State, row: Row) -> Values:
    slave = any(member.values["interface"] == row.name for member in state.store.tables[MEMBERS].rows)
    running = row.values["disabled"] == "false" and state.link_state(row).status == "link-ok"
    return {
        "actual-mtu": row.values["mtu"],
        "max-l2mtu": str(state.ports[row.values["default-name"]].max_l2mtu),
        "running": _yes(running),
        "slave": _yes(slave),
    }


def _bridge_row(state: State, row: Row) -> Values:
    l2mtu = bridge_l2mtu(state, row.name)
    mtus = [
        int(found[1].values["mtu"])
        for member in _members(state, row.name)
        if (found := state.interface(member.values["interface"]))
    ]
    actual = str(min(mtus, default=1500)) if row.values["mtu"] == "auto" else row.values["mtu"]
    return {
        "actual-mtu": actual,
        "l2mtu": str(l2mtu),
        "running": _yes(row.values["disabled"] == "false"),
        "dynamic": "false",
    }


def _member_row(state: State, row: Row) -> Values:
    disabled = row.values["disabled"] == "true"
    running = not disabled and _is_running(state, row.values["interface"])
    offloaded = row.values["bridge"] == offloaded_bridge(state) and _offloadable(state, row)
    status = "disabled" if disabled else "in-bridge" if running else "inactive"
    derived = {
        "status": status,
        "role": "designated-port" if running else "disabled-port",
        "forwarding": _yes(running),
        "learning": _yes(running),
        "inactive": _yes(not running),
        "dynamic": "false",
        "hw-offload": _yes(offloaded),
    }
    return derived | ({"hw-offload-group": "switch1"} if offloaded else {})


def _address_row(state: State, row: Row) -> Values:
    network = str(IPv4Interface(row.values["address"]).network.network_address)
    known = state.interface(row.values["interface"]) is not None
    return {
        "network": row.values.get("network", network),
        "actual-interface": row.values["interface"],
        "invalid": _yes(not known),
        "dynamic": "false",
    }


def _virtual_row(_state: State, row: Row) -> Values:
    return {"running": _yes(row.values["disabled"] == "false")}


_DERIVED: dict[str, Callable[[State, Row], Values]] = {
    ETHERNET: _ethernet_row,
    BRIDGE: _bridge_row,
    MEMBERS: _member_row,
    "/interface/bonding": _virtual_row,
    "/interface/vlan": _virtual_row,
    "/ip/address": _address_row,
    "/ip/service": lambda _state, _row: {"dynamic": "false", "invalid": "false"},
    "/interface/bridge/vlan": lambda _state, row: {
        "dynamic": "false",
        "current-tagged": row.values["tagged"],
        "current-untagged": row.values["untagged"],
    },
}


def derived(state: State, path: str, row: Row) -> Values:
    """Return what the device adds to a stored row."""
    rule = _DERIVED.get(path)
    return rule(state, row) if rule else {}


def connection_rows(connections: Iterable[tuple[str, str, str]]) -> list[Values]:
    """Return the dynamic rows of ``/ip/service``: one for each open connection (service, local, remote).

    That there are such rows was recorded, their ids were not.
    """
    return [
        {
            ".id": f"*F{number:07X}",
            "name": service,
            "port": local.rpartition(":")[2],
            "proto": "tcp",
            "dynamic": "true",
            "connection": "true",
            "local": local.rpartition(":")[0],
            "remote": remote,
        }
        for number, (service, local, remote) in enumerate(connections)
    ]


def made(state: State, path: str, values: Values) -> Values:
    """Return what the device gives a new row by itself: a name, a MAC address."""
    if path not in INTERFACES:
        return {}
    mac = {"mac-address": state.store.tables[ETHERNET].rows[0].values["mac-address"]}
    if "name" in values:
        return mac
    stem = path.rpartition("/")[2]
    taken = state.interface_names()
    return mac | {"name": next(f"{stem}{number}" for number in range(1, 1000) if f"{stem}{number}" not in taken)}


def forwarding_ports(state: State) -> dict[str, ForwardingPort]:
    """Return how each port forwards; a member's PVID counts only where its bridge filters VLANs."""
    bridges = {row.name: row for row in state.store.tables[BRIDGE].rows if row.values["disabled"] == "false"}
    members = {
        row.values["interface"]: row for row in state.store.tables[MEMBERS].rows if row.values["disabled"] == "false"
    }
    answer = {}
    for row in state.store.tables[ETHERNET].rows:
        member = members.get(row.name)
        bridge = bridges.get(member.values["bridge"]) if member else None
        filtering = bridge is not None and bridge.values["vlan-filtering"] == "true"
        answer[row.values["default-name"]] = ForwardingPort(
            name=row.values["default-name"],
            l2mtu=int(row.values["l2mtu"]),
            bridge=bridge.name if bridge else None,
            pvid=int(member.values["pvid"]) if member and filtering else 1,
            forwarding=row.values["disabled"] == "false",
        )
    return answer


# --- changes the device refuses -------------------------------------------------------------------


def _check_ethernet(state: State, row: Row, after: Values) -> None:
    highest = state.ports[row.values["default-name"]].max_l2mtu
    if int(after["l2mtu"]) > highest:
        # Nobody recorded whether the device refuses or clamps; refusing shows the mistake.
        raise errors.out_of_range("l2mtu", 0, highest)
    if int(after["mtu"]) > int(after["l2mtu"]):
        # An owner saw the refusal, nobody its words; these are the ones recorded for a bridge.
        raise errors.failure("could not set mtu")


def _check_bridge(state: State, row: Row, after: Values) -> None:
    if after["mtu"] != "auto" and int(after["mtu"]) > bridge_l2mtu(state, row.name):
        raise errors.failure("could not set mtu")


def _check_member(state: State, row: Row, after: Values) -> None:
    if state.store.tables[BRIDGE].find(after["bridge"]) is None:
        raise errors.no_match("bridge")
    if state.interface(after["interface"]) is None or after["interface"] == after["bridge"]:
        raise errors.no_match("interface")
    if any(
        other.values["interface"] == after["interface"]
        for other in state.store.tables[MEMBERS].rows
        if other is not row
    ):
        # The words are the console's as remembered; not recorded over the API.
        raise errors.failure("device already added as bridge port")


def _check_bonding(_state: State, _row: Row, after: Values) -> None:
    if not after.get("slaves"):
        raise errors.failure("need at least one slave interface")


def _check_address(state: State, row: Row, after: Values) -> None:
    try:
        wanted = IPv4Interface(after["address"])
    except ValueError:
        raise errors.invalid_value("address") from None
    after["address"] = str(wanted)
    others = (other for other in state.store.tables["/ip/address"].rows if other is not row)
    if any(
        (other.values["address"], other.values["interface"]) == (after["address"], after["interface"])
        for other in others
    ):
        raise errors.failure("already have such address")


def _check_user(state: State, _row: Row, after: Values) -> None:
    if state.store.tables["/user/group"].find(after["group"]) is None:
        raise errors.no_match("group")


def _check_qos_port(state: State, _row: Row, after: Values) -> None:
    if state.schema.version <= _SHAPER_CAP_UNTIL and any(
        int(value) > _SHAPER_CAP for key, value in after.items() if key.startswith("egress-rate-queue")
    ):
        raise errors.failure("max bit rate is 100G")
    base = "/interface/ethernet/switch/qos"
    for key, path in (
        ("profile", "profile"),
        ("map", "map"),
        ("tx-manager", "tx-manager"),
        ("pfc", "priority-flow-control"),
    ):
        table = state.store.tables.get(f"{base}/{path}")
        if key in after and table is not None and table.find(after[key]) is None:
            raise errors.no_match(key)


_CHECKS: dict[str, Callable[[State, Row, Values], None]] = {
    ETHERNET: _check_ethernet,
    BRIDGE: _check_bridge,
    MEMBERS: _check_member,
    "/interface/bonding": _check_bonding,
    "/ip/address": _check_address,
    "/user": _check_user,
    "/interface/ethernet/switch/qos/port": _check_qos_port,
}


def check(state: State, path: str, row: Row, after: Values) -> None:
    """Raise the trap that the device answers when ``row`` cannot become ``after``.

    ``row`` of a new item is empty.
    """
    name = after.get("name")
    if name is not None and name != row.name:
        if path in INTERFACES:
            if name in state.interface_names():
                raise errors.failure("already have interface with such name")
        elif any(other.name == name for other in state.store.tables[path].rows if other is not row):
            # Recorded for interfaces alone; the other tables follow its pattern.
            raise errors.failure(f"already have {path.rpartition('/')[2]} with such name")
    known = state.interface_names()
    for key in _LISTS & after.keys():
        if after[key] != row.values.get(key) and any(item not in known for item in after[key].split(",") if item):
            raise errors.no_match(key)
    if rule := _CHECKS.get(path):
        rule(state, row, after)
