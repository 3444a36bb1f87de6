"""The main job on a virtual rack that really runs: guests, switches, cables.

The rack of inventories/lab-pair is used, since it is up in a minute or two without KVM;
SPARKLOOM_LAB_INVENTORY chooses another (inventories/lab has eight nodes and two switches).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from lab.__main__ import Lab
from lab.control import NotRunningError
from lab.play import ROOT, PlayResult, run_playbook

# Files that a run could change; what logs and clocks write is no configuration.
WATCHED = "/etc /home /var/backups /var/lib/sparkloom /usr/local"
FINGERPRINT = (
    f"sudo find {WATCHED} -xdev -type f ! -path '/etc/ssl/*' ! -path '*/.ansible/*' -exec sha256sum {{}} + 2>/dev/null | sort -k2;"
    " sudo find /etc /home -xdev ! -path '*/.ansible*' -printf '%p %m %u\\n' | sort; ip -o link | sed 's/ state .*//'; ip -br addr;"
    " lsmod | cut -d' ' -f1 | sort; systemctl is-enabled chrony"
)


class LiveRack:
    """A virtual rack that is up, and plays on it."""

    def __init__(self, inventory: Path) -> None:
        self.inventory = inventory
        self.lab = Lab(next(inventory.glob("*.cluster.yml")))
        self.nodes = list(self.lab.cluster.nodes)
        self.switches = list(self.lab.cluster.switches)

    def play(self, playbook: str, *options: str) -> PlayResult:
        return run_playbook(playbook, self.inventory, options)

    def on(self, node: str, command: str) -> str:
        """Run a command on a guest and return what it printed."""
        connect = self.lab.cluster.nodes[node].connect
        config = self.lab.folder / "ssh_config"
        where = ["-F", str(config), "-p", str(connect.port), f"{self.lab.cluster.login}@{connect.host}"]
        done = subprocess.run(["ssh", *where, command], capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fault(self, kind: str, target: str, value: str = "") -> None:
        self.lab.ask(command="fault", kind=kind, target=target, value=value)

    def clear(self) -> None:
        self.lab.ask(command="clear")

    def fingerprint(self) -> dict[str, object]:
        """Return everything that a run could change: the switches' configuration and the guests' files."""
        guests = {node: self.on(node, FINGERPRINT) for node in self.nodes}
        return {"switches": self.lab.ask(command="snapshot")["switches"], **guests}


@pytest.fixture(scope="session")
def rack(tmp_path_factory):
    chosen = os.environ.get("SPARKLOOM_LAB_INVENTORY", "inventories/lab-pair")
    live = LiveRack((ROOT / chosen).resolve())
    with contextlib.suppress(NotRunningError):
        live.lab.ask(command="status")
        pytest.exit(
            f"the rack {live.lab.cluster.name} is up; these tests need a fresh one: lab/lab --file {live.lab.source} down"
        )
    assert live.lab.up(wipe=True) == 0, "the virtual rack did not come up"
    yield live
    assert live.lab.down(wipe=True) == 0
