#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: node_evidence
short_description: All evidence of a node in one call, whatever the node is like
version_added: 0.2.0
description:
  - Reads what the rules of C(sparkloom.cluster.judge) look at. Changes nothing.
  - Every source is bounded in time and size. One that is absent, refuses, hangs or floods is named in RV(evidence.missing)
    with the reason; it is never guessed, and never a failure of the module.
  - Needs root for netplan's files, the kernel's log and users' keys; of keys only fingerprints leave the node.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
options:
  parts:
    description: What to read; everything when empty.
    type: list
    elements: str
    default: []
    choices:
      - system
      - interfaces
      - rdma_devices
      - routes
      - neighbours
      - netplan
      - packages
      - services
      - failed_units
      - clock
      - environment
      - ssh
      - kernel_log
      - sysctl
      - limits
      - gpu
      - containers
  packages:
    description: Packages whose installed versions to read.
    type: list
    elements: str
    default: [chrony, rdma-core, perftest, ibverbs-providers, nvidia-spark-mlnx-firmware-manager, dgx-spark-mlnx-hotplug]
  services:
    description: Units of systemd whose state to read.
    type: list
    elements: str
    default: [chrony.service, docker.service]
  users:
    description: Users whose keys' fingerprints and groups to read.
    type: list
    elements: str
    default: []
  sysctl:
    description: Kernel settings to read.
    type: list
    elements: str
    default:
      - net.ipv4.ip_forward
      - net.ipv4.conf.all.arp_ignore
      - net.ipv4.conf.all.arp_announce
      - vm.swappiness
  environment:
    description: File of the environment that jobs get.
    type: path
    default: /etc/sparkloom/nccl.env
  source_seconds:
    description: Time that one command of a source may take, in seconds; a source may take twice as long.
    type: float
    default: 5.0
  max_bytes:
    description: Longest output of one command, in bytes.
    type: int
    default: 262144
"""

EXAMPLES = r"""
- name: Read all evidence of the node
  sparkloom.cluster.node_evidence:
    users: [spark]
  register: observe_seen

- name: Read its links alone, more patiently
  sparkloom.cluster.node_evidence:
    parts: [interfaces, rdma_devices]
    source_seconds: 20
"""

RETURN = r"""
evidence:
  description: What was seen; C(plugins/plugin_utils/data/evidence/node.json) has the schema of every part.
  returned: always
  type: dict
  contains:
    parts: {description: What each source gave by its name., type: dict}
    missing: {description: Why a source gave nothing., type: dict, sample: {gpu: nvidia-smi is not installed}}
seconds:
  description: Time that it took on the node.
  returned: always
  type: float
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import observed
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.bounded import Limits, gather

PARTS = [
    "system",
    "interfaces",
    "rdma_devices",
    "routes",
    "neighbours",
    "netplan",
    "packages",
    "services",
    "failed_units",
    "clock",
    "environment",
    "ssh",
    "kernel_log",
    "sysctl",
    "limits",
    "gpu",
    "containers",
]
PACKAGES = [
    "chrony",
    "rdma-core",
    "perftest",
    "ibverbs-providers",
    "nvidia-spark-mlnx-firmware-manager",
    "dgx-spark-mlnx-hotplug",
]
SYSCTL = ["net.ipv4.ip_forward", "net.ipv4.conf.all.arp_ignore", "net.ipv4.conf.all.arp_announce", "vm.swappiness"]

ARGUMENTS: dict[str, Any] = {
    "parts": {"type": "list", "elements": "str", "choices": PARTS, "default": []},
    "packages": {"type": "list", "elements": "str", "default": PACKAGES},
    "services": {"type": "list", "elements": "str", "default": ["chrony.service", "docker.service"]},
    "users": {"type": "list", "elements": "str", "default": []},
    "sysctl": {"type": "list", "elements": "str", "default": SYSCTL},
    "environment": {"type": "path", "default": "/etc/sparkloom/nccl.env"},
    "source_seconds": {"type": "float", "default": 5.0},
    "max_bytes": {"type": "int", "default": 262144},
}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    options = module.params
    limits = Limits(options["source_seconds"], options["max_bytes"])
    asked = observed.Asked(
        options["packages"], options["services"], options["users"], options["sysctl"], options["environment"]
    )
    started = time.monotonic()
    known = observed.sources(asked, limits)
    parts, missing = gather({name: known[name] for name in options["parts"] or PARTS}, limits)
    seconds = round(time.monotonic() - started, 3)
    module.exit_json(changed=False, evidence={"parts": parts, "missing": missing}, seconds=seconds)


if __name__ == "__main__":
    main()
