# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rule sees: what was declared, what was seen, and what is known to be broken already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.causes import Causes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.declared import Declared, Record
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import Thresholds
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import Evidence, HostEvidence

_NODE, _SWITCH = "node.", "switch."


@dataclass(frozen=True, slots=True)
class Host:
    """One host: its slice of the plan, and what it showed."""

    name: str
    plan: Mapping[str, Any]
    parts: Mapping[str, Any]

    def __getitem__(self, part: str) -> Any:
        return self.parts[part]

    def get(self, part: str) -> Any:
        """Return a part, or None when the host did not show it."""
        return self.parts.get(part)


@dataclass(frozen=True, slots=True)
class Rail:
    """One rail of a node: what the plan says of it, and what the node shows; None where it is absent."""

    host: Host
    plan: Record  # an entry of fabric_interfaces
    seen: Record | None

    @property
    def name(self) -> str:
        """Name it as causes do."""
        return f"{self.host.name}/{self.plan['rail']}"

    @property
    def where(self) -> str:
        return f"{self.host.name} {self.plan['name']}"


@dataclass(frozen=True, slots=True)
class View:
    """Declared and seen for one rule; hosts that lack a part which the rule needs are left out."""

    declared: Declared
    evidence: Evidence
    causes: Causes
    thresholds: Thresholds = field(default_factory=Thresholds)
    needs: tuple[str, ...] = ()

    def nodes(self) -> Iterator[Host]:
        """Yield the nodes that showed all that the rule needs of a node, in the order of ranks."""
        return self._hosts(self.declared.nodes, self.evidence.nodes, _NODE)

    def switches(self) -> Iterator[Host]:
        """Yield the switches that showed all that the rule needs of a switch."""
        return self._hosts(self.declared.switches, self.evidence.switches, _SWITCH)

    def rails(self) -> Iterator[Rail]:
        """Yield every declared rail of the nodes; for rules that need ``node.interfaces``."""
        for host in self.nodes():
            for plan in host.plan["fabric_interfaces"]:
                yield Rail(host, plan, host["interfaces"].get(plan["name"]))

    def node(self, name: str) -> Host | None:
        return next((host for host in self.nodes() if host.name == name), None)

    def switch(self, name: str) -> Host | None:
        return next((host for host in self.switches() if host.name == name), None)

    def _hosts(
        self, plans: Mapping[str, Mapping[str, Any]], seen: Mapping[str, HostEvidence], prefix: str
    ) -> Iterator[Host]:
        needed = [need.removeprefix(prefix) for need in self.needs if need.startswith(prefix)]
        for name, plan in plans.items():
            parts = seen[name].parts if name in seen else {}
            if all(part in parts for part in needed):
                yield Host(name, plan, parts)
