import asyncio
import functools
import ssl

import librouteros
import pytest
from librouteros.exceptions import LibRouterosError, TrapError
from librouteros.query import Key, Or

NAME = Key("name")
ID = Key(".id")


@pytest.fixture
def api(served):
    api = librouteros.connect(served.host, "admin", "password", port=served.port, encoding="UTF-8", timeout=10)
    yield api
    api.close()


def test_select_where(api):
    ports = api.path("interface", "ethernet")
    assert len(tuple(ports)) == 34
    assert tuple(ports.select(NAME, Key("mtu")).where(NAME == "ether1")) == ({"name": "ether1", "mtu": 1500},)
    picked = tuple(ports.select(NAME).where(NAME.In("ether1", "ether2", "none")))
    assert {row["name"] for row in picked} == {"ether1", "ether2"}
    assert len(tuple(ports.select(NAME).where(Or(NAME == "ether1", NAME == "sfp56-1")))) == 2
    assert len(tuple(ports.select(NAME).where(Key("disabled") == False))) == 34  # noqa: E712 - a query.
    assert tuple(ports.select(NAME).where(NAME == "none")) == ()


def test_add_update_remove(api):
    vlans = api.path("/interface/bridge/vlan")
    identity = vlans.add(bridge="bridge", tagged="bridge,ether1", **{"vlan-ids": "10"})
    vlans.update(**{".id": identity, "vlan-ids": "10,20"})
    assert [row["vlan-ids"] for row in vlans] == ["10,20"]
    second = vlans.add(bridge="bridge", **{"vlan-ids": "30"})
    vlans.remove(identity, second)
    assert tuple(vlans) == ()


def test_a_trap(api):
    with pytest.raises(TrapError) as trap:
        api.path("interface", "ethernet").update(**{".id": "ether1", "mtu": 9000})
    assert trap.value.message == "failure: could not set mtu"
    with pytest.raises(TrapError) as trap:
        tuple(api("/interface/nonsense/print"))
    assert trap.value.category == 0


def test_a_refused_login(served):
    with pytest.raises(TrapError, match="invalid user name or password"):
        librouteros.connect(served.host, "admin", "wrong", port=served.port, encoding="UTF-8")


def test_unicode(api):
    api.path("interface", "ethernet").update(**{".id": "ether1", "comment": "Küche ▲ 台"})
    (row,) = api.path("interface", "ethernet").select(Key("comment")).where(NAME == "ether1")
    assert row == {"comment": "Küche ▲ 台"}


def test_monitor_once(api):
    rows = tuple(api("/interface/ethernet/monitor", numbers="ether1,sfp56-1", once=""))
    assert [row["status"] for row in rows] == ["no-link", "no-link"]


def test_safe_mode(served):
    before = served.call(served.crs.export)
    api = librouteros.connect(served.host, "admin", "password", port=served.port, encoding="UTF-8")
    tuple(api("/safe-mode/take"))
    api.path("interface", "ethernet").update(**{".id": "ether1", "disabled": True})
    api.close()
    served.wait_for(lambda: served.crs.export() == before)


def test_async(served):
    async def talk():
        api = await librouteros.async_connect(
            served.host, "admin", "password", port=served.port, encoding="UTF-8", timeout=10
        )
        ports = api.path("interface", "ethernet")
        await ports.update(**{".id": "ether1", "comment": "asynchron"})
        rows = [row async for row in ports.select(NAME, Key("comment")).where(Key("comment") == "asynchron")]
        await api.close()
        return rows

    assert asyncio.run(talk()) == [{"name": "ether1", "comment": "asynchron"}]


def connect_tls(served, name, ca_path):
    context = ssl.create_default_context(cafile=ca_path)
    wrapper = functools.partial(context.wrap_socket, server_hostname=name)
    return librouteros.connect(
        served.host, "admin", "password", port=served.port, encoding="UTF-8", ssl_wrapper=wrapper
    )


def test_tls(serve, authority):
    served = serve(context=authority.server_context("crs812.example", "127.0.0.1"))
    for name in ("crs812.example", "127.0.0.1"):
        api = connect_tls(served, name, authority.ca_path)
        assert {row["name"] for row in api.path("ip", "service").select(NAME).where(Key("connection") == True)} == {  # noqa: E712
            "api-ssl"
        }
        api.close()


def test_tls_refuses_a_wrong_name(serve, authority):
    served = serve(context=authority.server_context("other.example"))
    with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        connect_tls(served, "crs812.example", authority.ca_path)


def test_tls_refuses_an_unknown_authority(serve, authority):
    served = serve(context=authority.server_context("crs812.example"))
    with pytest.raises(ssl.SSLCertVerificationError):
        connect_tls(served, "crs812.example", None)


def test_tls_against_a_plain_port(served, authority):
    with pytest.raises((ssl.SSLError, OSError, LibRouterosError)):
        connect_tls(served, "crs812.example", authority.ca_path)
