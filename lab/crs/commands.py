"""The commands of the API, carried out on a State."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field

from . import errors, ports, query
from .requests import Request, check_arguments, directory_of
from .safemode import SafeMode
from .schema import Directory
from .state import ETHERNET, HOSTS, State
from .store import Row, Values
from .values import parse_duration

_READING = frozenset({"print", "get", "listen", "monitor", "export"})
_STREAMING = frozenset({"follow", "follow-only", "interval"})
# Arguments of print that would write files or run scripts.
_UNPLAYED_ARGUMENTS = frozenset(
    {"append", "file", "on-event", "do", "group-by", "stats-detail", "oid", "copy-from", "place-before"}
)
# Paths whose rows no table holds.
_ROWS_OF_OTHERS = frozenset({"/interface", "/safe-mode", HOSTS})


@dataclass(slots=True)
class Done:
    """A whole answer: rows, then ``!done``, with ``ret`` where the command returns a value."""

    rows: list[Values] = field(default_factory=list)
    ret: str | None = None
    listing: bool = False  # says ``!empty`` when there are no rows


@dataclass(slots=True)
class Stream:
    """An answer that goes on until it ends by itself or is cancelled."""

    rows: AsyncIterator[Values]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the session (safe mode belongs to it) and its user."""

    session: object
    user: str


