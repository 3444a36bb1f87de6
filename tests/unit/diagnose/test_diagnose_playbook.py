"""verify.yml against a rack that is off: the judgement is reached, and it is not that all is well."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
ANSIBLE = Path(sys.executable).parent / "ansible-playbook"


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """Return the cluster file of inventories/lab-pair with every host at a port where nobody listens."""
    document = yaml.safe_load((ROOT / "inventories/lab-pair/pair.cluster.yml").read_text(encoding="utf-8"))
    with socket.socket() as taken:
        taken.bind(("", 0))
        closed = taken.getsockname()[1]
    for number, host in enumerate((*document["nodes"].values(), *document["switches"].values()), 1):
        host["connect"] = {"host": f"127.0.0.{number}", "port": closed}
    (tmp_path / "pair.cluster.yml").write_text(yaml.safe_dump(document), encoding="utf-8")
    variables = tmp_path / "group_vars"
    variables.mkdir()
    (variables / "switches.yml").write_text("routeros_password: unused\n", encoding="utf-8")
    return tmp_path / "pair.cluster.yml"


@pytest.mark.skipif(not ANSIBLE.exists() or not shutil.which("ssh"), reason="needs ansible-playbook and ssh")
def test_a_rack_that_is_off_is_told_so(inventory: Path) -> None:
    done = subprocess.run(
        [str(ANSIBLE), "-i", str(inventory), "playbooks/verify.yml"],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_SSH_RETRIES": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    for host in ("spark-1", "spark-2", "crs812"):
        assert f"SL001 {host}: the " in done.stdout + done.stderr
    assert "as declared" not in done.stdout + done.stderr
