#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: ssh_mesh
short_description: Let the nodes' users log in to each other, with host keys checked
version_added: 0.1.0
description:
  - Writes the host keys of the nodes into C(/etc/ssh/ssh_known_hosts) and the users' public keys into
    C(authorized_keys), each as a managed block, and a client drop-in that checks the nodes' names strictly.
  - What is known of members that are no part of this run is kept; former members are removed.
  - Stale keys of the nodes in the users' own C(known_hosts) are removed, since they would break strict
    checking.
author: Sparkloom developers (@sparkloom)
options:
  users:
    description: Users that may log in from node to node under their own name.
    type: list
    elements: str
    required: true
  members:
    description: Every node of the plan, also those that are no part of this run.
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
  peers:
    description: The nodes of this run with their keys; see P(sparkloom.cluster.mesh_peers#filter).
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
        description: Public host keys.
        type: list
        elements: str
        default: []
      user_keys:
        description: Public key of each user.
        type: dict
        default: {}
attributes:
  check_mode:
    description: Can run in check mode and predicts the change without making it.
    support: full
  diff_mode:
    description: Shows one difference for each file.
    support: full
"""

EXAMPLES = r"""
- name: Trust the nodes of this run
  sparkloom.cluster.ssh_mesh:
    users: "{{ ssh_mesh_users }}"
    members: "{{ ssh_mesh_peers }}"
    peers: "{{ ssh_mesh_peers | sparkloom.cluster.mesh_peers(hostvars) }}"
"""

RETURN = r"""
paths:
  description: Files that changed, or would change.
  returned: always
  type: list
  elements: str
stale:
  description: Names whose stale keys were removed, by file.
  returned: always
  type: dict
  sample: {/home/spark/.ssh/known_hosts: [spark-2]}
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem, login, ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import (
    Change,
    FileError,
    Wanted,
    find_block,
    plan,
    with_block,
)

NODE: dict[str, Any] = {
    "name": {"type": "str", "required": True},
    "hosts": {"type": "list", "elements": "str", "required": True},
}
KEYS: dict[str, Any] = {
    "host_keys": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "user_keys": {"type": "dict", "default": {}, "no_log": False},
}
ARGUMENTS: dict[str, Any] = {
    "users": {"type": "list", "elements": "str", "required": True},
    "members": {"type": "list", "elements": "dict", "required": True, "options": NODE},
    "peers": {"type": "list", "elements": "dict", "required": True, "options": {**NODE, **KEYS}},
}


class Mesh:
    """What one node's files shall say of all nodes."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.users = [login.find(name) for name in params["users"]]
        self.members = [member["name"] for member in params["members"]]
        self.hosts = [host for member in params["members"] for host in member["hosts"]]
        self.peers = [
            ssh.Peer(peer["name"], tuple(peer["hosts"]), tuple(peer["host_keys"]), peer["user_keys"])
            for peer in params["peers"]
        ]
        self.stale: dict[str, list[str]] = {}

    def wanted(self) -> list[Wanted]:
        return [
            self._known_hosts(),
            Wanted(ssh.CLIENT_CONFIG, ssh.client_config(self.hosts), mode=0o644),
            *map(self._authorized_keys, self.users),
            *(entry for user in self.users for entry in self._own_known_hosts(user)),
        ]

    def refuse_missing_folders(self) -> None:
        """Refuse a home without ~/.ssh: as root it would be made with the wrong owner and mode."""
        missing = [str(user.ssh) for user in self.users if not user.ssh.is_dir()]
        if missing:
            raise FileError(f"{', '.join(missing)} does not exist; ssh_identity makes it")

    def _known_hosts(self) -> Wanted:
        text = self._without_stale(ssh.KNOWN_HOSTS, filesystem.read(ssh.KNOWN_HOSTS).content or "")
        block = ssh.known_hosts(find_block(text, ssh.BLOCK), self.members, self.peers)
        return Wanted(ssh.KNOWN_HOSTS, with_block(text, ssh.BLOCK, block, ssh.KNOWN_HOSTS), mode=0o644)

    def _authorized_keys(self, user: login.User) -> Wanted:
        path = str(user.ssh / "authorized_keys")
        text = filesystem.read(path).content or ""
        block = ssh.authorized_keys(find_block(text, ssh.BLOCK), user.name, self.members, self.peers)
        content = with_block(text, ssh.BLOCK, block, path)
        return Wanted(path, content, mode=0o600, owner=user.name, group=user.group)

    def _own_known_hosts(self, user: login.User) -> list[Wanted]:
        path = str(user.ssh / "known_hosts")
        text = filesystem.read(path).content
        return [] if text is None else [Wanted(path, self._without_stale(path, text))]

    def _without_stale(self, path: str, text: str) -> str:
        left, names = ssh.without_stale(text, self.peers)
        if names:
            self.stale[path] = names
        return left


def write(changes: list[Change]) -> None:
    for change in changes:
        filesystem.make_parents(change.path)
        filesystem.apply(change)


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    try:
        mesh = Mesh(module.params)
        wanted = mesh.wanted()
        changes = plan(wanted, {entry.path: filesystem.read(entry.path) for entry in wanted})
        if not module.check_mode:
            mesh.refuse_missing_folders()
            write(changes)
    except FileError as error:
        module.fail_json(msg=str(error))
    for warning in ssh.shared_keys(mesh.peers):
        module.warn(warning)
    module.exit_json(
        changed=bool(changes),
        paths=[change.path for change in changes],
        stale=mesh.stale,
        diff=[entry for change in changes for entry in change.diff()],
    )


if __name__ == "__main__":
    main()
