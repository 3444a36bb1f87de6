"""The plan as a whole: groups, and what each host and group is told."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Endpoint, Ofed, Requirements, TimeSync
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import make_plan
from clusters import cable, cluster, fabric, node, one_switch, pair, switch, two_switches


def test_groups_are_those_of_the_architecture() -> None:
    plan = make_plan(two_switches())
    assert plan.groups == {"rack_nodes": ["n1", "n2"], "rack_switches": ["crs812", "crs804"], "rack_head": ["n1"]}
    assert plan.children == {
        "rack": ["rack_nodes", "rack_switches", "rack_head"],
        "nodes": ["rack_nodes"],
        "switches": ["rack_switches"],
        "heads": ["rack_head"],
    }


def test_a_pair_has_no_switches() -> None:
    plan = make_plan(pair())
    assert plan.groups["rack_switches"] == []
    assert sorted(plan.host_vars) == ["n1", "n2"]


def test_the_head_has_rank_0_and_the_rest_keep_their_order() -> None:
    plan = make_plan(one_switch(head="n2"))
    assert plan.groups["rack_nodes"] == ["n2", "n1", "n3"]
    assert {name: plan.host_vars[name]["node_rank"] for name in ("n1", "n2", "n3")} == {"n2": 0, "n1": 1, "n3": 2}
    assert [plan.host_vars[name]["time_sync_is_reference"] for name in ("n1", "n2", "n3")] == [False, True, False]
    assert plan.group_vars["rack_nodes"]["time_sync_reference"] == {"name": "n2", "address": "10.0.0.12"}
    assert plan.group_vars["rack_nodes"]["node_head"] == "n2"


def test_another_head_moves_no_address() -> None:
    plans = [make_plan(one_switch(head=head)) for head in ("n1", "n3")]
    addresses = [{name: one.host_vars[name]["fabric_interfaces"] for name in ("n1", "n2", "n3")} for one in plans]
    assert addresses[0] == addresses[1]


@pytest.mark.parametrize(
    ("connect", "expected"),
    [
        (None, {"ansible_host": "10.0.0.11"}),
        (Endpoint("gate"), {"ansible_host": "gate"}),
        (Endpoint("gate", 2222), {"ansible_host": "gate", "ansible_port": 2222}),
    ],
)
def test_how_a_node_is_reached(connect: Endpoint | None, expected: dict[str, object]) -> None:
    rack = cluster([node(1, connect=connect), node(2)], [cable("200g-dac", "n1/1", "n2/1")])
    own = make_plan(rack).host_vars["n1"]
    assert {key: own[key] for key in own if key in {"ansible_host", "ansible_port"}} == expected


@pytest.mark.parametrize(
    ("connect", "tls", "expected"),
    [
        (None, True, ("10.0.0.2", 8729)),
        (None, False, ("10.0.0.2", 8728)),
        (Endpoint("gate"), True, ("gate", 8729)),
        (Endpoint("gate", 9999), False, ("gate", 9999)),
    ],
)
def test_how_a_switch_is_reached(connect: Endpoint | None, tls: bool, expected: tuple[str, int]) -> None:
    crs = switch("crs812", "CRS812-8DS-2DQ-2DDQ", 2, connect=connect, tls=tls)
    rack = cluster([node(1)], [cable("200g-dac", "crs812/qsfp56-1", "n1/1")], (crs,))
    own = make_plan(rack).host_vars["crs812"]
    assert (own["routeros_host"], own["routeros_port"]) == expected
    assert own["routeros_tls"] is tls
    assert own["ansible_connection"] == "local"
    assert not [key for key in own if "password" in key]


@pytest.mark.parametrize(
    ("login", "users", "expected"),
    [(None, (), []), ("spark", (), ["spark"]), ("admin", ("spark", "ray"), ["spark", "ray"])],
)
def test_who_gets_the_mesh(login: str | None, users: tuple[str, ...], expected: list[str]) -> None:
    own = make_plan(pair(login=login, users=users)).group_vars["rack_nodes"]
    assert (own["ssh_mesh_users"], own["nccl_users"], own.get("ansible_user")) == (expected, expected, login)


def test_the_mesh_knows_every_name_of_every_node() -> None:
    own = make_plan(pair()).group_vars["rack_nodes"]["ssh_mesh_peers"]
    assert own[0] == {"name": "n1", "hosts": ["n1", "10.0.0.11", "n1-a", "192.168.100.11", "n1-b", "192.168.101.11"]}


def test_peers_are_the_others() -> None:
    own = make_plan(pair()).host_vars["n1"]
    assert own["fabric_peers"] == [{"name": "n2", "addresses": {"A": "192.168.100.12", "B": "192.168.101.12"}}]


def test_who_may_ask_for_the_time() -> None:
    alone = make_plan(pair()).group_vars["rack_nodes"]["time_sync_subnets"]
    declared = make_plan(pair(management=IPv4Network("10.0.0.0/24"))).group_vars["rack_nodes"]["time_sync_subnets"]
    assert (alone, declared) == (["10.0.0.11/32", "10.0.0.12/32"], ["10.0.0.0/24"])


def test_settings_are_handed_on() -> None:
    rack = one_switch(
        time_sync=TimeSync(("ntp1",), 5.0),
        ofed=Ofed("doca", "2.9.1"),
        requirements=Requirements(min_routeros="7.20", pcie_width=2),
        fabric=fabric(gid_index=3),
    )
    plan = make_plan(rack)
    nodes = plan.group_vars["rack_nodes"]
    assert (nodes["time_sync_servers"], nodes["time_sync_max_offset_ms"]) == (["ntp1"], 5.0)
    assert (nodes["ofed_provider"], nodes["ofed_doca_floor"], nodes["nccl_gid_index"]) == ("doca", "2.9.1", 3)
    assert nodes["preflight_requirements"]["distributions"] == ["Ubuntu 24.04"]
    assert nodes["preflight_requirements"]["denied_kernels"]
    assert plan.group_vars["rack_switches"]["switch_min_routeros"] == "7.20"
    assert {device["pcie_width"] for device in plan.host_vars["n1"]["ofed_devices"]} == {2}


def test_the_cluster_lists_every_link_once() -> None:
    links = make_plan(two_switches()).group_vars["rack"]["cluster_links"]
    assert [(link["name"], link["rate_gbps"]) for link in links] == [
        ("crs812/qsfp56-dd-1-1 = crs804/qsfp56-dd-1-1", 400),
        ("n1/1 = crs812/qsfp56-1-1", 200),
        ("crs804/qsfp56-dd-2-1 = n2/1", 200),
    ]
    assert [end["kind"] for end in links[1]["ends"]] == ["node", "switch"]


def test_a_plan_is_made_alike_twice() -> None:
    assert make_plan(two_switches()) == make_plan(two_switches())
