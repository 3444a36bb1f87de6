import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.crs.errors import Trap
from lab.crs.schema import Schema
from lab.crs.values import format_duration, parse_duration, parse_value

SCHEMA = Schema("7.24")
NAMES = ["ether1", "bridge"]


def parse(path, name, text):
    return parse_value(name, text, SCHEMA.directory(path).type_of(name), NAMES)


@pytest.mark.parametrize(
    ("path", "name", "text", "expected"),
    [
        ("/interface/ethernet", "disabled", "yes", "true"),
        ("/interface/ethernet", "disabled", "false", "false"),
        ("/interface/ethernet", "mtu", "9000", "9000"),
        ("/interface/ethernet", "speed", "200G-baseCR4", "200G-baseCR4"),
        ("/interface/ethernet", "advertise", "400G-baseCR8,200G-baseCR4", "200G-baseCR4,400G-baseCR8"),
        ("/interface/ethernet", "mac-address", "aa-bb-cc-dd-ee-ff", "AA:BB:CC:DD:EE:FF"),
        ("/interface/ethernet", "loop-protect-disable-time", "00:05:00", "5m"),
        ("/interface/ethernet", "comment", "100", "100"),
        ("/interface/bridge", "mtu", "auto", "auto"),
        ("/interface/bridge/port", "interface", "ether1", "ether1"),
        ("/interface/bridge/port", "edge", "yes", "yes"),
        ("/interface/bridge/port", "horizon", "none", "none"),
        ("/interface/ethernet/switch/qos/port", "egress-rate-queue3", "200G", "200000000000"),
        ("/interface/ethernet/switch/qos/settings", "lossless-buffers", "auto", "auto"),
    ],
)
def test_a_value_is_printed_as_the_device_does(path, name, text, expected):
    assert parse(path, name, text) == expected


@pytest.mark.parametrize(
    ("path", "name", "text", "message"),
    [
        ("/interface/ethernet", "speed", "200Gbps", "input does not match any value of speed"),
        ("/interface/ethernet", "fec-mode", "rs", "input does not match any value of fec-mode"),
        ("/interface/ethernet", "disabled", "perhaps", "input does not match any value of disabled"),
        ("/interface/ethernet", "mtu", "9000x", "value of mtu contains invalid trailing characters"),
        ("/interface/ethernet", "l2mtu", "65537", "value of l2mtu out of range (0..65536)"),
        ("/interface/ethernet", "mac-address", "x", "invalid value of mac-address, mac address required"),
        ("/interface/bridge/port", "interface", "ether9", "input does not match any value of interface"),
        (
            "/interface/bridge/port",
            "interface",
            "",
            "ambiguous value of interface, more than one possible value matches input",
        ),
        ("/interface/bridge/port", "pvid", "4095", "value of pvid out of range (1..4094)"),
    ],
)
def test_a_bad_value_is_refused_in_the_devices_words(path, name, text, message):
    with pytest.raises(Trap) as refused:
        parse(path, name, text)
    assert refused.value.message == message
    assert refused.value.category == 1


@given(st.integers(min_value=1, max_value=10**10))
def test_durations_come_back(milliseconds):
    assert round(parse_duration(format_duration(milliseconds / 1000)) * 1000) == milliseconds


def test_versions_differ_in_what_they_know():
    old, new = Schema("7.22.3"), Schema("7.24")
    pfc = "/interface/ethernet/switch/qos/priority-flow-control"
    assert old.directory(pfc) is None
    assert new.directory(pfc) is not None
    assert Schema("7.17").directory("/safe-mode") is None
    assert "order-by" not in old.directory("/interface").arguments("print")
    assert "order-by" in new.directory("/interface").arguments("print")
