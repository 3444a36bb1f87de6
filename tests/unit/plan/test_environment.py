"""The environment of NCCL, UCX, Gloo and vLLM."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.addressing import rails_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.environment import environment
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import links
from clusters import cable, cluster, fabric, node, one_switch, pair


def of(rack: Cluster, name: str) -> dict[str, str]:
    return environment(rack, name, rails_of(rack, name, links(rack)))


def test_it_names_the_rails_of_the_cage_that_is_cabled() -> None:
    assert of(one_switch(), "n1")["NCCL_IB_HCA"] == "=rocep1s0f0:1,roceP2p1s0f0:1"
    assert of(one_switch(), "n2")["NCCL_IB_HCA"] == "=rocep1s0f1:1,roceP2p1s0f1:1"
    assert of(one_switch(), "n2")["UCX_NET_DEVICES"] == "rocep1s0f1:1,roceP2p1s0f1:1"


def test_it_bootstraps_over_the_management_interface_of_each_node() -> None:
    rack = cluster([node(1), node(2, management_interface="eth7")], [cable("200g-dac", "n1/1", "n2/1")])
    for name, interface in (("n1", "enP7s7"), ("n2", "eth7")):
        own = of(rack, name)
        sockets = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "OMPI_MCA_btl_tcp_if_include")
        assert {own[variable] for variable in sockets} == {interface}


def test_addresses_are_those_of_the_fabric() -> None:
    own = of(pair(), "n2")
    assert (own["NCCL_IB_ADDR_RANGE"], own["VLLM_HOST_IP"]) == ("192.168.100.0/23", "192.168.100.12")


def test_without_rails_the_management_address_stands_in() -> None:
    assert environment(pair(), "n1", ())["VLLM_HOST_IP"] == "10.0.0.11"


def test_the_gid_index_is_set_only_when_it_is_a_number() -> None:
    assert "NCCL_IB_GID_INDEX" not in of(pair(), "n1")
    assert "NCCL_IB_GID_INDEX" not in of(pair(fabric=fabric(gid_index="probe")), "n1")
    assert of(pair(fabric=fabric(gid_index=3)), "n1")["NCCL_IB_GID_INDEX"] == "3"
    assert of(pair(fabric=fabric(gid_index=0)), "n1")["NCCL_IB_GID_INDEX"] == "0"


def test_what_the_owner_sets_wins() -> None:
    own = of(pair(environment={"NCCL_DEBUG": "INFO", "ZZZ": "1"}, fabric=fabric(gid_index=3)), "n1")
    assert (own["NCCL_DEBUG"], own["ZZZ"], own["NCCL_IB_GID_INDEX"]) == ("INFO", "1", "3")
    assert (
        of(pair(environment={"NCCL_IB_GID_INDEX": "5"}, fabric=fabric(gid_index=3)), "n1")["NCCL_IB_GID_INDEX"] == "5"
    )


def test_it_is_sorted_text_without_a_placeholder() -> None:
    own = of(pair(), "n1")
    assert list(own) == sorted(own)
    assert all(isinstance(value, str) and value and "{" not in value for value in own.values())
