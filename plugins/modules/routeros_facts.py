#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: routeros_facts
short_description: Read what a CRS8xx switch is, and refuse one that cannot work
version_added: 0.1.0
description:
  - Reads versions and model of a switch; with O(gather) also its identity, ports, bridges and health.
  - Fails when the switch is another model than declared or its RouterOS is too old.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.routeros, sparkloom.cluster.read_only]
options:
  gather:
    description: What to read besides versions and model; each costs a sentence or two.
    type: list
    elements: str
    choices: [identity, ports, bridge, health]
    default: []
  model:
    description: Model that the switch has to be.
    type: str
  min_version:
    description: Oldest RouterOS that will do.
    type: str
  warn_versions:
    description: Ranges of RouterOS that are worth a warning.
    type: list
    elements: dict
    default: []
    suboptions:
      from:
        description: First version of the range.
        type: str
        required: true
      below:
        description: First version after the range.
        type: str
        required: true
      reason:
        description: What is wrong with it.
        type: str
        required: true
      remedy:
        description: What to do.
        type: str
        required: true
      source:
        description: Who says so.
        type: str
        required: true
"""

EXAMPLES = r"""
- name: Look at the switch
  sparkloom.cluster.routeros_facts:
    host: 10.0.0.2
    username: admin
    password: "{{ routeros_password }}"
    ca_path: files/switch-ca.pem
    gather: [identity, ports, bridge]
"""

RETURN = r"""
facts:
  description: What the switch says of itself.
  returned: success
  type: dict
  contains:
    identity: {description: "Its name, with identity gathered.", type: str}
    version: {description: "RouterOS, e.g. 7.24.2 (stable).", type: str}
    model: {description: Model., type: str}
    serial_number: {description: Serial number., type: str}
    current_firmware: {description: Firmware of the board., type: str}
    upgrade_firmware: {description: Firmware that an upgrade would bring., type: str}
    ports: {description: "Rows of /interface/ethernet, with ports gathered.", type: list}
    bridges: {description: "Rows of /interface/bridge, with bridge gathered.", type: list}
    bridge_ports: {description: "Rows of /interface/bridge/port, with bridge gathered.", type: list}
    health: {description: "Values of /system/health by name, with health gathered.", type: dict}
sentences:
  description: API sentences sent.
  returned: always
  type: int
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import bridge, ports, versions
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.module import CONNECTION, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import RouterosError, Session

ARGUMENTS: dict[str, Any] = {
    **CONNECTION,
    "gather": {"type": "list", "elements": "str", "choices": ["identity", "ports", "bridge", "health"], "default": []},
    "model": {"type": "str"},
    "min_version": {"type": "str"},
    "warn_versions": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            name: {"type": "str", "required": True} for name in ("from", "below", "reason", "remedy", "source")
        },
    },
}


def work(module: AnsibleModule, session: Session) -> dict[str, Any]:
    wanted = module.params
    resource = session.call("/system/resource/print")[0]
    board = session.call("/system/routerboard/print")[0]
    facts: dict[str, Any] = {
        "version": resource.get("version", ""),
        "model": board.get("model", resource.get("board-name", "")),
        "serial_number": board.get("serial-number", ""),
        "current_firmware": board.get("current-firmware", ""),
        "upgrade_firmware": board.get("upgrade-firmware", ""),
    }
    target = session.target
    if wanted["model"] and facts["model"] != wanted["model"]:
        raise RouterosError(
            f"the switch at {target} is a {facts['model']}, the cluster file declares a {wanted['model']}; "
            "correct its model or address"
        )
    if wanted["min_version"] and versions.too_old(facts["version"], wanted["min_version"]):
        raise RouterosError(
            f"the switch at {target} runs RouterOS {facts['version']}, this needs {wanted['min_version']} or later; "
            "upgrade it, then its firmware (/system/routerboard/upgrade and a reboot)"
        )
    for warning in versions.warnings(facts["version"], wanted["warn_versions"]):
        module.warn(f"{target}: {warning}")
    if "identity" in wanted["gather"]:
        facts["identity"] = session.call("/system/identity/print")[0].get("name", "")
    if "ports" in wanted["gather"]:
        facts["ports"] = session.table(ports.PATH, ports.PROPLIST)
    if "bridge" in wanted["gather"]:
        facts["bridges"] = session.table(bridge.BRIDGES, bridge.BRIDGE_PROPLIST)
        facts["bridge_ports"] = session.table(bridge.PORTS, bridge.PORT_PROPLIST)
    if "health" in wanted["gather"]:
        facts["health"] = {row["name"]: row["value"] for row in session.call("/system/health/print")}
    return {"changed": False, "facts": facts}


def main() -> None:
    run(AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True), work)


if __name__ == "__main__":
    main()
