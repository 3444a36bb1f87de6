# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rule, in the order in which an owner would look for causes: links before what runs over them."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules import (
    bandwidth,
    fabric,
    fleet,
    health,
    host,
    links,
    paths,
    ports,
    rdma,
    silence,
    switch_health,
)

_JUDGING: tuple[Rule, ...] = (
    *links.RULES,
    *ports.RULES,
    *switch_health.RULES,
    *fabric.RULES,
    *paths.RULES,
    *rdma.RULES,
    *host.RULES,
    *bandwidth.RULES,
    *fleet.RULES,
    *health.RULES,
)

# A host that is silent explains most; what could not be told comes next, since it may explain as well.
RULES: tuple[Rule, ...] = (*silence.RULES, silence.gaps(_JUDGING), *_JUDGING)
