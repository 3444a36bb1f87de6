#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: ssh_identity
short_description: Give each user of a node a key of its own and show the public ones
version_added: 0.1.0
description:
  - Makes an Ed25519 key pair for each user that has none. A private key never leaves the node, and no
    two nodes share one.
  - Returns the users' public keys and the node's host keys.
author: Sparkloom developers (@sparkloom)
options:
  users:
    description: Users of the node; each has to exist.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: Can run in check mode and says which keys it would make.
    support: full
  diff_mode:
    description: Names the keys that are made; their text is new each time.
    support: full
"""

EXAMPLES = r"""
- name: Give each user a key
  sparkloom.cluster.ssh_identity:
    users: [spark]
  register: ssh_mesh_identity
"""

RETURN = r"""
user_keys:
  description: Public key of each user that has one; in check mode those to be made are missing.
  returned: always
  type: dict
  sample: {spark: ssh-ed25519 AAAAC3Nz... spark@spark-1}
host_keys:
  description: Public host keys, without their comments.
  returned: always
  type: list
  elements: str
made:
  description: Private keys that were made, or would be.
  returned: always
  type: list
  elements: str
"""

import socket
import stat
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem, login, ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import FileError

ARGUMENTS: dict[str, Any] = {"users": {"type": "list", "elements": "str", "required": True}}

HOST_KEYS = "/etc/ssh"
FOLDER_MODE = 0o700


def host_keys(folder: str = HOST_KEYS) -> list[str]:
    texts = (filesystem.read(path).content or "" for path in sorted(Path(folder).glob("ssh_host_*_key.pub")))
    return [key for key in map(ssh.key_of, texts) if key]


def folder_is_right(user: login.User) -> bool:
    """Return whether ~/.ssh is what sshd and ssh-keygen ask for."""
    try:
        found = user.ssh.lstat()
    except FileNotFoundError:
        return False
    owner = filesystem.user_name(found.st_uid)
    return stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == FOLDER_MODE and owner == user.name


class Identity:
    """The keys of one node's users."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module = module
        self.made: list[str] = []
        self.diff: list[dict[str, str]] = []

    def ensure(self, name: str) -> str:
        """Give a user a key if it has none; return the public key, empty where it is yet to be made."""
        user = login.find(name)
        private = user.ssh / "id_ed25519"
        if not folder_is_right(user):
            self._say(f"{user.ssh} (folder)", "mode 0700")
            if not self.module.check_mode:
                filesystem.make_folder(user.ssh, FOLDER_MODE, user.name, user.group)
        if filesystem.read(private).content is None:
            self.made.append(str(private))
            self._say(str(private), "(a new Ed25519 key)")
            if self.module.check_mode:
                return ""
            comment = f"{name}@{socket.gethostname()}"
            self._run(user, ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(private)])
        public = filesystem.read(private.with_suffix(".pub")).content
        return (public or self._run(user, ["ssh-keygen", "-y", "-P", "", "-f", str(private)])).strip()

    def _say(self, what: str, after: str) -> None:
        self.diff.append({"before_header": what, "after_header": what, "before": "", "after": f"{after}\n"})

    def _run(self, user: login.User, command: list[str]) -> str:
        rc, out, err = self.module.run_command(user.as_user(command))
        if rc:
            raise FileError(f"{command[0]} for {user.name}: {(err or out).strip()}")
        return str(out)


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    identity = Identity(module)
    try:
        keys = {name: identity.ensure(name) for name in module.params["users"]}
        shown = host_keys()
    except (FileError, OSError) as error:
        module.fail_json(msg=str(error))
    if not shown and not module.check_mode:
        module.fail_json(msg="this node has no SSH host keys in /etc/ssh; install openssh-server or run ssh-keygen -A")
    module.exit_json(
        changed=bool(identity.diff),
        user_keys={name: key for name, key in keys.items() if key},
        host_keys=shown,
        made=identity.made,
        diff=identity.diff,
    )


if __name__ == "__main__":
    main()
