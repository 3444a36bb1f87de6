"""Faults of switches and cables: each shows, each is put right again, whatever happened meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text
from bench import cage

from lab.faults import KINDS, FaultBook
from lab.rack import RackError, RackOptions, Switchboard

ROOT = Path(__file__).parents[3]
FORCED = {"auto_negotiation": "no", "speed": "200G-baseCR4", "fec_mode": "fec91"}
PORT = "crs812/qsfp56-1-1"


@cache
def spark8() -> Cluster:
    return parse_text((ROOT / "inventories/lab/spark8.cluster.yml").read_text(encoding="utf-8"))


@pytest.fixture
def board() -> Switchboard:
    """A rack that is set up, with its ports settled at once."""
    board = Switchboard(spark8(), RackOptions(settle_seconds=0.0))
    crs = board.switches["crs812"]
    for port in ("qsfp56-1-1", "qsfp56-2-1", "qsfp56-dd-2-1", "qsfp56-dd-2-5"):
        crs.configure("/interface/ethernet", port, **FORCED)
    return board


def picture(board: Switchboard) -> Any:
    """Return everything that a fault could change."""
    switches = {name: (crs.export(), crs.faults.api_down, crs.faults.die_after) for name, crs in board.switches.items()}
    state = board.state()
    return switches, list(board.cables), dict(state.ports), dict(state.nodes)


def port_of(board: Switchboard, name: str) -> Any:
    return board.state().ports["crs812", name]


def carrier(board: Switchboard, node: str) -> bool:
    return board.state().nodes[cage(f"{node}/1")].carrier


FAULTS: list[tuple[str, str, str, Callable[[Switchboard], bool]]] = [
    ("cable", "crs812/qsfp56-1", "100g-dac", lambda b: port_of(b, "qsfp56-1-1").status == "no-link"),
    ("cable", "spark-3/1", "100g-dac", lambda b: not carrier(b, "spark-3")),
    ("eeprom", "crs812/qsfp56-1", "bad", lambda b: not port_of(b, "qsfp56-1-1").module.checksum_good),
    ("unplug", "crs812/qsfp56-1", "", lambda b: not port_of(b, "qsfp56-1-1").module.present),
    ("unplug", "spark-1/1", "", lambda b: not carrier(b, "spark-1") and carrier(b, "spark-2")),
    ("port-speed", PORT, "50G-baseCR2", lambda b: port_of(b, "qsfp56-1-1").rate_gbps == 50),
    ("port-speed", PORT, "auto", lambda b: port_of(b, "qsfp56-1-1").rate_gbps == 50),
    ("l2mtu", PORT, "1600", lambda b: b.switches["crs812"].port_settings()["qsfp56-1-1"].l2mtu == 1600),
    ("l2mtu", PORT, "1400", lambda b: b.switches["crs812"].port_settings()["qsfp56-1-1"].mtu == 1400),
    ("lane-disabled", "crs812/qsfp56-dd-2-2", "", lambda b: not carrier(b, "spark-1") and carrier(b, "spark-2")),
    ("api-down", "crs812", "", lambda b: b.switches["crs812"].faults.api_down),
    ("api-dies", "crs812", "3", lambda b: b.switches["crs812"].faults.die_after == 3),
]
EACH = pytest.mark.parametrize(
    ("kind", "target", "value", "shows"), FAULTS, ids=lambda each: "" if callable(each) else str(each)
)


@EACH
def test_a_fault_shows_and_is_put_right(
    board: Switchboard, kind: str, target: str, value: str, shows: Callable[[Switchboard], bool]
) -> None:
    async def run() -> None:
        before = picture(board)
        assert not shows(board)
        book = FaultBook(board)
        await book.set(kind, target, value)
        assert shows(board)
        assert book.listing() == [{"kind": kind, "target": target, "value": value}]
        assert await book.clear(kind, target) == 1
        assert book.listing() == []
        assert picture(board) == before

    asyncio.run(run())


@EACH
def test_a_fault_that_is_set_twice_is_cleared_once(
    board: Switchboard, kind: str, target: str, value: str, shows: Callable[[Switchboard], bool]
) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set(kind, target, value)
        await book.set(kind, target, value)
        assert shows(board)
        assert await book.clear() == 1
        assert picture(board) == before

    asyncio.run(run())


def test_several_faults_are_cleared_together_newest_first(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        for kind, target, value, _ in FAULTS:
            await book.set(kind, target, value)
        assert await book.clear() > 5
        assert picture(board) == before

    asyncio.run(run())


def test_faults_of_one_cable_are_cleared_in_any_order(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set("eeprom", "crs812/qsfp56-dd-2", "bad")
        await book.set("unplug", "spark-1/1", "")
        await book.set("unplug", "spark-2/1", "")
        await book.clear("eeprom")
        assert not carrier(board, "spark-1")
        assert not carrier(board, "spark-2")
        assert port_of(board, "qsfp56-dd-2-1").module.checksum_good
        await book.clear("unplug", "spark-1/1")
        assert carrier(board, "spark-1")
        assert not carrier(board, "spark-2")
        await book.clear()
        assert picture(board) == before

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["cable", "eeprom"])
def test_a_fault_at_both_ends_of_one_cable_is_cleared_in_any_order(board: Switchboard, kind: str) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set(kind, "crs812/qsfp56-1", "100g-dac")
        await book.set(kind, "spark-3/1", "100g-dac")
        await book.clear(kind, "crs812/qsfp56-1")
        assert picture(board) != before
        await book.clear(kind, "spark-3/1")
        assert picture(board) == before

    asyncio.run(run())


def test_faults_of_one_port_are_cleared_in_any_order(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set("port-speed", PORT, "50G-baseCR2")
        await book.set("l2mtu", PORT, "1600")
        await book.set("lane-disabled", PORT, "")
        for kind in ("port-speed", "lane-disabled", "l2mtu"):
            assert await book.clear(kind) == 1
        assert picture(board) == before

    asyncio.run(run())


def test_a_fault_that_the_product_mended_is_cleared_all_the_same(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set("l2mtu", PORT, "1400")
        await book.set("port-speed", "crs812/qsfp56-2-1", "auto")
        crs = board.switches["crs812"]
        crs.configure("/interface/ethernet", "qsfp56-1-1", l2mtu="9216")
        crs.configure("/interface/ethernet", "qsfp56-1-1", mtu="9000")
        crs.configure("/interface/ethernet", "qsfp56-2-1", **FORCED)
        assert await book.clear() == 2
        assert picture(board) == before

    asyncio.run(run())


def test_a_small_l2mtu_is_put_back_also_where_the_product_raised_the_mtu(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set("l2mtu", PORT, "1600")
        board.switches["crs812"].configure("/interface/ethernet", "qsfp56-1-1", l2mtu="9216")
        board.switches["crs812"].configure("/interface/ethernet", "qsfp56-1-1", mtu="9000")
        await book.clear()
        assert picture(board) == before

    asyncio.run(run())


def test_a_cable_that_was_set_while_another_is_in_keeps_the_kind_of_the_first(board: Switchboard) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        await book.set("cable", "crs812/qsfp56-1", "100g-dac")
        await book.set("cable", "crs812/qsfp56-1", "200g-dac-qsfp112")
        assert [fault["value"] for fault in book.listing()] == ["200g-dac-qsfp112"]
        await book.clear("cable")
        assert picture(board) == before

    asyncio.run(run())


@pytest.mark.parametrize(
    ("kind", "target", "value", "words"),
    [
        ("cabel", "crs812/qsfp56-1", "100g-dac", "no fault 'cabel'; did you mean cable?"),
        ("xyzzy", "crs812", "", "no fault 'xyzzy'; known: cable, eeprom"),
        ("cable", "crs812/qsfp56-1", "", "cable needs a value: lab fault cable CAGE KIND"),
        ("cable", "crs812/qsfp56-1", "10m-string", "no cable kind '10m-string'; known: "),
        ("cable", "crs812/qsfp56-9", "100g-dac", "no cable ends in 'crs812/qsfp56-9'; ends: "),
        ("unplug", "spark-9/1", "", "no cable ends in 'spark-9/1'"),
        ("port-speed", "crs999/qsfp56-1-1", "auto", "no switch 'crs999'; known: crs812, crs804"),
        ("port-speed", "crs812/qsfp56-9-1", "auto", "crs812 has no port 'qsfp56-9-1'"),
        ("l2mtu", "crs812/qsfp56-9-1", "1600", "crs812 has no port 'qsfp56-9-1'"),
        ("port-speed", PORT, "warp", f"{PORT} refuses: "),
        ("l2mtu", PORT, "many", f"{PORT} refuses: "),
        ("l2mtu", PORT, "99999", f"{PORT} refuses: "),
        ("api-dies", "crs812", "soon", "'soon' is not a whole number"),
        ("dead", "spark-1", "", "this rack has no guests"),
        ("clock", "spark-1", "5", "this rack has no guests"),
    ],
)
def test_a_fault_that_cannot_be_set_is_said_and_changes_nothing(
    board: Switchboard, kind: str, target: str, value: str, words: str
) -> None:
    async def run() -> None:
        before = picture(board)
        book = FaultBook(board)
        with pytest.raises(RackError) as error:
            await book.set(kind, target, value)
        assert words in str(error.value)
        assert book.listing() == []
        assert picture(board) == before

    asyncio.run(run())


def test_every_fault_of_switches_and_cables_is_tried_here() -> None:
    of_nodes = {kind for kind, each in KINDS.items() if each.target == "NODE"}
    assert {kind for kind, *_ in FAULTS} == KINDS.keys() - of_nodes
