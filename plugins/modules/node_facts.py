#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: node_facts
short_description: All evidence of a node in one call
version_added: 0.1.0
description:
  - Reads what Sparkloom judges a node by. Changes nothing and needs no root.
  - What cannot be read is null, for example the driver of a node without C(nvidia-smi), and never a failure.
  - C(sudo) is tried without a password and without remembered credentials; netplan's files are
    root's alone, so without root their interfaces are null.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
options:
  sections:
    description: What to read; less is faster.
    type: list
    elements: str
    choices: [system, interfaces, rdma, routes, netplan, packages]
    default: [system, interfaces, rdma, routes, netplan, packages]
  packages:
    description: Packages whose installed versions to read.
    type: list
    elements: str
    default: [chrony, rdma-core, perftest]
"""

EXAMPLES = r"""
- name: Read all evidence of the node
  sparkloom.cluster.node_facts:
  register: preflight_facts_result

- name: See which packages are there
  sparkloom.cluster.node_facts:
    sections: [packages]
    packages: [chrony]
  register: time_sync_node
"""

RETURN = r"""
facts:
  description: The evidence. Sections that were not asked for are left out.
  returned: always
  type: dict
  contains:
    hostname: {description: Name of the node as the kernel knows it., type: str}
    uptime_seconds: {description: Seconds since boot., type: float}
    machine_id: {description: Contents of C(/etc/machine-id)., type: str}
    kernel: {description: Release of the running kernel., type: str}
    cmdline: {description: Command line of the running kernel., type: str}
    architecture: {description: As C(uname -m) says it., type: str}
    distribution: {description: "First word of the name, and version.", type: str, sample: Ubuntu 24.04}
    python: {description: Version of the Python that runs modules., type: str, sample: 3.12.3}
    memory_kib: {description: Memory that the kernel manages., type: int}
    disk_free_kib: {description: Free space of C(/) for ordinary users., type: int}
    sudo: {description: Whether the login may become root without a password., type: bool}
    nvidia_driver: {description: Version of the NVIDIA driver., type: str}
    interfaces:
      description: Every network interface by name.
      type: dict
      sample:
        enp1s0f1np1:
          mac: 4c:bb:47:00:00:01
          mtu: 9000
          state: UP
          carrier: true
          carrier_changes: 2
          speed_mbps: 200000
          master: null
          kind: null
          ipv4: [192.168.100.11/24]
          ipv6: []
          driver: mlx5_core
          firmware: 28.45.4028
          pcie_width: 4
          pcie_speed_gts: 32.0
    rdma_devices:
      description: Every RDMA device by name.
      type: dict
      sample:
        rocep1s0f1:
          netdev: enp1s0f1np1
          state: ACTIVE
          link_layer: Ethernet
          rate: 200 Gb/sec (4X HDR)
          firmware: 28.45.4028
          gids:
            - index: 3
              gid: "0000:0000:0000:0000:0000:ffff:c0a8:640b"
              kind: RoCE v2
              netdev: enp1s0f1np1
              ipv4: 192.168.100.11
    default_routes:
      description: Default routes of both families; null when C(ip) is missing.
      type: list
      elements: dict
      sample: [{family: 4, gateway: 10.83.0.1, interface: enP7s7, metric: 100}]
    netplan:
      description: Files of netplan with the interfaces they claim; C(error) says why these are null.
      type: list
      elements: dict
      sample: [{path: /etc/netplan/40-cx7.yaml, mode: "0600", interfaces: [enp1s0f1np1], error: ""}]
    packages:
      description: Installed version of each package, null for one that is not; null as a whole without dpkg.
      type: dict
      sample: {chrony: 4.5-1ubuntu4, rdma-core: 50.0-2, perftest: null}
"""

import json
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import interfaces, netplan_files, rdma, system
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import read

Facts = dict[str, Any]
Run = Callable[[list[str]], "str | None"]

SECTIONS = ["system", "interfaces", "rdma", "routes", "netplan", "packages"]
PACKAGES = ["chrony", "rdma-core", "perftest"]

ARGUMENTS = {
    "sections": {"type": "list", "elements": "str", "choices": SECTIONS, "default": SECTIONS},
    "packages": {"type": "list", "elements": "str", "default": PACKAGES},
}


def parse_json(text: str | None) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def read_system(run: Run) -> Facts:
    disk = os.statvfs("/")
    return {
        "hostname": platform.node(),
        "uptime_seconds": system.uptime_seconds(read(Path("/proc/uptime"))),
        "machine_id": read(Path("/etc/machine-id")) or None,
        "kernel": platform.release(),
        "cmdline": read(Path("/proc/cmdline")),
        "architecture": platform.machine(),
        "distribution": system.distribution(read(Path("/etc/os-release"))),
        "python": platform.python_version(),
        "memory_kib": system.memory_kib(read(Path("/proc/meminfo"))),
        "disk_free_kib": disk.f_bavail * disk.f_frsize // 1024,
        "sudo": os.geteuid() == 0 or run(["sudo", "-k", "-n", "true"]) is not None,
        "nvidia_driver": system.nvidia_driver(
            run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
        ),
    }


def read_interfaces(run: Run) -> Facts:
    found = interfaces.read_interfaces(parse_json(run(["ip", "-j", "addr"])))
    for name, interface in found.items():
        if interface["driver"]:
            interface["firmware"] = system.firmware(run(["ethtool", "-i", name]))
    return {"interfaces": found}


def read_routes(run: Run) -> Facts:
    routes = {family: parse_json(run(["ip", "-j", f"-{family}", "route", "show", "default"])) for family in (4, 6)}
    return {"default_routes": system.default_routes(routes)}


def read_packages(module: AnsibleModule, wanted: list[str]) -> Facts:
    versions = None
    if module.get_bin_path("dpkg-query"):
        # It exits with 1 when one of the packages is unknown, and tells of the others all the same.
        _rc, out, _err = module.run_command([*system.PACKAGE_QUERY, *wanted])
        versions = system.package_versions(out, wanted)
    return {"packages": versions}


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)

    def run(command: list[str]) -> str | None:
        path = module.get_bin_path(command[0])  # looks into /sbin and /usr/sbin too
        if not path:
            return None
        rc, out, _err = module.run_command([path, *command[1:]])
        return str(out) if rc == 0 else None

    readers: dict[str, Callable[[], Facts]] = {
        "system": lambda: read_system(run),
        "interfaces": lambda: read_interfaces(run),
        "rdma": lambda: {"rdma_devices": rdma.read_devices()},
        "routes": lambda: read_routes(run),
        "netplan": lambda: {"netplan": netplan_files.read_all()},
        "packages": lambda: read_packages(module, module.params["packages"]),
    }
    facts: Facts = {}
    for section in module.params["sections"]:
        facts.update(readers[section]())
    module.exit_json(changed=False, facts=facts)


if __name__ == "__main__":
    main()
