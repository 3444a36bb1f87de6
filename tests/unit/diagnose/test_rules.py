"""Every rule as a unit: its words, its place, and the page that is made of all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.page import catalogue, render
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.catalogue import RULES
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.thresholds import Thresholds, known
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import (
    MAX_PART_BYTES,
    Evidence,
    EvidenceError,
    accept,
    schemas,
)
from seen_rack import Rack

ROOT = Path(__file__).parents[3]


def test_codes_are_used_once() -> None:
    assert [code for code, count in Counter(rule.code for rule in RULES).items() if count > 1] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_says_all_that_an_owner_asks(rule: Rule) -> None:
    assert re.fullmatch(r"SL\d{3}", rule.code)
    assert rule.title
    assert rule.remedy
    assert rule.source
    for need in (*rule.needs, *rule.uses):
        kind, part = need.split(".")
        assert part in schemas(kind)  # type: ignore[arg-type]


def test_rules_cover_faults_that_are_in_the_catalogue() -> None:
    assert {name for rule in RULES for name in rule.covers} <= catalogue().keys()
    assert all(row["symptom"] and row["source"] for row in catalogue().values())


def test_the_page_is_the_rules() -> None:
    assert (ROOT / "docs/findings.md").read_text(encoding="utf-8") == render(), "run: make findings"


def test_thresholds_have_sources_and_may_be_set() -> None:
    assert all(threshold.source and threshold.about for threshold in known().values())
    assert Thresholds()["rdma_warn_gbps"] == 90
    assert Thresholds({"rdma_warn_gbps": 95})["rdma_warn_gbps"] == 95
    with pytest.raises(KeyError, match="rdma_warm_gbps"):
        Thresholds({"rdma_warm_gbps": 95})


def test_evidence_is_saved_and_replayed(rack: Rack) -> None:
    document = json.loads(json.dumps(rack.evidence.to_dict()))
    again = Evidence.from_dict(document)
    assert again.to_dict() == document
    assert not any(host.missing for host in (*again.nodes.values(), *again.switches.values()))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (None, "no evidence of Sparkloom"),
        ([], "no evidence of Sparkloom"),
        ({"version": "one"}, "no evidence of Sparkloom"),
        ({"version": 2}, "has version 2, this Sparkloom reads version 1"),
        ({"version": 1, "nodes": []}, "its node part is not a mapping"),
    ],
)
def test_another_document_is_refused_in_words(document: object, words: str) -> None:
    with pytest.raises(EvidenceError, match=words):
        Evidence.from_dict(document)


@pytest.mark.parametrize(
    ("part", "value", "reason"),
    [
        ("clock", "fast", "not valid: 'fast' is not of type 'object'"),
        ("clock", {"running": True}, "not valid: 'synchronised' is a required property"),
        ("failed_units", ["x" * 300], "not valid at 0: "),
        ("failed_units", ["x"] * 300, "not valid: "),
        ("environment", {"A": float("nan")}, "not valid: Out of range float values"),
        ("environment", {"A": "x" * (MAX_PART_BYTES + 1)}, f"bytes, more than {MAX_PART_BYTES}"),
        ("surprise", 1, "not valid: no part of this name is known"),
    ],
)
def test_a_part_that_lies_is_dropped_and_said(part: str, value: object, reason: str) -> None:
    host = accept("node", {"parts": {part: value, "failed_units" if part != "failed_units" else "netplan": []}})
    assert part not in host.parts
    assert reason in host.missing[part]
    assert len(host.missing[part]) < 400
    assert len(host.parts) == 1


def test_reasons_of_a_host_cannot_steer_a_terminal() -> None:
    host = accept("node", {"parts": {}, "missing": {"clock": "\x1b[2Jgone\n\x07" + "x" * 10_000}})
    assert host.missing["clock"].startswith("[2Jgone xxx")
    assert len(host.missing["clock"]) <= 301
