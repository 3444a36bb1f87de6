"""Rounds of neighbours."""

from __future__ import annotations

from itertools import chain, pairwise

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import rails_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import links
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.verification import ROUNDS, pairs, rounds
from clusters import one_switch, pair


def test_two_nodes_measure_in_both_directions() -> None:
    assert pairs(["a", "b"]) == [[("a", "b")], [("b", "a")]]


def test_four_nodes_form_a_ring() -> None:
    assert pairs(["a", "b", "c", "d"]) == [[("a", "b"), ("c", "d")], [("b", "c"), ("d", "a")]]


def test_an_odd_node_rests_in_each_round() -> None:
    assert pairs(["a", "b", "c"]) == [[("a", "b")], [("b", "c")]]


def test_a_node_alone_measures_with_nobody() -> None:
    assert pairs(["a"]) == [[], []]


@pytest.mark.parametrize("count", range(1, 17))
def test_no_node_has_two_partners_and_all_are_measured(count: int) -> None:
    names = [f"n{number}" for number in range(count)]
    found = pairs(names)
    assert len(found) == ROUNDS
    for one in found:
        busy = list(chain.from_iterable(one))
        assert len(busy) == len(set(busy))
    met = {frozenset(two) for one in found for two in one}
    assert {frozenset(two) for two in pairwise(names)} <= met


def test_parts_are_options_of_rdma_bandwidth() -> None:
    rack = one_switch()
    parts = rounds({name: rails_of(rack, name, links(rack)) for name in rack.nodes})
    first, second = parts["n1"]
    assert (first["partner"], first["role"]) == ("n2", "server")
    assert first["rails"][0] == {
        "rail": "A",
        "device": "rocep1s0f0",
        "own_address": "192.168.100.11",
        "partner_address": "192.168.100.12",
    }
    assert second == {"partner": "", "role": "server", "rails": []}
    assert [part["role"] for part in parts["n2"]] == ["client", "server"]


def test_two_nodes_change_roles() -> None:
    rack = pair()
    parts = rounds({name: rails_of(rack, name, links(rack)) for name in rack.nodes})
    assert {name: [part["role"] for part in own] for name, own in parts.items()} == {
        "n1": ["server", "client"],
        "n2": ["client", "server"],
    }
