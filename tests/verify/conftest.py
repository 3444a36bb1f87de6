"""Verification of a live rack, by looking at it from outside.

    pytest tests/verify --rack inventories/lab

Expectations come from the same plan that made the rack; there is no second list of them. Nothing is
changed on a node or a switch. Without --rack these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import testinfra
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import Session, Target

ROOT = Path(__file__).parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rack", help="inventory of the rack to verify")
    parser.addoption("--only", default="nodes:switches", help="Ansible host pattern, like ansible's --limit")


class Rack:
    """The plan of the rack and a connection to each of its hosts."""

    def __init__(self, source: str, pattern: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("read_plan.py")), source, pattern]
        environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            pytest.exit(f"the inventory {source} cannot be read:\n{done.stderr}")
        plan = json.loads(done.stdout)
        self.nodes = list(plan["nodes"])
        self.switches = list(plan["switches"])
        self.vars: dict[str, dict[str, Any]] = plan["nodes"] | plan["switches"]
        self._hosts: dict[str, Any] = {}

    def host(self, name: str) -> Any:
        """Return the connection to a node: plain ssh with the options that Ansible would use."""
        if name not in self._hosts:
            values = self.vars[name]
            user = f"{values['ansible_user']}@" if values.get("ansible_user") else ""
            address = f"{values['ansible_host']}:{values.get('ansible_port', 22)}"
            options = f"-o ControlMaster=auto -o ControlPersist=60s {values.get('ansible_ssh_common_args', '')}"
            self._hosts[name] = testinfra.get_host(f"ssh://{user}{address}", ssh_extra_args=options)
        return self._hosts[name]

    def on_every_node(self, look: Callable[[str], Any]) -> dict[str, Any]:
        """Return what ``look`` sees on each node; the nodes are asked at once."""
        with ThreadPoolExecutor(len(self.nodes) or 1) as pool:
            return dict(zip(self.nodes, pool.map(look, self.nodes), strict=True))

    def session(self, name: str) -> Session:
        """Return an API session to a switch; open it with ``with``."""
        values = self.vars[name]
        return Session(
            Target(
                values["routeros_host"],
                values["routeros_port"],
                values["routeros_username"],
                values["routeros_password"],
                values["routeros_tls"],
                values["routeros_ca_path"],
            )
        )


@pytest.fixture(scope="session")
def rack(pytestconfig: pytest.Config) -> Rack:
    source = pytestconfig.getoption("--rack")
    if source is None:
        pytest.skip("verification of a live rack: give --rack INVENTORY")
    return Rack(source, pytestconfig.getoption("--only"))


@pytest.fixture(scope="session")
def monitor(rack: Rack) -> dict[str, dict[str, dict[str, str]]]:
    """Return what each switch's monitor shows, by switch and port; one session a switch."""
    shown: dict[str, dict[str, dict[str, str]]] = {}
    for name in rack.switches:
        ports = ",".join(link["port"] for link in rack.vars[name]["switch_links"])
        with rack.session(name) as session:
            rows = session.call("/interface/ethernet/monitor", {"numbers": ports, "once": ""})
        shown[name] = {row["name"]: row for row in rows}
    return shown
