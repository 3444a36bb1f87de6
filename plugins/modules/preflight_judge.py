#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: preflight_judge
short_description: Judge whether a node can become part of the rack
version_added: 0.1.0
description:
  - Compares the facts of a node with the requirements of the cluster file, and with the facts of its peers
    (duplicate machine-ids, unequal kernels, drivers and firmware).
  - Runs on the controller and touches no host. What cannot work fails, in words that
    say what to do.
  - The facts of the peers are read from their registered variable C(preflight_facts_result); peers that
    have none, since they are not part of the run, are left out.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.read_only]
options:
  name:
    description: Name of the node.
    type: str
    required: true
  facts:
    description: What M(sparkloom.cluster.node_facts) returned on the node.
    type: dict
    required: true
  requirements:
    description: What the cluster file requires, as the plan gives it in C(preflight_requirements).
    type: dict
    required: true
  interfaces:
    description: Interfaces that the node must have.
    type: list
    elements: str
    default: []
  peers:
    description: Names of the other nodes of the cluster.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Judge the node
  sparkloom.cluster.preflight_judge:
    name: "{{ node_name }}"
    facts: "{{ preflight_facts_result.facts }}"
    requirements: "{{ preflight_requirements }}"
    interfaces: "{{ fabric_interfaces | map(attribute='name') }}"
    peers: "{{ fabric_peers | map(attribute='name') }}"
"""

RETURN = r"""
findings:
  description: What is wrong; failures and warnings.
  returned: always
  type: list
  elements: dict
  contains:
    code: {description: Code of the rule., type: str, sample: SL110}
    severity: {description: fail or warn., type: str}
    where: {description: The node or nodes., type: str}
    problem: {description: What is wrong., type: str}
    expected: {description: What should be., type: str}
    actual: {description: What was seen., type: str}
    cause: {description: Why it is so; may be empty., type: str}
    remedy: {description: What to do., type: str}
"""
