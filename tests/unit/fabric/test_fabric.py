"""A change of the network from observation to confirmation, on a node that is a folder."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.fabric import Fabric, FabricError, Yaml

PATH = "/etc/netplan/60-sparkloom-fabric.yaml"
INTERFACE = {"name": "enp1s0f1np1", "cage": "1", "address": "192.168.100.11/24", "mtu": 9000}
RIGHT = {"mtu": 9000, "address": "192.168.100.11"}
WRONG = {"mtu": 1500, "address": "192.168.100.10"}
SYNC = "network: {version: 2, ethernets: {enp1s0f1np1: {addresses: [192.168.100.10/24]}}}\n"
MANAGEMENT = "network: {version: 2, ethernets: {enP7s7: {dhcp4: true}}}\n"


def run_script(script: Path) -> None:
    """Run the node's own script, with a netplan that leaves this machine alone."""
    tools = script.parents[4] / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "netplan").symlink_to("/bin/true")
    subprocess.run(["/bin/sh", script], check=True, capture_output=True, env={"PATH": f"{tools}:/usr/bin:/bin"})


@dataclass
class Node:
    """Answers the commands that the module runs; ``netplan apply`` takes effect where it is told to."""

    root: Path
    live: dict[str, Any] = field(default_factory=lambda: dict(WRONG))
    effective: bool = True
    generates: bool = True
    timers: bool = True
    default_route: str = "enP7s7"
    commands: list[list[str]] = field(default_factory=list)
    now: float = 0.0

    def run(self, command: list[str]) -> tuple[int, str, str]:
        self.commands.append(command)
        match command:
            case ["ip", "-j", "addr", *_]:
                infos = [{"local": self.live["address"], "prefixlen": 24}]
                link = {"flags": ["UP", "LOWER_UP"], "mtu": self.live["mtu"], "addr_info": infos}
                return 0, json.dumps([{"ifname": "enp1s0f1np1", **link}, {"ifname": "enP7s7", "mtu": 1500}]), ""
            case ["ip", "-j", "route", *_]:
                return 0, json.dumps([{"dev": self.default_route}]), ""
            case ["netplan", "generate"] if not self.generates:
                return 78, "", "60-sparkloom-fabric.yaml:3: unknown key"
            case ["netplan", "apply"] if self.effective:
                self.live = dict(RIGHT)
            case ["systemd-run", *_] if not self.timers:
                return 1, "", "no systemd"
            case ["systemctl", "is-active", *_]:
                return 3, "inactive\n", ""
            case ["/bin/sh", script]:
                run_script(Path(script))
        return 0, "", ""

    def pause(self, seconds: float) -> None:
        self.now += seconds

    def text(self, name: str) -> str | None:
        path = self.root / "etc/netplan" / name
        return path.read_text() if path.exists() else None


@pytest.fixture
def node(tmp_path: Path) -> Node:
    (tmp_path / "etc/netplan").mkdir(parents=True)
    (tmp_path / "etc/netplan/99-nvidia-sync-cluster.yaml").write_text(SYNC)
    (tmp_path / "etc/netplan/50-cloud-init.yaml").write_text(MANAGEMENT)
    return Node(tmp_path)


def fabric(node: Node) -> Fabric:
    known = Yaml(yaml.safe_load, yaml.safe_dump)
    return Fabric([INTERFACE], PATH, node.run, known, node.root, lambda: node.now, node.pause)


def apply(node: Node) -> None:
    network = fabric(node)
    network.apply(network.observe(), 120, 45)


def test_a_change_is_applied_pending_and_confirmed(node: Node) -> None:
    apply(node)
    assert node.text("99-nvidia-sync-cluster.yaml") is None
    assert node.text("50-cloud-init.yaml") == MANAGEMENT
    own = node.root / "etc/netplan/60-sparkloom-fabric.yaml"
    assert own.stat().st_mode & 0o777 == 0o600
    (backup,) = (node.root / "var/backups/sparkloom/netplan").iterdir()
    assert backup.name.startswith("99-nvidia-sync-cluster.yaml.")
    assert (backup.read_text(), backup.stat().st_mode & 0o777) == (SYNC, 0o600)
    assert fabric(node).revert.pending()

    observation = fabric(node).observe()
    assert not observation.changed
    assert observation.diff() == []
    assert fabric(node).confirm()
    assert not fabric(node).revert.pending()
    assert not fabric(node).confirm()


