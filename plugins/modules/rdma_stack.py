#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: rdma_stack
short_description: Kernel modules, RDMA devices, PCIe width and link layer of a node
version_added: 0.1.0
description:
  - Refuses an RDMA stack other than the declared one. Never installs or upgrades a DOCA-OFED itself.
  - Loads the kernel modules that are missing, and writes the file that loads them at boot.
  - Then looks whether each declared RDMA device is present, serves its interface, is Ethernet, and has
    the PCIe link that is declared; what is wrong fails the module in words.
  - In check mode what is pending may be the cure, so while a kernel module or the package rdma-core is missing,
    an absent device is a warning.
author: Sparkloom developers (@sparkloom)
options:
  provider:
    description: Where the stack comes from; the distribution, or a DOCA-OFED that somebody installed.
    type: str
    choices: [inbox, doca]
    default: inbox
  doca_floor:
    description: Oldest release that C(ofed_info -s) may give, with O(provider=doca).
    type: str
  packages:
    description:
      - Packages that have to be there first. When one is missing the module says which under RV(missing_packages)
        and looks no further.
    type: list
    elements: str
    default: []
  modules:
    description: Kernel modules that have to be loaded.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: Name of the kernel module.
        type: str
        required: true
      optional:
        description:
          - Load it only while the node has a NIC of Mellanox (PCI vendor 15b3).
          - It is not listed in O(path), since udev loads a driver with its hardware.
        type: bool
        default: false
  path:
    description: File that loads the modules at boot.
    type: path
    default: /etc/modules-load.d/sparkloom-rdma.conf
  devices:
    description: The declared RDMA devices, as the plan gives them in C(ofed_devices).
    type: list
    elements: dict
    default: []
    suboptions:
      rdma_device:
        description: Name of the RDMA device.
        type: str
        required: true
      interface:
        description: Interface that the device serves.
        type: str
        required: true
      pcie_width:
        description: Lanes that its PCIe link has at least.
        type: int
      pcie_speed_gts:
        description: Speed in GT/s that its PCIe link has at least.
        type: float
  pcie_mismatch:
    description: Whether a narrow or slow PCIe link fails the module or is a warning.
    type: str
    choices: [fail, warn]
    default: fail
  wait_seconds:
    description: How long devices may take to appear after a kernel module was loaded.
    type: int
    default: 10
attributes:
  check_mode:
    description: Loads and writes nothing, and says what it would.
    support: full
  diff_mode:
    description: Shows the file, and the kernel modules that get loaded.
    support: full
"""

EXAMPLES = r"""
- name: Refuse another stack before packages are installed
  sparkloom.cluster.rdma_stack:
    provider: "{{ ofed_provider }}"
    doca_floor: "{{ ofed_doca_floor }}"

- name: Load the kernel modules and look at the devices
  sparkloom.cluster.rdma_stack:
    modules:
      - name: ib_uverbs
      - name: rdma_ucm
      - name: mlx5_ib
        optional: true
    devices: "{{ ofed_devices }}"
"""

RETURN = r"""
missing_packages:
  description: Those of O(packages) that are not installed.
  returned: success
  type: list
  elements: str
loaded:
  description: Kernel modules that were loaded, or would be.
  returned: always
  type: list
  elements: str
devices:
  description: Every RDMA device by name, as M(sparkloom.cluster.node_facts) describes them.
  returned: when devices were looked at
  type: dict
faults:
  description: What is wrong, in words.
  returned: when devices were looked at
  type: list
  elements: str
