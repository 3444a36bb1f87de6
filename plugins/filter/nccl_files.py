# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
---
name: nccl_files
short_description: Render an environment for all that read it
version_added: 0.1.0
author: Sparkloom developers (@sparkloom)
description:
  - Returns the files of a node's NCCL environment as M(sparkloom.cluster.node_files) takes them.
  - Refuses a value that systemd, docker and the shell would not read as the same text.
positional: gid_index, users
options:
  _input:
    description: The environment, as the plan gives it in C(nccl_environment).
    type: dict
    required: true
  gid_index:
    description: Value of C(NCCL_IB_GID_INDEX); without it the variable is what the environment says.
    type: int
  users:
    description: Users that may lock memory without limit.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Write the environment
  sparkloom.cluster.node_files:
    files: "{{ nccl_environment | sparkloom.cluster.nccl_files }}"
    make_parents: true
"""

RETURN = r"""
_value:
  description: The files with C(path), C(content) and C(mode) or C(block).
  type: list
  elements: dict
"""

from collections.abc import Callable, Iterable
from typing import Any

from ansible.errors import AnsibleFilterError
from ansible_collections.sparkloom.cluster.plugins.plugin_utils import environment_files


def nccl_files(
    environment: dict[str, Any], gid_index: int | None = None, users: Iterable[str] = ()
) -> list[dict[str, Any]]:
    try:
        return environment_files.files(environment, gid_index, users)
    except environment_files.EnvironmentValueError as fault:
        raise AnsibleFilterError(str(fault)) from fault


class FilterModule:
    """What Ansible looks for in a filter plugin."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"nccl_files": nccl_files}
