# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a node: their home, and running a command as one of them."""

from __future__ import annotations

import grp
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import FileError


@dataclass(frozen=True)
class User:
    name: str
    group: str
    home: Path

    @property
    def ssh(self) -> Path:
        return self.home / ".ssh"

    def as_user(self, command: list[str]) -> list[str]:
        """Return the command that runs ``command`` as this user; root alone can become another."""
        if pwd.getpwnam(self.name).pw_uid == os.geteuid():
            return command
        return ["runuser", "-u", self.name, "--", *command]


def find(name: str) -> User:
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        raise FileError(f"there is no user {name} on this node; make it, or take it out of ssh.users") from error
    try:
        group = grp.getgrgid(entry.pw_gid).gr_name
    except KeyError:
        group = str(entry.pw_gid)
    return User(name, group, Path(entry.pw_dir))
