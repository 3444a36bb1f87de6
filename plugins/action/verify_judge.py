# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands what a verification run saw to diagnose; documented by the module of this name."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    NodeEvidence,
    SwitchEvidence,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import render

SPEC = {
    "nodes": {"type": "list", "elements": "str", "required": True},
    "switches": {"type": "list", "elements": "str", "default": []},
    "warn_gbps": {"type": "float", "default": Thresholds.__dataclass_fields__["warn_gbps"].default},
    "fail_gbps": {"type": "float", "default": Thresholds.__dataclass_fields__["fail_gbps"].default},
}

Host = Mapping[str, Any]


def _part(host: Host, register: str, key: str) -> Any:
    """Return what a host registered, or None when that task did not run or failed."""
    result = host.get(register) or {}
    return None if result.get("failed") or result.get("skipped") else result.get(key)


def _environment(host: Host) -> dict[str, str] | None:
    content = _part(host, "verify_environment", "content")
    if content is None:
        return None
    lines = base64.b64decode(content).decode(errors="replace").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def _bandwidth(host: Host) -> list[dict[str, Any]] | None:
    results = (host.get("verify_bandwidth") or {}).get("results")
    if results is None:
        return None
    # Both ends report a pair; the client's figure is the pair's.
    return [
        entry
        for result in results
        if result.get("item", {}).get("role") == "client" or not result.get("item", {}).get("partner")
        for entry in result.get("bandwidth", [])
    ]


def node_evidence(host: Host) -> NodeEvidence:
    clock = host.get("verify_clock") or {}
    return NodeEvidence(
        facts=_part(host, "verify_facts", "facts"),
        paths=_part(host, "verify_paths", "paths"),
        logins=_part(host, "verify_logins", "logins"),
        clock=clock if "problem" in clock else None,
        bandwidth=_bandwidth(host),
        environment=_environment(host),
    )


def switch_evidence(host: Host) -> SwitchEvidence:
    facts = _part(host, "verify_switch", "facts") or {}
    return SwitchEvidence(links=_part(host, "verify_links", "links"), bridge_ports=facts.get("bridge_ports"))


class ActionModule(ActionBase):  # type: ignore[misc]  # Ansible has no types
    """Runs on the controller and touches no host."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_diff = True
    _requires_connection = False

    def run(self, tmp: Any = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        _valid, options = self.validate_argument_spec(argument_spec=SPEC)
        hosts = (task_vars or {})["hostvars"]
        known = {name: hosts[name] for name in (*options["nodes"], *options["switches"])}
        selected = set(known)
        links = {
            link["name"]: link
            for host in known.values()
            for link in host["cluster_links"]
            if {end["name"] for end in link["ends"]} <= selected
        }
        declared = Declared(
            links=list(links.values()),
            nodes={name: known[name] for name in options["nodes"]},
            switches={name: known[name] for name in options["switches"]},
        )
        evidence = Evidence(
            nodes={name: node_evidence(known[name]) for name in options["nodes"]},
            switches={name: switch_evidence(known[name]) for name in options["switches"]},
        )
        findings = diagnose(declared, evidence, Thresholds(options["warn_gbps"], options["fail_gbps"]))
        fatal = [finding for finding in findings if finding.severity == "fail"]
        result.update(changed=False, findings=[finding.to_dict() for finding in findings])
        result["warnings"] = [str(finding) for finding in findings if finding.severity == "warn"]
        if fatal:
            count = len(fatal)
            result.update(failed=True, msg=f"{count} finding{'s' if count > 1 else ''}\n\n{render(fatal)}")
        else:
            result["msg"] = (
                f"{len(options['nodes'])} nodes, {len(options['switches'])} switches and {len(links)} links are as declared"
            )
        return result
