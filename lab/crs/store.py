"""The configuration of one switch: tables of rows, by path; no rule of RouterOS in here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from . import errors

Values = dict[str, str]


@dataclass(slots=True)
class Row:
    """One item. ``id`` is empty for the only row of a settings directory."""

    id: str
    values: Values
    fixed: bool = False  # made by the device and not removable

    def copy(self) -> Row:
        return Row(self.id, dict(self.values), self.fixed)

    @property
    def name(self) -> str:
        return self.values.get("name", "")


@dataclass(slots=True)
class Table:
    """The rows of one path, in the order that ``print`` shows."""

    path: str
    defaults: Mapping[str, str]
    singleton: bool = False
    rows: list[Row] = field(default_factory=list)
    next_number: int = 0

    def by_id(self, identity: str) -> Row | None:
        wanted = identity.upper()
        return next((row for row in self.rows if row.id == wanted), None)

    def find(self, item: str) -> Row | None:
        """Return the row that an id or a name means."""
        if item.startswith("*"):
            return self.by_id(item)
        return next((row for row in self.rows if item and row.name == item), None)


Snapshot = dict[str, list[Row]]


class Store:
    """All tables. Interfaces of every kind share one sequence of ids, as on the device."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self._next_interface = 1

    def create(self, path: str, defaults: Mapping[str, str], *, singleton: bool = False) -> Table:
        table = Table(path, defaults, singleton)
        self.tables[path] = table
        return table

    def insert(
        self, path: str, values: Values, *, identity: str | None = None, interface: bool = False, fixed: bool = False
    ) -> Row:
        """Append a row under ``identity`` or the next free id."""
        table = self.tables[path]
        if table.singleton:
            identity = ""
        elif interface:
            number = int(identity[1:], 16) if identity else self._next_interface
            self._next_interface = max(self._next_interface, number + 1)
            identity = f"*{number:X}"
        else:
            number = int(identity[1:], 16) if identity else table.next_number
            table.next_number = max(table.next_number, number + 1)
            identity = f"*{number:X}"
        row = Row(identity, {**table.defaults, **values}, fixed)
        table.rows.append(row)
        return row

    def delete(self, path: str, row: Row) -> None:
        self.tables[path].rows.remove(row)

    def items(self, path: str, text: str, *, by_index: bool) -> list[Row]:
        """Return the rows that a comma list of ids, names (or indexes) means, or raise *no such item*."""
        table = self.tables[path]
        found = []
        for item in text.split(","):
            row = table.find(item)
            if row is None and by_index and item.isdigit() and int(item) < len(table.rows):
                row = table.rows[int(item)]
            if row is None:
                raise errors.no_such_item()
            found.append(row)
        return found

    def walk(self) -> Iterator[tuple[str, Row]]:
        for path, table in self.tables.items():
            for row in table.rows:
                yield path, row

    def snapshot(self) -> Snapshot:
        return {path: [row.copy() for row in table.rows] for path, table in self.tables.items()}

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to ``snapshot``; ids that were given meanwhile are not given again."""
        for path, rows in snapshot.items():
            self.tables[path].rows = [row.copy() for row in rows]
