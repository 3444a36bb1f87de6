"""Frames go where settings, cables and bridges let them, once, and never round in circles."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import CableEnd
from bench import FORCED_200G, MODELS, Bench, cable, cage

from lab.cables import PluggedCable
from lab.dataplane import Fabric, Nic
from lab.wiring import ForwardingPort

BROADCAST = b"\xff" * 6
QSFP = ("crs812/qsfp56-1", "crs812/qsfp56-2")
DD = "crs804/qsfp56-dd-2"
TRUNK = ("crs812/qsfp56-dd-1", "crs804/qsfp56-dd-1")
SPARKS = tuple(f"spark-{number}" for number in range(1, 5))


def rail(node: str, letter: str = "A") -> Nic:
    return node, {"A": "enp1s0f1np1", "B": "enP2p1s0f1np1"}[letter]


def mac(nic: Nic) -> bytes:
    """Return a MAC of its own for every NIC."""
    return bytes([0x52, 0x54, 0, 0, int(nic[1].startswith("enP")), int(nic[0][-1])])


def frame(source: bytes, destination: bytes, payload: int = 100) -> bytes:
    return destination + source + b"\x08\x00" + bytes(payload)


def rack(*more: PluggedCable) -> Bench:
    """Sparks 1 and 2 on one switch, 3 and 4 on the other, a trunk between them."""
    bench = Bench(
        cable("200g-dac", QSFP[0], "spark-1/1"),
        cable("200g-dac", QSFP[1], "spark-2/1"),
        cable("400g-dac-2x200g", DD, "spark-3/1", "spark-4/1"),
        cable("400g-dac", *TRUNK),
        *more,
    )
    return bench.set((f"{QSFP[0]}-1", f"{QSFP[1]}-1", f"{DD}-1", f"{DD}-5"), **FORCED_200G)


class Plane:
    """A fabric over a bench; ``send`` returns who got a frame."""

    def __init__(self, bench: Bench, l2mtu: int = 9216) -> None:
        self.bench = bench
        self.ports = {
            switch: {name: ForwardingPort(name, l2mtu, "bridge") for name in bench.settings[switch]}
            for switch in MODELS
        }
        self.direct: dict[CableEnd, CableEnd] = {}
        self.wire()

    def wire(self) -> None:
        cages = {CableEnd(name, "1"): (rail(name), rail(name, "B")) for name in SPARKS}
        self.fabric = Fabric(cages, self.bench.state(), self.ports, self.direct)

    def forward(self, text: str, **changes: object) -> None:
        switch, _, port = text.partition("/")
        self.ports[switch][port] = replace(self.ports[switch][port], **changes)  # type: ignore[arg-type]
        self.wire()

    def send(self, source: Nic, to: Nic | None = None, payload: int = 100) -> list[Nic]:
        destination = mac(to) if to else BROADCAST
        return sorted(self.fabric.deliver(source, frame(mac(source), destination, payload)))

    def reaches(self, source: Nic, to: Nic, payload: int = 100) -> bool:
        return to in self.send(source, to, payload)


@pytest.fixture
def plane() -> Plane:
    return Plane(rack())


def everyone_but(nic: Nic) -> list[Nic]:
    return sorted(rail(node, letter) for node in SPARKS for letter in "AB" if rail(node, letter) != nic)


def test_a_broadcast_reaches_both_rails_of_every_spark_once_over_both_switches(plane: Plane) -> None:
    for node in SPARKS:
        assert plane.send(rail(node)) == everyone_but(rail(node))


def test_an_unknown_destination_is_flooded_and_a_learned_one_is_not(plane: Plane) -> None:
    one, four = rail("spark-1"), rail("spark-4", "B")
    assert plane.send(one, four) == everyone_but(one)
    assert plane.send(four, one) == [one]
    assert plane.send(one, four) == [four]


def test_a_destination_that_moved_is_learned_anew(plane: Plane) -> None:
    one, two, four = rail("spark-1"), rail("spark-2"), rail("spark-4")
    plane.send(four)
    moved = frame(mac(four), BROADCAST)  # the same MAC now speaks from another Spark
    list(plane.fabric.deliver(two, moved))
    assert plane.send(one, four) == [two]


def test_frames_between_the_rails_of_a_cage_stay_in_it(plane: Plane) -> None:
    a, b = rail("spark-1"), rail("spark-1", "B")
    plane.send(b)
    assert plane.send(a, b) == [b]


def test_a_group_address_is_never_learned(plane: Plane) -> None:
    one = rail("spark-1")
    list(plane.fabric.deliver(rail("spark-2"), frame(BROADCAST, mac(one))))
    assert plane.send(one) == everyone_but(one)


def test_both_rails_of_a_cage_reach_each_other_also_without_a_cable(plane: Plane) -> None:
    a, b = rail("spark-1"), rail("spark-1", "B")
    plane.bench.cables[0] = replace(plane.bench.cables[0], unplugged=frozenset({cage("spark-1/1")}))
    plane.wire()
    assert plane.send(a) == [b]
    assert plane.send(b, a) == [a]


@pytest.mark.parametrize(("payload", "arrives"), [(9216, True), (9217, False)])
def test_a_frame_longer_than_the_l2mtu_is_dropped(plane: Plane, payload: int, arrives: bool) -> None:
    assert plane.reaches(rail("spark-1"), rail("spark-2"), payload) is arrives


@pytest.mark.parametrize("port", [f"{QSFP[0]}-1", f"{TRUNK[0]}-1", f"{TRUNK[1]}-1", f"{DD}-5"])
def test_one_small_l2mtu_on_the_way_is_enough(plane: Plane, port: str) -> None:
    plane.forward(port, l2mtu=1584)
    one, four = rail("spark-1"), rail("spark-4")
    assert plane.reaches(one, four, 1584)
    assert not plane.reaches(one, four, 1585)
    assert not plane.reaches(four, one, 9000)


def test_a_port_in_another_bridge_does_not_hear(plane: Plane) -> None:
    plane.forward(f"{QSFP[1]}-1", bridge="other")
    assert rail("spark-2") not in plane.send(rail("spark-1"))
    assert plane.send(rail("spark-2")) == [rail("spark-2", "B")]


def test_a_port_in_no_bridge_neither_hears_nor_speaks(plane: Plane) -> None:
    plane.forward(f"{QSFP[1]}-1", bridge=None)
    assert rail("spark-2") not in plane.send(rail("spark-1"))
    assert plane.send(rail("spark-2")) == [rail("spark-2", "B")]


def test_two_ports_in_no_bridge_are_not_together_in_one(plane: Plane) -> None:
    for port in QSFP:
        plane.forward(f"{port}-1", bridge=None)
    assert plane.send(rail("spark-1")) == [rail("spark-1", "B")]


@pytest.mark.parametrize("change", ["forwarding", "disabled"])
def test_a_disabled_port_moves_nothing(plane: Plane, change: str) -> None:
    if change == "forwarding":
        plane.forward(f"{QSFP[1]}-1", forwarding=False)
    else:
        plane.bench.set(f"{QSFP[1]}-1", disabled=True)
        plane.wire()
    assert rail("spark-2") not in plane.send(rail("spark-1"))
    assert plane.send(rail("spark-2")) == [rail("spark-2", "B")]


def test_a_false_link_ok_moves_nothing(plane: Plane) -> None:
    plane.bench.set(f"{QSFP[1]}-1", fec_mode="off")
    plane.wire()
    assert rail("spark-2") not in plane.send(rail("spark-1"))
    assert plane.send(rail("spark-2")) == [rail("spark-2", "B")]


def test_without_a_trunk_each_switch_is_alone(plane: Plane) -> None:
    plane.bench.set(f"{TRUNK[0]}-1", auto_negotiation=False, speed="200G-baseCR4")
    plane.wire()
    assert {nic[0] for nic in plane.send(rail("spark-1"))} == {"spark-1", "spark-2"}
    assert {nic[0] for nic in plane.send(rail("spark-3"))} == {"spark-3", "spark-4"}


def test_vlans_keep_ports_of_one_bridge_apart(plane: Plane) -> None:
    plane.forward(f"{QSFP[1]}-1", pvid=20)
    assert rail("spark-2") not in plane.send(rail("spark-1"))


def test_a_loop_of_two_trunks_does_not_storm() -> None:
    plane = Plane(rack(cable("400g-dac", "crs812/qsfp56-dd-2", "crs804/qsfp56-dd-4")))
    assert plane.bench.port("crs812/qsfp56-dd-2-1").carrier
    for node in SPARKS:
        assert plane.send(rail(node)) == everyone_but(rail(node))


def test_a_direct_pair_hears_itself_alone() -> None:
    bench = Bench(cable("200g-dac-qsfp112", "spark-1/1", "spark-2/1"))
    plane = Plane(bench)
    plane.direct = {cage("spark-1/1"): cage("spark-2/1"), cage("spark-2/1"): cage("spark-1/1")}
    plane.wire()
    assert plane.send(rail("spark-1")) == sorted([rail("spark-1", "B"), rail("spark-2"), rail("spark-2", "B")])
    assert plane.send(rail("spark-2"), rail("spark-1")) == [rail("spark-1")]
    bench.cables[0] = replace(bench.cables[0], unplugged=frozenset({cage("spark-2/1")}))
    plane.wire()
    assert plane.send(rail("spark-1")) == [rail("spark-1", "B")]
