"""routeros_evidence against the virtual CRS: one session, every part or the reason why not."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import accept, schemas


def configure(switch: Any) -> None:
    for module in ("ports", "bridge"):
        assert not switch.run(module).failed
    assert not switch.run("links").failed


def evidence(switch: Any, **changes: Any) -> Any:
    outcome = switch.run("evidence", **changes)
    assert not outcome.failed, outcome.text
    return outcome.result


def test_every_part_of_a_switch_is_read_in_one_session(switch: Any) -> None:
    configure(switch)
    seen = evidence(switch)
    host = accept("switch", seen["evidence"])
    # No crawl that the virtual CRS plays by holds /ipv6.
    assert host.missing == {"nd": "no such command or directory (ipv6)"}
    assert set(host.parts) == set(schemas("switch")) - {"nd"}
    assert host.parts["counters"]["qsfp56-1-1"]["rs_fec_uncorrected"] == 0
    assert all(link["up"] for link in host.parts["links"])
    assert seen["sentences"] <= 20
    assert seen["changed"] is False


def test_it_changes_nothing(switch: Any) -> None:
    before = switch.export()
    evidence(switch)
    evidence(switch)
    assert switch.export() == before


def test_a_path_that_this_routeros_does_not_have_costs_its_part(serve_rack: Any) -> None:
    switch = serve_rack(version="7.22.3")["crs804"]
    seen = evidence(switch)
    assert "qos_ports" in seen["evidence"]["parts"] or "qos_ports" in seen["evidence"]["missing"]
    assert seen["evidence"]["parts"]["system"]["version"].startswith("7.22.3")
    assert seen["evidence"]["parts"]["ports"]


def test_a_user_who_may_only_read_sees_all_the_same(switch: Any) -> None:
    configure(switch)
    seen = evidence(switch, username="viewer", password="sparkloom-lab-viewer")
    assert set(seen["evidence"]["missing"]) == {"nd"}
    assert "sparkloom-lab-viewer" not in str(seen["evidence"])


@pytest.mark.parametrize("sentences", [2, 5, 9])
def test_a_switch_that_stops_answering_costs_what_comes_after(switch: Any, sentences: int) -> None:
    configure(switch)
    switch.call(lambda: setattr(switch.crs.faults, "die_after", sentences + 1))
    seen = evidence(switch)["evidence"]
    assert len(seen["parts"]) < sentences
    assert all("was lost at" in why or "closed" in why for why in seen["missing"].values())
    assert len(seen["parts"]) + len(seen["missing"]) == len(schemas("switch"))


def test_a_renamed_port_is_known_by_its_factory_name(switch: Any) -> None:
    configure(switch)
    switch.call(switch.crs.configure, "/interface/ethernet", "qsfp56-1-1", name="to-spark-3")
    seen = evidence(switch)["evidence"]["parts"]
    assert "qsfp56-1-1" in seen["counters"]
    assert all(link["up"] for link in seen["links"])
