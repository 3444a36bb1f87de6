#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: fabric_network
short_description: Give the fabric interfaces their addresses and MTU, or leave the node as it was
version_added: 0.1.0
description:
  - Writes the netplan file of the fabric and retires whatever other netplan files say of the same
    interfaces, bonds, bridges and VLANs over them included. A file that speaks of nothing else is moved
    to C(/var/backups/sparkloom/netplan); from another one only the fabric's part is removed, after a
    backup to the same place.
  - Compares the kernel's state as well, so that an MTU or an address set by hand is put right although no
    file changed.
  - Applies under a timer. Unless O(state=confirmed) follows over a fresh connection, the node puts its old
    files back by itself.
  - A missing carrier is no failure. A missing interface is.
author: Sparkloom developers (@sparkloom)
options:
  interfaces:
    description: The node's rails, as the plan gives them in C(fabric_interfaces).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Network interface.
        type: str
        required: true
      address:
        description: IPv4 address with prefix length; the only one that the interface shall have.
        type: str
        required: true
      mtu:
        description: MTU in bytes.
        type: int
        required: true
      rail:
        description: Rail of the interface; not used here.
        type: str
      cage:
        description: Cage of the interface, named in messages.
        type: str
      speed_mbps:
        description: Expected speed; not used here.
        type: int
  path:
    description: The fabric's netplan file.
    type: path
    default: /etc/netplan/60-sparkloom-fabric.yaml
  state:
    description:
      - V(applied) makes the network what it shall be and leaves the change pending.
      - V(confirmed) keeps a pending change; it fails when the node undid it already.
    type: str
    choices: [applied, confirmed]
    default: applied
  revert_seconds:
    description: Seconds after which the node undoes an unconfirmed change.
    type: int
    default: 120
  settle_seconds:
    description: Seconds in which the kernel's state has to become the declared one; fewer than O(revert_seconds).
    type: int
    default: 45
attributes:
  check_mode:
    description: Can run in check mode and predicts the change without making it.
    support: full
  diff_mode:
    description: Shows every file and the live state.
    support: full
"""

EXAMPLES = r"""
- name: Apply the fabric's network
  sparkloom.cluster.fabric_network:
    interfaces: "{{ fabric_interfaces }}"
  register: fabric_applied

- name: Come back over a fresh connection
  ansible.builtin.meta: reset_connection

- name: Keep the change
  sparkloom.cluster.fabric_network:
    interfaces: "{{ fabric_interfaces }}"
    state: confirmed
  when: fabric_applied.pending
"""

RETURN = r"""
pending:
  description: Whether the node waits for a confirmation.
  returned: always
  type: bool
retired:
  description: What was retired from other netplan files.
  returned: when O(state=applied)
  type: list
  elements: dict
  contains:
    path: {description: The file., type: str}
    names: {description: Interfaces and devices that it no longer speaks of., type: list, elements: str}
    file: {description: "moved (to /var/backups/sparkloom/netplan) or kept (without these names).", type: str}
differences:
  description: In words, how the kernel's state differed.
  returned: when O(state=applied)
  type: list
  elements: str
  sample: ["enp1s0f1np1: MTU is 1500, not 9000"]
"""

from importlib import import_module
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.fabric import Fabric, FabricError, Yaml
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import FileError

ARGUMENTS: dict[str, Any] = {
    "interfaces": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "address": {"type": "str", "required": True},
            "mtu": {"type": "int", "required": True},
            "rail": {"type": "str"},
            "cage": {"type": "str"},
            "speed_mbps": {"type": "int"},
        },
    },
    "path": {"type": "path", "default": "/etc/netplan/60-sparkloom-fabric.yaml"},
    "state": {"type": "str", "choices": ["applied", "confirmed"], "default": "applied"},
    "revert_seconds": {"type": "int", "default": 120},
    "settle_seconds": {"type": "int", "default": 45},
}


def python_yaml() -> Yaml | None:
    """Return python3-yaml, or None where it is missing: check mode has to run there too."""
    try:
        yaml = import_module("yaml")
    except ImportError:
        return None
    return Yaml(yaml.safe_load, lambda document: str(yaml.safe_dump(document, sort_keys=False)))


def applied(module: AnsibleModule, fabric: Fabric) -> dict[str, Any]:
    """Make the network what it shall be and return the result."""
    observation = fabric.observe()
    for warning in observation.warnings:
        module.warn(warning)
    result = {
        "changed": observation.changed,
        "pending": fabric.revert.pending(),
        "retired": [retirement.to_dict() for retirement in observation.competition.retirements],
        "differences": list(observation.differences),
        "diff": observation.diff(),
    }
    if module.check_mode:
        if observation.absent:
            module.warn(observation.absent)
        return result
    if observation.absent:
        raise FabricError(observation.absent)
    if fabric.yaml is None:
        raise FabricError("install python3-yaml on this node (netplan.io itself needs it)")
    if observation.changed:
        fabric.refuse_losing_the_way(observation)
        fabric.apply(observation, module.params["revert_seconds"], module.params["settle_seconds"])
        result["pending"] = True
    return result


def confirmed(module: AnsibleModule, fabric: Fabric) -> dict[str, Any]:
    """Keep the pending change and return the result."""
    if module.check_mode:
        return {"changed": fabric.revert.pending(), "pending": fabric.revert.pending()}
    return {"changed": fabric.confirm(), "pending": False}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    params = module.params
    if params["settle_seconds"] >= params["revert_seconds"]:
        module.fail_json(msg="settle_seconds has to be less than revert_seconds, or the node undoes what still settles")

    def run(command: list[str]) -> tuple[int, str, str]:
        if not module.get_bin_path(command[0]):
            return 127, "", f"{command[0]} is not installed on this node"
        rc, out, err = module.run_command(command)
        return rc, out, err

    fabric = Fabric(params["interfaces"], params["path"], run, python_yaml())
    try:
        result = applied(module, fabric) if params["state"] == "applied" else confirmed(module, fabric)
    except (FabricError, FileError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
