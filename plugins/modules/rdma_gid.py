#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: rdma_gid
short_description: Find the index of the RoCE v2 GID of an address
version_added: 0.1.0
description:
  - Looks up, for each device, the entry of its GID table that is RoCE v2 over the given IPv4 address.
  - The index is no constant. It moves with link-local addresses, reboots and firmware, and differs
    between nodes.
author: Sparkloom developers (@sparkloom)
options:
  devices:
    description: RDMA devices with the address of each, as the plan gives them in C(nccl_devices).
    type: list
    elements: dict
    required: true
    suboptions:
      device:
        description: RDMA device.
        type: str
        required: true
      address:
        description: IPv4 address without prefix length.
        type: str
        required: true
  agree:
    description:
      - Whether the module fails when the devices have no index in common.
      - In check mode it warns instead, since an earlier task may be what sets the address.
    type: bool
    default: false
attributes:
  check_mode:
    description: Reads only; with O(agree) it warns where it would fail.
    support: full
  diff_mode:
    description: Changes nothing, so it has no difference to show.
    support: none
"""

EXAMPLES = r"""
- name: Find the index that all devices share
  sparkloom.cluster.rdma_gid:
    devices: "{{ nccl_devices }}"
    agree: true
  register: nccl_gids
"""

RETURN = r"""
gids:
  description: One entry a device.
  returned: always
  type: list
  elements: dict
  contains:
    device: {description: RDMA device., type: str}
    address: {description: IPv4 address., type: str}
    index: {description: "Index of the entry, null when there is none.", type: int}
index:
  description: The index that all devices share; null when there is none.
  returned: always
  type: int
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import gid, gid_choice

ARGUMENTS: dict[str, Any] = {
    "devices": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "device": {"type": "str", "required": True},
            "address": {"type": "str", "required": True},
        },
    },
    "agree": {"type": "bool", "default": False},
}


def index_of(device: str, address: str) -> int | None:
    found = gid.find_ipv4(gid.read_table(device), address)
    return found.index if found else None


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    gids = [{**entry, "index": index_of(entry["device"], entry["address"])} for entry in module.params["devices"]]
    choice = gid_choice.choose(gids)
    if choice.complaint and module.params["agree"]:
        if not module.check_mode:
            module.fail_json(msg=choice.complaint, gids=gids)
        module.warn(choice.complaint)
    module.exit_json(changed=False, gids=gids, index=choice.index)


if __name__ == "__main__":
    main()
