"""Print what Ansible knows of each host of an inventory, templated, as JSON on standard output.

A process of its own: Ansible wants to install its collection loader before anything imports a collection,
and pytest has done that by then. The output holds secrets; it goes to a pipe alone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.template import Templar
from ansible.vars.manager import VariableManager

ROOT = Path(__file__).parents[2]


def main() -> None:
    source, pattern = sys.argv[1:]
    init_plugin_loader([str(ROOT / "collections")])
    loader = DataLoader()
    inventory = InventoryManager(loader=loader, sources=[source])
    manager = VariableManager(loader=loader, inventory=inventory)
    selected = {host.name for host in inventory.get_hosts(pattern)}
    groups = inventory.get_groups_dict()
    plan = {"nodes": {}, "switches": {}}
    for group, hosts in plan.items():
        for name in groups.get(group, []):
            if name in selected:
                values = manager.get_vars(host=inventory.get_host(name))
                hosts[name] = Templar(loader=loader, variables=values).template(values)
    json.dump(plan, sys.stdout, default=str)


if __name__ == "__main__":
    main()
