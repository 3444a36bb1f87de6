"""The committed schema is what the code says, and what the examples fulfil."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse, parse_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.schema import PATTERN_WORDS, cluster_schema, schema_text
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[3]
COMMITTED = ROOT / "docs/cluster.schema.json"
EXAMPLES = sorted(ROOT.glob("inventories/**/*.cluster.yml"))


def every_pattern(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
        return own.union(*(every_pattern(value) for value in schema.values()))
    return set().union(*(every_pattern(item) for item in schema)) if isinstance(schema, list) else set()


def test_the_committed_schema_is_current() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(), "run `make schema`"


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(json.loads(COMMITTED.read_text(encoding="utf-8")))


def test_every_pattern_has_words_for_owners() -> None:
    assert every_pattern(cluster_schema()) <= set(PATTERN_WORDS)


def test_no_pattern_lets_a_last_line_break_through() -> None:
    assert all(pattern.endswith(r"$(?!\n)") for pattern in PATTERN_WORDS)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name.removesuffix(".cluster.yml"))
class TestExample:
    def test_it_fulfils_the_schema(self, path: Path) -> None:
        mapping = yaml.safe_load(path.read_text(encoding="utf-8"))
        Draft202012Validator(json.loads(COMMITTED.read_text(encoding="utf-8"))).validate(mapping)

    def test_it_parses_alike_from_text_and_from_a_mapping(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        assert parse_text(text, str(path)) == parse(yaml.safe_load(text))

    def test_it_names_the_schema_for_editors(self, path: Path) -> None:
        first = path.read_text(encoding="utf-8").splitlines()[0]
        named = first.removeprefix("# yaml-language-server: $schema=")
        assert (path.parent / named).resolve() == COMMITTED

    def test_a_password_stands_in_no_cluster_file(self, path: Path) -> None:
        assert "password" not in path.read_text(encoding="utf-8").lower()


def test_there_is_an_example_a_shape() -> None:
    names = {path.parent.name for path in EXAMPLES if path.parent.parent.name == "examples"}
    assert names == {"pair", "crs804-eight", "crs812-six", "crs812-eight-100g", "crs812-crs804"}


@pytest.mark.parametrize("folder", sorted((ROOT / "inventories/examples").iterdir()), ids=lambda folder: folder.name)
def test_an_example_takes_the_password_from_the_environment(folder: Path) -> None:
    variables = yaml.safe_load((folder / "group_vars/switches.yml").read_text(encoding="utf-8"))
    assert variables == {"routeros_password": "{{ lookup('ansible.builtin.env', 'SPARKLOOM_ROUTEROS_PASSWORD') }}"}
