"""Ports: sizes in an order that the switch accepts at every step, and what a change interrupts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import Command
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.ports import KEY, PATH, plan
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import switch_models
from hypothesis import given, settings
from hypothesis import strategies as st

Rows = list[dict[str, str]]


def row(name: str, index: int = 1, **changes: str) -> dict[str, str]:
    factory = {
        ".id": f"*{index:X}",
        "name": name,
        KEY: name,
        "disabled": "false",
        "l2mtu": "1584",
        "mtu": "1500",
        "auto-negotiation": "true",
        "speed": "1G-baseX",
        "fec-mode": "auto",
    }
    return factory | {key.replace("_", "-"): value for key, value in changes.items()}


def steps(commands: Sequence[Command], rows: Rows) -> Iterator[Rows]:
    """Yield the rows after each sentence; ``yes`` is shown as ``true``."""
    state = {each[".id"]: dict(each) for each in rows}
    for command in commands:
        assert command.word == f"{PATH}/set"
        for wanted in command.attributes[".id"].split(","):
            state[wanted] |= {
                key: {"yes": "true", "no": "false"}.get(value, value)
                for key, value in command.attributes.items()
                if key != ".id"
            }
        yield [dict(each) for each in state.values()]


def attribute_order(commands: Sequence[Command]) -> list[list[str]]:
    return [[key for key in command.attributes if key != ".id"] for command in commands]


def test_nothing_to_do_is_no_sentence() -> None:
    found = plan([{"name": "p1", "l2mtu": 1584, "mtu": 1500, "disabled": False}], [row("p1")])
    assert (found.changes, found.commands, found.missing) == ((), (), ())
    assert str(found.blast_radius) == "no link goes down"


def test_what_is_not_named_is_left_alone() -> None:
    wanted: list[dict[str, Any]] = [{"name": "p1", "cage": "c", "role": "companion", "speed": None, "disabled": False}]
    assert plan(wanted, [row("p1", speed="200G-baseCR4", auto_negotiation="false")]).commands == ()


def test_frames_are_raised_l2mtu_first() -> None:
    found = plan([{"name": "p1", "l2mtu": 9216, "mtu": 9000}], [row("p1")])
    assert attribute_order(found.commands) == [["l2mtu"], ["mtu"]]


def test_frames_are_lowered_mtu_first() -> None:
    found = plan([{"name": "p1", "l2mtu": 1584, "mtu": 1500}], [row("p1", l2mtu="9216", mtu="9000")])
    assert attribute_order(found.commands) == [["mtu"], ["l2mtu"]]


def test_one_switch_may_have_both() -> None:
    rows = [row("up", 1), row("down", 2, l2mtu="9570", mtu="9500")]
    wanted = [{"name": name, "l2mtu": 9216, "mtu": 9000} for name in ("up", "down")]
    found = plan(wanted, rows)
    for state in steps(found.commands, rows):
        assert all(int(each["mtu"]) <= int(each["l2mtu"]) for each in state)
    assert plan(wanted, state).commands == ()


def test_speed_negotiation_and_fec_are_set_together() -> None:
    wanted = {"name": "p1", "auto_negotiation": False, "speed": "200G-baseCR4", "fec_mode": "fec91"}
    found = plan([wanted], [row("p1")])
    assert [dict(command.attributes) for command in found.commands] == [
        {".id": "*1", "auto-negotiation": "no", "speed": "200G-baseCR4", "fec-mode": "fec91"}
    ]


def test_many_ports_alike_are_few_sentences() -> None:
    rows = [row(f"p{number}", number) for number in range(1, 25)]
    wanted = [
        {
            "name": f"p{number}",
            "l2mtu": 9216,
            "mtu": 9000,
            "disabled": False,
            "auto_negotiation": False,
            "speed": "200G-baseCR4",
            "fec_mode": "fec91",
        }
        for number in range(1, 25)
    ]
    assert len(plan(wanted, rows).commands) == 3


@pytest.mark.parametrize("model", sorted(switch_models()))
@pytest.mark.parametrize(("rows_frame", "wanted_frame"), [((1500, 1584), (9000, 9216)), ((9000, 9216), (1500, 1584))])
def test_the_greatest_change_fits_into_what_safe_mode_can_undo(
    model: str, rows_frame: tuple[int, int], wanted_frame: tuple[int, int]
) -> None:
    """RouterOS keeps a hundred changes; counted one a row and sentence, a whole switch has to fit."""
    cabled = [port for port in switch_models()[model].ports if port.kind != "10GBASE-T"]
    rows = [
        row(port.name, index, disabled="true", mtu=str(rows_frame[0]), l2mtu=str(rows_frame[1]))
        for index, port in enumerate(cabled, start=1)
    ]
    wanted = [
        {
            "name": port.name,
            "disabled": False,
            "mtu": wanted_frame[0],
            "l2mtu": wanted_frame[1],
            "auto_negotiation": False,
            "speed": "50G-baseCR",
            "fec_mode": "fec91",
        }
        for port in cabled
    ]
    commands = plan(wanted, rows).commands
    assert sum(len(command.keys) for command in commands) <= 100
    assert len(commands) == 3


def test_a_port_that_the_switch_lacks_is_missing_and_the_others_are_planned() -> None:
    found = plan([{"name": "p9", "mtu": 9000}, {"name": "p1", "mtu": 1400}], [row("p1")])
    assert found.missing == ("p9",)
    assert [change.key for change in found.changes] == ["p1"]


def test_a_renamed_port_is_known_by_its_factory_name() -> None:
    found = plan([{"name": "p1", "mtu": 1400}], [{**row("p1"), "name": "uplink"}, {**row("p2", 2), "name": "p1"}])
    assert [command.attributes[".id"] for command in found.commands] == ["*1"]
    assert found.missing == ()


def test_a_row_without_a_factory_name_is_no_port() -> None:
    odd = {".id": "*9", "name": "p1", "mtu": "1500"}
    assert plan([{"name": "p1", "mtu": 1500}], [odd]).missing == ("p1",)


# --- any sizes ------------------------------------------------------------------------------------

SIZES = st.tuples(st.integers(68, 9570), st.integers(68, 9570)).map(sorted)


@settings(deadline=None)  # A busy machine is no fault.
@given(st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=6))
def test_at_no_step_is_an_mtu_above_its_l2mtu(sizes: list[tuple[list[int], list[int]]]) -> None:
    rows = [
        row(f"p{index}", index, mtu=str(mtu), l2mtu=str(l2mtu))
        for index, ((mtu, l2mtu), _) in enumerate(sizes, start=1)
    ]
    wanted = [
        {"name": f"p{index}", "mtu": mtu, "l2mtu": l2mtu} for index, (_, (mtu, l2mtu)) in enumerate(sizes, start=1)
    ]
    state: Rows = rows
    for state in steps(plan(wanted, rows).commands, rows):
        assert all(int(each["mtu"]) <= int(each["l2mtu"]) for each in state)
    assert [(int(each["mtu"]), int(each["l2mtu"])) for each in state] == [(mtu, l2mtu) for _, (mtu, l2mtu) in sizes]
    assert plan(wanted, state).commands == ()


# --- what goes down -------------------------------------------------------------------------------

CAGES = {"c1-1": "c1", "c1-5": "c1", "c2-1": "c2"}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({}, "no link goes down"),
        ({"c1-1": {"mtu": 1400}}, "no link goes down"),
        (
            {"c1-1": {"l2mtu": 9216}},
            "a new l2mtu restarts every interface of the switch, the management port included",
        ),
        (
            {"c1-1": {"l2mtu": 9216, "disabled": True, "speed": "x"}},
            "a new l2mtu restarts every interface of the switch, the management port included",
        ),
        ({"c1-1": {"speed": "x"}, "c2-1": {"mtu": 1400}}, "the links of c1-1 go down and come up again"),
        (
            {"c1-1": {"speed": "x"}, "c2-1": {"fec_mode": "fec91"}},
            "the links of c1-1, c2-1 go down and come up again",
        ),
        ({"c1-5": {"disabled": True}, "c1-1": {"speed": "x"}}, "enabling or disabling a lane restarts all of c1"),
        (
            {"c1-5": {"disabled": True}, "c2-1": {"auto_negotiation": False}},
            "enabling or disabling a lane restarts all of c1; the links of c2-1 go down and come up again",
        ),
    ],
)
def test_the_blast_radius_is_said(wanted: dict[str, dict[str, Any]], words: str) -> None:
    rows = [row(name, index) for index, name in enumerate(CAGES, start=1)]
    ports = [{"name": name, "cage": CAGES[name], **attributes} for name, attributes in wanted.items()]
    assert str(plan(ports, rows).blast_radius) == words


def test_a_port_without_a_declared_cage_speaks_for_itself() -> None:
    found = plan([{"name": "p1", "cage": None, "disabled": True}], [row("p1")])
    assert str(found.blast_radius) == "enabling or disabling a lane restarts all of p1"
