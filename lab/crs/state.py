"""The state of one virtual CRS and the rules that hold between its tables; no network in here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import SwitchModel

from lab.wiring import ForwardingPort, LinkState, PortSettings, Wiring

from . import errors, factory, ports, rules
from .counters import Counters
from .defaults import QOS
from .schema import Directory, Schema
from .store import Row, Snapshot, Store, Values
from .values import parse_value

ETHERNET = "/interface/ethernet"
HOSTS = "/interface/bridge/host"
# Tables whose rows are interfaces, with the ``type`` that /interface shows; the order of its print.
INTERFACES = {ETHERNET: "ether", "/interface/bridge": "bridge", "/interface/bonding": "bond", "/interface/vlan": "vlan"}
HIDDEN = frozenset({"password"})

Changes = Mapping[str, str | None]  # None takes a property away, or back to its default.


class State:
    """One switch: what it is set to, and what follows from that and from the wiring."""

    def __init__(
        self, name: str, model: SwitchModel, version: str, wiring: Wiring, users: Mapping[str, tuple[str, str]]
    ) -> None:
        self.name = name
        self.model = model
        self.wiring = wiring
        self.schema = Schema(version)
        self.store: Store = factory.build(model, self.schema, version, name, users)
        self.ports = ports.ports_by_name(model)
        self.counters = Counters()
        self.watchers: set[Callable[[], None]] = set()
        self.connections: Callable[[], Iterable[tuple[str, str, str]]] = lambda: ()

    # --- reading -------------------------------------------------------------------------------

    def interface_names(self) -> list[str]:
        return [row.name for path in INTERFACES for row in self.store.tables[path].rows]

    def interface(self, name: str) -> tuple[str, Row] | None:
        """Return the table and the row of an interface, by name or id."""
        for path in INTERFACES:
            if row := self.store.tables[path].find(name):
                return path, row
        return None

    def rows(self, path: str) -> list[Values]:
        """Return the rows of a path as ``print`` shows them."""
        if path == "/interface":
            return [self._as_interface(table, row) for table in INTERFACES for row in self.store.tables[table].rows]
        if path == HOSTS:
            return self._learned()
        shown = [self.shown(path, row) for row in self.store.tables[path].rows]
        if path == "/ip/service":
            shown += rules.connection_rows(self.connections())
        return shown

    def shown(self, path: str, row: Row) -> Values:
        """Return one row with its id and with what the device works out itself."""
        own = {key: value for key, value in row.values.items() if key not in HIDDEN}
        identity = {".id": row.id} if row.id else {}
        return identity | own | rules.derived(self, path, row)

    def _as_interface(self, path: str, row: Row) -> Values:
        full = self.shown(path, row)
        view = {".id": row.id, "name": row.name, "type": INTERFACES[path]}
        keys = (
            "default-name",
            "mtu",
            "actual-mtu",
            "l2mtu",
            "max-l2mtu",
            "mac-address",
            "running",
            "slave",
            "disabled",
            "comment",
        )
        return view | {key: full[key] for key in keys if key in full}

    def _learned(self) -> list[Values]:
        """Return the MAC addresses that the data plane saw behind ports, as the bridge's host table."""
        own = {row.values["default-name"]: row.name for row in self.store.tables[ETHERNET].rows}
        return [
            {
                ".id": f"*{number:X}",
                "mac-address": mac,
                "interface": own.get(port, port),
                "on-interface": own.get(port, port),
                "bridge": bridge,
                "dynamic": "true",
                "external": "true",
                "local": "false",
            }
            for number, (mac, port, bridge) in enumerate(self.wiring.learned(self.name))
        ]

    def stats(self, row: Row) -> Values:
        """Return a port's row of `print stats`."""
        port = row.values["default-name"]
        return {".id": row.id, "name": row.name, **self.counters.row(port, self.link_state(row))}

    def link_state(self, row: Row) -> LinkState:
        return self.wiring.link_state(self.name, row.values["default-name"])

    def port_settings(self) -> dict[str, PortSettings]:
        """Return the settings of every port by the name it left the factory with: cables know no other."""
        rows = {row.values["default-name"]: row for row in self.store.tables[ETHERNET].rows}
        return {name: ports.settings_of(port, rows[name].values) for name, port in self.ports.items()}

    def forwarding_ports(self) -> dict[str, ForwardingPort]:
        return rules.forwarding_ports(self)

    def export(self) -> dict[str, list[Values]]:
        """Return every stored row of every path: configuration, no counter and no derived value."""
        return {
            path: [({".id": row.id} if row.id else {}) | row.values for row in table.rows]
            for path, table in self.store.tables.items()
        }

    # --- changing ------------------------------------------------------------------------------

    def parse(self, directory: Directory, arguments: Mapping[str, str]) -> dict[str, str]:
        """Return checked values as the device will print them."""
        names = self.interface_names()
        return {key: parse_value(key, text, directory.type_of(key), names) for key, text in arguments.items()}

    def change(self, path: str, row: Row, changes: Changes) -> None:
        """Change a row, or raise the trap of the rule that forbids it."""
        defaults = self.store.tables[path].defaults
        after = dict(row.values)
        for key, value in changes.items():
            wanted = defaults.get(key) if value is None else value
            if wanted is None or (key == "comment" and not wanted):
                after.pop(key, None)
            else:
                after[key] = wanted
        rules.check(self, path, row, after)
        before = self.port_settings()
        old_name, row.values = row.name, after
        if row.name != old_name and path in INTERFACES:
            self._rename(old_name, row.name)
        self.settle(before)

    def add(self, path: str, values: Values) -> Row:
        """Add a row, or raise the trap of the rule that forbids it."""
        table = self.store.tables[path]
        after = {**table.defaults, **values}
        rules.check(self, path, Row("", {}), after)
        row = self.store.insert(path, after | rules.made(self, path, values), interface=path in INTERFACES)
        if path == f"{QOS}/tx-manager":
            factory.add_queues(self.store, row.name)
        self.settle()
        return row

    def remove(self, path: str, row: Row) -> None:
        if row.fixed:
            # The device's words for this were not recorded.
            raise errors.failure("can not remove default item")
        self.store.delete(path, row)
        if path in INTERFACES:
            # The device keeps what refers to a deleted interface and shows its id.
            self._rename(row.name, row.id)
        if path == f"{QOS}/tx-manager":
            queues = self.store.tables[f"{path}/queue"]
            queues.rows = [queue for queue in queues.rows if queue.values["tx-manager"] != row.name]
        self.settle()

    def _rename(self, old: str, new: str) -> None:
        for _, row in self.store.walk():
            for key in rules.REFERENCES & row.values.keys():
                items = row.values[key].split(",")
                if old in items:
                    row.values[key] = ",".join(new if item == old else item for item in items)

    def restore(self, snapshot: Snapshot) -> None:
        before = self.port_settings()
        self.store.restore(snapshot)
        self.settle(before)

    def settle(self, before: Mapping[str, PortSettings] | None = None) -> None:
        """Tell wiring and watchers after a change; ``before`` are the port settings ahead of it."""
        if before is not None:
            after = self.port_settings()
            if after != before:
                self.wiring.settings_changed(self.name, ports.restarted(before, after))
        for watcher in tuple(self.watchers):
            watcher()