class Commands:
    """Carries out requests; every command but the streaming ones is done when ``execute`` returns."""

    def __init__(self, state: State, safe_mode: SafeMode, interval: float) -> None:
        self.state = state
        self.safe_mode = safe_mode
        self._interval = interval
        self._played: dict[str, Callable[[Directory, Request, Caller], Done | Stream]] = {
            "print": self._print,
            "get": self._get,
            "listen": self._listen,
            "set": self._set,
            "add": self._add,
            "remove": self._remove,
            "unset": self._unset,
            "enable": self._enable,
            "disable": self._enable,
            "comment": self._set,
            "monitor": self._monitor,
        }

    def execute(self, request: Request, caller: Caller) -> Done | Stream:
        """Carry out one request; raises Trap."""
        state = self.state
        directory = directory_of(state.schema, request)
        self._check_policy(request, caller)
        if request.path == "/safe-mode" and request.command not in {"get", "export"}:
            return self._safe_mode(request, caller)
        command = self._played.get(request.command)
        if command is None or not (request.path in state.store.tables or request.path in _ROWS_OF_OTHERS):
            raise errors.not_in_the_lab(request.word)
        if request.path == HOSTS and request.command not in {"print", "listen"}:
            raise errors.not_in_the_lab(request.word)
        check_arguments(directory, request)
        if unplayed := _UNPLAYED_ARGUMENTS & request.arguments.keys():
            raise errors.not_in_the_lab(f"{request.word} {min(unplayed)}=")
        return command(directory, request, caller)

    # --- rights --------------------------------------------------------------------------------

    def policies(self, user: str) -> frozenset[str]:
        """Return the policies of a user's group; none for a user that is gone or disabled."""
        row = self.state.store.tables["/user"].find(user)
        if row is None or row.values["disabled"] == "true":
            return frozenset()
        group = self.state.store.tables["/user/group"].find(row.values["group"])
        return frozenset(group.values["policy"].split(",")) if group else frozenset()

    def _check_policy(self, request: Request, caller: Caller) -> None:
        needed = {"read" if request.command in _READING else "write"}
        if request.path.startswith("/user") and "write" in needed:
            needed.add("policy")
        if not needed <= self.policies(caller.user):
            raise errors.not_permitted()

    # --- items ---------------------------------------------------------------------------------

    def _table(self, request: Request, row: Row) -> str:
        """Return the table that owns a row: those of ``/interface`` belong to the tables of their kinds."""
        if request.path != "/interface":
            return request.path
        found = self.state.interface(row.id)
        if found is None:
            raise errors.no_such_item()
        return found[0]

    def _items(self, directory: Directory, request: Request) -> list[Row]:
        if directory.singleton:
            return self.state.store.tables[request.path].rows
        text = request.items()
        if text is None:
            raise errors.missing_parameter("numbers")
        if request.path != "/interface":
            return self.state.store.items(request.path, text, by_index=".id" not in request.arguments)
        found = [self.state.interface(item) for item in text.split(",")]
        if None in found:
            raise errors.no_such_item()
        return [each[1] for each in found if each]

    # --- reading -------------------------------------------------------------------------------

    def _selected(self, request: Request, caller: Caller) -> list[Values]:
        if request.path == "/safe-mode":
            rows = [self.safe_mode.row(caller.session)]
        elif request.flag("stats"):
            rows = self._stats(request)
        else:
            rows = self.state.rows(request.path)
        if wanted := request.arguments.get("from"):
            items = set(wanted.split(","))
            rows = [row for row in rows if items & {row.get(".id", ""), row.get("name", "")}]
        rows = [row for row in rows if query.matches(request.queries, row)]
        if order := request.arguments.get("order-by"):
            rows.sort(key=lambda row: [row.get(key, "") for key in order.split(",")])
        return rows

    def _stats(self, request: Request) -> list[Values]:
        if request.path != ETHERNET:
            raise errors.not_in_the_lab(f"{request.word} stats=")
        return [self.state.stats(row) for row in self.state.store.tables[ETHERNET].rows]

    @staticmethod
    def _picked(rows: list[Values], request: Request) -> list[Values]:
        wanted = request.proplist
        if wanted is None:
            return rows
        return [{key: row[key] for key in wanted if key in row} for row in rows]

    def _print(self, directory: Directory, request: Request, caller: Caller) -> Done | Stream:
        if request.flag("follow") or request.flag("follow-only"):
            return Stream(self._changes(request, caller, initial=not request.flag("follow-only")))
        if "interval" in request.arguments:
            return Stream(self._periodic(request, lambda: self._picked(self._selected(request, caller), request)))
        rows = self._selected(request, caller)
        if request.flag("count-only"):
            return Done(ret=str(len(rows)))
        return Done(self._picked(rows, request), listing=not directory.singleton)

    def _get(self, directory: Directory, request: Request, caller: Caller) -> Done:
        if request.path == "/safe-mode":
            shown = self.safe_mode.row(caller.session)
        else:
            row = self._items(directory, request)[0]
            shown = self.state.shown(self._table(request, row), row)
        name = request.arguments.get("value-name")
        if name is None:
            return Done(ret=";".join(f"{key}={value}" for key, value in shown.items()))
        if name not in shown and name not in directory.arguments("set") and not directory.knows(name):
            raise errors.unknown_parameter(name)
        return Done(ret=shown.get(name, ""))

    def _listen(self, _directory: Directory, request: Request, caller: Caller) -> Stream:
        return Stream(self._changes(request, caller, initial=False))

    def _monitor(self, directory: Directory, request: Request, _caller: Caller) -> Done | Stream:
        if request.path != ETHERNET:
            raise errors.not_in_the_lab(request.word)
        rows = self._items(directory, request)

        def measure() -> list[Values]:
            return self._picked([self._monitored(row) for row in rows], request)

        return Done(measure()) if request.flag("once") else Stream(self._periodic(request, measure))

    def _monitored(self, row: Row) -> Values:
        kind = self.state.ports[row.values["default-name"]].kind
        return ports.monitor_row(row.name, kind, self.state.link_state(row), row.values)

    async def _periodic(self, request: Request, measure: Callable[[], list[Values]]) -> AsyncIterator[Values]:
        """Yield what ``measure`` returns, again and again, each time as a section of its own."""
        interval = parse_duration(request.arguments.get("interval", "")) or self._interval
        duration = parse_duration(request.arguments.get("duration", ""))
        section = 0
        while duration is None or section * interval < duration:
            for row in measure():
                yield {".section": str(section), **row}
            section += 1
            await asyncio.sleep(interval)

    async def _changes(self, request: Request, caller: Caller, *, initial: bool) -> AsyncIterator[Values]:
        """Yield rows as they change, and ``.dead`` for those that go."""
        changed = asyncio.Event()
        seen: dict[str, Values] = {}
        self.state.watchers.add(changed.set)
        try:
            first = True
            while True:
                rows = {row.get(".id", ""): row for row in self._selected(request, caller)}
                for row in () if first and not initial else self._difference(seen, rows):
                    yield _changed(row, request)
                seen, first = rows, False
                await changed.wait()
                changed.clear()
        finally:
            self.state.watchers.discard(changed.set)

    @staticmethod
    def _difference(before: dict[str, Values], after: dict[str, Values]) -> Iterator[Values]:
        yield from (row for identity, row in after.items() if before.get(identity) != row)
        yield from ({".id": identity, ".dead": "true"} for identity in before.keys() - after.keys())

    # --- changing ------------------------------------------------------------------------------

    def _set(self, directory: Directory, request: Request, _caller: Caller) -> Done:
        rows = self._items(directory, request)
        given = {key: value for key, value in request.arguments.items() if key not in {".id", "numbers"}}
        changes: dict[str, str | None] = {key[1:]: None for key in given if key.startswith("!")}
        changes |= self.state.parse(directory, {key: value for key, value in given.items() if not key.startswith("!")})
        for row in rows:
            self.state.change(self._table(request, row), row, changes)
        return Done()

    def _add(self, directory: Directory, request: Request, _caller: Caller) -> Done:
        given = {key: value for key, value in request.arguments.items() if not key.startswith("!")}
        for name in directory.mandatory():
            if name not in given:
                raise errors.missing_parameter(name)
        row = self.state.add(request.path, self.state.parse(directory, given))
        return Done(ret=row.id)

    def _remove(self, directory: Directory, request: Request, _caller: Caller) -> Done:
        for row in self._items(directory, request):
            self.state.remove(request.path, row)
        return Done()

    def _unset(self, directory: Directory, request: Request, _caller: Caller) -> Done:
        rows = self._items(directory, request)
        name = request.arguments.get("value-name")
        if name is None:
            raise errors.missing_parameter("value-name")
        if name not in directory.arguments("set"):
            raise errors.no_match("value-name")
        for row in rows:
            self.state.change(request.path, row, {name: None})
        return Done()

    def _enable(self, directory: Directory, request: Request, _caller: Caller) -> Done:
        disabled = "true" if request.command == "disable" else "false"
        for row in self._items(directory, request):
            self.state.change(self._table(request, row), row, {"disabled": disabled})
        return Done()

    # --- safe mode -----------------------------------------------------------------------------

    def _safe_mode(self, request: Request, caller: Caller) -> Done | Stream:
        safe_mode = self.safe_mode
        match request.command:
            case "print":
                return Done(self._picked([safe_mode.row(caller.session)], request))
            case "take":
                safe_mode.take(caller.session, caller.user)
            case "release":
                safe_mode.release()
            case "unroll":
                safe_mode.unroll()
            case "toggle":
                if safe_mode.held_by(caller.session):
                    safe_mode.release()
                else:
                    safe_mode.take(caller.session, caller.user)
            case _:
                raise errors.not_in_the_lab(request.word)
        return Done()


def _changed(row: Values, request: Request) -> Values:
    """Return the wanted properties of a changed row; what tells deletions is always wanted."""
    if request.proplist is None or ".dead" in row:
        return row
    return {key: row[key] for key in request.proplist if key in row}
