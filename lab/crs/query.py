"""Query words: a stack machine that decides which rows a ``print`` returns.

Source: MikroTik's manual, developer guides, "API", section "Queries".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .errors import Trap

_TRUE = {"yes", "true"}
_FALSE = {"no", "false"}


class QueryError(Trap):
    """A query word that no stack machine understands."""

    def __init__(self, word: str) -> None:
        super().__init__(f"bad query word {word}", category=5)


def _comparable(value: str) -> str:
    """Return booleans in one spelling: clients ask for ``no`` and for ``false`` alike."""
    if value in _TRUE:
        return "true"
    return "false" if value in _FALSE else value


def _less(left: str, right: str) -> bool:
    """Compare as numbers where both are numbers, else as text."""
    try:
        return int(left) < int(right)
    except ValueError:
        return left < right


def _condition(word: str, row: Mapping[str, str]) -> bool:
    """Evaluate one ``?`` word (its question mark removed) that is not an operator."""
    if word.startswith("-"):
        return word[1:] not in row
    operator = word[0] if word[:1] in "=<>" and word else "="
    name, separator, wanted = word.removeprefix(operator).partition("=")
    if not name:
        raise QueryError(f"?{word}")
    value = row.get(name)
    if not separator:
        return value is not None
    if value is None:
        return False
    if operator == "<":
        return _less(value, wanted)
    if operator == ">":
        return _less(wanted, value)
    return _comparable(value) == _comparable(wanted)


class _Stack:
    """A stack whose depth below the pushed values is an endless *true*."""

    def __init__(self) -> None:
        self.values: list[bool] = []

    def pop(self) -> bool:
        return self.values.pop() if self.values else True

    def push(self, value: bool) -> None:
        self.values.append(value)

    def at(self, index: int) -> bool:
        """Return the value ``index`` places below the top."""
        return self.values[-1 - index] if index < len(self.values) else True


def _operate(stack: _Stack, operations: str) -> None:
    """Apply ``?#`` operations from left to right.

    A decimal index pushes a copy of the value at it; when another index
    follows, it is ended by a ``.``, which alone copies the topmost value.
    """
    digits = ""
    for operation in operations:
        if operation in "0123456789":
            digits += operation
            continue
        if digits:
            stack.push(stack.at(int(digits)))
            digits = ""
            if operation == ".":
                continue
        if operation == "!":
            stack.push(not stack.pop())
        elif operation in "&|":
            right, left = stack.pop(), stack.pop()
            stack.push((left and right) if operation == "&" else (left or right))
        elif operation == ".":
            stack.push(stack.at(0))
        else:
            raise QueryError(f"?#{operations}")
    if digits:
        stack.push(stack.at(int(digits)))


def matches(queries: Sequence[str], row: Mapping[str, str]) -> bool:
    """Return whether ``row`` passes ``queries``, the words of a sentence in their order.

    Every value that is left on the stack must be true. Raises QueryError.
    """
    stack = _Stack()
    for word in queries:
        if word.startswith("?#"):
            _operate(stack, word[2:])
        else:
            stack.push(_condition(word[1:], row))
    return all(stack.values)