def test_the_timer_runs_before_anything_changes(node: Node) -> None:
    apply(node)
    verbs = [command[0] if command[0] != "netplan" else command[1] for command in node.commands]
    assert verbs.index("systemd-run") < verbs.index("generate") < verbs.index("apply")


def test_a_file_that_netplan_refuses_is_taken_back(node: Node) -> None:
    node.generates = False
    with pytest.raises(FabricError, match=r"unknown key.*back as they were"):
        apply(node)
    assert node.text("99-nvidia-sync-cluster.yaml") == SYNC
    assert node.text("60-sparkloom-fabric.yaml") is None
    assert not fabric(node).revert.pending()
    assert fabric(node).revert.undone() == ""


def test_a_state_that_never_comes_is_taken_back(node: Node) -> None:
    node.effective = False
    with pytest.raises(FabricError, match=r"after 45 s.*MTU is 1500, not 9000"):
        apply(node)
    assert node.text("60-sparkloom-fabric.yaml") is None
    # What netplan leaves behind was tried to be put right first.
    assert ["ip", "addr", "del", "192.168.100.10/24", "dev", "enp1s0f1np1"] in node.commands


def test_without_a_timer_nothing_changes(node: Node) -> None:
    node.timers = False
    with pytest.raises(FabricError, match="no systemd"):
        apply(node)
    assert node.text("60-sparkloom-fabric.yaml") is None
    assert not fabric(node).revert.pending()


def test_a_fired_timer_restores_and_the_confirmation_says_so(node: Node) -> None:
    apply(node)
    run_script(fabric(node).revert.script)
    assert node.text("99-nvidia-sync-cluster.yaml") == SYNC
    assert node.text("60-sparkloom-fabric.yaml") is None
    with pytest.raises(FabricError, match="the node undid the change"):
        fabric(node).confirm()


def test_a_second_change_before_confirmation_keeps_the_first_saved_files(node: Node) -> None:
    apply(node)
    node.live = dict(WRONG)
    apply(node)
    fabric(node).revert.restore()
    assert node.text("99-nvidia-sync-cluster.yaml") == SYNC


def test_a_live_difference_alone_is_a_change(node: Node) -> None:
    apply(node)
    fabric(node).confirm()
    node.live = dict(RIGHT, mtu=1500)
    observation = fabric(node).observe()
    assert observation.changes == ()
    assert observation.differences == ("enp1s0f1np1: MTU is 1500, not 9000",)
    assert observation.changed


def test_a_change_is_not_confirmed_while_the_network_is_not_as_declared(node: Node) -> None:
    apply(node)
    node.live = dict(WRONG)
    with pytest.raises(FabricError, match="will undo"):
        fabric(node).confirm()
    assert fabric(node).revert.pending()


def test_the_only_default_route_is_not_taken(node: Node) -> None:
    node.default_route = "enp1s0f1np1"
    with pytest.raises(FabricError, match="default route leaves by enp1s0f1np1"):
        fabric(node).refuse_losing_the_way(fabric(node).observe())


def test_without_python_yaml_the_own_file_is_still_planned(node: Node) -> None:
    network = Fabric([INTERFACE], PATH, node.run, None, node.root)
    observation = network.observe()
    assert len(observation.changes) == 1
    assert "python3-yaml is missing" in observation.warnings[0]


def test_observing_changes_nothing(node: Node) -> None:
    before = {path: path.read_bytes() for path in node.root.rglob("*") if path.is_file()}
    assert fabric(node).observe().changed
    assert {path: path.read_bytes() for path in node.root.rglob("*") if path.is_file()} == before
    assert all(command[:2] == ["ip", "-j"] for command in node.commands)
