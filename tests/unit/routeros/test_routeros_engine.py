"""The engine: the fewest sentences, in order, that make the rows what is wanted."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.engine import (
    Change,
    Command,
    Entry,
    add_commands,
    diff_text,
    difference,
    same,
    set_commands,
)
from hypothesis import given, settings
from hypothesis import strategies as st

PATH = "/interface/ethernet"
Rows = list[dict[str, str]]


def change(key: str, after: dict[str, str], before: dict[str, str] | None = None, row: str | None = "*1") -> Change:
    return Change(key, row, before or {}, after)


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("true", "yes", True),
        ("yes", "true", True),
        ("false", "no", True),
        ("true", "no", False),
        ("false", "yes", False),
        ("9000", "9000", True),
        ("9000", "9000.0", False),
        (None, "no", False),
        (None, "", False),
        ("", "", True),
        ("True", "true", False),  # RouterOS prints no capitals; a name or comment may have them
    ],
)
def test_values_are_the_same_as_routeros_means_them(left: str | None, right: str, equal: bool) -> None:
    assert same(left, right) is equal


def test_only_what_differs_is_a_change() -> None:
    rows = [
        {".id": "*1", "name": "a", "mtu": "1500", "disabled": "false"},
        {".id": "*2", "name": "b", "mtu": "9000", "disabled": "false"},
    ]
    wanted = [Entry("a", {"mtu": "9000", "disabled": "no"}), Entry("b", {"mtu": "9000", "disabled": "no"})]
    assert difference(wanted, rows, "name") == [Change("a", "*1", {"mtu": "1500"}, {"mtu": "9000"})]


def test_changes_come_in_the_order_of_the_entries_and_a_missing_row_has_no_id() -> None:
    rows = [{".id": "*1", "name": "a", "mtu": "1500"}]
    wanted = [Entry("z", {"mtu": "9000"}), Entry("a", {"mtu": "9000"})]
    assert difference(wanted, rows, "name") == [
        Change("z", None, {}, {"mtu": "9000"}),
        Change("a", "*1", {"mtu": "1500"}, {"mtu": "9000"}),
    ]


def test_a_property_that_the_row_lacks_is_set_and_has_no_before() -> None:
    found = difference([Entry("a", {"speed": "200G-baseCR4"})], [{".id": "*1", "name": "a"}], "name")
    assert found == [Change("a", "*1", {}, {"speed": "200G-baseCR4"})]


def test_a_row_without_the_key_is_nobody() -> None:
    rows = [{".id": "*9", "mtu": "1"}, {".id": "*1", "name": "a", "mtu": "1"}]
    assert difference([Entry("a", {"mtu": "1"})], rows, "name") == []


def test_rows_that_change_alike_share_a_sentence() -> None:
    changes = [
        change("a", {"mtu": "9000"}, row="*A"),
        change("b", {"mtu": "9000"}, row="*B"),
        change("c", {"mtu": "1500"}, row="*C"),
    ]
    assert set_commands(PATH, changes, ()) == [
        Command(PATH, "set", {".id": "*A,*B", "mtu": "9000"}, ("a", "b")),
        Command(PATH, "set", {".id": "*C", "mtu": "1500"}, ("c",)),
    ]


def test_phases_are_kept_in_order_and_the_rest_comes_last_together() -> None:
    changes = [change("a", {"zeta": "1", "mtu": "9000", "alpha": "2", "l2mtu": "9216"})]
    commands = set_commands(PATH, changes, (("l2mtu",), ("mtu",)))
    assert [dict(command.attributes) for command in commands] == [
        {".id": "*1", "l2mtu": "9216"},
        {".id": "*1", "mtu": "9000"},
        {".id": "*1", "alpha": "2", "zeta": "1"},
    ]


def test_a_sentence_carries_only_what_its_rows_change() -> None:
    changes = [
        change("a", {"speed": "x", "fec-mode": "fec91"}, row="*A"),
        change("b", {"fec-mode": "fec91"}, row="*B"),
    ]
    commands = set_commands(PATH, changes, (("speed", "fec-mode"),))
    assert [dict(command.attributes) for command in commands] == [
        {".id": "*A", "speed": "x", "fec-mode": "fec91"},
        {".id": "*B", "fec-mode": "fec91"},
    ]


def test_missing_rows_are_added_and_never_set() -> None:
    changes = [change("a", {"bridge": "br"}, row=None), change("b", {"bridge": "br"})]
    assert add_commands("/p", changes, "interface") == [
        Command("/p", "add", {"interface": "a", "bridge": "br"}, ("a",))
    ]
    assert [command.keys for command in set_commands("/p", changes, ())] == [("b",)]


def test_nothing_to_do_is_no_sentence() -> None:
    assert set_commands(PATH, [], (("mtu",),)) == []
    assert add_commands(PATH, [], "name") == []
    assert diff_text([]) == ("", "")


def test_a_command_knows_its_word() -> None:
    assert Command(PATH, "set", {}).word == "/interface/ethernet/set"


def test_the_diff_has_one_line_an_attribute() -> None:
    changes = [
        change("a", {"mtu": "9000", "speed": "200G-baseCR4"}, {"mtu": "1500"}),
        change("b", {"bridge": "br"}, row=None),
    ]
    assert diff_text(changes) == (
        "a mtu=1500\na speed=\n",
        "a mtu=9000\na speed=200G-baseCR4\nb bridge=br\n",
    )


# --- any rows, any wishes -------------------------------------------------------------------------

NAMES = ("p1", "p2", "p3", "p4")
ATTRIBUTES = ("disabled", "l2mtu", "mtu", "speed", "comment")
VALUES = st.sampled_from(["yes", "no", "true", "false", "1500", "9000", "a,b", ""])
ATTRIBUTE_MAPS = st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES, max_size=5)
PHASES = st.permutations(ATTRIBUTES).flatmap(
    lambda order: st.integers(0, len(order)).map(lambda cut: [[name] for name in order[:cut]])
)


def as_printed(value: str) -> str:
    """Return what a device prints for what it was given."""
    return {"yes": "true", "no": "false"}.get(value, value)


def carry_out(rows: Rows, commands: list[Command]) -> None:
    """Play sentences on rows, as a device does."""
    for command in commands:
        attributes = {name: as_printed(value) for name, value in command.attributes.items() if name != ".id"}
        if command.verb == "add":
            rows.append({".id": f"*{len(rows) + 1}", **attributes})
            continue
        for wanted in command.attributes[".id"].split(","):
            next(row for row in rows if row[".id"] == wanted).update(attributes)


@settings(deadline=None)  # A busy machine is no fault.
@given(
    present=st.dictionaries(st.sampled_from(NAMES), ATTRIBUTE_MAPS),
    wanted=st.dictionaries(st.sampled_from(NAMES), ATTRIBUTE_MAPS),
    phases=PHASES,
)
def test_the_sentences_make_the_wanted_rows_and_nothing_else(
    present: dict[str, dict[str, str]], wanted: dict[str, dict[str, str]], phases: list[list[str]]
) -> None:
    rows: Rows = [
        {".id": f"*{index + 1}", "name": name, **{key: as_printed(value) for key, value in attributes.items()}}
        for index, (name, attributes) in enumerate(present.items())
    ]
    expected: dict[str, dict[str, Any]] = {row["name"]: dict(row) for row in rows}
    for name, attributes in wanted.items():
        expected.setdefault(name, {"name": name}).update({key: as_printed(v) for key, v in attributes.items()})

    entries = [Entry(name, attributes) for name, attributes in wanted.items()]
    changes = difference(entries, rows, "name")
    carry_out(rows, [*add_commands(PATH, changes, "name"), *set_commands(PATH, changes, phases)])

    assert {row["name"]: row for row in rows} == {
        name: {".id": f"*{index + 1}", **row} for index, (name, row) in enumerate(expected.items())
    }
    assert difference(entries, rows, "name") == []
