# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as a Prometheus text file, for the textfile collector of the node exporter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import EXIT_CODES, Report, clean

Sample = tuple[dict[str, str], float]

_HELP = {
    "sparkloom_verdict": "0 in order, 1 findings, 2 could not tell",
    "sparkloom_finding": "1 for each finding of the last run",
    "sparkloom_changes": "Tasks that site.yml would change something with",
    "sparkloom_link_expected_gbps": "Declared rate of a link",
    "sparkloom_link_rate_gbps": "Rate of a link as both its ends show it, 0 without a link",
    "sparkloom_link_up": "1 for a link without a failure",
    "sparkloom_host_answered": "1 for a host that gave evidence",
    "sparkloom_carrier_changes_total": "Changes of carrier of a rail since boot",
    "sparkloom_rs_fec_uncorrected_total": "Codewords that RS-FEC of a switch port could not correct",
    "sparkloom_rs_fec_corrected_total": "Codewords that RS-FEC of a switch port corrected",
    "sparkloom_link_downs_total": "Times that a switch port lost its link",
    "sparkloom_last_run_timestamp_seconds": "When the last run took its evidence",
}


def render(report: Report) -> str:
    """Return the metrics of one cluster; every sample carries the cluster's name."""
    cluster = clean(report.judgement["cluster"])
    lines = []
    for name, text in _HELP.items():
        samples = list(_samples(name, report))
        if not samples:
            continue
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
        for labels, value in samples:
            pairs = ",".join(f'{label}="{_escaped(word)}"' for label, word in {"cluster": cluster, **labels}.items())
            lines.append(f"{name}{{{pairs}}} {value:g}" if value < 1e6 else f"{name}{{{pairs}}} {int(value)}")  # noqa: PLR2004
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return clean(text, 300).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _samples(name: str, report: Report) -> Iterator[Sample]:
    judgement = report.judgement
    if name == "sparkloom_verdict":
        yield {}, EXIT_CODES[report.verdict]
    elif name == "sparkloom_changes":
        yield {}, len(report.changes)
    elif name == "sparkloom_last_run_timestamp_seconds":
        yield {}, datetime.fromisoformat(judgement["taken_at"]).timestamp()
    elif name == "sparkloom_finding":
        for one in report.findings:
            follows = "true" if one["follows"] else "false"
            yield {"code": one["code"], "where": one["where"], "severity": one["severity"], "follows": follows}, 1
    elif name.startswith("sparkloom_link_") and not name.endswith("_total"):
        yield from _links(name, judgement["rack"])
    else:
        yield from _hosts(name, judgement.get("evidence") or {})


def _links(name: str, rack: Mapping[str, Any]) -> Iterator[Sample]:
    for cable in rack["cables"]:
        for link in cable["links"]:
            value = {
                "sparkloom_link_expected_gbps": link["rate_gbps"],
                "sparkloom_link_rate_gbps": link["seen_gbps"] or 0,
                "sparkloom_link_up": int(link["state"] in {"ok", "warn"}),
            }[name]
            yield {"link": link["name"]}, value


def _hosts(name: str, evidence: Mapping[str, Any]) -> Iterator[Sample]:
    nodes, switches = evidence.get("nodes", {}), evidence.get("switches", {})
    if name == "sparkloom_host_answered":
        yield from (({"host": host}, int(bool(seen["parts"]))) for host, seen in {**nodes, **switches}.items())
    elif name == "sparkloom_carrier_changes_total":
        for host, seen in nodes.items():
            for interface, facts in seen["parts"].get("interfaces", {}).items():
                if facts["carrier_changes"] is not None and facts["pcie_width"]:
                    yield {"node": host, "interface": interface}, facts["carrier_changes"]
    else:
        counter = name.removeprefix("sparkloom_").removesuffix("_total")
        for host, seen in switches.items():
            for port, counters in seen["parts"].get("counters", {}).items():
                if counters.get(counter) is not None:
                    yield {"switch": host, "port": port}, counters[counter]
