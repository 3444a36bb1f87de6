import pytest
import routeros_api
from routeros_api.exceptions import RouterOsApiCommunicationError


@pytest.fixture
def api(served):
    pool = routeros_api.RouterOsApiPool(
        served.host, username="admin", password="password", port=served.port, plaintext_login=True
    )
    yield pool.get_api()
    pool.disconnect()


def test_get_set_add_remove(api):
    ports = api.get_resource("/interface/ethernet")
    assert len(ports.get()) == 34
    (port,) = ports.get(name="ether1")
    ports.set(id=port["id"], comment="hello")
    assert ports.get(comment="hello")[0]["name"] == "ether1"
    bridges = api.get_resource("/interface/bridge")
    bridges.add(name="second")
    bridges.remove(id=bridges.get(name="second")[0]["id"])
    assert [bridge["name"] for bridge in bridges.get()] == ["bridge"]


def test_nothing_found(api):
    assert list(api.get_resource("/interface/bridge/vlan").get()) == []


def test_a_trap(api):
    with pytest.raises(RouterOsApiCommunicationError, match="no such item"):
        api.get_resource("/interface/ethernet").set(id="*FFF", comment="x")
