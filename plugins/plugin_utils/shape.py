# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First pass over a cluster file: does it have the shape that the schema describes?

The schema's own complaints are turned into an owner's words. What is misshapen is cut
out, so that the second pass (``parse``) can judge the rest in the same run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults, Key, nearest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.schema import PATTERN_WORDS, cluster_schema

_TYPE_WORDS = {
    "object": "a mapping (key: value)",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def _choices(values: list[Any]) -> str:
    return ", ".join(str(value) for value in values)


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return repr(value)


def _unknown_keys(error: ValidationError, key: Key, faults: Faults) -> Iterator[Key]:
    known = list(error.schema["properties"])
    for name in error.instance:
        if name in known:
            continue
        guess = nearest(name, known)
        remedy = f"Did you mean {guess}?" if guess else f"Known here: {_choices(known)}"
        faults.add((*key, name), "is not a key that is known here", remedy)
        yield (*key, name)


def _expected(error: ValidationError) -> str:
    """Return in words what would have been right."""
    schema = error.schema
    match error.validator:
        case "type":
            kinds = error.validator_value
            return " or ".join(_TYPE_WORDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
        case "pattern":
            return PATTERN_WORDS.get(error.validator_value, f"text like {error.validator_value}")
        case "minimum" | "maximum":
            if "maximum" in schema:
                return f"a number from {schema['minimum']} to {schema['maximum']}"
            return f"a number of at least {schema['minimum']}"
        case "const":
            return str(error.validator_value)
        case _:
            return "something else"


def _explain(error: ValidationError, key: Key, faults: Faults) -> Iterator[Key]:
    """Add the faults behind one complaint and yield the keys that are to be cut out."""
    value = error.instance
    match error.validator:
        case "additionalProperties":
            yield from _unknown_keys(error, key, faults)
        case "required":
            # jsonschema complains once a key; the message quotes it.
            missing = next(name for name in error.validator_value if error.message.startswith(f"'{name}'"))
            words = error.schema["properties"][missing].get("description", "")
            faults.add((*key, missing), "is missing", f"Add it: {words[:1].lower()}{words[1:].rstrip('.')}")
        case "enum":
            known = [str(choice) for choice in error.validator_value]
            guess = nearest(str(value), known)
            hint = f"Did you mean {guess}? Known: " if guess else "Known: "
            faults.add(key, f"{_show(value)} is not known", hint + _choices(known))
            yield key
        case "anyOf":
            yield from _explain_choice(error, key, faults)
        case "minItems" | "minProperties":
            faults.add(key, "is empty", "List at least one")
        case "maxItems":
            faults.add(key, f"lists {len(value)}", f"At most {error.validator_value} are possible")
        case "minLength":
            faults.add(key, "is empty", "Give it a value, or leave the key out")
            yield key
        case "uniqueItems":
            faults.add(key, "lists something twice", "List each once")
        case _:
            faults.add(key, f"is {_show(value)}", f"It must be {_expected(error)}")
            yield key


def _explain_choice(error: ValidationError, key: Key, faults: Faults) -> Iterator[Key]:
    """Explain a value that fits none of several shapes by the one that it comes nearest to."""
    context = error.context or []
    inside = [inner for inner in context if inner.relative_path]
    telling = inside or [inner for inner in context if inner.validator != "type" and isinstance(error.instance, (list, str))]
    if telling and not any(inner.validator == "enum" for inner in telling):
        for inner in telling:
            yield from _explain(inner, (*key, *inner.relative_path), faults)
        return
    words = " or ".join(dict.fromkeys(_shape_words(branch) for branch in error.validator_value))
    faults.add(key, f"is {_show(error.instance)}", f"It must be {words}")
    yield key


def _shape_words(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return _choices(schema["enum"])
    return PATTERN_WORDS.get(schema.get("pattern", ""), _TYPE_WORDS[schema["type"]])


def _cut(data: Any, key: Key) -> None:
    """Remove the value at ``key``; a list keeps its places, so None stands for an item."""
    holder = data
    for part in key[:-1]:
        try:
            holder = holder[part]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(holder, dict):
        holder.pop(key[-1], None)
    elif isinstance(holder, list) and isinstance(key[-1], int):
        holder[key[-1]] = None


def check_shape(data: Any, faults: Faults) -> dict[str, Any]:
    """Add every fault of shape and return a copy of ``data`` without the misshapen parts."""
    if not isinstance(data, dict):
        faults.add((), f"holds {_show(data)}", "A cluster file is a mapping that starts with plugin: and cluster:")
        return {}
    rest = copy.deepcopy(data)
    for error in Draft202012Validator(cluster_schema()).iter_errors(data):
        key: Key = tuple(error.absolute_path)
        if error.validator == "pattern" and "propertyNames" in error.absolute_schema_path:
            key = (*key, str(error.instance))
            faults.add(key, "is not a fitting name", f"It must be {_expected(error)}")
            continue
        for bad in list(_explain(error, key, faults)):
            if bad:
                _cut(rest, bad)
    return rest
