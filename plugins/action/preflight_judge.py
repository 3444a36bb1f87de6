# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands a host's facts and those of its peers to preflight's rules; documented by the module of this name."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import render
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.preflight import SUDO, judge

# The name that the role preflight registers node_facts by, on every host.
RESULT = "preflight_facts_result"

SPEC = {
    "name": {"type": "str", "required": True},
    "facts": {"type": "dict", "required": True},
    "requirements": {"type": "dict", "required": True},
    "interfaces": {"type": "list", "elements": "str", "default": []},
    "peers": {"type": "list", "elements": "str", "default": []},
}


class ActionModule(ActionBase):  # type: ignore[misc]  # Ansible has no types
    """Runs on the controller and touches no host."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _valid, options = self.validate_argument_spec(argument_spec=SPEC)
        facts = {options["name"]: options["facts"]}
        hostvars = (task_vars or {}).get("hostvars", {})
        for peer in options["peers"]:
            # A peer outside this run (-l), or out of reach, has registered nothing.
            seen = hostvars[peer].get(RESULT, {}) if peer in hostvars else {}
            if "facts" in seen:
                facts[peer] = seen["facts"]

        findings = judge(options["name"], options["requirements"], facts, tuple(options["interfaces"]))
        if self._play_context.become_pass or (task_vars or {}).get("ansible_become_password"):
            # With a password from -K or Vault, sudo may ask for it.
            findings = [finding for finding in findings if finding.code != SUDO]
        fatal = [finding for finding in findings if finding.severity == "fail"]
        result.update(changed=False, findings=[finding.to_dict() for finding in findings])
        result["warnings"] = [str(finding) for finding in findings if finding.severity == "warn"]
        if fatal:
            result.update(failed=True, msg=render(fatal))
        return result
