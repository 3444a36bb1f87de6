#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: rdma_bandwidth
short_description: Measure RDMA write bandwidth between two nodes, all rails at once
version_added: 0.1.0
description:
  - Runs one side of C(ib_write_bw) on each rail of this node. The other side is the same module on
    the partner, in the same task.
  - The server waits for its client and the client keeps calling until its server listens, both
    until O(deadline).
  - A rail that gives no figure is reported with the reason; it does not fail the module, since its
    judgement needs the other end as well.
author: Sparkloom developers (@sparkloom)
options:
  partner:
    description: Name of the other node. Empty when this node has none in this round.
    type: str
    default: ""
  role:
    description: Whether this node waits or calls.
    type: str
    choices: [server, client]
    default: server
  rails:
    description: What to measure.
    type: list
    elements: dict
    required: true
    suboptions:
      rail:
        description: Rail, for the report.
        type: str
        choices: [A, B]
        required: true
      device:
        description: RDMA device of this node.
        type: str
        required: true
      own_address:
        description: IPv4 address of this node on the rail; its GID is used.
        type: str
        required: true
      partner_address:
        description: IPv4 address of the partner on the rail.
        type: str
        required: true
  size:
    description: Message size in bytes.
    type: int
    default: 65536
  iterations:
    description: Messages to send.
    type: int
    default: 5000
  deadline:
    description: Seconds after which a side gives up.
    type: int
    default: 60
attributes:
  check_mode:
    description: Changes nothing, so it measures in check mode too.
    support: full
  diff_mode:
    description: Changes nothing, so it has no difference to show.
    support: none
"""

EXAMPLES = r"""
- name: Measure both rails between neighbours
  sparkloom.cluster.rdma_bandwidth: "{{ verify_rounds[0] }}"
  register: verify_bandwidth
"""

RETURN = r"""
bandwidth:
  description: One entry a rail.
  returned: always
  type: list
  elements: dict
  contains:
    partner: {description: The other node., type: str}
    rail: {description: Rail., type: str}
    device: {description: RDMA device of this node., type: str}
    average_gbps: {description: "Average in Gb/s, null when there is no figure.", type: float}
    error: {description: Why there is no figure; empty otherwise., type: str}
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import gid, perftest

# Between two calls of a client whose server does not listen yet.
RETRY_SECONDS = 0.5

ARGUMENTS: dict[str, Any] = {
    "partner": {"type": "str", "default": ""},
    "role": {"type": "str", "choices": ["server", "client"], "default": "server"},
    "rails": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "rail": {"type": "str", "choices": ["A", "B"], "required": True},
            "device": {"type": "str", "required": True},
            "own_address": {"type": "str", "required": True},
            "partner_address": {"type": "str", "required": True},
        },
    },
    "size": {"type": "int", "default": 65536},
    "iterations": {"type": "int", "default": 5000},
    "deadline": {"type": "int", "default": 60},
}


def measure(module: AnsibleModule, rail: dict[str, Any], port: int) -> dict[str, Any]:
    """Run this node's side on one rail and return the rail's entry of the report."""
    params = module.params
    own = gid.find_ipv4(gid.read_table(rail["device"]), rail["own_address"])
    entry = {"partner": params["partner"], "rail": rail["rail"], "device": rail["device"]}
    if own is None:
        return {
            **entry,
            "average_gbps": None,
            "error": f"{rail['device']} has no RoCE v2 GID for {rail['own_address']}",
        }
    called = rail["partner_address"] if params["role"] == "client" else None
    command = perftest.command(rail["device"], port, params["size"], params["iterations"], own.index, called)
    give_up = time.monotonic() + params["deadline"]
    while True:
        left = max(1, int(give_up - time.monotonic()))
        rc, out, err = module.run_command(["timeout", str(left), *command])
        result = perftest.parse(out)
        if result or called is None or time.monotonic() >= give_up:
            break
        time.sleep(RETRY_SECONDS)
    if result:
        return {**entry, "average_gbps": result.average_gbps, "error": ""}
    lines = (err + out).strip().splitlines()
    reason = "no partner called" if rc == perftest.TIMED_OUT else (lines[-1] if lines else "no output")
    return {**entry, "average_gbps": None, "error": f"ib_write_bw: {reason}"}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    if not module.params["partner"]:
        module.exit_json(changed=False, bandwidth=[])
    if not module.get_bin_path("ib_write_bw"):
        module.fail_json(msg="ib_write_bw is not installed on this node; the role ofed installs the package perftest")
    rails = module.params["rails"]
    ports = [perftest.FIRST_PORT + index for index in range(len(rails))]
    with ThreadPoolExecutor(len(rails) or 1) as pool:
        bandwidth = list(pool.map(lambda pair: measure(module, *pair), zip(rails, ports, strict=True)))
    module.exit_json(changed=False, bandwidth=bandwidth)


if __name__ == "__main__":
    main()
