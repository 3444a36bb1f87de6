# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
---
name: mesh_peers
short_description: Join the peers of the plan with the keys that the nodes showed in this run
version_added: 0.1.0
author: Sparkloom developers (@sparkloom)
description:
  - Returns those declared peers whose M(sparkloom.cluster.ssh_identity) result is known in this run, with
    their host keys and user keys. Others are left out.
positional: hostvars
options:
  _input:
    description: The peers with their names, as the plan gives them in C(ssh_mesh_peers).
    type: list
    elements: dict
    required: true
  hostvars:
    description: The variables of all hosts.
    type: dict
    required: true
  registered:
    description: Variable in which each host registered its identity.
    type: str
    default: ssh_mesh_identity
"""

EXAMPLES = r"""
- name: Trust the nodes of this run
  sparkloom.cluster.ssh_mesh:
    users: "{{ ssh_mesh_users }}"
    members: "{{ ssh_mesh_peers }}"
    peers: "{{ ssh_mesh_peers | sparkloom.cluster.mesh_peers(hostvars) }}"
"""

RETURN = r"""
_value:
  description: The peers with C(name), C(hosts), C(host_keys) and C(user_keys).
  type: list
  elements: dict
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import mesh


def mesh_peers(
    declared: list[dict[str, Any]], hostvars: Mapping[str, Any], registered: str = "ssh_mesh_identity"
) -> list[dict[str, Any]]:
    return mesh.mesh_peers(declared, hostvars, registered)


class FilterModule:
    """What Ansible looks for in a filter plugin."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"mesh_peers": mesh_peers}
