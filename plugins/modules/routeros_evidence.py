#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: routeros_evidence
short_description: All evidence of a switch in one API session
version_added: 0.2.0
description:
  - Reads what the rules of C(sparkloom.cluster.judge) look at. Changes nothing; a user of the group C(read) will do.
  - A path that this RouterOS does not have, or a right that is lacking, is named in RV(evidence.missing) with the switch's own
    words. A switch that stops answering costs what would have come after.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.routeros, sparkloom.cluster.read_only]
options:
  links:
    description: The declared links, as the plan gives them in C(switch_links).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Read all evidence of the switch
  sparkloom.cluster.routeros_evidence:
    host: 10.0.0.2
    username: observer
    password: "{{ routeros_password }}"
    links: "{{ switch_links }}"
  register: observe_seen
"""

RETURN = r"""
evidence:
  description: What was seen; C(plugins/plugin_utils/data/evidence/switch.json) has the schema of every part.
  returned: always
  type: dict
  contains:
    parts: {description: What each source gave by its name., type: dict}
    missing: {description: Why a source gave nothing., type: dict, sample: {qos_ports: no such command prefix}}
seconds:
  description: Time that it took.
  returned: success
  type: float
sentences:
  description: API sentences sent.
  returned: always
  type: int
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import observed
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.module import CONNECTION, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import Session

ARGUMENTS: dict[str, Any] = {**CONNECTION, "links": {"type": "list", "elements": "dict", "required": True}}


def work(module: AnsibleModule, session: Session) -> dict[str, Any]:
    started = time.monotonic()
    parts, missing = observed.observe(session, module.params["links"])
    seconds = round(time.monotonic() - started, 3)
    return {"changed": False, "evidence": {"parts": parts, "missing": missing}, "seconds": seconds}


def main() -> None:
    run(AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True), work)


if __name__ == "__main__":
    main()
