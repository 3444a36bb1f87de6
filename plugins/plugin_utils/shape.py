# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First pass over a cluster file: hold it against the schema.

The schema's own complaints are turned into an owner's words. What is misshapen is cut
out, so that the second pass (``parse``) can judge the rest in the same run.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import Faults, Key, nearest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.schema import PATTERN_WORDS, cluster_schema

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

# Deeper than the schema goes; a mapping that holds itself would not end.
_DEEPEST = 20

_TYPE_WORDS = {
    "object": "a mapping (key: value)",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def _is_whole(_checker: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(checker: Any, value: Any) -> bool:
    return _is_whole(checker, value) or (isinstance(value, float) and math.isfinite(value))


@cache
def _validator() -> Any:
    # Imported on use, so that a machine without jsonschema hears of it in the inventory plugin's words.
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415

    # JSON Schema calls 9000.0 an integer; the plan would hand it on as 9000.0. Infinity and NaN
    # are numbers to it, and no values that JSON or a module could carry.
    types = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_whole, "number": _is_finite})
    strict = extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    return strict(cluster_schema())


@dataclass(frozen=True, slots=True)
class _Complaint:
    """What jsonschema says of one value; ``key`` is the whole way to it, ``step`` the way from its parent."""

    rule: str
    wanted: Any
    schema: dict[str, Any]
    value: Any
    message: str
    key: Key
    step: Key
    of_a_name: bool
    inner: tuple[_Complaint, ...]


def _complaint(error: ValidationError, above: Key = ()) -> _Complaint:
    found: Any = error  # jsonschema types its fields as perhaps unset; in what it yields they are set.
    step: Key = tuple(found.relative_path)
    key = (*above, *step)
    return _Complaint(
        rule=found.validator,
        wanted=found.validator_value,
        schema=found.schema,
        value=found.instance,
        message=found.message,
        key=key,
        step=step,
        of_a_name="propertyNames" in found.absolute_schema_path,
        inner=tuple(_complaint(inner, key) for inner in found.context or ()),
    )


def _choices(values: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in values)


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004


def _unknown_keys(complaint: _Complaint, faults: Faults) -> Iterator[Key]:
    known = list(complaint.schema["properties"])
    for name in complaint.value:
        if name in known:
            continue
        guess = nearest(name, known)
        remedy = f"Did you mean {guess}?" if guess else f"Known here: {_choices(known)}"
        faults.add((*complaint.key, name), "is not a key that is known here", remedy)
        yield (*complaint.key, name)


def _range(schema: dict[str, Any]) -> str:
    noun = _TYPE_WORDS[schema["type"]]
    if "maximum" in schema:
        return f"{noun} from {schema['minimum']} to {schema['maximum']}"
    return f"{noun} of at least {schema['minimum']}"


def _expected(complaint: _Complaint) -> str:
    """Return in words what would have been right."""
    match complaint.rule:
        case "type":
            kinds = [complaint.wanted] if isinstance(complaint.wanted, str) else complaint.wanted
            return " or ".join(_TYPE_WORDS[kind] for kind in kinds)
        case "pattern":
            return PATTERN_WORDS.get(complaint.wanted, f"text like {complaint.wanted}")
        case "minimum" | "maximum":
            return _range(complaint.schema)
        case "const":
            return str(complaint.wanted)
        case _:
            return "something else"


def _not_one_of(complaint: _Complaint, faults: Faults) -> Iterator[Key]:
    if not isinstance(complaint.value, str) and complaint.schema.get("type") == "string":
        return  # Its type is complained of as well, and says it all.
    known = [str(choice) for choice in complaint.wanted]
    # A number is no slip of the pen of another number.
    guess = nearest(complaint.value, known) if isinstance(complaint.value, str) else ""
    hint = f"Did you mean {guess}? Known: " if guess else "Known: "
    faults.add(complaint.key, f"{_show(complaint.value)} is not known", hint + _choices(known))
    yield complaint.key


