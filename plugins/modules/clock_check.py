#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: clock_check
short_description: Wait until the clock of a node agrees with its reference
version_added: 0.1.0
description:
  - Asks chronyd what it follows and how far the clock is from it, until the clock is synchronised and near
    enough, or the time is up.
  - Reads only; correcting the clock is chronyd's part.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
options:
  max_offset_ms:
    description: Greatest offset from the reference, in milliseconds.
    type: float
    default: 50.0
  is_reference:
    description:
      - The node is what the others follow and has no servers itself.
      - Its clock has nothing to be off from, so only that chronyd answers is looked at.
    type: bool
    default: false
  wait_seconds:
    description: How long to wait for agreement; 0 only looks.
    type: int
    default: 60
  fail_on_offset:
    description: Whether a clock that does not agree fails the module, or is left for others to judge.
    type: bool
    default: true
"""

EXAMPLES = r"""
- name: Wait until the clock agrees with the reference
  sparkloom.cluster.clock_check:
    max_offset_ms: "{{ time_sync_max_offset_ms }}"
    is_reference: "{{ time_sync_is_reference and not time_sync_servers }}"

- name: Only look
  sparkloom.cluster.clock_check:
    wait_seconds: 0
    fail_on_offset: false
  register: verify_clock
"""

RETURN = r"""
synchronised:
  description: Whether chronyd follows a reference.
  returned: always
  type: bool
offset_ms:
  description: Distance of the clock from its reference in milliseconds, without sign; null when it follows none.
  returned: always
  type: float
reference:
  description: What the clock follows, as chronyd names it.
  returned: always
  type: str
stratum:
  description: Stratum of the node's clock.
  returned: always
  type: int
problem:
  description: What is wrong, in words; empty when all is well.
  returned: always
  type: str
"""

import time

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import clock

POLL = 1.0

ARGUMENTS = {
    "max_offset_ms": {"type": "float", "default": 50.0},
    "is_reference": {"type": "bool", "default": False},
    "wait_seconds": {"type": "int", "default": 60},
    "fail_on_offset": {"type": "bool", "default": True},
}


def look(module: AnsibleModule) -> clock.Clock:
    chronyc = module.get_bin_path("chronyc")
    if not chronyc:
        return clock.Clock(False, None, None, None, "chrony is not installed; the role time_sync installs it")
    # -n: addresses as they are; a name server that hangs would hang this too.
    tracking = clock.parse_tracking(module.run_command([chronyc, "-n", "-c", "tracking"])[1])
    sources = clock.parse_sources(module.run_command([chronyc, "-n", "-c", "sources"])[1])
    return clock.judge(tracking, sources, module.params["max_offset_ms"], module.params["is_reference"])


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    end = time.monotonic() + module.params["wait_seconds"]
    seen = look(module)
    while seen.problem and time.monotonic() < end:
        time.sleep(POLL)
        seen = look(module)
    if seen.problem and module.params["fail_on_offset"]:
        module.fail_json(msg=seen.problem, **seen.to_dict())
    module.exit_json(changed=False, **seen.to_dict())


if __name__ == "__main__":
    main()
