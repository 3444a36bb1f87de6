"""Every malformed file is refused with the key, the line and the words that its comments promise.

A file of malformed/ starts with ``# expect: key | words of the message``, one line a fault. A
trailing ``# <- key, key`` marks the line that each fault has to name; a fault without a mark
must name none.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError, Fault, key_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text

FILES = sorted((Path(__file__).parent / "malformed").glob("*.cluster.yml"))
VALID = """\
plugin: sparkloom.cluster.cluster
cluster: rack
nodes:
  spark-1: {address: 10.0.0.11}
  spark-2: {address: 10.0.0.12}
cables:
  - {kind: 200g-dac, from: spark-1/1, to: spark-2/1}
fabric:
  subnets: {A: 192.168.100.0/24, B: 192.168.101.0/24}
"""


def expectations(text: str) -> list[tuple[str, str]]:
    found = []
    for line in re.findall(r"^# expect: (.+)$", text, re.MULTILINE):
        key, words = line.split(" | ", 1)
        found.append((key, words))
    return found


def marks(text: str) -> Counter[tuple[str, int]]:
    return Counter(
        (key, number)
        for number, line in enumerate(text.splitlines(), 1)
        if "# <- " in line
        for key in line.rsplit("# <- ", 1)[1].split(", ")
    )


def refused(text: str | bytes) -> tuple[Fault, ...]:
    with pytest.raises(ClusterFileError) as caught:
        parse_text(text, "rack.cluster.yml")
    assert str(caught.value).startswith("rack.cluster.yml has ")
    assert len(str(caught.value).splitlines()) == 1 + len(caught.value.faults)
    return caught.value.faults


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= 70
    assert sum(len(expectations(path.read_text(encoding="utf-8"))) > 1 for path in FILES) >= 10


def test_what_they_were_made_from_is_valid() -> None:
    assert parse_text(VALID).head == "spark-1"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".cluster.yml"))
def test_a_malformed_file_is_refused_in_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = expectations(text)
    assert expected, "the file does not say what is wrong with it"
    faults = refused(path.read_bytes())
    said = [(key_text(fault.key), f"{fault.problem}. {fault.remedy}") for fault in faults]
    unmet = list(said)
    for key, words in expected:
        match = next((one for one in unmet if one[0] == key and words in one[1]), None)
        assert match, f"no fault {key} | {words} among {said}"
        unmet.remove(match)
    assert unmet == [], "faults that the file does not promise"
    assert Counter((key_text(fault.key), fault.line) for fault in faults if fault.line) == marks(text)
    assert all("\n" not in words and words.isprintable() for _, words in said)


def test_a_file_that_is_not_utf8() -> None:
    (fault,) = refused(VALID.replace("rack", "räck").encode("latin-1"))
    assert "is not UTF-8 text (line 2, byte 44)" in fault.problem


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_in_wide_characters(encoding: str) -> None:
    (fault,) = refused(VALID.encode(encoding))
    assert "is not UTF-8 text (line 1, byte 0)" in fault.problem


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_text(VALID.encode("utf-8-sig")).name == "rack"


def test_line_ends_of_windows_do_no_harm() -> None:
    assert parse_text(VALID.replace("\n", "\r\n")).name == "rack"


def test_a_character_that_yaml_forbids() -> None:
    (fault,) = refused(VALID.replace("rack", "ra\x00ck"))
    assert fault.problem.startswith("is not valid YAML: special characters are not allowed")
    assert "U+0000" in fault.problem


def test_a_huge_file_is_not_read() -> None:
    (fault,) = refused(VALID + "# filler\n" * 200_000)
    assert "is larger than 1 MiB" in fault.problem


def test_a_file_of_very_many_values() -> None:
    (fault,) = refused(VALID + "users: [" + "a, " * 60_000 + "]\n")
    assert "holds more than 50000 values" in fault.problem


def test_aliases_that_multiply() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    (fault,) = refused(bomb)
    assert "aliases" in fault.remedy


def test_a_list_that_holds_itself_twice() -> None:
    (fault,) = refused(VALID + "users: &u [*u, *u]\n")
    assert "aliases" in fault.remedy


def test_brackets_without_end() -> None:
    (fault,) = refused("a: " + "[" * 20_000 + "]" * 20_000)
    assert "is nested too deeply" in fault.problem


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "F" * 5000, "1" * 4000])
def test_a_number_of_thousands_of_digits(number: str) -> None:
    faults = refused(VALID.replace("fabric:\n", f"fabric:\n  mtu: {number}\n"))
    assert [key_text(fault.key) for fault in faults] == ["fabric.mtu"]
    assert all(len(str(fault)) < 300 for fault in faults)
