"""Evidence of a rack that is exactly as declared, in the shape in which the modules return it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import clock, perftest, ping, ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import links as switch_links
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    NodeEvidence,
    SwitchEvidence,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import Plan, make_plan

INVENTORIES = Path(__file__).parents[3] / "inventories"
GOOD_GBPS = 108.9


@cache
def plan_of(path: str) -> Plan:
    return make_plan(parse_text((INVENTORIES / path).read_text(encoding="utf-8")))


def spark8() -> Plan:
    return plan_of("lab/spark8.cluster.yml")


def pair() -> Plan:
    return plan_of("examples/pair/pair.cluster.yml")


def host_vars(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return each host's variables with those of its groups, as Ansible merges them."""
    cluster = next(name for name in plan.group_vars if f"{name}_nodes" in plan.group_vars)
    return {
        host: {**plan.group_vars[cluster], **plan.group_vars[f"{cluster}_{kind}"], **plan.host_vars[host]}
        for kind in ("nodes", "switches")
        for host in plan.groups[f"{cluster}_{kind}"]
    }


def declared(plan: Plan, only: Iterable[str] = ()) -> Declared:
    """Return what a run over some hosts compares with; over all of them when none is named."""
    values = host_vars(plan)
    run = set(only) or set(values)
    links = next(iter(values.values()))["cluster_links"]
    return Declared(
        links=[link for link in links if run & {end["name"] for end in link["ends"]}],
        nodes={name: found for name, found in values.items() if name in run and "node_name" in found},
        switches={name: found for name, found in values.items() if name in run and "switch_model" in found},
    )


def healthy(plan: Plan) -> Evidence:
    values = host_vars(plan)
    return Evidence(
        nodes={name: _node(found) for name, found in values.items() if "node_name" in found},
        switches={name: _switch(found) for name, found in values.items() if "switch_model" in found},
    )


def _interface(wanted: dict[str, Any]) -> dict[str, Any]:
    return {
        "mac": "4c:bb:47:00:00:01",
        "mtu": wanted["mtu"],
        "state": "UP",
        "carrier": True,
        "carrier_changes": 2,
        "speed_mbps": wanted["speed_mbps"],
        "master": None,
        "ipv4": [wanted["address"]],
        "ipv6": [],
        "driver": "mlx5_core",
        "firmware": "28.45.4028",
        "pcie_width": 4,
        "pcie_speed_gts": 32.0,
    }


def _device(wanted: dict[str, Any], address: str) -> dict[str, Any]:
    gid = {"gid": "0000:0000:0000:0000:0000:ffff:c0a8:640b", "netdev": wanted["interface"], "ipv4": address}
    return {
        "netdev": wanted["interface"],
        "state": "ACTIVE",
        "link_layer": "Ethernet",
        "rate": "200 Gb/sec (4X HDR)",
        "firmware": "28.45.4028",
        "gids": [{"index": 2, "kind": "IB/RoCE v1", **gid}, {"index": 3, "kind": "RoCE v2", **gid}],
    }


def _node(values: dict[str, Any]) -> NodeEvidence:
    addresses = {row["device"]: row["address"] for row in values["nccl_devices"]}
    management = {
        "carrier": True,
        "speed_mbps": 10000,
        "mtu": 1500,
        "ipv4": ["10.83.0.11/24"],
        "ipv6": [],
        "master": None,
    }
    return NodeEvidence(
        facts={
            "hostname": values["node_name"],
            "interfaces": {
                values["fabric_management_interface"]: management,
                **{wanted["name"]: _interface(wanted) for wanted in values["fabric_interfaces"]},
            },
            "rdma_devices": {
                wanted["rdma_device"]: _device(wanted, addresses[wanted["rdma_device"]])
                for wanted in values["ofed_devices"]
            },
            "default_routes": [
                {"family": 4, "gateway": "10.83.0.1", "interface": values["fabric_management_interface"], "metric": 100}
            ],
        },
        paths=[
            ping.PathResult(target.peer, target.rail, target.interface, target.address, 8972, 3, 3, 0.2, "").to_dict()
            for target in ping.targets(values["fabric_interfaces"], values["fabric_peers"])
        ],
        logins=[
            {"user": login.user, "peer": login.peer, "host": login.host, "ok": True, "error": ""}
            for login in ssh.logins(values["ssh_mesh_users"], values["ssh_mesh_peers"], values["node_name"], "first")
        ],
        clock=clock.Clock(True, 0.4, values["node_head"], 3, "").to_dict(),
        bandwidth=[
            {
                "partner": part["partner"],
                "rail": rail["rail"],
                "device": rail["device"],
                "average_gbps": perftest.Bandwidth(65536, 5000, GOOD_GBPS + 1, GOOD_GBPS).average_gbps,
                "error": "",
            }
            for part in values["verify_rounds"]
            if part["role"] == "client"
            for rail in part["rails"]
        ],
        environment=dict(values["nccl_environment"]),
    )


def monitor_row(link: dict[str, Any]) -> dict[str, str]:
    """Return what monitor shows of a link that is as declared."""
    return {
        "name": link["port"],
        "status": "link-ok",
        "rate": f"{link['rate_gbps']}Gbps",
        "fec": link["fec"],
        "sfp-module-present": "true",
        "sfp-type": "QSFP56",
        "sfp-encoding": link["cable"]["encoding"],
        "sfp-vendor-name": "NADDOD",
        "sfp-vendor-part-number": "Q56-200G-CU0H",
        "sfp-vendor-serial": "A1",
        "eeprom-checksum": "good",
    }


