#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: ssh_mesh_probe
short_description: Prove the logins from a node to its peers
version_added: 0.1.0
description:
  - Logs in from this node to each peer as each user, without asking anything and with host keys checked
    strictly, and reports every login.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
options:
  users:
    description: Users to log in as, under the same name on both ends.
    type: list
    elements: str
    required: true
  peers:
    description: The nodes to log in to, as the plan gives them in C(ssh_mesh_peers).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the node.
        type: str
        required: true
      hosts:
        description: Every name and address that it answers to.
        type: list
        elements: str
        required: true
      host_keys:
        description: Public host keys; not used here.
        type: list
        elements: str
      user_keys:
        description: Public keys of users; not used here.
        type: dict
  node:
    description: Name of this node. It begins with the peer behind itself, so that not all call one first.
    type: str
    default: ""
  names:
    description: Whether to log in to the first name of a peer or to all its names and addresses.
    type: str
    choices: [first, all]
    default: first
  timeout:
    description: Seconds that a connection may take; a login as a whole may take twice that.
    type: int
    default: 30
  fail_on_error:
    description: Whether failed logins fail the module, naming each.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Prove the mesh
  sparkloom.cluster.ssh_mesh_probe:
    users: "{{ ssh_mesh_users }}"
    peers: "{{ ssh_mesh_peers }}"
    fail_on_error: true
"""

RETURN = r"""
logins:
  description: One entry a user and name.
  returned: always
  type: list
  elements: dict
  contains:
    user: {description: User on both ends., type: str}
    peer: {description: Name of the peer., type: str}
    host: {description: Name or address that was called., type: str}
    ok: {description: Whether the login worked., type: bool}
    error: {description: What ssh complained of; empty otherwise., type: str}
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import login, ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import FileError

# sshd begins to drop logins at ten that are not through yet (MaxStartups).
PARALLEL = 4

ARGUMENTS: dict[str, Any] = {
    "users": {"type": "list", "elements": "str", "required": True},
    "peers": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "hosts": {"type": "list", "elements": "str", "required": True},
            "host_keys": {"type": "list", "elements": "str", "no_log": False},
            "user_keys": {"type": "dict", "no_log": False},
        },
    },
    "node": {"type": "str", "default": ""},
    "names": {"type": "str", "choices": ["first", "all"], "default": "first"},
    "timeout": {"type": "int", "default": 30},
    "fail_on_error": {"type": "bool", "default": False},
}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    params = module.params
    try:
        users = {name: login.find(name) for name in params["users"]}
    except FileError as error:
        module.fail_json(msg=str(error))

    def prove(one: ssh.Login) -> dict[str, Any]:
        command = users[one.user].as_user(one.command(params["timeout"]))
        # A peer may accept and then say nothing more; ConnectTimeout does not cover that.
        rc, _out, err = module.run_command(["timeout", str(2 * params["timeout"]), *command])
        error = ssh.complaint(rc, err)
        return {**asdict(one), "ok": not error, "error": error}

    with ThreadPoolExecutor(PARALLEL) as pool:
        proven = list(pool.map(prove, ssh.logins(users, params["peers"], params["node"], params["names"])))
    failed = [entry for entry in proven if not entry["ok"]]
    if failed and params["fail_on_error"]:
        words = "; ".join(f"{entry['user']}@{entry['host']}: {entry['error']}" for entry in failed)
        module.fail_json(msg=f"{len(failed)} of {len(proven)} logins from this node failed: {words}", logins=proven)
    module.exit_json(changed=False, logins=proven)


if __name__ == "__main__":
    main()
