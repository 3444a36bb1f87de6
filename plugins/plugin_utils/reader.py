# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML text to plain values, with the line of every key.

PyYAML keeps the last of two equal keys and says nothing; in a cluster file that would
lose a node, so it is a fault here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError, Fault, Faults, Key

# Bounds that no cluster file comes near; what exceeds them is a mistake or malice, and
# aliases can make a small file expand without end.
_DEEPEST = 20
_MOST_BYTES = 1 << 20
_MOST_VALUES = 50_000
_LONGEST_SCALAR = 4096

# Dates are no values of a cluster file; a name or version that looks like one is text.
_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_PLAIN_HOLDERS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says: plain values, the line (from 1) of each key, and faults of its form."""

    data: Any
    lines: dict[Key, int] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()


class _Reader:
    def __init__(self) -> None:
        self.lines: dict[Key, int] = {}
        self.faults = Faults()
        self._scalars = yaml.constructor.SafeConstructor()
        self._count = 0

    def value(self, node: yaml.Node, key: Key) -> Any:
        self.lines.setdefault(key, node.start_mark.line + 1)
        self._count += 1
        if self._count > _MOST_VALUES:
            raise _refusal(
                f"holds more than {_MOST_VALUES} values", "Look for aliases (*name) that multiply each other"
            )
        if len(key) > _DEEPEST:
            self.faults.add(
                key,
                "is nested too deeply",
                "A cluster file has at most a few levels; look for an alias that holds itself",
            )
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, key)
        if node.tag not in _PLAIN_HOLDERS:
            self._not_plain(node, key)
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, key)
        return [self.value(item, (*key, index)) for index, item in enumerate(node.value)]

    def _not_plain(self, node: yaml.Node, key: Key) -> None:
        self.faults.add(
            key, f"has a value that is not plain YAML ({node.tag})", "Write a plain word, number or text in quotes"
        )

    def _scalar(self, node: yaml.ScalarNode, key: Key) -> Any:
        if node.tag == _TIMESTAMP:
            return node.value
        if len(node.value) > _LONGEST_SCALAR:
            self.faults.add(key, f"has a value of {len(node.value)} characters", "Shorten it; no value is that long")
            return None
        try:
            value = self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError):
            self._not_plain(node, key)
            return None
        if isinstance(value, bytes):
            self._not_plain(node, key)
            return None
        return value

    def _mapping(self, node: yaml.MappingNode, key: Key) -> dict[str, Any]:
        values: dict[str, Any] = {}
        first_lines: dict[str, int] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            name = str(name_node.value) if isinstance(name_node, yaml.ScalarNode) else ""
            if name_node.tag == "tag:yaml.org,2002:merge":
                self.lines.setdefault((*key, name), line)
                self.faults.add(
                    (*key, name), "is a YAML merge key", "Write the values out; each host of a rack is declared once"
                )
            elif not name or not name.isprintable() or len(name) > _LONGEST_SCALAR:
                self.faults.add(key, f"has a key on line {line} that is not a word", "Name the key with a word")
            elif name in first_lines:
                self.faults.add(
                    (*key, name),
                    f"is given twice, on lines {first_lines[name]} and {line}",
                    "Keep one of the two",
                )
            else:
                first_lines[name] = line
                self.lines[*key, name] = line
                values[name] = self.value(value_node, (*key, name))
        return values


def _refusal(problem: str, remedy: str) -> ClusterFileError:
    return ClusterFileError([Fault((), problem, remedy)])


def _decoded(text: str | bytes) -> str:
    if len(text) > _MOST_BYTES:
        raise _refusal(
            f"is larger than {_MOST_BYTES >> 20} MiB", "A cluster file has a few kilobytes; is this the right file?"
        )
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise _refusal(f"is not UTF-8 text (line {line}, byte {error.start})", "Save it as UTF-8") from None


def _invalid(error: Exception) -> ClusterFileError:
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    # ReaderError, of a character that YAML forbids, calls its words ``reason``.
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    if (character := getattr(error, "character", None)) is not None:
        where = f" (character U+{character:04X} at {getattr(error, 'position', 0)})"
    if isinstance(error, RecursionError):
        reason = "it is nested too deeply"
    return _refusal(f"is not valid YAML: {reason}{where}", "Mend the line that is named, or the one above it")


def read(text: str | bytes) -> Document:
    """Return what ``text`` says. Raises ClusterFileError when it is no YAML at all."""
    try:
        root = yaml.compose(_decoded(text), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        # ValueError and OverflowError: PyYAML hands escapes such as "\UFFFFFFFF" to chr().
        raise _invalid(error) from None
    if root is None:
        return Document(None)
    reader = _Reader()
    return Document(reader.value(root, ()), reader.lines, tuple(reader.faults))
