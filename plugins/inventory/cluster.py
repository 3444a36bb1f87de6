# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: cluster
short_description: A rack of DGX Sparks and MikroTik switches from one cluster file
version_added: 0.1.0
description:
  - Reads a file whose name ends in C(.cluster.yml) and derives every value of every host from it.
  - A file with faults is refused as a whole, with each fault, its line, its key and the remedy.
  - The keys of the file are described by the JSON schema in C(docs/cluster.schema.json).
author: Sparkloom developers (@sparkloom)
requirements:
  - jsonschema
options:
  plugin:
    description: Names this plugin.
    type: str
    required: true
    choices: [sparkloom.cluster.cluster]
"""

EXAMPLES = r"""
# inventories/mine/pair.cluster.yml: two Sparks, one cable, no switch
plugin: sparkloom.cluster.cluster
cluster: pair
nodes:
  spark-1: {address: 10.0.0.11}
  spark-2: {address: 10.0.0.12}
cables:
  - {kind: 200g-dac, from: spark-1/1, to: spark-2/1}
fabric:
  subnets: {A: 192.168.100.0/24, B: 192.168.101.0/24}
"""

import sys
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import Plan, make_plan

ENDINGS = (".cluster.yml", ".cluster.yaml")


class InventoryModule(BaseInventoryPlugin):
    """Hands the file to parse and plan, and what they return to Ansible."""

    NAME = "sparkloom.cluster.cluster"

    def verify_file(self, path: str) -> bool:
        return bool(super().verify_file(path)) and path.endswith(ENDINGS)

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        plan = self._plan(path)
        for parent, groups in plan.children.items():
            inventory.add_group(parent)
            for group in groups:
                inventory.add_group(group)
                inventory.add_child(parent, group)
        for group, hosts in plan.groups.items():
            for host in hosts:
                inventory.add_host(host, group=group)
        for group, variables in plan.group_vars.items():
            self._set(group, variables)
        for host, variables in plan.host_vars.items():
            self._set(host, variables)
            if variables.get("ansible_connection") == "local":
                # The routeros modules run here and need this Python's librouteros.
                self._set(host, {"ansible_python_interpreter": sys.executable})

    def _plan(self, path: str) -> Plan:
        try:
            # Not above: without jsonschema this would be a traceback and not a sentence.
            from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text  # noqa: PLC0415

            return make_plan(parse_text(Path(path).read_bytes(), path))
        except ImportError as error:
            raise AnsibleParserError(
                f"sparkloom.cluster needs the Python package {error.name}; install requirements.txt"
            ) from None
        except ClusterFileError as error:
            raise AnsibleParserError(str(error)) from None
        except OSError as error:
            raise AnsibleParserError(f"{path} cannot be read: {error}") from None

    def _set(self, name: str, variables: dict[str, Any]) -> None:
        for key, value in variables.items():
            self.inventory.set_variable(name, key, value)
