import asyncio

import pytest

from lab.crs.errors import Trap
from lab.wiring import LinkState, ModuleInfo

PORTS = "/interface/ethernet"
MEMBERS = "/interface/bridge/port"


def refused(desk, *sentence, **who):
    with pytest.raises(Trap) as trap:
        desk.answer(*sentence, **who)
    return trap.value.category, trap.value.message


# --- the factory ------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["CRS812-8DS-2DQ-2DDQ", "CRS804-4DDQ"])
@pytest.mark.parametrize("version", ["7.17", "7.22.3", "7.24", "7.25rc1"])
def test_every_path_of_the_factory_state_prints(make_desk, model, version):
    desk = make_desk(model, version)
    for path, table in desk.state.store.tables.items():
        assert len(desk.rows(f"{path}/print")) >= len(table.rows)
    assert len(desk.rows(f"{PORTS}/print")) == 34


def test_the_factory_bridges_every_port(desk):
    members = desk.rows(f"{MEMBERS}/print")
    assert {row["interface"] for row in members} == set(desk.state.ports)
    offloaded = {row["interface"] for row in members if row["hw-offload"] == "true"}
    assert offloaded == set(desk.state.ports) - {"ether1", "ether2"}
    assert desk.rows("/ip/address/print")[0]["address"] == "192.168.88.1/24"


def test_what_the_device_says_of_itself(make_desk):
    desk = make_desk("CRS804-4DDQ", "7.24rc4")
    (resource,) = desk.rows("/system/resource/print")
    assert resource["version"] == "7.24rc4 (testing)"
    assert resource["board-name"] == "CRS804-4DDQ"
    (board,) = desk.rows("/system/routerboard/print")
    assert board["current-firmware"] == "7.24rc4"


# --- print and get ----------------------------------------------------------------------------


def test_a_proplist_picks(desk):
    assert desk.rows(f"{PORTS}/print", "=.proplist=name,nonsense", "?name=ether1") == [{"name": "ether1"}]


def test_count_only_counts_what_the_queries_leave(desk):
    assert desk.answer(f"{PORTS}/print", "=count-only=").ret == "34"
    assert desk.answer(f"{PORTS}/print", "=count-only=", "?>name=sfp").ret == "8"


def test_get_returns_a_value(desk):
    assert desk.answer(f"{PORTS}/get", "=number=ether1", "=value-name=mtu").ret == "1500"
    assert desk.answer("/system/identity/get", "=value-name=name").ret == "MikroTik"
    assert "name=MikroTik" in desk.answer("/system/identity/get").ret


def test_the_interface_table_is_the_union_and_takes_changes(desk):
    names = {row["name"] for row in desk.rows("/interface/print")}
    assert {"bridge", "ether1", "sfp56-8"} <= names
    desk.answer("/interface/set", "=.id=sfp56-1", "=comment=spare")
    assert desk.row(PORTS, "sfp56-1")["comment"] == "spare"


def test_print_takes_what_the_console_does(desk):
    assert len(desk.rows(f"{PORTS}/print", "=detail=", "=without-paging=")) == 34
    assert [row["name"] for row in desk.rows(f"{PORTS}/print", "=from=ether2,sfp56-1")] == ["ether2", "sfp56-1"]
    ordered = desk.rows("/system/health/print", "=order-by=name", "=.proplist=name")
    assert ordered == sorted(ordered, key=lambda row: row["name"])
    assert len(desk.rows(f"{PORTS}/getall")) == 34


