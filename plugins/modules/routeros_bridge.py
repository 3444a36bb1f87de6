#!/usr/bin/python
# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: routeros_bridge
short_description: Keep the fabric ports of a CRS8xx switch in its one hardware-offloaded bridge
version_added: 0.1.0
description:
  - Sees that the bridge exists and that the named ports are its members, enabled and offloaded.
  - A named port that sits in another bridge is moved, since the chip forwards one bridge alone. Members that
    are not named are left where they are.
  - Changes are made under RouterOS safe mode, as with M(sparkloom.cluster.routeros_ports).
author: Sparkloom developers (@sparkloom)
extends_documentation_fragment: [sparkloom.cluster.routeros]
options:
  name:
    description: Name of the bridge.
    type: str
    required: true
  members:
    description: Ports that have to be in it, by the names that they left the factory with.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: Says what would change; changes nothing.
    support: full
  diff_mode:
    description: Shows each changed attribute of each row.
    support: full
"""

EXAMPLES = r"""
- name: Put the lane masters into the bridge
  sparkloom.cluster.routeros_bridge:
    host: 10.0.0.2
    username: admin
    password: "{{ routeros_password }}"
    name: bridge
    members: [qsfp56-dd-1-1, qsfp56-dd-1-5]
"""

RETURN = r"""
moved:
  description: Ports that left another bridge.
  returned: success
  type: list
  elements: str
not_offloaded:
  description: Members that the switch chip does not forward; their traffic goes through the CPU.
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
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import bridge, engine, safemode
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.module import CONNECTION, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import RouterosError, Session

ARGUMENTS: dict[str, Any] = {
    **CONNECTION,
    "name": {"type": "str", "required": True},
    "members": {"type": "list", "elements": "str", "required": True},
}


def read(session: Session, ethernet: list[dict[str, str]]) -> bridge.BridgeRows:
    return bridge.BridgeRows(
        session.table(bridge.BRIDGES, bridge.BRIDGE_PROPLIST),
        session.table(bridge.PORTS, bridge.PORT_PROPLIST),
        ethernet,
    )


def work(module: AnsibleModule, session: Session) -> dict[str, Any]:
    name, members = module.params["name"], module.params["members"]
    ethernet = session.table(bridge.ETHERNET, bridge.ETHERNET_PROPLIST)
    rows = read(session, ethernet)
    plan = bridge.plan(name, members, rows)
    if plan.missing:
        raise RouterosError(
            f"the switch at {session.target} has no port {', '.join(plan.missing)}; is it the declared model?"
        )
    if plan.commands and not module.check_mode:
        safemode.apply(
            session,
            plan.commands,
            remaining=lambda: [
                f"{change.key} {dict(change.after)}"
                for change in bridge.plan(name, members, read(session, ethernet)).changes
            ],
        )
        rows = read(session, ethernet)
    slow = [] if module.check_mode and plan.commands else bridge.not_offloaded(members, rows)
    if slow:
        module.warn(
            f"{session.target}: {', '.join(slow)} are in bridge {name} but the switch chip does not forward them; a second "
            "bridge with fabric ports, or a bridge setting that the chip cannot do, is the usual cause"
        )
    before, after = engine.diff_text(plan.changes)
    header = f"{session.target} {bridge.PORTS}"
    return {
        "changed": bool(plan.commands),
        "moved": list(plan.moved),
        "not_offloaded": slow,
        "diff": {"before": before, "after": after, "before_header": header, "after_header": header},
    }


def main() -> None:
    run(AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True), work)


if __name__ == "__main__":
    main()
