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

# Deeper than any cluster file; a file that goes on is nested by mistake or malice.
_DEEPEST = 20


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

    def value(self, node: yaml.Node, key: Key) -> Any:
        self.lines.setdefault(key, node.start_mark.line + 1)
        if len(key) > _DEEPEST:
            self.faults.add(key, "is nested too deeply", "A cluster file has at most a few levels; look for an alias that holds itself")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*key, index)) for index, item in enumerate(node.value)]
        try:
            return self._scalars.construct_object(node)  # type: ignore[no-untyped-call]
        except (yaml.YAMLError, ValueError):
            self.faults.add(key, f"has a value that is not plain YAML ({node.tag})", "Write a plain word, number or text in quotes")
            return None

    def _mapping(self, node: yaml.MappingNode, key: Key) -> dict[str, Any]:
        values: dict[str, Any] = {}
        first_lines: dict[str, int] = {}
        for name_node, value_node in node.value:
            if name_node.tag == "tag:yaml.org,2002:merge":
                self.faults.add(key, "uses a YAML merge key (<<)", "Write the values out; each host of a rack is declared once")
                continue
            name = str(name_node.value) if isinstance(name_node, yaml.ScalarNode) else ""
            line = name_node.start_mark.line + 1
            if not name:
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


def read(text: str) -> Document:
    """Return what ``text`` says. Raises ClusterFileError when it is no YAML at all."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "cannot be read"
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        fault = Fault((), f"is not valid YAML: {reason}{where}", "Mend the line that is named, or the one above it")
        raise ClusterFileError([fault]) from None
    if root is None:
        return Document(None)
    reader = _Reader()
    return Document(reader.value(root, ()), reader.lines, tuple(reader.faults))
