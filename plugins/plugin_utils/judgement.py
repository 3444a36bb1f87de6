# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hosts of a run returned, as one evidence document; and what the rules make of it, as one judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import (
    Declared,
    Record,
    declared_for,
    summary,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.diagnose import diagnose
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import Thresholds
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import (
    HOST,
    Evidence,
    HostEvidence,
    Kind,
    accept,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.rack import draw

VERSION = 1
Use = Literal["doctor", "verify", "drift"]
Verdict = Literal["ok", "findings", "unknown"]
HostVars = Mapping[str, Any]

# The one task that asks a host, and the probes with the key of their results, as roles/observe registers them.
OBSERVED = "observe_seen"
PROBES: dict[str, tuple[str, str]] = {
    "paths": ("observe_paths", "paths"),
    "logins": ("observe_logins", "logins"),
    "bandwidth": ("observe_bandwidth", "bandwidth"),
    "latency": ("observe_latency", "latency"),
}


def _failure(result: Mapping[str, Any]) -> str:
    """Return why a task gave nothing; empty when it did give something."""
    if result.get("failed") or result.get("unreachable"):
        return str(result.get("msg") or "the task failed without a message")
    return ""


def _probe(result: Mapping[str, Any], key: str) -> tuple[list[Record] | None, str]:
    """Return the rows of a probe, of all its rounds where it is a loop; and why there are none."""
    if "results" not in result:
        return result.get(key), _failure(result)
    rows: list[Record] = []
    for item in result["results"]:
        # Both ends of a pair report; the client's figure counts.
        if (item.get("item") or {}).get("role") == "client":
            rows += _unmeasured(item, key) if _failure(item) else item.get(key) or []
    return rows, ""


def _unmeasured(result: Mapping[str, Any], key: str) -> list[Record]:
    """Return the rails of a round whose task failed, each with its message."""
    item, why = result["item"], _failure(result)
    figure = "average_gbps" if key == "bandwidth" else "typical_us"
    return [
        {"partner": item.get("partner"), "rail": rail["rail"], "device": rail["device"], figure: None, "error": why}
        for rail in item.get("rails") or ()
    ]


def host_evidence(kind: Kind, host: HostVars) -> HostEvidence:
    """Return what one host showed in this run."""
    seen = host.get(OBSERVED) or {}
    raw = seen.get("evidence")
    if raw is None:
        return HostEvidence(missing={HOST: _failure(seen) or "it was not asked"})
    if not isinstance(raw, Mapping) or not isinstance(raw.get("parts"), Mapping):
        return accept(kind, raw)
    parts = dict(raw["parts"])
    missing = dict(raw["missing"]) if isinstance(raw.get("missing"), Mapping) else {}
    for part, (register, key) in PROBES.items():
        result = host.get(register)
        if kind != "node" or not isinstance(result, Mapping) or result.get("skipped"):
            continue
        rows, why = _probe(result, key)
        if why or rows is None:
            missing[part] = why or "the probe gave nothing"
        else:
            parts[part] = rows
    return accept(
        kind, {"parts": parts, "missing": missing, "seconds": seen.get("seconds"), "bytes": seen.get("bytes")}
    )


def collect(hosts: Mapping[str, HostVars], nodes: Sequence[str], switches: Sequence[str], taken_at: str) -> Evidence:
    return Evidence(
        taken_at=taken_at,
        nodes={name: host_evidence("node", hosts[name]) for name in nodes},
        switches={name: host_evidence("switch", hosts[name]) for name in switches},
    )


def verdict_of(findings: Sequence[Finding], use: Use) -> Verdict:
    """Return the one word of a judgement. To verification a warning is none."""
    severities = {finding.severity for finding in findings}
    if severities & ({"fail"} if use == "verify" else {"fail", "warn"}):
        return "findings"
    return "unknown" if "unknown" in severities else "ok"


def judge(
    use: Use, cluster: str, declared: Declared, evidence: Evidence, thresholds: Thresholds | None = None
) -> tuple[Record, list[Finding]]:
    """Return the judgement, the one input of every report, and its findings."""
    findings = diagnose(declared, evidence, thresholds)
    judgement = {
        "version": VERSION,
        "kind": use,
        "cluster": cluster,
        "taken_at": evidence.taken_at,
        "findings": [finding.to_dict() for finding in findings],
        "verdict": verdict_of(findings, use),
        "rack": draw(declared, evidence, findings),
        "evidence": evidence.to_dict(),
        "summary": summary(declared),
    }
    return judgement, findings


def judge_hosts(
    use: Use,
    hosts: Mapping[str, HostVars],
    nodes: Sequence[str],
    switches: Sequence[str],
    taken_at: str,
    own_thresholds: Mapping[str, float] | None = None,
) -> tuple[Record, list[Finding]]:
    """Judge one cluster by what its hosts registered."""
    declared = declared_for(hosts, nodes, switches)
    evidence = collect(hosts, list(declared.nodes), list(declared.switches), taken_at)
    cluster = next((hosts[name]["cluster_name"] for name in (*nodes, *switches)), "")
    return judge(use, cluster, declared, evidence, Thresholds(own_thresholds))