def _explain(complaint: _Complaint, faults: Faults) -> Iterator[Key]:
    """Add the faults behind one complaint and yield the keys that are to be cut out."""
    key, value = complaint.key, complaint.value
    match complaint.rule:
        case "additionalProperties":
            yield from _unknown_keys(complaint, faults)
        case "required":
            # jsonschema complains once a key; the message quotes it.
            missing = next((name for name in complaint.wanted if complaint.message.startswith(f"'{name}'")), "")
            words = complaint.schema["properties"][missing].get("description", "")
            faults.add((*key, missing), "is missing", f"Add it: {words[:1].lower()}{words[1:].rstrip('.')}")
        case "enum":
            yield from _not_one_of(complaint, faults)
        case "anyOf":
            yield from _explain_choice(complaint, faults)
        case "minItems" | "minProperties":
            faults.add(key, "is empty", "List at least one")
            yield key
        case "maxItems":
            faults.add(key, f"lists {len(value)}", f"At most {complaint.wanted} are possible")
            yield key
        case "minLength":
            faults.add(key, "is empty", "Give it a value, or leave the key out")
            yield key
        case "uniqueItems":
            faults.add(key, "lists something twice", "List each once")
            yield key
        case _:
            faults.add(key, f"is {_show(value)}", f"It must be {_expected(complaint)}")
            yield key


def _explain_choice(complaint: _Complaint, faults: Faults) -> Iterator[Key]:
    """Explain a value that fits none of several shapes by the one that it comes nearest to."""
    listed = isinstance(complaint.value, (list, str))
    inside = [inner for inner in complaint.inner if inner.step]
    telling = inside or [inner for inner in complaint.inner if inner.rule != "type" and listed]
    if telling and not any(inner.rule == "enum" for inner in telling):
        for inner in telling:
            yield from _explain(inner, faults)
        return
    words = " or ".join(dict.fromkeys(_shape_words(branch) for branch in complaint.wanted))
    faults.add(complaint.key, f"is {_show(complaint.value)}", f"It must be {words}")
    yield complaint.key


def _shape_words(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return _choices(schema["enum"])
    if "minimum" in schema:
        return _range(schema)
    return PATTERN_WORDS.get(schema.get("pattern", ""), _TYPE_WORDS[schema["type"]])


def _cut(data: Any, key: Key) -> None:
    """Remove the value at ``key``; a list keeps its places, so None stands for an item.

    Hosts keep their names, so that their cables are not called astray as well; of a whole
    section of hosts None is left, which says that they are not known.
    """
    holder = data
    for part in key[:-1]:
        try:
            holder = holder[part]
        except (KeyError, IndexError, TypeError):
            return
    last = key[-1]
    if isinstance(holder, dict) and key[0] in {"nodes", "switches"} and len(key) <= 2:  # noqa: PLR2004
        holder[last] = None if len(key) == 1 else {}
    elif isinstance(holder, dict):
        holder.pop(last, None)
    elif isinstance(holder, list) and isinstance(last, int):
        holder[last] = None


def _is_text(text: str) -> bool:
    """Tell whether a text can be written to a file: lone surrogates cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: Any, key: Key, faults: Faults) -> Any:
    """Return a copy of what YAML and JSON can say; whatever else a caller hands in is a fault."""
    if isinstance(value, (dict, list, tuple)) and len(key) > _DEEPEST:
        faults.add(key, "is nested too deeply", "A cluster file has at most a few levels")
        return None
    if isinstance(value, dict):
        found = {}
        for name, inner in value.items():
            if isinstance(name, str) and _is_text(name):
                found[name] = _plain(inner, (*key, name), faults)
            else:
                faults.add((*key, repr(name)), "is a key that is not text", "Put the key in quotes")
        return found
    if isinstance(value, (list, tuple)):
        return [_plain(inner, (*key, index), faults) for index, inner in enumerate(value)]
    if isinstance(value, str) and not _is_text(value):
        faults.add(key, f"is {_show(value)}, half a character", "Remove the escape (\\ud800 to \\udfff)")
        return None
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    faults.add(key, f"is {_show(value)}", "It must be text, a number, a list or a mapping")
    return None


def check_shape(data: Any, faults: Faults) -> dict[str, Any]:
    """Add every fault of shape and return a copy of ``data`` without the misshapen parts.

    What the reader could not read is None here and has its fault already; no second one is added.
    """
    if not isinstance(data, dict):
        faults.add((), f"holds {_show(data)}", "A cluster file is a mapping that starts with plugin: and cluster:")
        return {}
    declared: dict[str, Any] = _plain(data, (), faults)
    rest = copy.deepcopy(declared)
    told = {fault.key for fault in faults}
    for error in _validator().iter_errors(declared):
        complaint = _complaint(error)
        if complaint.of_a_name:
            key = (*complaint.key, str(complaint.value))
            faults.add(key, "is not a fitting name", f"It must be {_expected(complaint)}")
            continue
        explained = Faults()
        for bad in list(_explain(complaint, explained)):
            _cut(rest, bad)
        for fault in explained:
            if fault.key not in told:
                faults.add(fault.key, fault.problem, fault.remedy)
    return rest
