#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: routeros_ports
short_description: Set speeds, breakouts and frame sizes of a CRS8xx switch's ports
version_added: 0.1.0
description:
  - Brings many ports to their wanted state in one pass, and touches nothing that already matches.
  - Changes are made under RouterOS safe mode. They are read back and a fresh login is proven before they
    become permanent; when anything fails before that, the switch is as it was.
  - In check mode the blast radius is reported, that is what would go down for a moment.
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.routeros]
options:
  ports:
    description: The wanted ports, as the plan gives them in C(switch_ports).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name that the port left the factory with.
        type: str
        required: true
      cage:
        description: Cage of the port.
        type: str
      role:
        description: Whether the lane carries a link or is consumed by one.
        type: str
        choices: [master, companion]
        default: master
      disabled:
        description: Whether the lane is disabled. Companions have to stay enabled.
        type: bool
      l2mtu:
        description: Greatest frame in bytes, without the Ethernet header.
        type: int
      mtu:
        description: MTU in bytes.
        type: int
      auto_negotiation:
        description: Whether the port negotiates.
        type: bool
      speed:
        description: Link mode, such as V(200G-baseCR4).
        type: str
      fec_mode:
        description: Forward error correction.
        type: str
        choices: [auto, "off", fec74, fec91]
attributes:
  check_mode:
    description: Says what would change and what it would interrupt; changes nothing.
    support: full
  diff_mode:
    description: Shows each changed attribute of each port.
    support: full
"""

EXAMPLES = r"""
- name: Split a cage into two links of 200G
  sparkloom.cluster.routeros_ports:
    host: 10.0.0.2
    username: admin
    password: "{{ routeros_password }}"
    ports:
      - {name: qsfp56-dd-1-1, auto_negotiation: false, speed: 200G-baseCR4, fec_mode: fec91, l2mtu: 9216, mtu: 9000}
      - {name: qsfp56-dd-1-5, auto_negotiation: false, speed: 200G-baseCR4, fec_mode: fec91, l2mtu: 9216, mtu: 9000}
"""

RETURN = r"""
ports:
  description: Names of the ports that changed.
  returned: success
  type: list
  elements: str
blast_radius:
  description: What goes down for a moment because of the change.
  returned: success
  type: str
commands:
  description: Sentences that make the change, in order.
  returned: success
  type: list
  elements: str
sentences:
  description: API sentences sent.
  returned: always
  type: int
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import engine, ports, safemode
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.module import CONNECTION, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import RouterosError, Session

ARGUMENTS: dict[str, Any] = {
    **CONNECTION,
    "ports": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "cage": {"type": "str"},
            "role": {"type": "str", "choices": ["master", "companion"], "default": "master"},
            "disabled": {"type": "bool"},
            "l2mtu": {"type": "int"},
            "mtu": {"type": "int"},
            "auto_negotiation": {"type": "bool"},
            "speed": {"type": "str"},
            "fec_mode": {"type": "str", "choices": ["auto", "off", "fec74", "fec91"]},
        },
    },
}


def read(session: Session, wanted: list[dict[str, Any]]) -> ports.PortsPlan:
    found = ports.plan(wanted, session.table(ports.PATH, ports.PROPLIST))
    if found.missing:
        raise RouterosError(
            f"the switch at {session.target} has no port {', '.join(found.missing)}; is it the declared model?"
        )
    return found


def work(module: AnsibleModule, session: Session) -> dict[str, Any]:
    wanted = module.params["ports"]
    plan = read(session, wanted)

    def remaining() -> list[str]:
        left = read(session, wanted).changes
        return engine.diff_text(left)[0].splitlines()

    if plan.commands and not module.check_mode:
        safemode.apply(session, plan.commands, remaining)
    before, after = engine.diff_text(plan.changes)
    header = f"{session.target} {ports.PATH}"
    interrupts = f"{header} ({plan.blast_radius})"
    return {
        "changed": bool(plan.commands),
        "ports": [change.key for change in plan.changes],
        "blast_radius": str(plan.blast_radius),
        "commands": [" ".join([command.word, *command.keys]) for command in plan.commands],
        "diff": {"before": before, "after": after, "before_header": header, "after_header": interrupts},
    }


def main() -> None:
    run(AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True), work)


if __name__ == "__main__":
    main()
