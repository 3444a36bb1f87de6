#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: routeros_links
short_description: Wait until a switch's links show their declared rates
version_added: 0.1.0
description:
  - Reads C(monitor) of each declared link until all show status, rate and FEC as declared, or until O(wait)
    is over.
  - A link that is not as declared is described in words, with the cable, its two ends, the rate seen and
    expected, what the module's EEPROM says, and what to do or buy.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.routeros]
options:
  links:
    description: The declared links, as the plan gives them in C(switch_links).
    type: list
    elements: dict
    required: true
  wait:
    description: Seconds to wait for links to rise; RouterOS takes about ten after a change. V(0) looks once.
    type: float
    default: 45.0
  interval:
    description: Seconds between two looks.
    type: float
    default: 1.0
  fail:
    description: Whether a link that is not as declared fails the module.
    type: bool
    default: true
attributes:
  check_mode:
    description: Reads only; in check mode it looks once and does not fail, since what would set the ports did not run.
    support: full
  diff_mode:
    description: Changes nothing, so it has no difference to show.
    support: none
"""

EXAMPLES = r"""
- name: Wait for the links
  sparkloom.cluster.routeros_links:
    host: 10.0.0.2
    username: admin
    password: "{{ routeros_password }}"
    links: "{{ switch_links }}"
"""

RETURN = r"""
links:
  description: One entry a declared link.
  returned: always
  type: list
  elements: dict
  contains:
    name: {description: "The link, by both its ends.", type: str}
    port: {description: Port of this switch., type: str}
    up: {description: Whether it is as declared., type: bool}
    status: {description: Status that monitor shows., type: str}
    rate_gbps: {description: "Rate in Gb/s, null without a link.", type: int}
    expected_gbps: {description: Declared rate in Gb/s., type: int}
    fec: {description: Forward error correction., type: str}
    cable: {description: The declared cable., type: dict}
    module: {description: What the module's EEPROM says., type: dict}
    problem: {description: "What is wrong, empty when nothing is.", type: str}
    remedy: {description: What to do., type: str}
sentences:
  description: API sentences sent.
  returned: always
  type: int
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import bridge, links
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.module import CONNECTION, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import Session

ARGUMENTS: dict[str, Any] = {
    **CONNECTION,
    "links": {"type": "list", "elements": "dict", "required": True},
    "wait": {"type": "float", "default": 45.0},
    "interval": {"type": "float", "default": 1.0},
    "fail": {"type": "bool", "default": True},
}


def look(session: Session, declared: list[dict[str, Any]]) -> list[links.LinkResult]:
    """Return every declared link as the switch shows it now."""
    ethernet = session.table(bridge.ETHERNET, bridge.ETHERNET_PROPLIST)
    default_names = {row["name"]: row.get("default-name", row["name"]) for row in ethernet}
    names = {default: name for name, default in default_names.items()}
    wanted = ",".join(names[link["port"]] for link in declared if link["port"] in names)
    rows = session.call("/interface/ethernet/monitor", {"numbers": wanted, "once": ""}) if wanted else []
    return links.judge_all(declared, {default_names.get(row["name"], row["name"]): row for row in rows})


def work(module: AnsibleModule, session: Session) -> dict[str, Any]:
    params = module.params
    deadline = time.monotonic() + (0 if module.check_mode else params["wait"])
    while True:
        results = look(session, params["links"])
        if all(result.up for result in results) or time.monotonic() >= deadline:
            break
        time.sleep(params["interval"])
    answer = {"changed": False, "links": [result.to_dict() for result in results]}
    message = links.report(results)
    if message and params["fail"] and not module.check_mode:
        module.fail_json(
            msg=f"links of {session.target} are not as declared\n{message}", sentences=session.sentences, **answer
        )
    return answer


def main() -> None:
    run(AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True), work)


if __name__ == "__main__":
    main()