def test_follow_prints_and_goes_on(desk):
    async def collect():
        rows = desk.answer(f"{PORTS}/print", "=follow=", "?name=ether1").rows
        first = await anext(rows)
        asyncio.get_running_loop().call_soon(lambda: desk.answer(f"{PORTS}/set", "=.id=ether1", "=comment=new"))
        second = await anext(rows)
        await rows.aclose()
        return first.get("comment"), second.get("comment")

    assert asyncio.run(collect()) == (None, "new")
    assert len(desk.state.watchers) == 1


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (["/nonsense/print"], (0, "no such command or directory (nonsense)")),
        (["/interface/nonsense/print"], (0, "no such command or directory (nonsense)")),
        ([f"{PORTS}/nonsense"], (0, "no such command")),
        ([PORTS], (0, "no such command")),
        ([f"{PORTS}/add", "=name=x"], (0, "no such command")),
        ([f"{PORTS}/set", "=.id=*FFF", "=mtu=1500"], (0, "no such item")),
        ([f"{PORTS}/set", "=.id=", "=mtu=1500"], (0, "no such item")),
        ([f"{PORTS}/set", "=.id=ether1", "=passthrough=yes"], (None, "unknown parameter passthrough")),
        ([f"{PORTS}/set", "=.id=ether1", "=running=yes"], (None, "unknown parameter running")),
        (["/system/identity/print", "=detail="], (None, "unknown parameter detail")),
        (
            [f"{PORTS}/blink", "=numbers=ether1"],
            (None, f"failure: the virtual CRS does not play {PORTS}/blink"),
        ),
        (
            ["/interface/bridge/host/remove", "=numbers=*1"],
            (None, "failure: the virtual CRS does not play /interface/bridge/host/remove"),
        ),
        (
            [f"{PORTS}/print", "=stats-detail="],
            (None, f"failure: the virtual CRS does not play {PORTS}/print stats-detail="),
        ),
        (
            [f"{PORTS}/set", "=.id=ether1", "=name=ether2"],
            (None, "failure: already have interface with such name"),
        ),
        (
            [f"{MEMBERS}/add", "=bridge=bridge", "=interface=ether1"],
            (None, "failure: device already added as bridge port"),
        ),
        (
            ["/ip/address/add", "=address=192.168.88.1/24", "=interface=bridge"],
            (None, "failure: already have such address"),
        ),
        (["/ip/address/add", "=address=x", "=interface=bridge"], (1, "invalid value for argument address")),
        (["/interface/bonding/add", "=name=b"], (None, "failure: need at least one slave interface")),
        (["/interface/bonding/add", "=slaves=x"], (1, "input does not match any value of slaves")),
    ],
)
def test_refusals_are_in_the_devices_words(desk, sentence, expected):
    before = desk.state.export()
    assert refused(desk, *sentence) == expected
    assert desk.state.export() == before


def test_a_bad_argument_changes_no_item_of_a_list(desk):
    refused(desk, f"{PORTS}/set", "=.id=ether1,ether2", "=mtu=1400", "=speed=x")
    assert desk.row(PORTS, "ether1")["mtu"] == "1500"


def test_a_reader_reads_and_no_more(desk):
    assert desk.rows(f"{PORTS}/print", user="viewer")
    assert desk.rows(f"{PORTS}/monitor", "=numbers=ether1", "=once=", user="viewer")
    for sentence in ([f"{PORTS}/set", "=.id=ether1", "=mtu=1400"], ["/safe-mode/take"], ["/user/add", "=name=x"]):
        assert refused(desk, *sentence, user="viewer") == (None, "not enough permissions (9)")


def test_a_version_lacks_what_came_later(make_desk):
    desk = make_desk(version="7.17")
    assert refused(desk, "/safe-mode/take")[1] == "no such command or directory (safe-mode)"
    assert "pfc" in refused(desk, "/interface/ethernet/switch/qos/port/set", "=.id=qsfp56-1-1", "=pfc=x")[1]
    capped = "/interface/ethernet/switch/qos/port/set", "=.id=qsfp56-1-1", "=egress-rate-queue3=200G"
    assert refused(desk, *capped) == (None, "failure: max bit rate is 100G")


# --- changes ----------------------------------------------------------------------------------


def test_items_by_id_name_list_and_number(desk):
    ether1 = desk.row(PORTS, "ether1")[".id"]
    desk.answer(f"{PORTS}/set", f"=.id={ether1.lower()},sfp56-1", "=comment=one")
    desk.answer(f"{PORTS}/set", "=numbers=1", "=comment=one")
    assert {row["name"] for row in desk.rows(f"{PORTS}/print", "?comment=one")} == {"ether1", "ether2", "sfp56-1"}


def test_a_row_is_added_and_removed(desk):
    done = desk.answer("/interface/bridge/vlan/add", "=bridge=bridge", "=vlan-ids=10", "=tagged=ether1,bridge")
    (row,) = desk.rows("/interface/bridge/vlan/print")
    assert row[".id"] == done.ret
    desk.answer("/interface/bridge/vlan/remove", f"=.id={done.ret}")
    assert desk.rows("/interface/bridge/vlan/print") == []


def test_unset_and_bang_take_a_property_away(desk):
    path = "/interface/ethernet/switch/qos/port"
    for take_away in ([f"{path}/unset", "=value-name=egress-rate-queue3"], [f"{path}/set", "=!egress-rate-queue3="]):
        desk.answer(f"{path}/set", "=.id=qsfp56-1-1", "=egress-rate-queue3=200G")
        assert desk.row(path, "qsfp56-1-1")["egress-rate-queue3"] == "200000000000"
        desk.answer(take_away[0], "=.id=qsfp56-1-1", *take_away[1:])
        assert "egress-rate-queue3" not in desk.row(path, "qsfp56-1-1")


