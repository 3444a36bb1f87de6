# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every routeros module begins and ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.session import (
    LIBROUTEROS_ERROR,
    RouterosError,
    Session,
    Target,
)

CONNECTION: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "port": {"type": "int"},
    "username": {"type": "str", "required": True},
    "password": {"type": "str", "required": True, "no_log": True},
    "tls": {"type": "bool", "default": True},
    "ca_path": {"type": "path"},
    "timeout": {"type": "float", "default": 15.0},
}
_API_PORT = 8728
_API_TLS_PORT = 8729


def target_of(params: dict[str, Any]) -> Target:
    """Return the switch that a module's parameters name."""
    return Target(
        host=params["host"],
        port=params["port"] or (_API_TLS_PORT if params["tls"] else _API_PORT),
        username=params["username"],
        password=params["password"],
        tls=params["tls"],
        ca_path=params["ca_path"],
        timeout=params["timeout"],
    )


def run(module: AnsibleModule, work: Callable[[AnsibleModule, Session], dict[str, Any]]) -> None:
    """Open a session, do the module's work, and end the module in words when it goes wrong."""
    if LIBROUTEROS_ERROR is not None:
        module.fail_json(msg=missing_required_lib("librouteros"), exception=LIBROUTEROS_ERROR)
    session = Session(target_of(module.params))
    try:
        with session:
            result = work(module, session)
    except RouterosError as error:
        module.fail_json(msg=str(error), sentences=session.sentences)
    module.exit_json(**{"sentences": session.sentences, **result})
