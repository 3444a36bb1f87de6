"""The switches: speeds, companions, frame sizes, the one bridge, rates."""

from __future__ import annotations


def test_links_show_their_declared_rate_and_fec(rack, monitor):
    wrong = []
    for name in rack.switches:
        for link in rack.vars[name]["switch_links"]:
            row = monitor[name].get(link["port"], {})
            seen = (row.get("status"), row.get("rate"), row.get("fec"))
            if seen != ("link-ok", f"{link['rate_gbps']}Gbps", link["fec"]):
                wrong.append((link["name"], seen))
    assert wrong == []


def test_ports_are_set_as_planned(rack):
    wrong = []
    for name in rack.switches:
        with rack.session(name) as session:
            rows = {row["default-name"]: row for row in session.call("/interface/ethernet/print")}
        for port in rack.vars[name]["switch_ports"]:
            row = rows[port["name"]]
            wanted = {"disabled": "false", "l2mtu": str(port["l2mtu"]), "mtu": str(port["mtu"])}
            if port["role"] == "master":
                wanted |= {"auto-negotiation": "false", "speed": port["speed"], "fec-mode": port["fec_mode"]}
            wrong += [(name, port["name"], key, row.get(key)) for key, value in wanted.items() if row.get(key) != value]
    assert wrong == []


def test_fabric_ports_are_forwarded_by_the_chip(rack):
    wrong = []
    for name in rack.switches:
        bridge = rack.vars[name]["switch_bridge"]
        with rack.session(name) as session:
            rows = {row["interface"]: row for row in session.call("/interface/bridge/port/print")}
        wrong += [
            (name, member)
            for member in bridge["members"]
            if rows[member]["bridge"] != bridge["name"] or rows[member].get("hw-offload") != "true"
        ]
    assert wrong == []