def test_roce_as_the_manual_sets_it(desk):
    qos = "/interface/ethernet/switch/qos"
    desk.answer(f"{qos}/profile/add", "=name=roce", "=dscp=26", "=traffic-class=3")
    desk.answer(f"{qos}/priority-flow-control/add", "=name=tc3", "=traffic-class=3", "=rx=yes", "=tx=yes")
    desk.answer(f"{qos}/port/set", "=.id=qsfp56-1-1", "=trust-l3=keep", "=pfc=tc3", "=egress-rate-queue3=200G")
    desk.answer(f"{qos}/settings/set", "=lossless-traffic-class=3", "=lossless-buffers=auto")
    (queue,) = desk.rows(f"{qos}/tx-manager/queue/print", "?traffic-class=3")
    desk.answer(f"{qos}/tx-manager/queue/set", f"=.id={queue['.id']}", "=ecn=yes", "=weight=1")
    assert desk.row(f"{qos}/port", "qsfp56-1-1")["pfc"] == "tc3"


def test_a_rename_is_followed_by_what_refers_to_it(desk):
    desk.answer(f"{PORTS}/set", "=.id=ether1", "=name=uplink")
    assert desk.row(MEMBERS, "uplink")["bridge"] == "bridge"
    assert desk.row(PORTS, "uplink")["default-name"] == "ether1"
    assert desk.state.forwarding_ports()["ether1"].bridge == "bridge"


# --- mtu --------------------------------------------------------------------------------------


def test_l2mtu_comes_before_mtu(desk):
    too_high = f"{PORTS}/set", "=.id=sfp56-1", "=mtu=9000"
    assert refused(desk, *too_high) == (None, "failure: could not set mtu")
    desk.answer(f"{PORTS}/set", "=.id=sfp56-1", "=l2mtu=9216")
    desk.answer(*too_high)
    assert desk.row(PORTS, "sfp56-1")["mtu"] == "9000"


def test_l2mtu_has_the_ports_limit(desk):
    assert refused(desk, f"{PORTS}/set", "=.id=sfp56-1", "=l2mtu=9586")[0] == 1
    desk.answer(f"{PORTS}/set", "=.id=ether1", "=l2mtu=9586")


def test_a_bridge_above_its_smallest_member_takes_no_change_at_all(desk):
    desk.answer("/interface/bridge/set", "=.id=bridge", "=mtu=1584")
    desk.answer(f"{PORTS}/set", "=.id=sfp56-1", "=l2mtu=1550")
    assert desk.row("/interface/bridge", "bridge")["l2mtu"] == "1550"
    expected = None, "failure: could not set mtu"
    assert refused(desk, "/interface/bridge/set", "=.id=bridge", "=comment=x") == expected


# --- what restarts ----------------------------------------------------------------------------


def test_disabling_a_lane_restarts_its_cage(desk):
    desk.answer(f"{PORTS}/disable", "=numbers=qsfp56-1-3")
    assert desk.wiring.restarts == [frozenset(f"qsfp56-1-{lane}" for lane in range(1, 5))]
    desk.answer(f"{PORTS}/disable", "=numbers=qsfp56-1-3")
    assert len(desk.wiring.restarts) == 1


def test_l2mtu_restarts_everything_and_mtu_nothing(desk):
    desk.answer(f"{PORTS}/set", "=.id=sfp56-1", "=l2mtu=9216")
    desk.answer(f"{PORTS}/set", "=.id=sfp56-1", "=mtu=9000")
    assert desk.wiring.restarts == [frozenset(desk.state.ports), frozenset()]


def test_a_speed_restarts_its_port_and_a_comment_does_not_concern_the_wiring(desk):
    desk.answer(f"{PORTS}/set", "=.id=qsfp56-1-1", "=speed=200G-baseCR4", "=auto-negotiation=no")
    desk.answer(f"{PORTS}/set", "=.id=qsfp56-1-1", "=comment=x")
    assert desk.wiring.restarts == [frozenset({"qsfp56-1-1"})]
    settings = desk.state.port_settings()["qsfp56-1-1"]
    assert (settings.speed, settings.auto_negotiation) == ("200G-baseCR4", False)


# --- bridges ----------------------------------------------------------------------------------


