#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: verify_judge
short_description: Judge what a verification run saw, from both ends of every cable
version_added: 0.1.0
description:
  - Holds what the hosts registered in C(playbooks/verify.yml) against the plan, and fails with all findings.
  - A host or a task that gave no evidence is a finding; it is never taken to be well.
  - What merely follows from another finding, as lost pings do from a broken cable, is put after it in a line each.
  - A link to a host that is not part of the run is judged from its other end alone; paths, logins and bandwidth
    towards such a host are not judged.
author: Sparkloom developers (@sparkloom)
options:
  nodes:
    description: Nodes to judge.
    type: list
    elements: str
    required: true
  switches:
    description: Switches to judge.
    type: list
    elements: str
    default: []
  warn_gbps:
    description: RDMA bandwidth of one rail of a 200G link below which a warning is given, in Gb/s.
    type: float
    default: 90.0
  fail_gbps:
    description: RDMA bandwidth of one rail of a 200G link below which it fails, in Gb/s.
    type: float
    default: 80.0
attributes:
  action:
    description: Runs on the controller.
    support: full
  check_mode:
    description: Changes nothing, so it does the same in check mode.
    support: full
  diff_mode:
    description: Changes nothing, so it has no difference to show.
    support: none
"""

EXAMPLES = r"""
- name: Judge what was seen
  sparkloom.cluster.verify_judge:
    nodes: "{{ groups.nodes }}"
    switches: "{{ groups.switches }}"
  run_once: true
"""

RETURN = r"""
findings:
  description: What is not as declared.
  returned: always
  type: list
  elements: dict
  contains:
    code: {description: Code of the rule., type: str}
    severity: {description: "V(fail) or V(warn).", type: str}
    where: {description: "Host, cable with both its ends, or pair of nodes.", type: str}
    problem: {description: What is wrong., type: str}
    expected: {description: What was declared., type: str}
    actual: {description: What was seen., type: str}
    cause: {description: The usual cause., type: str}
    remedy: {description: What to do., type: str}
    follows: {description: "The finding that explains this one; empty for one that stands alone.", type: str}
"""
