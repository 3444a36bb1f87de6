"""The modules against a served switch: the first run changes, the second sees that all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import ServedSwitch

BRIDGE = "fabric"  # the factory's own bridge holds every port already
MODULES = ("facts", "ports", "bridge", "links")


def configure(rack: dict[str, ServedSwitch]) -> None:
    for each in rack.values():
        for module in ("ports", "bridge"):
            assert not each.run(module).failed


def test_a_factory_fresh_rack_comes_up_and_stays(rack: dict[str, ServedSwitch]) -> None:
    for each in rack.values():
        outcome = each.run("ports")
        assert not outcome.failed, outcome.message
        assert outcome.changed
    for each in rack.values():
        links = each.run("links")
        assert not links.failed, links.message
        assert all(link["up"] for link in links.result["links"])
    for each in rack.values():
        outcomes = {module: each.run(module) for module in MODULES}
        assert not any(outcome.failed or outcome.changed for outcome in outcomes.values())
        assert outcomes["ports"].diff == outcomes["bridge"].diff == ("", "")
        assert outcomes["ports"].result["commands"] == []
        assert outcomes["ports"].result["blast_radius"] == "no link goes down"


def test_a_run_with_nothing_to_do_costs_few_sentences(rack: dict[str, ServedSwitch]) -> None:
    configure(rack)
    each = rack["crs812"]
    assert not each.run("links").failed
    before = each.call(lambda: each.crs.sentences)
    said = sum(each.run(module).result["sentences"] for module in MODULES)
    heard = each.call(lambda: each.crs.sentences) - before
    assert said <= heard <= 12


@pytest.mark.parametrize(("module", "changes"), [("ports", {}), ("bridge", {"name": BRIDGE})])
def test_check_mode_changes_nothing_and_says_what_the_real_run_says(
    switch: ServedSwitch, module: str, changes: dict[str, Any]
) -> None:
    before = switch.export()
    dry = switch.run(module, check=True, **changes)
    assert dry.changed
    assert switch.export() == before
    assert not switch.crs.safe_mode.enabled
    wet = switch.run(module, **changes)
    assert wet.changed
    assert switch.export() != before
    told = [{key: value for key, value in each.result.items() if key != "sentences"} for each in (dry, wet)]
    for each in told:
        each.pop("invocation", None)
        each.pop("not_offloaded", None)  # seen once the change is made, as is the warning of it
        each.pop("warnings", None)
    assert told[0] == told[1]
    assert not switch.run(module, check=True, **changes).changed


def test_one_port_changed_behind_our_back_is_all_that_the_diff_shows(switch: ServedSwitch) -> None:
    assert not switch.run("ports").failed
    switch.call(switch.crs.configure, "/interface/ethernet", "qsfp56-dd-2-5", speed="50G-baseCR2", fec_mode="off")
    outcome = switch.run("ports")
    assert outcome.changed
    assert outcome.diff == (
        "qsfp56-dd-2-5 speed=50G-baseCR2\nqsfp56-dd-2-5 fec-mode=off\n",
        "qsfp56-dd-2-5 speed=200G-baseCR4\nqsfp56-dd-2-5 fec-mode=fec91\n",
    )
    assert outcome.result["ports"] == ["qsfp56-dd-2-5"]
    assert outcome.result["blast_radius"] == "the links of qsfp56-dd-2-5 go down and come up again"
    assert not switch.run("ports").changed


def test_one_member_in_another_bridge_is_all_that_moves(switch: ServedSwitch) -> None:
    assert not switch.run("bridge", name=BRIDGE).failed
    switch.call(switch.crs.configure, "/interface/bridge/port", "qsfp56-1-1", bridge="bridge")
    outcome = switch.run("bridge", name=BRIDGE)
    assert outcome.result["moved"] == ["qsfp56-1-1"]
    assert outcome.diff == ("qsfp56-1-1 bridge=bridge\n", f"qsfp56-1-1 bridge={BRIDGE}\n")
    assert not switch.run("bridge", name=BRIDGE).changed


def test_only_declared_ports_and_members_are_touched(switch: ServedSwitch) -> None:
    before = switch.export()
    assert not switch.run("ports").failed
    assert not switch.run("bridge", name=BRIDGE).failed
    after = switch.export()
    declared = {port["name"] for port in switch.variables["switch_ports"]}
    members = set(switch.variables["switch_bridge"]["members"])
    for path, key, ours in (
        ("/interface/ethernet", "default-name", declared),
        ("/interface/bridge/port", "interface", members),
    ):
        others = [[row for row in state[path] if row[key] not in ours] for state in (before, after)]
        assert others[0] == others[1], path
    for path in before.keys() - {"/interface/ethernet", "/interface/bridge/port", "/interface/bridge"}:
        assert before[path] == after[path], path


def test_a_renamed_port_keeps_its_name_and_its_place(rack: dict[str, ServedSwitch]) -> None:
    for each in rack.values():
        assert not each.run("ports").failed
    switch = rack["crs812"]
    switch.call(switch.crs.configure, "/interface/ethernet", "qsfp56-1-1", name="to-spark-3")
    assert not any(switch.run(module).changed for module in ("ports", "bridge"))
    links = switch.run("links")
    assert not links.failed, links.message
    assert "qsfp56-1-1" in {link["port"] for link in links.result["links"]}


def test_a_second_bridge_is_not_forwarded_by_the_chip_and_that_is_said(switch: ServedSwitch) -> None:
    outcome = switch.run("bridge", name="second", members=["qsfp56-1-1"])
    assert outcome.result["not_offloaded"] == ["qsfp56-1-1"]
    assert "qsfp56-1-1 are in bridge second but the switch chip does not forward them" in outcome.text
