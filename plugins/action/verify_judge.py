# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands what a verification run saw to diagnose; documented by the module of this name."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
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
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, render, roots

SPEC = {
    "nodes": {"type": "list", "elements": "str", "required": True},
    "switches": {"type": "list", "elements": "str", "default": []},
    "warn_gbps": {"type": "float", "default": Thresholds.__dataclass_fields__["warn_gbps"].default},
    "fail_gbps": {"type": "float", "default": Thresholds.__dataclass_fields__["fail_gbps"].default},
}

Host = Mapping[str, Any]


# Part of the evidence, the variable that holds it and the key in there.
NODE = {
    "facts": ("verify_facts", "facts"),
    "paths": ("verify_paths", "paths"),
    "logins": ("verify_logins", "logins"),
    "clock": ("verify_clock", "problem"),
    "bandwidth": ("verify_bandwidth", "results"),
    "environment": ("verify_environment", "content"),
}
SWITCH = {
    "links": ("verify_links", "links"),
    "bridge_ports": ("verify_switch", "facts"),
    "ports": ("verify_switch", "facts"),
}


def _part(host: Host, register: str, key: str) -> Any:
    """Return what a host registered, or None when that task did not run or failed."""
    result = host.get(register) or {}
    return None if result.get("failed") or result.get("skipped") else result.get(key)


def _errors(host: Host, parts: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return why parts are missing, as the failed task or the connection said it."""
    found = {}
    for part, (register, _key) in parts.items():
        result = host.get(register) or {}
        if result.get("failed") or result.get("unreachable"):
            found[part] = str(result.get("msg") or "the task failed without a message")
    return found


def _environment(host: Host) -> dict[str, str] | None:
    content = _part(host, *NODE["environment"])
    if content is None:
        return None
    lines = base64.b64decode(content).decode(errors="replace").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def _bandwidth(host: Host) -> list[dict[str, Any]] | None:
    """Return the figures that a node measured as a client: both ends report a pair, the client's figure counts."""
    results = (host.get("verify_bandwidth") or {}).get("results")
    if results is None:
        return None
    return [
        entry
        for result in results
        if (result.get("item") or {}).get("role") == "client"
        for entry in (
            _unmeasured(result) if result.get("failed") or result.get("unreachable") else result.get("bandwidth")
        )
        or ()
    ]


def _unmeasured(result: Host) -> list[dict[str, Any]]:
    """Return the rails of a round whose task failed, each with its message."""
    item, why = result["item"], {"average_gbps": None, "error": str(result.get("msg") or "the task failed")}
    return [
        {"partner": item.get("partner"), "rail": rail["rail"], "device": rail["device"], **why}
        for rail in item.get("rails") or ()
    ]


def node_evidence(host: Host) -> NodeEvidence:
    clock = host.get("verify_clock") or {}
    return NodeEvidence(
        facts=_part(host, *NODE["facts"]),
        paths=_part(host, *NODE["paths"]),
        logins=_part(host, *NODE["logins"]),
        clock=clock if "problem" in clock else None,
        bandwidth=_bandwidth(host),
        environment=_environment(host),
        errors=_errors(host, NODE),
    )


def switch_evidence(host: Host) -> SwitchEvidence:
    facts = _part(host, "verify_switch", "facts") or {}
    ports, members = facts.get("ports"), facts.get("bridge_ports")
    if members is not None:
        # An owner may have renamed a port; the plan knows factory names.
        factory = {row.get("name"): row.get("default-name") or row.get("name") for row in ports or ()}
        members = [{**row, "interface": factory.get(row.get("interface"), row.get("interface"))} for row in members]
    return SwitchEvidence(_part(host, *SWITCH["links"]), members, ports, _errors(host, SWITCH))


def declared_for(hosts: Mapping[str, Host], nodes: Sequence[str], switches: Sequence[str]) -> Declared:
    """Return the plan's part for the hosts of a run; a link with one end outside is judged from the other.

    Hosts come in the order of their ranks: that of a play may differ from run to run.
    """
    run = {*nodes, *switches}
    nodes = sorted(nodes, key=lambda name: (hosts[name]["cluster_name"], hosts[name]["node_rank"]))
    switches = sorted(switches)
    links = {
        link["name"]: link
        for name in (*nodes, *switches)
        for link in hosts[name]["cluster_links"]
        if any(end["name"] in run for end in link["ends"])
    }
    return Declared(
        links=list(links.values()),
        nodes={name: hosts[name] for name in nodes},
        switches={name: hosts[name] for name in switches},
    )


def summary(declared: Declared) -> str:
    """Return what is as declared, in words that claim no more than was looked at."""
    run = declared.nodes.keys() | declared.switches.keys()
    half = sum(1 for link in declared.links if any(end["name"] not in run for end in link["ends"]))
    counts = (len(declared.nodes), "node"), (len(declared.switches), "switch"), (len(declared.links), "link")
    words = [
        f"{count} {word if count == 1 else {'switch': 'switches'}.get(word, f'{word}s')}" for count, word in counts
    ]
    seen = f" ({half} seen from one end: the other is not part of this run)" if half else ""
    return f"{words[0]}, {words[1]} and {words[2]}{seen} are as declared"


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
        declared = declared_for(hosts, options["nodes"], options["switches"])
        evidence = Evidence(
            nodes={name: node_evidence(hosts[name]) for name in options["nodes"]},
            switches={name: switch_evidence(hosts[name]) for name in options["switches"]},
        )
        findings = diagnose(declared, evidence, Thresholds(options["warn_gbps"], options["fail_gbps"]))
        warnings = [finding for finding in findings if finding.severity == "warn" and not finding.follows]
        result.update(changed=False, findings=[finding.to_dict() for finding in findings])
        result["warnings"] = [str(finding) for finding in warnings]
        fatal = [finding for finding in findings if finding not in warnings]
        if fatal:
            result.update(failed=True, msg=f"{_count(fatal)}\n\n{render(fatal)}")
        else:
            noted = f", with {len(warnings)} warning{'s' if len(warnings) > 1 else ''}" if warnings else ""
            result["msg"] = f"{summary(declared)}{noted}"
        return result


def _count(findings: list[Finding]) -> str:
    causes = len(roots(findings))
    rest = len(findings) - causes
    return f"{causes} finding{'s' if causes > 1 else ''}{f', and {rest} that follow' if rest else ''}"
