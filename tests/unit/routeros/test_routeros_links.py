"""Links: what monitor shows, held against what is declared, and the words for its owner."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.links import (
    judge,
    judge_all,
    rate_of,
    report,
)

DAC = {
    "kind": "200g-dac",
    "description": "QSFP56 direct attach copper, 200G",
    "encoding": "pam4",
    "leg_rate_gbps": 200,
    "ends": ["crs812/qsfp56-1", "spark-3/1"],
}
LINK: dict[str, Any] = {
    "name": "qsfp56-1-1 = spark-3/1",
    "port": "qsfp56-1-1",
    "rate_gbps": 200,
    "fec": "fec91",
    "cable": DAC,
    "peer": {"kind": "node", "name": "spark-3", "cage": "1", "label": "spark-3/1"},
}
MODULE = {
    "sfp-module-present": "true",
    "sfp-type": "QSFP28/QSFP56",
    "sfp-encoding": "pam4",
    "sfp-vendor-name": "NADDOD",
    "sfp-vendor-part-number": "Q56-200G-CU1",
    "sfp-vendor-serial": "S1",
    "eeprom-checksum": "good",
}
UP = {"name": "qsfp56-1-1", "status": "link-ok", "rate": "200Gbps", "fec": "fec91", **MODULE}
DOWN = {"name": "qsfp56-1-1", "status": "no-link", **MODULE}
CABLE_LINE = "cable:    200g-dac (QSFP56 direct attach copper, 200G) between crs812/qsfp56-1 and spark-3/1"


def message(problem: str, rate: str, remedy: str) -> str:
    return f"qsfp56-1-1 = spark-3/1: {problem}\n  {CABLE_LINE}\n  rate:     {rate} seen, 200G expected\n  do:       {remedy}"


def test_a_link_as_declared_has_no_words() -> None:
    result = judge(LINK, UP)
    assert (result.up, result.problem, result.remedy) == (True, "", "")
    assert (result.rate_gbps, result.fec, result.status) == (200, "fec91", "link-ok")
    assert report([result]) == ""


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param(
            {"status": "no-link", "sfp-module-present": "false"},
            message(
                "no cable is plugged into qsfp56-1-1",
                "no link (no-link)",
                "plug the 200g-dac in at crs812/qsfp56-1",
            ),
            id="unplugged",
        ),
        pytest.param(
            DOWN | {"sfp-encoding": "nrz", "sfp-vendor-part-number": "Q28"},
            message(
                "a QSFP28 cable is plugged in where the cluster file declares a 200g-dac; "
                "the module says NADDOD Q28 S1, QSFP28/QSFP56, encoding nrz",
                "no link (no-link)",
                "buy a QSFP56 direct attach copper, 200G; a QSFP28 cable looks the same and carries at most 100G",
            ),
            id="qsfp28-without-a-link",
        ),
        pytest.param(
            UP | {"sfp-encoding": "nrz", "rate": "50Gbps", "fec": "off"},
            message(
                "a QSFP28 cable is plugged in where the cluster file declares a 200g-dac; "
                "the module says NADDOD Q56-200G-CU1 S1, QSFP28/QSFP56, encoding nrz",
                "50G",
                "buy a QSFP56 direct attach copper, 200G; a QSFP28 cable looks the same and carries at most 100G",
            ),
            id="qsfp28-that-came-up",
        ),
        pytest.param(
            {"status": "auto-init-failed", "sfp-module-present": "true", "eeprom-checksum": "bad"},
            message(
                "the module's EEPROM has a bad checksum, so auto-negotiation cannot start",
                "no link (auto-init-failed)",
                "run the role switch, which forces speed and FEC, or replace the cable",
            ),
            id="bad-eeprom",
        ),
        pytest.param(
            DOWN,
            message(
                "no link; the module says NADDOD Q56-200G-CU1 S1, QSFP28/QSFP56, encoding pam4",
                "no link (no-link)",
                "check that the other end (spark-3/1) is plugged in and powered, then the cable itself",
            ),
            id="no-link",
        ),
        pytest.param(
            {},
            message(
                "no link",
                "no link (unknown)",
                "check that the other end (spark-3/1) is plugged in and powered, then the cable itself",
            ),
            id="monitor-says-nothing",
        ),
        pytest.param(
            UP | {"rate": "50Gbps"},
            message(
                "the port came up at 50G",
                "50G",
                "run the role switch, which forces the speed; if it is forced already, replace the cable",
            ),
            id="rate",
        ),
        pytest.param(
            UP | {"fec": "off"},
            message(
                "the port runs FEC off, its far end fec91",
                "200G",
                "run the role switch, which sets fec-mode=fec91",
            ),
            id="fec",
        ),
        pytest.param(
            {key: value for key, value in UP.items() if key != "fec"},
            message(
                "the port runs FEC off, its far end fec91",
                "200G",
                "run the role switch, which sets fec-mode=fec91",
            ),
            id="fec-not-shown",
        ),
    ],
)
def test_a_link_that_is_not_as_declared_is_said_in_words(row: dict[str, str], words: str) -> None:
    result = judge(LINK, row)
    assert not result.up
    assert report([result]) == words


def test_a_bad_eeprom_is_no_matter_once_the_rate_is_there() -> None:
    row = {"status": "link-ok", "rate": "200Gbps", "fec": "fec91", "sfp-module-present": "true"}
    assert judge(LINK, row | {"eeprom-checksum": "bad"}).up


def test_a_qsfp28_cable_that_is_declared_is_fine() -> None:
    link = LINK | {"rate_gbps": 100, "cable": DAC | {"kind": "100g-dac", "encoding": "nrz"}}
    assert judge(link, UP | {"sfp-encoding": "nrz", "rate": "100Gbps"}).up


def test_the_cage_to_plug_into_is_this_switchs_also_where_the_link_is_written_from_the_other_end() -> None:
    link = LINK | {
        "port": "qsfp56-dd-1-1",
        "cable": DAC | {"ends": ["crs804/qsfp56-dd-4", "crs812/qsfp56-dd-1"]},
        "peer": {"kind": "switch", "name": "crs804", "cage": "qsfp56-dd-4", "label": "crs804/qsfp56-dd-4-1"},
    }
    result = judge(link, {"status": "no-link", "sfp-module-present": "false"})
    assert result.remedy == "plug the 200g-dac in at crs812/qsfp56-dd-1"


@pytest.mark.parametrize(
    ("row", "rate"),
    [
        ({"status": "link-ok", "rate": "200Gbps"}, 200),
        ({"status": "no-link", "rate": "200Gbps"}, None),  # a rate without a link is the setting, not the link
        ({"status": "link-ok", "rate": "unknown"}, None),
        ({"status": "link-ok", "rate": "10Mbps"}, None),
        ({"status": "link-ok"}, None),
        ({}, None),
    ],
)
def test_the_rate_is_that_of_a_link(row: dict[str, str], rate: int | None) -> None:
    assert rate_of(row) == rate


def test_every_declared_link_is_judged_and_only_bad_ones_are_reported() -> None:
    other = LINK | {"name": "other", "port": "qsfp56-2-1"}
    results = judge_all([LINK, other], {"qsfp56-1-1": UP})
    assert [result.up for result in results] == [True, False]
    assert report(results).startswith("other: no link\n")


def test_a_result_is_plain_values_with_the_module_as_shown() -> None:
    answer = judge(LINK, UP).to_dict()
    assert answer["module"] == MODULE
    assert answer["cable"] == DAC
    assert answer["expected_gbps"] == 200
