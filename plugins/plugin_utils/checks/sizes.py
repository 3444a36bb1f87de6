# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that have to fit: the fabric's MTU against nodes and switches."""

from __future__ import annotations

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks.draft import Draft
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Switch, SwitchModel

_DEFAULT_L2MTU = Switch.__dataclass_fields__["l2mtu"].default


def _fabric_max_l2mtu(model: SwitchModel) -> int:
    """Return the greatest L2MTU of a model's fabric lanes; the copper ports carry no fabric."""
    return min(port.max_l2mtu for port in model.ports if port.kind != "10GBASE-T")


def check(draft: Draft, faults: Faults) -> None:
    mtu = draft.fabric.get("mtu", 9000)
    too_small = [name for name in draft.nodes if mtu > draft.node_model(name).max_mtu]
    if too_small:
        greatest = min(draft.node_model(name).max_mtu for name in too_small)
        faults.add(("fabric", "mtu"), f"{mtu} is above the {greatest} that a node's NIC carries", "Use 9000")
    for name, entry in draft.switches.items():
        if (model := draft.switch_model(name)) is None:
            continue
        greatest = _fabric_max_l2mtu(model)
        l2mtu = entry.get("l2mtu", _DEFAULT_L2MTU)
        if l2mtu > greatest:
            faults.add(
                ("switches", name, "l2mtu"),
                f"{l2mtu} is above the {greatest} of a {model.model}",
                f"Use at most {greatest}; 9216 fits an MTU of 9000",
            )
        elif mtu > greatest:
            faults.add(
                ("fabric", "mtu"), f"{mtu} is above the {greatest} that {name} ({model.model}) carries", "Use 9000"
            )
        elif mtu > l2mtu:
            faults.add(
                ("switches", name, "l2mtu"),
                f"{l2mtu} is below the fabric's MTU of {mtu}",
                f"Use at least {mtu}; owners use 9216 for 9000",
            )
