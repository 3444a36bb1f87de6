# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands what the hosts of a run showed to the rules; documented by the module of this name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, render, roots
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.judgement import judge_hosts

SPEC = {
    "use": {"type": "str", "choices": ["doctor", "verify", "drift"], "default": "verify"},
    "nodes": {"type": "list", "elements": "str", "required": True},
    "switches": {"type": "list", "elements": "str", "default": []},
    "thresholds": {"type": "dict", "default": {}},
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
        now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        try:
            judgement, findings = judge_hosts(
                options["use"],
                (task_vars or {})["hostvars"],
                options["nodes"],
                options["switches"],
                now,
                numbers(options["thresholds"]),
            )
        except KeyError as unknown:
            raise AnsibleActionFail(f"thresholds: no rule knows {unknown}; docs/findings.md lists them") from unknown
        result.update(changed=False, judgement=judgement, findings=judgement["findings"])
        result["msg"] = words(findings) or judgement["summary"]
        return result


def numbers(thresholds: Mapping[str, Any]) -> dict[str, float]:
    """Return an owner's thresholds as numbers.

    :raises AnsibleActionFail: one is none
    """
    found = {}
    for name, value in thresholds.items():
        try:
            found[name] = float(value)
        except (TypeError, ValueError) as error:
            raise AnsibleActionFail(f"thresholds: {name} is {value!r}; give it as a number") from error
    return found


def words(findings: list[Finding]) -> str:
    """Return all findings as one text, with their number; empty when there are none."""
    if not findings:
        return ""
    causes = len(roots(findings))
    rest = len(findings) - causes
    count = f"{causes} finding{'s' if causes > 1 else ''}{f', and {rest} that follow' if rest else ''}"
    return f"{count}\n\n{render(findings)}"
