"""Versions of RouterOS, in every spelling that a device or a release note uses."""

from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros.versions import (
    parse_version,
    too_old,
    warnings,
)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("7.9", "7.18"),
        ("7.17.9", "7.18"),
        ("7.18", "7.18.1"),
        ("7.24.2 (stable)", "7.24.10 (stable)"),
        ("7.24beta4", "7.24rc1"),
        ("7.24rc4", "7.24"),
        ("7.24rc4 (testing)", "7.24 (stable)"),
        ("7.24alpha12", "7.24beta1"),
        ("7.24rc2", "7.24rc10"),
        ("7.23.4", "7.24alpha1"),
        ("6.49.21 (long-term)", "7.0"),
    ],
)
def test_versions_are_ordered(older: str, newer: str) -> None:
    assert parse_version(older) < parse_version(newer)
    assert too_old(older, newer)
    assert not too_old(newer, older)


@pytest.mark.parametrize("text", ["7.24.2 (stable)", "7.24.2", "7.24.2 2026-09-01 12:00:00"])
def test_what_follows_the_numbers_does_not_count(text: str) -> None:
    assert parse_version(text) == parse_version("7.24.2")
    assert not too_old(text, "7.24.2")


@pytest.mark.parametrize("text", ["", "unknown", "seven"])
def test_a_version_that_cannot_be_read_is_older_than_any(text: str) -> None:
    assert too_old(text, "7.0")


RANGE = {"from": "7.24", "below": "7.24.2", "reason": "bad", "remedy": "upgrade", "source": "notes"}


@pytest.mark.parametrize("version", ["7.24 (stable)", "7.24.1"])
def test_a_version_inside_a_range_is_warned_of(version: str) -> None:
    number = version.split(maxsplit=1)[0]
    assert warnings(version, [RANGE]) == [f"RouterOS {number}: bad; upgrade (notes)"]


@pytest.mark.parametrize("version", ["7.23.9", "7.24rc1", "7.24.2", "7.25beta3", "", "unknown"])
def test_a_version_outside_a_range_is_not(version: str) -> None:
    assert warnings(version, [RANGE]) == []


def test_every_range_speaks_for_itself() -> None:
    other = {**RANGE, "from": "7.0", "reason": "worse"}
    assert [text.split(": ")[1] for text in warnings("7.24.1", [RANGE, other])] == [
        "bad; upgrade (notes)",
        "worse; upgrade (notes)",
    ]