"""

import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import kernel_modules, ofed, rdma, system
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import read

POLL = 0.5
MODE = 0o644

ARGUMENTS = {
    "provider": {"type": "str", "choices": ["inbox", "doca"], "default": "inbox"},
    "doca_floor": {"type": "str"},
    "packages": {"type": "list", "elements": "str", "default": []},
    "modules": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "name": {"type": "str", "required": True},
            "optional": {"type": "bool", "default": False},
        },
    },
    "path": {"type": "path", "default": "/etc/modules-load.d/sparkloom-rdma.conf"},
    "devices": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "rdma_device": {"type": "str", "required": True},
            "interface": {"type": "str", "required": True},
            "pcie_width": {"type": "int"},
            "pcie_speed_gts": {"type": "float"},
        },
    },
    "pcie_mismatch": {"type": "str", "choices": ["fail", "warn"], "default": "fail"},
    "wait_seconds": {"type": "int", "default": 10},
}


def refuse_other_provider(module: AnsibleModule) -> None:
    path = module.get_bin_path("ofed_info")
    info = module.run_command([path, "-s"])[1] if path else None
    fault = ofed.provider_fault(module.params["provider"], module.params["doca_floor"], info)
    if fault:
        module.fail_json(msg=fault)


def missing_packages(module: AnsibleModule) -> list[str]:
    wanted = module.params["packages"]
    if not wanted:
        return []
    _rc, out, _err = module.run_command([*system.PACKAGE_QUERY, *wanted])
    versions = system.package_versions(out, wanted) or {}
    return [name for name, version in versions.items() if version is None]


def missing_modules(needed: list[str]) -> list[str]:
    builtin = read(Path("/lib/modules") / platform.release() / "modules.builtin")
    return kernel_modules.missing(needed, kernel_modules.loaded(read(Path("/proc/modules")), builtin))


def load(module: AnsibleModule, names: list[str]) -> None:
    for name in names:
        rc, _out, err = module.run_command([module.get_bin_path("modprobe", required=True), name])
        if rc:
            module.fail_json(
                msg=f"kernel module {name} cannot be loaded: {err.strip()}. It belongs to the package of the running "
                f"kernel ({platform.release()}); when that was upgraded since boot, reboot the node"
            )


def write(module: AnsibleModule, path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=module.tmpdir)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
    module.atomic_move(draft, path)
    module.set_mode_if_different(path, MODE, changed=False)


def watched(module: AnsibleModule, wait: float) -> tuple[dict[str, Any], list[str]]:
    """Return the devices and what is wrong with them, once nothing is or the time is up."""
    end = time.monotonic() + wait
    while True:
        devices = rdma.read_devices()
        faults = rdma.device_faults(module.params["devices"], devices)
        if not faults or time.monotonic() >= end:
            return devices, faults
        time.sleep(POLL)


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    refuse_other_provider(module)
    if absent := missing_packages(module):
        # In check mode nobody installs them after this, so it is said here: apt would know nothing of them without lists.
        packages = {"before_header": "packages", "after_header": "packages", "before": "", "after": "\n".join(absent)}
        module.exit_json(changed=module.check_mode, missing_packages=absent, diff=packages)

    present = kernel_modules.hardware_present()
    missing = missing_modules(kernel_modules.wanted(module.params["modules"], present))
    path = module.params["path"]
    before = Path(path).read_text(encoding="ascii", errors="replace") if Path(path).is_file() else None
    after = kernel_modules.boot_file(module.params["modules"]) if module.params["modules"] else before
    wrong_mode = before is not None and after is not None and Path(path).stat().st_mode & 0o7777 != MODE
    changed = bool(missing) or after != before or wrong_mode

    if not module.check_mode:
        load(module, missing)
        if after is not None and (after != before or wrong_mode):
            write(module, path, after)

    result: dict[str, Any] = {
        "changed": changed,
        "missing_packages": [],
        "loaded": missing,
        "diff": [
            {"before_header": path, "after_header": path, "before": before or "", "after": after or ""},
            {
                "before_header": "loaded kernel modules",
                "after_header": "loaded kernel modules",
                "before": "",
                "after": "".join(f"{name}\n" for name in missing),
            },
        ],
    }
    if module.params["devices"]:
        pending = module.check_mode and (bool(missing) or not rdma.names_devices())
        # Only a module that was just loaded brings devices; else what is there, is there.
        wait = module.params["wait_seconds"] if missing and not module.check_mode else 0
        devices, faults = watched(module, wait)
        narrow = rdma.pcie_faults(module.params["devices"])
        result.update(devices=devices, faults=[*faults, *narrow])
        fatal = [] if pending else list(faults)
        fatal += narrow if module.params["pcie_mismatch"] == "fail" else []
        for fault in result["faults"]:
            if fault not in fatal:
                module.warn(fault)
        if fatal:
            module.fail_json(msg="; ".join(fatal), **result)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
