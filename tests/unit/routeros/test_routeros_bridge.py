"""The bridge: its members come in, those of another bridge move, undeclared ones stay."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.bridge import BridgeRows, not_offloaded, plan
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import Command

Row = dict[str, str]
BRIDGE = {".id": "*24", "name": "bridge", "disabled": "false"}


def member(number: int, interface: str, bridge: str = "bridge", **changes: str) -> Row:
    row = {".id": f"*{number:X}", "interface": interface, "bridge": bridge, "disabled": "false", "hw": "true"}
    return row | {"hw-offload": "true"} | {key.replace("_", "-"): value for key, value in changes.items()}


def rows(ports: Sequence[Row], bridges: Sequence[Row] = (BRIDGE,), **renamed: str) -> BridgeRows:
    """Return the rows of a switch with the ports p1 to p3; ``renamed`` gives a port's current name."""
    ethernet = [{"name": renamed.get(name, name), "default-name": name} for name in ("p1", "p2", "p3")]
    return BridgeRows(bridges, ports, ethernet)


def sentences(commands: Sequence[Command]) -> list[tuple[str, Row]]:
    return [(command.word, dict(command.attributes)) for command in commands]


def test_members_that_are_in_place_need_nothing() -> None:
    found = plan("bridge", ["p1", "p2"], rows([member(1, "p1"), member(2, "p2")]))
    assert (found.changes, found.commands, found.moved, found.missing) == ((), (), (), ())


def test_a_missing_bridge_is_made_before_its_members() -> None:
    found = plan("fabric", ["p1"], rows([], bridges=()))
    assert sentences(found.commands) == [
        ("/interface/bridge/add", {"name": "fabric", "disabled": "no"}),
        ("/interface/bridge/port/add", {"interface": "p1", "bridge": "fabric", "disabled": "no", "hw": "yes"}),
    ]
    assert found.moved == ()


def test_a_disabled_bridge_is_enabled() -> None:
    found = plan("bridge", ["p1"], rows([member(1, "p1")], bridges=[{**BRIDGE, "disabled": "true"}]))
    assert sentences(found.commands) == [("/interface/bridge/set", {".id": "*24", "disabled": "no"})]


def test_ports_of_another_bridge_move_in_one_sentence() -> None:
    second = {".id": "*25", "name": "slow", "disabled": "false"}
    ports = [member(1, "p1"), member(2, "p2", "slow"), member(3, "p3", "slow")]
    found = plan("bridge", ["p1", "p2", "p3"], rows(ports, bridges=[BRIDGE, second]))
    assert sentences(found.commands) == [("/interface/bridge/port/set", {".id": "*2,*3", "bridge": "bridge"})]
    assert found.moved == ("p2", "p3")


def test_undeclared_members_and_bridges_stay() -> None:
    second = {".id": "*25", "name": "management", "disabled": "false"}
    ports = [member(1, "ether1"), member(2, "p2"), member(3, "p3", "management")]
    found = plan("bridge", ["p1"], rows(ports, bridges=[BRIDGE, second]))
    assert sentences(found.commands) == [
        ("/interface/bridge/port/add", {"interface": "p1", "bridge": "bridge", "disabled": "no", "hw": "yes"})
    ]


def test_a_disabled_member_is_enabled() -> None:
    found = plan("bridge", ["p1"], rows([member(1, "p1", disabled="true")]))
    assert sentences(found.commands) == [("/interface/bridge/port/set", {".id": "*1", "disabled": "no"})]
    assert found.moved == ()


def test_a_member_that_the_chip_must_not_forward_is_given_to_it() -> None:
    found = plan("bridge", ["p1"], rows([member(1, "p1", hw="false")]))
    assert sentences(found.commands) == [("/interface/bridge/port/set", {".id": "*1", "hw": "yes"})]


def test_a_renamed_port_is_found_by_its_factory_name() -> None:
    found = plan("bridge", ["p1", "p2"], rows([member(1, "to-spark-1")], p1="to-spark-1", p2="to-spark-2"))
    assert sentences(found.commands) == [
        ("/interface/bridge/port/add", {"interface": "to-spark-2", "bridge": "bridge", "disabled": "no", "hw": "yes"})
    ]


def test_two_ports_that_swapped_names_keep_their_places() -> None:
    found = plan("bridge", ["p1"], rows([member(1, "p2")], p1="p2", p2="p1"))
    assert found.commands == ()


def test_a_member_that_the_switch_lacks_is_missing() -> None:
    assert plan("bridge", ["p1", "p9"], rows([member(1, "p1")])).missing == ("p9",)


def test_what_the_chip_does_not_forward_is_named_by_its_current_name() -> None:
    ports = [member(1, "to-spark-1", hw_offload="false"), member(2, "p2"), member(3, "p3", hw_offload="false")]
    assert not_offloaded(["p1", "p2"], rows(ports, p1="to-spark-1")) == ["to-spark-1"]


def test_a_member_without_the_flag_is_not_forwarded_by_the_chip() -> None:
    port = member(1, "p1")
    del port["hw-offload"]
    assert not_offloaded(["p1", "p2"], rows([port])) == ["p1"]
