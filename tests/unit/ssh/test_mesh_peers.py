from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.mesh import mesh_peers

DECLARED = [{"name": "spark-1", "hosts": ["spark-1", "10.83.0.11"]}]
IDENTITY = {"host_keys": ["ssh-ed25519 HOST1"], "user_keys": {"spark": "ssh-ed25519 USER1"}, "changed": False}


def test_a_peer_gets_the_keys_that_its_node_showed() -> None:
    (peer,) = mesh_peers(DECLARED, {"spark-1": {"identity": IDENTITY}}, "identity")
    assert peer == {
        "name": "spark-1",
        "hosts": ["spark-1", "10.83.0.11"],
        "host_keys": ["ssh-ed25519 HOST1"],
        "user_keys": {"spark": "ssh-ed25519 USER1"},
    }


@pytest.mark.parametrize(
    "hostvars",
    [{}, {"spark-1": {}}, {"spark-1": {"identity": {"failed": True, "msg": "no user"}}}],
    ids=["not in the inventory", "not in the run", "failed"],
)
def test_a_node_that_showed_nothing_is_left_out(hostvars: dict[str, Any]) -> None:
    assert mesh_peers(DECLARED, hostvars, "identity") == []
