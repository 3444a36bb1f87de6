"""Evidence of a rack that is exactly as declared, in the shape in which the modules return it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import perftest, ping, ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import links as switch_links
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import Thresholds
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import HOST, Evidence, HostEvidence
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
        taken_at="2026-12-01T02:00:00Z",
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
        "duplex": "full",
        "master": None,
        "kind": None,
        "ipv4": [wanted["address"]],
        "ipv6": [],
        "driver": "mlx5_core",
        "firmware": "28.45.4028",
        "pcie_width": 4,
        "pcie_speed_gts": 32.0,
        "phys_port_name": "p1",
        "fec": "RS",
        "module": {
            "type": "QSFP28",
            "encoding": "pam4",
            "length_m": 1,
            "vendor": "NADDOD",
            "part": "Q56-200G-CU1",
            "serial": "A1",
        },
        "counters": dict.fromkeys(("rx_errors", "rx_dropped", "rx_crc_errors", "tx_errors", "tx_dropped"), 0),
    }


def _device(wanted: dict[str, Any], address: str) -> dict[str, Any]:
    gid = {"gid": "0000:0000:0000:0000:0000:ffff:c0a8:640b", "netdev": wanted["interface"], "ipv4": address}
    return {
        "netdev": wanted["interface"],
        "state": "ACTIVE",
        "link_layer": "Ethernet",
        "rate": "200 Gb/sec (4X HDR)",
        "firmware": "28.45.4028",
        "active_mtu": 4096,
        "gids": [{"index": 2, "kind": "IB/RoCE v1", **gid}, {"index": 3, "kind": "RoCE v2", **gid}],
    }


SYSTEM = {
    "hostname": "",
    "uptime_seconds": 86400.0,
    "boot_id": "5c0c6c6e-0000-4000-8000-000000000000",
    "machine_id": None,
    "kernel": "6.17.0-1029-nvidia",
    "cmdline": "quiet",
    "architecture": "aarch64",
    "distribution": "Ubuntu 24.04",
    "python": "3.12.3",
    "memory_kib": 127_535_252,
    "memory_available_kib": 100_000_000,
    "swap_total_kib": 15_728_640,
    "swap_free_kib": 15_728_640,
    "disk_free_kib": 500_000_000,
    "dgx_release": "7.5.0",
}


def _mac(values: dict[str, Any], number: int) -> str:
    return f"4c:bb:47:00:{values['node_rank']:02x}:{number:02x}"


def _node(values: dict[str, Any]) -> HostEvidence:
    addresses = {row["device"]: row["address"] for row in values["nccl_devices"]}
    name, rank = values["node_name"], values["node_rank"]
    management = {
        **_interface({"mtu": 1500, "speed_mbps": 10000, "address": f"10.83.0.{11 + rank}/24"}),
        "driver": "r8127",
        "firmware": None,
        "pcie_width": None,
        "pcie_speed_gts": None,
        "phys_port_name": None,
        "fec": None,
        "module": None,
        "mac": _mac(values, 0),
    }
    route = {"family": 4, "gateway": "10.83.0.1", "interface": values["fabric_management_interface"], "metric": 100}
    parts: dict[str, Any] = {
        "system": {**SYSTEM, "hostname": name, "machine_id": f"{rank:032x}"},
        "interfaces": {
            values["fabric_management_interface"]: management,
            **{
                wanted["name"]: {**_interface(wanted), "mac": _mac(values, number + 1)}
                for number, wanted in enumerate(values["fabric_interfaces"])
            },
        },
        "rdma_devices": {
            wanted["rdma_device"]: _device(wanted, addresses[wanted["rdma_device"]])
            for wanted in values["ofed_devices"]
        },
        "routes": [{**route, "destination": "default"}],
        "neighbours": [],
        "netplan": [
            {
                "path": "/etc/netplan/60-sparkloom-fabric.yaml",
                "mode": "0600",
                "interfaces": [wanted["name"] for wanted in values["fabric_interfaces"]],
                "error": "",
            }
        ],
        "packages": {"chrony": "4.5-1ubuntu4", "rdma-core": "50.0-2", "perftest": "24.01.0"},
        "services": {
            "chrony.service": {"active": "active", "enabled": "enabled"},
            "docker.service": {"active": "active", "enabled": "enabled"},
        },
        "failed_units": [],
        "clock": {
            "running": True,
            "synchronised": True,
            "offset_ms": 0.4,
            "reference": values["node_head"],
            "stratum": 3,
            "problem": "",
        },
        "environment": dict(values["nccl_environment"]),
        "ssh": {
            "host_keys": [f"SHA256:host{rank}"],
            "users": {user: {"keys": [f"SHA256:{user}{rank}"]} for user in values["ssh_mesh_users"]},
        },
        "kernel_log": {"aer_errors": 0, "oom_kills": 0, "mlx5_errors": 0, "lines": []},
        "sysctl": {"net.ipv4.ip_forward": "0", "vm.swappiness": "60"},
        "limits": {"memlock_kib": -1, "nofile": 1048576},
        "gpu": {
            "driver": "580.173.02",
            "name": "NVIDIA GB10",
            "clock_mhz": 2400.0,
            "power_w": 12.0,
            "temperature_c": 45.0,
            "throttle": [],
        },
        "paths": [
            ping.PathResult(target.peer, target.rail, target.interface, target.address, 8972, 3, 3, 0.2, "").to_dict()
            for target in ping.targets(values["fabric_interfaces"], values["fabric_peers"])
        ],
        "logins": [
            {"user": login.user, "peer": login.peer, "host": login.host, "ok": True, "error": ""}
            for login in ssh.logins(values["ssh_mesh_users"], values["ssh_mesh_peers"], values["node_name"], "first")
        ],
        "bandwidth": [
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
    }
    return HostEvidence(parts)


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


def _switch(values: dict[str, Any]) -> HostEvidence:
    rows = {link["port"]: monitor_row(link) for link in values["switch_links"]}
    bridge = values["switch_bridge"]
    quiet = dict.fromkeys(
        ("rs_fec_uncorrected", "rx_fcs_error", "rx_drop", "tx_drop", "link_downs", "rx_pause", "tx_pause"), 0
    )
    return HostEvidence(
        {
            "system": {
                "identity": "crs",
                "version": "7.24.2 (stable)",
                "model": values["switch_model"],
                "serial_number": "HG0001",
                "current_firmware": "7.24.2",
                "upgrade_firmware": "7.24.2",
                "uptime": "1d",
                "board_name": values["switch_model"],
            },
            "links": [result.to_dict() for result in switch_links.judge_all(values["switch_links"], rows)],
            "monitor": list(rows.values()),
            "bridges": [{"name": bridge["name"], "disabled": "false", "protocol-mode": "rstp"}],
            "bridge_ports": [
                {
                    "interface": member,
                    "bridge": bridge["name"],
                    "disabled": "false",
                    "hw": "true",
                    "hw-offload": "true",
                    "role": "designated-port",
                    "forwarding": "true",
                }
                for member in bridge["members"]
            ],
            "ports": [
                {
                    "name": port["name"],
                    "default-name": port["name"],
                    "l2mtu": str(port["l2mtu"]),
                    "mtu": str(port["mtu"]),
                    "disabled": "false",
                }
                for port in values["switch_ports"]
            ],
            "counters": {
                link["port"]: {"rs_fec_codewords": 10**9, "rs_fec_corrected": 12, **quiet}
                for link in values["switch_links"]
            },
            "fdb": [],
            "health": {"cpu-temperature": "45", "fan-state": "ok", "psu1-state": "ok", "psu2-state": "ok"},
            "services": [{"name": "api", "disabled": False, "address": "10.83.0.0/24", "certificate": ""}],
            "users": [{"name": "admin", "group": "full", "disabled": False}],
            "neighbours": [],
            "qos_ports": [{"name": link["port"], "egress-rate-queue3": "0"} for link in values["switch_links"]],
            "nd": [],
        }
    )


class Rack:
    """A healthy rack to break one thing of. Records are changed in place; each Rack has its own."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.values = host_vars(plan)
        self.evidence = healthy(plan)

    def node(self, name: str) -> dict[str, Any]:
        """Return the parts of a node."""
        return cast("dict[str, Any]", self.evidence.nodes[name].parts)

    def switch(self, name: str) -> dict[str, Any]:
        """Return the parts of a switch."""
        return cast("dict[str, Any]", self.evidence.switches[name].parts)

    def rail(self, name: str, rail: str) -> dict[str, Any]:
        """Return the facts of one interface."""
        found: dict[str, Any] = self.node(name)["interfaces"][self.interface(name, rail)]
        return found

    def interface(self, name: str, rail: str) -> str:
        return str(next(row["name"] for row in self.values[name]["fabric_interfaces"] if row["rail"] == rail))

    def device(self, name: str, rail: str) -> dict[str, Any]:
        """Return the facts of one RDMA device."""
        found: dict[str, Any] = self.node(name)["rdma_devices"][self.device_name(name, rail)]
        return found

    def device_name(self, name: str, rail: str) -> str:
        interface = self.interface(name, rail)
        return str(
            next(row["rdma_device"] for row in self.values[name]["ofed_devices"] if row["interface"] == interface)
        )

    def without(self, name: str, **missing: str) -> None:
        """Take parts of a host's evidence away; ``missing`` says why each gave nothing."""
        hosts = cast(
            "dict[str, HostEvidence]",
            self.evidence.nodes if name in self.evidence.nodes else self.evidence.switches,
        )
        kept = {part: value for part, value in hosts[name].parts.items() if part not in missing}
        hosts[name] = HostEvidence(kept, {**hosts[name].missing, **missing})

    def off(self, switch: str, why: str) -> None:
        """Let a switch not answer."""
        hosts = cast("dict[str, HostEvidence]", self.evidence.switches)
        hosts[switch] = HostEvidence(missing={HOST: why})

    def monitor(self, switch: str, port: str, **row: str) -> None:
        """Let a switch show something else of one port; ``_`` stands for ``-``."""
        values, seen = self.values[switch]["switch_links"], self.switch(switch)["links"]
        link = next(link for link in values if link["port"] == port)
        shown = {**monitor_row(link), **{key.replace("_", "-"): value for key, value in row.items()}}
        if shown["status"] != "link-ok":
            shown.pop("rate")
            shown.pop("fec")
        result = switch_links.judge(link, shown).to_dict()
        seen[:] = [result if found["port"] == port else found for found in seen]

    def silence(self, name: str, error: str = "Failed to connect to the host via ssh: No route to host") -> None:
        """Let a node be off: nothing of it, and nothing towards it."""
        hosts = cast("dict[str, HostEvidence]", self.evidence.nodes)
        hosts[name] = HostEvidence(missing={HOST: error})
        for other in hosts:
            if other == name:
                continue
            self.cut_paths(other, name)
            for login in hosts[other].parts.get("logins", ()):
                if login["peer"] == name:
                    login.update(ok=False, error=f"ssh: connect to host {name} port 22: No route to host")
            for entry in hosts[other].parts.get("bandwidth", ()):
                if entry["partner"] == name:
                    entry.update(average_gbps=None, error="ib_write_bw: Couldn't connect")

    def cut_paths(self, name: str, *peers: str, rails: str = "AB", received: int = 0, error: str = "") -> None:
        """Lose pings from one node to some peers, to all when none is named."""
        for path in self.node(name).get("paths", ()):
            if path["rail"] in rails and (not peers or path["peer"] in peers):
                path.update(received=received, error=error, rtt_ms=None if not received else 0.2)

    def cut_rail(self, name: str, rails: str = "AB") -> None:
        """Lose what runs over a node's rails: paths both ways and bandwidth."""
        self.cut_paths(name, rails=rails)
        for other, node in self.evidence.nodes.items():
            if other != name:
                self.cut_paths(other, name, rails=rails)
            for entry in node.parts.get("bandwidth", ()):
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
        rack.evidence.taken_at,
        {name: node for name, node in rack.evidence.nodes.items() if name in values.nodes},
        {name: switch for name, switch in rack.evidence.switches.items() if name in values.switches},
    )
    return diagnose(values, seen, Thresholds(thresholds))


def the_root(findings: list[Finding]) -> Finding:
    """Return the one finding that stands alone; whatever else there is follows from it, and comes after it."""
    alone = [finding for finding in findings if not finding.follows]
    assert len(alone) == 1, "\n".join(map(str, alone))
    assert findings[0] == alone[0]
    assert {finding.follows for finding in findings[1:]} <= {alone[0].title}
    return alone[0]
