#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: judge
short_description: Judge what a run saw of a rack, from both ends of every cable
version_added: 0.2.0
description:
  - Holds what the role C(sparkloom.cluster.observe) registered on every host against the plan.
  - A host or a part that gave no evidence is a finding; it is never taken to be well.
  - Explains, and never fails; a play decides by the verdict in RV(judgement). With the callback C(sparkloom.cluster.report) the
    verdict becomes the exit code of the run.
  - What merely follows from another finding, as lost pings do from a broken cable, names that one in C(follows).
  - A link to a host that is not part of the run is judged from its other end alone; paths, logins and bandwidth
    towards such a host are not judged.
author: Sparkloom developers (@sparkloom)
options:
  use:
    description:
      - What the judgement is for. To V(verify) a warning is no finding; to V(doctor) and V(drift) it is one.
    type: str
    choices: [doctor, verify, drift]
    default: verify
  nodes:
    description: Nodes to judge, of one cluster.
    type: list
    elements: str
    required: true
  switches:
    description: Switches to judge.
    type: list
    elements: str
    default: []
  thresholds:
    description: The owner's own thresholds by name; docs/findings.md lists all with their defaults and sources.
    type: dict
    default: {}
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
  sparkloom.cluster.judge:
    nodes: "{{ groups.nodes }}"
    switches: "{{ groups.switches }}"
  run_once: true

- name: Judge by an owner's own numbers
  sparkloom.cluster.judge:
    use: doctor
    nodes: "{{ groups.nodes }}"
    switches: "{{ groups.switches }}"
    thresholds: {rdma_warn_gbps: 95}
  run_once: true
"""

RETURN = r"""
judgement:
  description: The input of every report; findings, verdict, the rack with the state of its links, and all evidence.
  returned: always
  type: dict
msg:
  description: All findings as one text, or that all is as declared.
  returned: always
  type: str
findings:
  description: What is not as declared.
  returned: always
  type: list
  elements: dict
  contains:
    code: {description: Code of the rule., type: str}
    severity: {description: "V(fail), V(warn), or V(unknown) when the evidence that would tell is missing.", type: str}
    where: {description: "Host, cable with both its ends, or pair of nodes.", type: str}
    problem: {description: What is wrong., type: str}
    expected: {description: What was declared., type: str}
    actual: {description: What was seen., type: str}
    cause: {description: The usual cause., type: str}
    remedy: {description: What to do., type: str}
    follows: {description: "The finding that explains this one; empty for one that stands alone.", type: str}
    hosts: {description: Hosts that it concerns., type: list}
    title: {description: "Code and place, by which other findings name this one.", type: str}
"""