def test_only_the_first_bridge_with_switch_ports_is_offloaded(desk):
    desk.answer("/interface/bridge/add", "=name=second")
    member = desk.row(MEMBERS, "sfp56-1")
    desk.answer(f"{MEMBERS}/set", f"=.id={member['.id']}", "=bridge=second")
    assert desk.row(MEMBERS, "sfp56-1")["hw-offload"] == "false"
    assert desk.row(MEMBERS, "sfp56-2")["hw-offload"] == "true"
    assert desk.state.forwarding_ports()["sfp56-1"].bridge == "second"


def test_a_pvid_counts_once_the_bridge_filters(desk):
    member = desk.row(MEMBERS, "sfp56-1")
    desk.answer(f"{MEMBERS}/set", f"=.id={member['.id']}", "=pvid=20")
    assert desk.state.forwarding_ports()["sfp56-1"].pvid == 1
    desk.answer("/interface/bridge/set", "=.id=bridge", "=vlan-filtering=yes")
    assert desk.state.forwarding_ports()["sfp56-1"].pvid == 20


def test_a_removed_bridge_leaves_its_id_behind(desk):
    bridge = desk.row("/interface/bridge", "bridge")
    desk.answer("/interface/bridge/remove", "=.id=bridge")
    assert desk.row(MEMBERS, "ether1")["bridge"] == bridge[".id"]
    assert desk.state.forwarding_ports()["ether1"].bridge is None


# --- monitor ----------------------------------------------------------------------------------


def test_monitor_says_what_the_wiring_shows(desk):
    module = ModuleInfo(True, supported=("200G-baseCR4",), fields={"sfp-vendor-name": "NADDOD"})
    desk.wiring.states["qsfp56-1-1"] = LinkState("link-ok", "done", 200, "fec91", ("200G-baseCR4",), (), module, True)
    up, down = desk.rows(f"{PORTS}/monitor", "=numbers=qsfp56-1-1,sfp56-1", "=once=")
    assert (up["status"], up["rate"], up["fec"]) == ("link-ok", "200Gbps", "fec91")
    assert (up["sfp-module-present"], up["sfp-vendor-name"], up["eeprom-checksum"]) == ("true", "NADDOD", "good")
    assert "rate" not in down
    assert "fec" not in down
    assert desk.row(PORTS, "qsfp56-1-1")["running"] == "true"
    assert desk.row(MEMBERS, "qsfp56-1-1")["status"] == "in-bridge"
    assert desk.row(MEMBERS, "sfp56-1")["status"] == "inactive"


def test_a_bad_eeprom_shows_no_field(desk):
    module = ModuleInfo(True, checksum_good=False, fields={"sfp-vendor-name": "X"})
    desk.wiring.states["qsfp56-1-1"] = LinkState("auto-init-failed", "failed", module=module)
    (row,) = desk.rows(f"{PORTS}/monitor", "=numbers=qsfp56-1-1", "=once=")
    assert row["eeprom-checksum"] == "bad"
    assert "sfp-vendor-name" not in row


def test_monitor_for_a_duration_counts_sections(desk):
    async def collect():
        stream = desk.answer(f"{PORTS}/monitor", "=numbers=ether1", "=duration=30ms", "=once=false")
        return [row async for row in stream.rows]

    assert [row[".section"] for row in asyncio.run(collect())] == ["0", "1", "2"]


# --- safe mode --------------------------------------------------------------------------------


def test_unroll_undoes_what_every_session_did(desk):
    before = desk.state.export()
    desk.answer("/safe-mode/take", session="a")
    desk.answer(f"{PORTS}/disable", "=numbers=sfp56-1", session="a")
    desk.answer("/system/identity/set", "=name=x", session="b")
    desk.answer("/interface/bridge/add", "=name=second", session="b")
    assert desk.rows("/safe-mode/print", session="b") == [
        {"enabled": "true", "user": "admin", "current": "false", "owner": "api"}
    ]
    assert refused(desk, "/safe-mode/take", session="b")[1].startswith("failure: ")
    desk.answer("/safe-mode/unroll", session="a")
    assert desk.state.export() == before
    assert len(desk.wiring.restarts) == 2
    assert desk.answer("/safe-mode/get", "=value-name=enabled").ret == "false"


def test_a_release_keeps_the_changes(desk):
    desk.answer("/safe-mode/take")
    desk.answer("/system/identity/set", "=name=x")
    desk.answer("/safe-mode/release")
    assert desk.rows("/system/identity/print") == [{"name": "x"}]


def test_more_than_a_hundred_changes_leave_safe_mode(desk):
    desk.answer("/safe-mode/take")
    for number in range(101):
        desk.answer("/system/identity/set", f"=name=x{number}")
    assert desk.answer("/safe-mode/get", "=value-name=enabled").ret == "false"
    assert desk.rows("/system/identity/print") == [{"name": "x100"}]
