"""The physical layer plays what owners of these switches saw. B1 to B9 are the numbers of the bug catalogue."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import FORCED_200G, UP_TO_200G, Bench, cable, cage, lanes

from lab.physical import NodeLink, Physics

DD, OTHER = "crs812/qsfp56-dd-2", "crs804/qsfp56-dd-1"
ONE, FIVE = f"{DD}-1", f"{DD}-5"
QSFP = "crs812/qsfp56-1"
DOWN = NodeLink(carrier=False)
AT_200G = NodeLink(carrier=True, rate_gbps=200)
FORCED_400G = {"auto_negotiation": False, "speed": "400G-baseCR8", "fec_mode": "fec91"}
FORCED_CR4 = {"auto_negotiation": False, "speed": "100G-baseCR4", "fec_mode": "fec91"}
FORCED_CR2 = {"auto_negotiation": False, "speed": "100G-baseCR2", "fec_mode": "fec91"}


def straight(kind: str = "200g-dac", physics: Physics | None = None) -> Bench:
    """A Spark on a QSFP56 cage."""
    return Bench(cable(kind, QSFP, "spark-1/1"), physics=physics)


def breakout(physics: Physics | None = None) -> Bench:
    """Two Sparks on a QSFP56-DD cage."""
    return Bench(cable("400g-dac-2x200g", DD, "spark-1/1", "spark-2/1"), physics=physics)


def trunk(kind: str = "400g-dac") -> Bench:
    """Two switches joined."""
    return Bench(cable(kind, DD, OTHER))


def short(bench: Bench, port: str) -> tuple[str, str, int | None, bool]:
    state = bench.port(port)
    return state.status, state.auto_negotiation, state.rate_gbps, state.carrier


# --- towards a Spark ------------------------------------------------------------------------------


def test_b1_a_factory_port_towards_a_spark_comes_up_at_50g() -> None:
    bench = straight()
    assert short(bench, f"{QSFP}-1") == ("link-ok", "done", 50, True)
    assert bench.node("spark-1/1") == NodeLink(carrier=True, rate_gbps=50)


def test_b4_some_owners_got_100g_from_auto_negotiation() -> None:
    bench = straight(physics=Physics(auto_rate_to_node_gbps=100))
    assert short(bench, f"{QSFP}-1") == ("link-ok", "done", 100, True)


def test_b1_b4_a_forced_port_comes_up_at_200g() -> None:
    bench = straight().set(f"{QSFP}-1", **FORCED_200G)
    assert short(bench, f"{QSFP}-1") == ("link-ok", "disabled", 200, True)
    assert bench.port(f"{QSFP}-1").fec == "fec91"
    assert bench.node("spark-1/1") == AT_200G


def test_fec_auto_was_measured_as_fec91_at_200g() -> None:
    bench = straight().set(f"{QSFP}-1", **{**FORCED_200G, "fec_mode": "auto"})
    assert bench.port(f"{QSFP}-1").fec == "fec91"
    assert bench.node("spark-1/1") == AT_200G


def test_a_forced_400g_does_not_fit_a_spark() -> None:
    bench = Bench(cable("400g-dac", DD, "spark-1/1")).set(ONE, **FORCED_400G)
    assert short(bench, ONE) == ("no-link", "disabled", None, False)


def test_a_companion_shows_no_link_and_the_same_module() -> None:
    bench = straight().set(f"{QSFP}-1", **FORCED_200G)
    for port in lanes(QSFP, (2, 3, 4)):
        assert bench.port(port).status == "no-link"
        assert bench.port(port).module == bench.port(f"{QSFP}-1").module


# --- breakout -------------------------------------------------------------------------------------


def test_b2_a_factory_breakout_has_no_link_and_its_second_leg_advertises_nothing() -> None:
    bench = breakout()
    assert short(bench, ONE) == ("no-link", "failed", None, False)
    assert "400G-baseCR8" in bench.port(ONE).advertising
    assert short(bench, FIVE) == ("no-link", "incomplete", None, False)
    assert bench.port(FIVE).advertising == ()
    assert bench.node("spark-1/1") == bench.node("spark-2/1") == DOWN


def test_b2_the_fifth_lane_comes_up_by_itself_once_the_first_is_limited() -> None:
    bench = breakout().set(ONE, advertise=UP_TO_200G)
    assert "200G-baseCR4" in bench.port(FIVE).advertising
    assert short(bench, FIVE) == ("link-ok", "done", 50, True)
    assert bench.node("spark-2/1").carrier


def test_b2_both_legs_forced_come_up_at_200g() -> None:
    bench = breakout().set((ONE, FIVE), **FORCED_200G)
    for port in (ONE, FIVE):
        assert short(bench, port) == ("link-ok", "disabled", 200, True)
        assert bench.port(port).advertising == ()
    assert bench.node("spark-1/1") == bench.node("spark-2/1") == AT_200G


def test_b2_only_the_first_leg_forced_leaves_the_second_to_auto_negotiation() -> None:
    bench = breakout().set(ONE, **FORCED_200G)
    assert short(bench, ONE)[2] == 200
    assert short(bench, FIVE) == ("link-ok", "done", 50, True)


def test_b2_only_the_fifth_lane_forced_is_taken_by_the_first_as_a_companion() -> None:
    bench = breakout().set(FIVE, **FORCED_200G)
    assert short(bench, FIVE) == ("no-link", "disabled", None, False)


def test_b3_a_list_that_the_module_cannot_do_advertises_nothing() -> None:
    bench = straight("100g-dac").set(f"{QSFP}-1", advertise=("200G-baseCR4",))
    assert bench.port(f"{QSFP}-1").advertising == ()
    assert bench.port(f"{QSFP}-1").status == "no-link"


@pytest.mark.parametrize("disabled", [2, 3, 4])
def test_a_companion_that_is_disabled_takes_the_link_down(disabled: int) -> None:
    bench = breakout().set((ONE, FIVE), **FORCED_200G).set(f"{DD}-{disabled}", disabled=True)
    assert short(bench, ONE) == ("no-link", "disabled", None, False)
    assert short(bench, FIVE)[2] == 200
    assert bench.node("spark-1/1") == DOWN


def test_one_owner_forced_200g_with_the_other_lanes_disabled() -> None:
    bench = breakout(Physics(companions_must_be_enabled=False)).set((ONE, FIVE), **FORCED_200G)
    bench.set(lanes(DD, (2, 3, 4, 6, 7, 8)), disabled=True)
    assert short(bench, ONE)[2] == short(bench, FIVE)[2] == 200


def test_only_the_masters_enabled_give_50g_by_auto_negotiation() -> None:
    bench = breakout().set(lanes(DD, (2, 3, 4, 6, 7, 8)), disabled=True)
    for port in (ONE, FIVE):
        assert short(bench, port) == ("link-ok", "done", 50, True)
        assert bench.port(port).advertising[-1] == "50G-baseCR"


def test_a_mixed_cage_negotiates_100g_at_most_beside_a_forced_200g() -> None:
    bench = breakout(Physics(auto_rate_to_node_gbps=100)).set(FIVE, **FORCED_200G)
    bench.set(ONE, advertise=tuple(mode for mode in UP_TO_200G if not mode.startswith("200G")))
    assert short(bench, ONE) == ("link-ok", "done", 100, True)
    assert short(bench, FIVE) == ("link-ok", "disabled", 200, True)


def test_a_disabled_master_is_down_and_the_next_lane_takes_lanes_in_its_place() -> None:
    """Lanes are given out from the topmost enabled one, so a factory companion reaches into the other link."""
    bench = breakout().set((ONE, FIVE), **FORCED_200G).set(ONE, disabled=True)
    assert short(bench, ONE)[0] == short(bench, FIVE)[0] == "no-link"
    assert bench.node("spark-1/1") == bench.node("spark-2/1") == DOWN


def test_a_leg_whose_lanes_are_all_disabled_leaves_the_other_up() -> None:
    bench = breakout().set(FIVE, **FORCED_200G).set(lanes(DD, (1, 2, 3, 4)), disabled=True)
    assert bench.node("spark-1/1") == DOWN
    assert bench.node("spark-2/1") == AT_200G


def test_four_legs_of_100g_are_forced_on_the_odd_lanes() -> None:
    bench = Bench(cable("400g-dac-4x100g", DD, *(f"spark-{number}/1" for number in range(1, 5))))
    bench.set(lanes(DD, (1, 3, 5, 7)), **FORCED_CR2)
    for number, port in enumerate(lanes(DD, (1, 3, 5, 7)), start=1):
        assert short(bench, port) == ("link-ok", "disabled", 100, True)
        assert bench.node(f"spark-{number}/1") == NodeLink(carrier=True, rate_gbps=100)


# --- cables that are not what they seem -----------------------------------------------------------


def test_b7_b9_a_qsfp28_cable_has_no_link_at_a_forced_200g() -> None:
    bench = straight("100g-dac").set(f"{QSFP}-1", **FORCED_200G)
    assert short(bench, f"{QSFP}-1") == ("no-link", "disabled", None, False)
    assert bench.port(f"{QSFP}-1").module.fields["sfp-encoding"] == "nrz"
    assert bench.node("spark-1/1") == DOWN


def test_b9_lanes_of_50g_on_a_qsfp28_cable_see_light_but_no_link() -> None:
    bench = straight("100g-dac").set(f"{QSFP}-1", **FORCED_CR2)
    assert short(bench, f"{QSFP}-1")[0] == "no-link"


def test_b7_a_qsfp28_cable_does_100g_over_four_lanes() -> None:
    bench = straight("100g-dac").set(f"{QSFP}-1", **FORCED_CR4)
    assert short(bench, f"{QSFP}-1") == ("link-ok", "disabled", 100, True)


def test_b7_a_qsfp112_cable_does_100g_towards_a_switch_and_no_more() -> None:
    bench = straight("200g-dac-qsfp112").set(f"{QSFP}-1", **FORCED_200G)
    assert short(bench, f"{QSFP}-1")[0] == "no-link"
    bench.set(f"{QSFP}-1", **FORCED_CR4)
    assert short(bench, f"{QSFP}-1") == ("link-ok", "disabled", 100, True)


def test_b6_a_bad_eeprom_fails_auto_negotiation_and_not_a_forced_speed() -> None:
    bench = straight()
    bench.cables[0] = replace(bench.cables[0], eeprom_good=False)
    port = f"{QSFP}-1"
    assert short(bench, port) == ("auto-init-failed", "failed", None, False)
    assert bench.node("spark-1/1") == DOWN
    assert not bench.port(port).module.checksum_good
    assert bench.port(port).module.fields == {}
    bench.set(port, **FORCED_200G)
    assert short(bench, port) == ("link-ok", "disabled", 200, True)


def test_an_optical_mode_does_not_run_over_copper() -> None:
    bench = straight().set(f"{QSFP}-1", **{**FORCED_200G, "speed": "200G-baseSR4-LR4"})
    assert short(bench, f"{QSFP}-1")[0] == "no-link"
    bench = straight("200g-aoc").set(f"{QSFP}-1", **{**FORCED_200G, "speed": "200G-baseSR4-LR4"})
    assert short(bench, f"{QSFP}-1")[2] == 200


# --- FEC ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forced", [FORCED_200G, FORCED_CR4])
def test_b5_b8_without_fec_the_port_says_link_ok_and_the_spark_sees_nothing(forced: dict[str, object]) -> None:
    bench = straight().set(f"{QSFP}-1", **{**forced, "fec_mode": "off"})
    state = bench.port(f"{QSFP}-1")
    assert (state.status, state.fec, state.carrier) == ("link-ok", "off", False)
    assert bench.node("spark-1/1") == DOWN


def test_b8_fec_auto_is_off_below_pam4() -> None:
    bench = straight("100g-dac").set(f"{QSFP}-1", **{**FORCED_CR4, "fec_mode": "auto"})
    assert bench.port(f"{QSFP}-1").fec == "off"
    assert not bench.port(f"{QSFP}-1").carrier


def test_a_fec_that_the_mode_does_not_have_is_none() -> None:
    bench = straight().set(f"{QSFP}-1", **{**FORCED_200G, "fec_mode": "fec74"})
    assert not bench.port(f"{QSFP}-1").carrier


def test_an_honest_port_without_fec_is_down() -> None:
    bench = straight(physics=Physics(false_link_ok=False)).set(f"{QSFP}-1", **{**FORCED_200G, "fec_mode": "off"})
    assert short(bench, f"{QSFP}-1") == ("no-link", "disabled", None, False)


# --- between switches -----------------------------------------------------------------------------


def test_two_factory_switches_find_400g() -> None:
    bench = trunk()
    for port in (ONE, f"{OTHER}-1"):
        assert short(bench, port) == ("link-ok", "done", 400, True)
        assert bench.port(port).fec == "fec91"


def test_two_forced_switches_run_400g() -> None:
    bench = trunk().set((ONE, f"{OTHER}-1"), **FORCED_400G)
    for port in (ONE, f"{OTHER}-1"):
        assert short(bench, port) == ("link-ok", "disabled", 400, True)


@pytest.mark.parametrize("forced", [FORCED_200G, FORCED_CR4])
def test_a_trunk_whose_sides_run_different_modes_is_down(forced: dict[str, object]) -> None:
    bench = trunk().set(ONE, **forced)
    assert short(bench, ONE) == ("no-link", "disabled", None, False)
    assert short(bench, f"{OTHER}-1") == ("no-link", "incomplete", None, False)


def test_a_trunk_whose_sides_run_different_fec_is_down() -> None:
    bench = trunk().set((ONE, f"{OTHER}-1"), **FORCED_400G).set(ONE, fec_mode="off")
    assert short(bench, ONE)[0] == short(bench, f"{OTHER}-1")[0] == "no-link"


def test_a_trunk_with_a_disabled_end_is_down_at_both() -> None:
    bench = trunk().set(ONE, disabled=True)
    assert short(bench, ONE)[0] == short(bench, f"{OTHER}-1")[0] == "no-link"


def test_a_trunk_with_a_bad_eeprom_needs_a_forced_speed() -> None:
    bench = trunk()
    bench.cables[0] = replace(bench.cables[0], eeprom_good=False)
    assert short(bench, ONE)[:2] == ("auto-init-failed", "failed")
    bench.set((ONE, f"{OTHER}-1"), **FORCED_400G)
    assert short(bench, ONE)[2] == 400


def test_a_trunk_through_a_slower_cable_negotiates_what_the_cable_does() -> None:
    bench = trunk("200g-dac")
    assert short(bench, ONE) == ("link-ok", "done", 200, True)


# --- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pulled", [QSFP, "spark-1/1"])
def test_a_cable_that_is_pulled_out_at_either_end_is_down(pulled: str) -> None:
    bench = straight().set(f"{QSFP}-1", **FORCED_200G)
    bench.cables[0] = replace(bench.cables[0], unplugged=frozenset({cage(pulled)}))
    assert short(bench, f"{QSFP}-1") == ("no-link", "disabled", None, False)
    assert bench.port(f"{QSFP}-1").module.present == (pulled != QSFP)
    assert bench.node("spark-1/1") == DOWN


def test_one_leg_that_is_pulled_out_leaves_the_other_up() -> None:
    bench = breakout().set((ONE, FIVE), **FORCED_200G)
    bench.cables[0] = replace(bench.cables[0], unplugged=frozenset({cage("spark-2/1")}))
    assert bench.node("spark-1/1") == AT_200G
    assert bench.node("spark-2/1") == DOWN
    assert short(bench, FIVE)[0] == "no-link"


@pytest.mark.parametrize("port", [f"{QSFP}-1", "crs812/sfp56-1", "crs812/ether1"])
def test_a_port_without_a_cable_has_neither_link_nor_module(port: str) -> None:
    state = Bench().port(port)
    assert (state.status, state.carrier, state.module.present) == ("no-link", False, False)


def test_a_pair_of_sparks_has_200g_without_a_switch() -> None:
    bench = Bench(cable("200g-dac-qsfp112", "spark-1/0", "spark-2/0"))
    assert bench.node("spark-1/0") == bench.node("spark-2/0") == AT_200G
    bench.cables[0] = replace(bench.cables[0], unplugged=frozenset({cage("spark-1/0")}))
    assert bench.node("spark-1/0") == bench.node("spark-2/0") == DOWN


# --- settling and peers ---------------------------------------------------------------------------


def test_a_port_that_was_restarted_is_down_until_it_settles() -> None:
    bench = straight().set(f"{QSFP}-1", **FORCED_200G)
    bench.settling.add(("crs812", "qsfp56-1-1"))
    assert bench.port(f"{QSFP}-1").status == "no-link"
    assert bench.node("spark-1/1") == DOWN
    bench.settling.clear()
    assert bench.node("spark-1/1") == AT_200G


def test_a_trunk_is_down_at_both_ends_while_one_settles() -> None:
    bench = trunk()
    bench.settling.add(("crs804", "qsfp56-dd-1-1"))
    assert short(bench, ONE)[0] == short(bench, f"{OTHER}-1")[0] == "no-link"


def test_a_lane_master_knows_where_its_frames_come_out() -> None:
    bench = breakout().set((ONE, FIVE), **FORCED_200G)
    peers = bench.state().peers
    assert peers["crs812", "qsfp56-dd-2-1"] == cage("spark-1/1")
    assert peers["crs812", "qsfp56-dd-2-5"] == cage("spark-2/1")
    trunk_peers = trunk().state().peers
    assert trunk_peers["crs812", "qsfp56-dd-2-1"] == ("crs804", "qsfp56-dd-1-1")
    assert trunk_peers["crs804", "qsfp56-dd-1-1"] == ("crs812", "qsfp56-dd-2-1")


def test_a_frame_never_comes_out_of_a_lane_that_carries_no_link() -> None:
    assert set(breakout().state().peers) <= {("crs812", "qsfp56-dd-2-1")}
