"""Cables: what they carry, and what their EEPROMs say and do not say."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, link_modes
from bench import cable, cage

from lab.cables import carries, lanes_gbps, module_info

NEAR = cage("crs812/qsfp56-dd-2")


@pytest.mark.parametrize(
    ("kind", "mode", "carried"),
    [
        ("200g-dac", "200G-baseCR4", True),
        ("200g-dac", "100G-baseCR4", True),  # a PAM4 cable does NRZ as well
        ("200g-dac", "400G-baseCR8", False),
        ("200g-dac", "200G-baseSR4-LR4", False),
        ("200g-aoc", "200G-baseSR4-LR4", True),
        ("200g-aoc", "200G-baseCR4", False),
        ("100g-dac", "100G-baseCR4", True),
        ("100g-dac", "100G-baseCR2", False),  # B9: 50G a lane
        ("100g-dac", "50G-baseCR2", True),
        ("100g-dac", "50G-baseCR", False),
        ("100g-dac", "200G-baseCR4", False),
        ("200g-dac-qsfp112", "200G-baseCR4", False),  # B7
        ("200g-dac-qsfp112", "100G-baseCR4", True),
        ("400g-dac", "400G-baseCR8", True),
        ("400g-dac-2x200g", "200G-baseCR4", True),
        ("400g-dac-2x200g", "400G-baseCR8", False),  # one leg
        ("400g-dac-4x100g", "100G-baseCR2", True),
        ("400g-dac-4x100g", "200G-baseCR4", False),
    ],
)
def test_a_leg_carries_what_its_lanes_can(kind: str, mode: str, carried: bool) -> None:
    assert carries(cable_kinds()[kind], link_modes()[mode]) is carried


def test_a_qsfp112_cable_does_200g_between_two_sparks() -> None:
    assert carries(cable_kinds()["200g-dac-qsfp112"], link_modes()["200G-baseCR4"], on_switch=False)


@pytest.mark.parametrize(("mode", "gbps"), [("200G-baseCR4", 50), ("100G-baseCR4", 25), ("50G-baseCR", 50)])
def test_a_lane_above_25g_is_pam4(mode: str, gbps: float) -> None:
    assert lanes_gbps(link_modes()[mode]) == gbps


def test_a_breakout_cable_does_not_reveal_that_it_is_one() -> None:
    info = module_info(cable("400g-dac-2x200g", "crs812/qsfp56-dd-2", "spark-1/1", "spark-2/1"), NEAR)
    assert info.fields["sfp-type"] == "QSFPDD"
    assert "400G-baseCR8" in info.supported


def test_qsfp28_and_qsfp56_share_a_type_and_differ_in_encoding() -> None:
    old, new = (
        module_info(cable(kind, "crs812/qsfp56-1", "spark-1/1"), cage("crs812/qsfp56-1"))
        for kind in ("100g-dac", "200g-dac")
    )
    assert old.fields["sfp-type"] == new.fields["sfp-type"] == "QSFP28/QSFP56"
    assert (old.fields["sfp-encoding"], new.fields["sfp-encoding"]) == ("nrz", "pam4")
    assert "200G-baseCR4" in new.supported
    assert "200G-baseCR4" not in old.supported
    assert "100G-baseCR4" in old.supported


def test_a_bad_checksum_shows_no_field_at_all() -> None:
    broken = replace(cable("400g-dac", "crs812/qsfp56-dd-2", "crs804/qsfp56-dd-1"), eeprom_good=False)
    info = module_info(broken, NEAR)
    assert (info.present, info.checksum_good, info.supported, info.fields) == (True, False, (), {})


def test_an_end_that_is_pulled_out_is_no_module_and_the_other_still_is() -> None:
    pulled = replace(cable("400g-dac", "crs812/qsfp56-dd-2", "crs804/qsfp56-dd-1"), unplugged=frozenset({NEAR}))
    assert not module_info(pulled, NEAR).present
    assert module_info(pulled, cage("crs804/qsfp56-dd-1")).present


def test_a_cable_is_known_by_its_serial_at_every_end() -> None:
    one = cable("400g-dac-2x200g", "crs812/qsfp56-dd-2", "spark-1/1", "spark-2/1")
    other = cable("400g-dac-2x200g", "crs812/qsfp56-dd-1", "spark-3/1", "spark-4/1")
    serials = [{module_info(each, end).fields["sfp-vendor-serial"] for end in each.ends} for each in (one, other)]
    assert [len(each) for each in serials] == [1, 1]
    assert serials[0] != serials[1]


def test_another_kind_plugged_in_keeps_its_ends() -> None:
    before = cable("200g-dac", "crs812/qsfp56-1", "spark-1/1")
    after = before.with_kind("100g-dac")
    assert after.kind.kind == "100g-dac"
    assert after.ends == before.ends


def test_legs_are_counted_at_the_wide_end_alone() -> None:
    each = cable("400g-dac-4x100g", "crs812/qsfp56-dd-2", *(f"spark-{number}/1" for number in range(1, 5)))
    assert each.legs_at(each.near) == 4
    assert each.legs_at(each.far[0]) == 1
