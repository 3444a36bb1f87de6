# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnose: what was declared and what was seen, to findings. Pure; every rule is a function of both and of the causes so far."""

from __future__ import annotations

from functools import partial

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules import (
    bandwidth,
    fabric,
    host,
    links,
    paths,
    ports,
    rdma,
    silence,
)


def diagnose(declared: Declared, evidence: Evidence, thresholds: Thresholds | None = None) -> list[Finding]:
    """Return every finding, in the order in which an owner would look for causes: links before what runs over them."""
    rules = (
        silence.hosts,
        silence.parts,
        links.links,
        ports.offload,
        ports.widths,
        fabric.interfaces,
        fabric.routes,
        paths.paths,
        rdma.devices,
        host.logins,
        host.clocks,
        host.environment,
        partial(bandwidth.bandwidth, thresholds=thresholds or Thresholds()),
    )
    findings: list[Finding] = []
    causes = Causes(declared)
    for rule in rules:
        found = rule(declared, evidence, causes)
        findings += found
        causes = causes.and_of(found)
    return findings
