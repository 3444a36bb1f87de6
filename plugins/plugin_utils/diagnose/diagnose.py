# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnose: what was declared and what was seen, to findings. Pure; every rule is a function of both."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.evidence import (
    Declared,
    Evidence,
    Thresholds,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules import fabric, host, links, rdma

_RULES = (
    host.silent,
    links.links,
    links.offload,
    fabric.interfaces,
    fabric.routes,
    fabric.paths,
    rdma.devices,
    host.logins,
    host.clocks,
    host.environment,
)


def diagnose(declared: Declared, evidence: Evidence, thresholds: Thresholds | None = None) -> list[Finding]:
    """Return every finding, in the order in which an owner would look for causes: links before what runs over them."""
    findings = [finding for rule in _RULES for finding in rule(declared, evidence)]
    return [*findings, *rdma.bandwidth(declared, evidence, thresholds or Thresholds())]
