# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster file between shape and model: what the checks read, and what they resolve."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import hardware
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cable, NodeModel, Rail, SwitchModel


def _mappings(value: Any) -> dict[str, dict[str, Any]]:
    return {name: entry if isinstance(entry, dict) else {} for name, entry in (value or {}).items()}


class Draft:
    """The shapely parts of a file; parts may be missing where a fault was already found.

    ``addresses``, ``subnets``, ``management`` and ``cables`` are filled by the checks
    that understand them; ``cables`` keeps the file's places, with None for a bad one.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.nodes = _mappings(data.get("nodes"))
        self.switches = _mappings(data.get("switches"))
        self.fabric: dict[str, Any] = data.get("fabric") or {}
        self.addresses: dict[str, IPv4Address] = {}
        self.subnets: dict[Rail, IPv4Network] = {}
        self.management: IPv4Network | None = None
        self.cables: list[Cable | None] = []

    def node_model(self, name: str) -> NodeModel:
        return hardware.node_models()[self.nodes[name].get("model", "dgx-spark")]

    def switch_model(self, name: str) -> SwitchModel | None:
        """Return the model of a switch, or None when the file names none that is known."""
        return hardware.switch_models().get(self.switches[name].get("model", ""))
