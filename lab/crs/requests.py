"""A sentence that arrived, as a request: directory, command, arguments, queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import errors
from .schema import Directory, Schema

# Commands that take items, and so ``.id`` or ``numbers``, whatever a crawl says of their arguments.
_OF_ITEMS = frozenset({"set", "remove", "unset", "enable", "disable", "get", "comment", "monitor"})
_TRUE = frozenset({"", "yes", "true"})


@dataclass(slots=True)
class Request:
    """One command word and its attributes; ``tag`` and ``proplist`` are the API's own."""

    word: str
    arguments: dict[str, str] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    tag: str | None = None
    proplist: tuple[str, ...] | None = None

    @property
    def path(self) -> str:
        return self.word.rpartition("/")[0]

    @property
    def command(self) -> str:
        name = self.word.rpartition("/")[2]
        return "print" if name == "getall" else name

    def flag(self, name: str) -> bool:
        """Tell whether an argument without a value of its own is given; ``=once=false`` is not."""
        return self.arguments.get(name, "no") in _TRUE

    def items(self) -> str | None:
        """Return which items are meant: an id, a name or a comma list of them."""
        return next((self.arguments[key] for key in (".id", "numbers", "number") if key in self.arguments), None)


def parse(sentence: Sequence[bytes]) -> Request:
    """Sort the words of a sentence. Bytes that are not UTF-8 come back out as they went in."""
    words = [word.decode("utf-8", "surrogateescape") for word in sentence]
    request = Request(words[0])
    for word in words[1:]:
        if word.startswith("?"):
            request.queries.append(word)
        elif word.startswith("="):
            name, _, value = word[1:].partition("=")
            if name == ".proplist":
                request.proplist = tuple(value.split(","))
            else:
                request.arguments[name] = value
        elif word.startswith(".tag="):
            request.tag = word.removeprefix(".tag=")
        elif word.startswith(".proplist="):
            request.proplist = tuple(word.removeprefix(".proplist=").split(","))
    if "proplist" in request.arguments:
        request.proplist = tuple(request.arguments.pop("proplist").split(","))
    return request


def directory_of(schema: Schema, request: Request) -> Directory:
    """Return the directory of a request, or raise the trap that names what does not exist."""
    directory = schema.directory(request.path)
    if request.word.startswith("/") and directory is not None:
        if request.command in directory.commands:
            return directory
        if not schema.directory(request.word) and not schema.is_parent(request.word):
            raise errors.no_such_command()
    path = ""
    for element in request.word.strip("/").split("/"):
        path += f"/{element}"
        if schema.directory(path) is None and not schema.is_parent(path):
            if schema.is_parent(request.path):
                raise errors.no_such_command()
            raise errors.no_such_directory(element)
    raise errors.no_such_command()


def check_arguments(directory: Directory, request: Request) -> None:
    """Raise the trap of the first argument that the command does not take."""
    known = directory.arguments(request.command)
    if request.command in _OF_ITEMS and not directory.singleton:
        known |= {".id", "numbers"}
    if request.command == "unset":
        known |= {"value-name"}  # in no crawl of the switch chip's tables
    for name in request.arguments:
        if name.removeprefix("!") not in known:
            raise errors.unknown_parameter(name.removeprefix("!"))
