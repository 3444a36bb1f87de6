#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: fabric_probe
short_description: Prove the MTU path from a node to its peers on every rail
version_added: 0.1.0
description:
  - Sends pings that fill a frame of the fabric's MTU and may not be fragmented, from each rail of
    the node to the same rail of each peer.
  - Reports every path, also those that fail; a failed path does not fail the module, since its
    judgement needs the other end as well.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
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
      rail:
        description: Rail of the interface.
        type: str
        choices: [A, B]
        required: true
      mtu:
        description: MTU to prove, in bytes.
        type: int
        required: true
      cage:
        description: Cage of the interface; not used here.
        type: str
      address:
        description: Own address with prefix length; not used here.
        type: str
      speed_mbps:
        description: Expected speed; not used here.
        type: int
  peers:
    description: The other nodes, as the plan gives them in C(fabric_peers).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the peer.
        type: str
        required: true
      addresses:
        description: Address of the peer on each rail.
        type: dict
        required: true
  count:
    description: Pings a path. The first may be lost to address resolution.
    type: int
    default: 3
  deadline:
    description: Seconds after which a path is given up.
    type: int
    default: 10
"""

EXAMPLES = r"""
- name: Prove the MTU path on both rails
  sparkloom.cluster.fabric_probe:
    interfaces: "{{ fabric_interfaces }}"
    peers: "{{ fabric_peers }}"
  register: verify_paths
"""

RETURN = r"""
paths:
  description: One entry a rail and peer.
  returned: always
  type: list
  elements: dict
  contains:
    peer: {description: Name of the peer., type: str}
    rail: {description: Rail of the path., type: str}
    interface: {description: Interface that the pings left by., type: str}
    address: {description: Address of the peer., type: str}
    payload: {description: ICMP payload in bytes., type: int}
    transmitted: {description: Pings sent., type: int}
    received: {description: Answers., type: int}
    rtt_ms: {description: Average round trip in milliseconds., type: float}
    error: {description: What ping complained of; empty when the path is good., type: str}
"""

from concurrent.futures import ThreadPoolExecutor

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import ping

# Enough to overlap the waiting of a rack's worth of paths, few enough not to look like a flood.
PARALLEL = 8

ARGUMENTS = {
    "interfaces": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "rail": {"type": "str", "choices": ["A", "B"], "required": True},
            "mtu": {"type": "int", "required": True},
            "cage": {"type": "str"},
            "address": {"type": "str"},
            "speed_mbps": {"type": "int"},
        },
    },
    "peers": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "addresses": {"type": "dict", "required": True},
        },
    },
    "count": {"type": "int", "default": 3},
    "deadline": {"type": "int", "default": 10},
}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    mtu_of = {interface["name"]: interface["mtu"] for interface in module.params["interfaces"]}

    def probe(target: ping.Target) -> ping.PathResult:
        payload = ping.payload_for(mtu_of[target.interface])
        _rc, out, err = module.run_command(
            ping.command(target, payload, module.params["count"], module.params["deadline"])
        )
        return ping.parse(target, payload, out, err)

    if not module.get_bin_path("ping"):
        module.fail_json(msg="ping is not installed on this node; install the package iputils-ping")
    with ThreadPoolExecutor(PARALLEL) as pool:
        results = list(pool.map(probe, ping.targets(module.params["interfaces"], module.params["peers"])))
    module.exit_json(changed=False, paths=[result.to_dict() for result in results])


if __name__ == "__main__":
    main()
