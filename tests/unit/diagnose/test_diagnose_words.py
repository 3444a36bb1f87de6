"""How findings are shown, and that the documentation lists them all."""

from __future__ import annotations

import re
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes, rail_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, render, roots
from seen_rack import Rack, declared, judge, spark8

ROOT = Path(__file__).parents[3]
RULES = ROOT / "plugins/plugin_utils/diagnose/rules"
CODE = re.compile(r"SL\d{3}")


def test_preflight_s_codes_are_its_own() -> None:
    """The rules' page is made of the rules; preflight's codes are listed in the README of its role."""
    preflight = (ROOT / "plugins/plugin_utils/preflight.py").read_text(encoding="utf-8")
    own = set(CODE.findall(preflight))
    rules = {code for file in RULES.glob("*.py") for code in CODE.findall(file.read_text(encoding="utf-8"))}
    assert own
    assert not own & rules


def finding(code: str, severity: str = "fail", follows: str = "", cause: str = "") -> Finding:
    return Finding(code, severity, "here", "it is broken", "this", "that", "mend it", cause, follows)  # type: ignore[arg-type]


def test_a_finding_is_a_paragraph() -> None:
    assert str(finding("SL201", cause="wear")) == (
        "SL201 here: it is broken\n  expected: this\n  seen:     that\n  cause:    wear\n  remedy:   mend it"
    )
    assert "cause" not in str(finding("SL201"))


def test_failures_come_first_and_consequences_last_in_a_line_each() -> None:
    found = [
        finding("SL308", "warn"),
        finding("SL307", follows="SL201 here"),
        finding("SL201"),
        finding("SL408", follows="SL201 here"),
    ]
    text = render(found)
    assert CODE.findall(text) == ["SL201", "SL308", "SL201", "SL307", "SL408"]
    assert text.endswith("From SL201 here follows:\n  SL307 here: it is broken\n  SL408 here: it is broken")
    assert [one.code for one in roots(found)] == ["SL308", "SL201"]
    assert render([]) == ""


def test_what_a_module_reports_has_no_inner_values() -> None:
    assert finding("SL201").to_dict() == {
        "code": "SL201",
        "severity": "fail",
        "where": "here",
        "problem": "it is broken",
        "expected": "this",
        "actual": "that",
        "remedy": "mend it",
        "cause": "",
        "follows": "",
        "hosts": [],
        "title": "SL201 here",
    }


def test_the_way_between_two_nodes() -> None:
    causes = Causes(declared(spark8()))
    assert causes._between("spark-1", "spark-8") == [
        "crs812/qsfp56-dd-2-1 = spark-1/1",
        "crs812/qsfp56-dd-1-1 = crs804/qsfp56-dd-1-1",
        "crs804/qsfp56-dd-3-5 = spark-8/1",
    ]
    assert causes._between("spark-1", "elsewhere") == []
    assert causes._between("elsewhere", "spark-1") == []


def test_the_first_finding_to_name_a_thing_explains_it() -> None:
    rail = rail_of("spark-1", "A")
    causes = Causes(declared(spark8()))
    first = Finding("SL201", "fail", "cable", "p", "e", "a", "r", follows="SL001 spark-1", breaks=(rail,))
    second = Finding("SL302", "fail", "spark-1", "p", "e", "a", "r", breaks=(rail,))
    assert causes.and_of([first, second]).of(rail) == "SL001 spark-1"
    assert causes.of(rail) == ""


def test_a_warning_explains_no_failure(rack: Rack) -> None:
    rack.rail("spark-1", "A").update(pcie_width=None, ipv6=["fe80::1/64"])
    rack.cut_rail("spark-1", "A")
    findings = judge(rack)
    assert {one.follows.split()[0] for one in findings if one.follows} == {"SL307"}
