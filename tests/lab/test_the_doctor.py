"""The doctor on a rack that the main job has made right: each fault is named first, with its place and its remedy.

Runs after test_main_job, on the same rack.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.play import ROOT

pytestmark = pytest.mark.lab
SETTLED = 120
ANSIBLE = Path(sys.executable).parent / "ansible-playbook"


class Told:
    """What one run of the doctor or of drift told."""

    def __init__(self, rack, folder: Path, playbook: str = "doctor.yml", *options: str) -> None:
        command = [str(ANSIBLE), "-i", str(rack.inventory), f"playbooks/{playbook}", *options]
        environment = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "SPARKLOOM_REPORT_DIR": str(folder)}
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
        )
        self.code, self.output = done.returncode, done.stdout + done.stderr
        self.report = json.loads((folder / rack.lab.cluster.name / "report.json").read_text())
        self.roots = [one for one in self.report["findings"] if not one["follows"]]


def test_a_rack_in_order_gives_no_finding_at_all(rack, tmp_path):
    told = Told(rack, tmp_path)
    assert told.report["findings"] == []
    assert told.code == 0, told.output


def settle(rack):
    """Wait until every rail has its link and its address again: a new l2mtu restarts all ports of a switch."""
    end = time.monotonic() + SETTLED
    rails = "ip -4 -br addr show up | grep -c 192.168.10"
    while time.monotonic() < end:
        carriers = [cage["carrier"] for cage in rack.lab.ask(command="status")["cages"]]
        if all(carriers) and all(rack.on(node, f"{rails} || true").strip() == "2" for node in rack.nodes):
            return
        time.sleep(0.5)
    pytest.fail(f"the rack did not settle within {SETTLED} s")


def targets(rack):
    """Return names to break: the last cable's near cage, its switch, its port and its node."""
    cable = rack.lab.cluster.cables[-1]
    cage, node = str(cable.near), cable.far[-1].device
    port = next(
        row for row in rack.lab.ask(command="status")["ports"] if f"{row['switch']}/{row['port']}".startswith(cage)
    )
    return {
        "cage": cage,
        "leg": str(cable.far[-1]),
        "switch": port["switch"],
        "port": f"{port['switch']}/{port['port']}",
        "node": node,
    }


# Fault, target, value, code of the first finding, a word of its place, a word of its remedy.
FAULTS = [
    ("cable", "cage", "100g-dac", "SL201", "cage", "buy a QSFP56"),
    ("unplug", "leg", "", "SL201", "leg", "plug"),
    ("port-speed", "port", "50G-baseCR", "SL201", "cage", "forces the speed"),
    ("l2mtu", "port", "1584", "SL204", "port", "--tags switch"),
    ("nic-width", "node", "2", "SL405", "node", "power the node off"),
    ("loss", "node", "40", "SL30", "node", ""),
    ("dead", "node", "", "SL001", "node", "ssh reaches it"),
    ("api-down", "switch", "", "SL001", "switch", "API answers"),
]


@pytest.mark.parametrize(("kind", "target", "value", "code", "place", "remedy"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_fault_is_named_first(rack, tmp_path, kind, target, value, code, place, remedy):
    names = targets(rack)
    rack.fault(kind, names[target], value)
    try:
        if kind == "l2mtu":
            settle(rack)
        told = Told(rack, tmp_path)
    finally:
        rack.clear()
        settle(rack)
    first = told.report["findings"][0]
    assert first["code"].startswith(code), told.output
    assert names[place] in first["where"]
    assert remedy in first["remedy"]
    assert told.code == 1


def test_drift_names_what_was_changed_behind_the_back(rack, tmp_path):
    node = rack.nodes[-1]
    rack.on(node, "sudo sed -i s/^NCCL_NET=.*/NCCL_NET=Socket/ /etc/sparkloom/nccl.env")
    told = Told(rack, tmp_path, "drift.yml", "--diff")
    assert told.code == 1, told.output
    assert [(one["code"], one["where"]) for one in told.roots] == [("SL701", f"{node} NCCL_NET")]
    assert [change["host"] for change in told.report["changes"]] == [node]
    assert "+NCCL_NET=IB" in told.report["changes"][0]["diff"]
    assert rack.play("site.yml", "--tags", "nccl", "-l", node).rc == 0
    again = Told(rack, tmp_path, "drift.yml")
    assert (again.code, again.report["changes"], again.roots) == (0, [], []), again.output


def test_three_faults_at_once_are_told_apart(rack, tmp_path):
    names = targets(rack)
    rack.fault("nic-width", names["node"], "2")
    rack.on(rack.nodes[0], "sudo sed -i s/^NCCL_NET=.*/NCCL_NET=Socket/ /etc/sparkloom/nccl.env")
    rack.fault("l2mtu", names["port"], "1584")
    try:
        settle(rack)
        told = Told(rack, tmp_path)
    finally:
        rack.clear()
        settle(rack)
        rack.play("site.yml", "--tags", "nccl", "-l", rack.nodes[0])
    assert {one["code"] for one in told.roots} == {"SL204", "SL405", "SL701"}, told.output
    # Long frames are lost because of the narrow port, and hang under it.
    assert {one["follows"].split()[0] for one in told.report["findings"] if one["code"] == "SL307"} <= {"SL204"}