def _switch(values: dict[str, Any]) -> SwitchEvidence:
    rows = {link["port"]: monitor_row(link) for link in values["switch_links"]}
    bridge = values["switch_bridge"]
    return SwitchEvidence(
        links=[result.to_dict() for result in switch_links.judge_all(values["switch_links"], rows)],
        bridge_ports=[
            {"interface": member, "bridge": bridge["name"], "disabled": "false", "hw": "true", "hw-offload": "true"}
            for member in bridge["members"]
        ],
        ports=[
            {"name": port["name"], "default-name": port["name"], "l2mtu": str(port["l2mtu"]), "mtu": str(port["mtu"])}
            for port in values["switch_ports"]
        ],
    )


class Rack:
    """A healthy rack to break one thing of. Records are changed in place; each Rack has its own."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.values = host_vars(plan)
        self.evidence = healthy(plan)

    def node(self, name: str) -> NodeEvidence:
        return self.evidence.nodes[name]

    def rail(self, name: str, rail: str) -> dict[str, Any]:
        """Return the facts of one interface."""
        facts = self.node(name).facts
        assert facts is not None
        found: dict[str, Any] = facts["interfaces"][self.interface(name, rail)]
        return found

    def interface(self, name: str, rail: str) -> str:
        return str(next(row["name"] for row in self.values[name]["fabric_interfaces"] if row["rail"] == rail))

    def device(self, name: str, rail: str) -> dict[str, Any]:
        """Return the facts of one RDMA device."""
        facts = self.node(name).facts
        assert facts is not None
        found: dict[str, Any] = facts["rdma_devices"][self.device_name(name, rail)]
        return found

    def device_name(self, name: str, rail: str) -> str:
        interface = self.interface(name, rail)
        return str(
            next(row["rdma_device"] for row in self.values[name]["ofed_devices"] if row["interface"] == interface)
        )

    def without(self, name: str, *parts: str, **errors: str) -> None:
        """Take parts of a host's evidence away; ``errors`` are what its tasks said."""
        hosts: dict[str, Any] = self.evidence.nodes if name in self.evidence.nodes else self.evidence.switches
        hosts[name] = replace(hosts[name], **dict.fromkeys([*parts, *errors]), errors=errors)

    def monitor(self, switch: str, port: str, **row: str) -> None:
        """Let a switch show something else of one port; ``_`` stands for ``-``."""
        values, seen = self.values[switch]["switch_links"], self.evidence.switches[switch]
        link = next(link for link in values if link["port"] == port)
        shown = {**monitor_row(link), **{key.replace("_", "-"): value for key, value in row.items()}}
        if shown["status"] != "link-ok":
            shown.pop("rate")
            shown.pop("fec")
        result = switch_links.judge(link, shown).to_dict()
        assert seen.links is not None
        seen.links[:] = [result if found["port"] == port else found for found in seen.links]

    def silence(self, name: str, error: str = "Failed to connect to the host via ssh: No route to host") -> None:
        """Let a node be off: nothing of it, and nothing towards it."""
        hosts = self.evidence.nodes
        hosts[name] = NodeEvidence(errors={"facts": error})
        for other in hosts:
            if other == name:
                continue
            self.cut_paths(other, name)
            for login in hosts[other].logins or ():
                if login["peer"] == name:
                    login.update(ok=False, error=f"ssh: connect to host {name} port 22: No route to host")
            for entry in hosts[other].bandwidth or ():
                if entry["partner"] == name:
                    entry.update(average_gbps=None, error="ib_write_bw: Couldn't connect")

    def cut_paths(self, name: str, *peers: str, rails: str = "AB", received: int = 0, error: str = "") -> None:
        """Lose pings from one node to some peers, to all when none is named."""
        for path in self.node(name).paths or ():
            if path["rail"] in rails and (not peers or path["peer"] in peers):
                path.update(received=received, error=error, rtt_ms=None if not received else 0.2)

    def cut_rail(self, name: str, rails: str = "AB") -> None:
        """Lose what runs over a node's rails: paths both ways and bandwidth."""
        self.cut_paths(name, rails=rails)
        for other, node in self.evidence.nodes.items():
            if other != name:
                self.cut_paths(other, name, rails=rails)
            for entry in node.bandwidth or ():
                if name in {other, entry["partner"]} and entry["rail"] in rails:
                    entry.update(average_gbps=None, error="ib_write_bw: Couldn't connect")

    def unplug(self, name: str, rails: str = "AB") -> None:
        """Take the carrier from a node's rails, with all that follows from it."""
        for rail in rails:
            self.rail(name, rail).update(carrier=False, speed_mbps=None, state="DOWN")
            self.device(name, rail)["state"] = "DOWN"
        self.cut_rail(name, rails)


def brief(findings: list[Finding]) -> list[tuple[str, str]]:
    """Return code and place of the findings that stand alone."""
    return [(finding.code, finding.where) for finding in findings if not finding.follows]


def judge(rack: Rack, *only: str, **thresholds: float) -> list[Finding]:
    """Return the findings of a run over some hosts, over all when none is named."""
    values = declared(rack.plan, only)
    seen = Evidence(
        {name: node for name, node in rack.evidence.nodes.items() if name in values.nodes},
        {name: switch for name, switch in rack.evidence.switches.items() if name in values.switches},
    )
    return diagnose(values, seen, Thresholds(**thresholds))


def the_root(findings: list[Finding]) -> Finding:
    """Return the one finding that stands alone; whatever else there is follows from it, and comes after it."""
    alone = [finding for finding in findings if not finding.follows]
    assert len(alone) == 1, "\n".join(map(str, alone))
    assert findings[0] == alone[0]
    assert {finding.follows for finding in findings[1:]} <= {alone[0].title}
    return alone[0]
