"""A malformed cluster file stops ansible-playbook before any host is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")
PLAY = """\
---
- name: Leave a mark on the controller for every host
  hosts: all
  gather_facts: false
  connection: local
  tasks:
    - name: Leave the mark
      ansible.builtin.copy:
        content: touched
        dest: "{{ marks }}/{{ inventory_hostname }}"
        mode: "0600"
"""


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """A copy of the lab's inventory, beside a play that leaves a mark for every host it touches."""
    shutil.copytree(ROOT / "inventories/lab", tmp_path / "lab")
    (tmp_path / "marks").mkdir()
    (tmp_path / "play.yml").write_text(PLAY, encoding="utf-8")
    return tmp_path / "lab"


def run(inventory: Path) -> subprocess.CompletedProcess[str]:
    home = inventory.parent
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("ANSIBLE_", "PYTHONPATH"))}
    environment = {
        **clean,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_LOCAL_TEMP": str(home / "tmp"),
        "ANSIBLE_NOCOLOR": "1",
    }
    command = [str(PLAYBOOK), "-i", str(inventory), str(home / "play.yml"), "-e", f"marks={home / 'marks'}", "-f", "2"]
    return subprocess.run(
        [*command, "-e", f"ansible_python_interpreter={sys.executable}"],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def marks(inventory: Path) -> set[str]:
    return {path.name for path in (inventory.parent / "marks").iterdir()}


def change(inventory: Path, old: str, new: str) -> None:
    path = inventory / "spark8.cluster.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_play_itself_touches_hosts(inventory: Path) -> None:
    """Without this, the tests below would pass with a play that can touch nothing."""
    done = run(inventory)
    assert done.returncode == 0, done.stdout + done.stderr
    assert marks(inventory) == {*(f"spark-{number}" for number in range(1, 9)), "crs812", "crs804"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mtu: 9000", "mtu: 9979", "fabric.mtu: 9979 is above the 9978 that a node's NIC carries. Use 9000."),
        ("nodes:", "nodse:", "nodse: is not a key that is known here. Did you mean nodes?"),
        ("cluster: spark8", "cluster: [", "is not valid YAML"),
    ],
    ids=["fault", "key", "yaml"],
)
def test_a_malformed_file_stops_the_run(inventory: Path, old: str, new: str, words: str) -> None:
    change(inventory, old, new)
    done = run(inventory)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert marks(inventory) == set()
    assert words in " ".join(said.split())
    assert "Traceback" not in said


def test_a_file_that_is_not_utf8_stops_the_run(inventory: Path) -> None:
    (inventory / "spark8.cluster.yml").write_bytes(b"cluster: r\xe4ck\n")
    done = run(inventory)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert marks(inventory) == set()
    assert "is not UTF-8 text" in said
    assert "Traceback" not in said
