"""The role switch against two served switches: check, change, nothing left to change, and a wrong cable."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from lab.rack import USERS

if TYPE_CHECKING:
    from conftest import ServedSwitch

ROOT = Path(__file__).parents[3]
PASSWORD = USERS["admin"][0]


@pytest.fixture
def play(rack: dict[str, ServedSwitch], tmp_path: Path) -> Any:
    """Return a function that runs the play of site.yml for switches and returns (stats by host, what it printed)."""
    hosts = {
        name: each.variables
        | {"routeros_host": each.host, "routeros_port": each.port, "ansible_python_interpreter": sys.executable}
        | {"routeros_password": PASSWORD, "switch_link_wait": 5}
        for name, each in rack.items()
    }
    inventory = tmp_path / "inventory.yml"
    inventory.write_text(yaml.safe_dump({"switches": {"hosts": hosts}}), encoding="utf-8")
    switches = [
        part for part in yaml.safe_load((ROOT / "site.yml").read_text("utf-8")) if "switch" in str(part["roles"])
    ]
    playbook = tmp_path / "switches.yml"
    playbook.write_text(yaml.safe_dump(switches), encoding="utf-8")

    def run(*options: str) -> tuple[dict[str, dict[str, int]], str]:
        done = subprocess.run(
            [Path(sys.executable).with_name("ansible-playbook"), "-i", inventory, playbook, "--diff", *options],
            cwd=ROOT,
            env=os.environ | {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_STDOUT_CALLBACK": "json"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        text = done.stdout + done.stderr
        assert PASSWORD not in text
        return json.loads(done.stdout[done.stdout.index("{") :])["stats"], text

    return run


def test_the_role_checks_changes_and_then_has_nothing_to_do(rack: dict[str, ServedSwitch], play: Any) -> None:
    before = {name: each.export() for name, each in rack.items()}
    stats, text = play("--check")
    assert {name: each["failures"] + each["unreachable"] for name, each in stats.items()} == dict.fromkeys(rack, 0), (
        text
    )
    assert all(each["changed"] for each in stats.values())
    assert {name: each.export() for name, each in rack.items()} == before
    assert "a new l2mtu restarts every interface of the switch" in text

    stats, text = play()
    assert {name: each["failures"] for name, each in stats.items()} == dict.fromkeys(rack, 0), text
    assert all(each["changed"] for each in stats.values())

    heard = {name: each.crs.sentences for name, each in rack.items()}
    stats, text = play()
    assert {name: each["changed"] + each["failures"] for name, each in stats.items()} == dict.fromkeys(rack, 0), text
    assert all(each.crs.sentences - heard[name] <= 12 for name, each in rack.items())


def test_a_wrong_cable_ends_the_role_for_its_switch_alone_in_words(rack: dict[str, ServedSwitch], play: Any) -> None:
    board = rack["crs812"].board
    index = board.cable_at("crs812/qsfp56-1")
    rack["crs812"].call(board.replace_cable, index, board.cables[index].with_kind("100g-dac"))
    stats, text = play("-e", "switch_link_wait=1")
    assert stats["crs812"]["failures"] == 1
    assert stats["crs804"]["failures"] == 0
    assert "a QSFP28 cable is plugged in where the cluster file declares a 200g-dac" in text
    assert "between crs812/qsfp56-1 and spark-3/1" in text
    assert "buy a QSFP56 direct attach copper, 200G" in text
