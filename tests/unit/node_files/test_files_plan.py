"""What changes in files, before anything is written."""

from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import (
    Actual,
    FileError,
    Wanted,
    find_block,
    plan,
)

HOSTS = (
    "127.0.0.1 localhost\n127.0.1.1 spark-1\n# BEGIN sparkloom hosts\n10.0.0.9 old\n# END sparkloom hosts\n::1 ip6\n"
)


def hosts(text: str | None) -> dict[str, Actual]:
    return {"/etc/hosts": Actual(text, 0o640, "root", "adm")}


def block(content: str = "10.0.0.1 spark-1", **more: object) -> Wanted:
    return Wanted("/etc/hosts", content, block="hosts", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (HOSTS, HOSTS.replace("10.0.0.9 old", "10.0.0.1 spark-1")),
        ("a\n", "a\n# BEGIN sparkloom hosts\n10.0.0.1 spark-1\n# END sparkloom hosts\n"),
        ("no end", "no end\n# BEGIN sparkloom hosts\n10.0.0.1 spark-1\n# END sparkloom hosts\n"),
        ("", "# BEGIN sparkloom hosts\n10.0.0.1 spark-1\n# END sparkloom hosts\n"),
        # A copy of the block further down is dropped with its lines.
        (
            HOSTS + "# BEGIN sparkloom hosts\nx\n# END sparkloom hosts\n",
            HOSTS.replace("10.0.0.9 old", "10.0.0.1 spark-1"),
        ),
    ],
    ids=["in its place", "at the end", "after an open line", "empty file", "twice"],
)
def test_a_block_changes_and_the_rest_is_kept(text: str, after: str) -> None:
    (change,) = plan([block()], hosts(text))
    assert change.after == after
    assert (change.mode, change.attributes()) == (0o640, [])
    assert plan([block()], hosts(after)) == []


def test_lines_outside_the_block_can_be_removed() -> None:
    wanted = block("10.0.0.9 old", remove_lines=(r"^127\.0\.1\.1\s+spark-1$",))
    (change,) = plan([wanted], hosts(HOSTS))
    assert change.after == HOSTS.replace("127.0.1.1 spark-1\n", "")


def test_a_block_can_go() -> None:
    (change,) = plan([block(present=False)], hosts(HOSTS))
    assert change.after == "127.0.0.1 localhost\n127.0.1.1 spark-1\n::1 ip6\n"
    assert plan([block(present=False)], {}) == []


def test_a_block_without_its_end_is_refused() -> None:
    with pytest.raises(FileError, match="has no '# END sparkloom hosts'"):
        plan([block()], hosts("# BEGIN sparkloom hosts\nmine?\n"))


def test_two_blocks_of_a_file_are_one_change() -> None:
    (change,) = plan([block(), Wanted("/etc/hosts", "x\n", block="more")], hosts("a\n"))
    assert change.after is not None
    assert find_block(change.after, "more") == "x\n"
    assert find_block(change.after, "hosts") == "10.0.0.1 spark-1\n"


def test_attributes_alone_are_a_change_and_shown() -> None:
    (change,) = plan([Wanted("/k", "x", mode=0o600, owner="root")], {"/k": Actual("x", 0o644, "spark", "spark")})
    assert change.diff() == [
        {
            "before_header": "/k (attributes)",
            "after_header": "/k (attributes)",
            "before": "mode: 0644\nowner: spark\n",
            "after": "mode: 0600\nowner: root\n",
        }
    ]


def test_a_sensitive_file_hides_both_texts() -> None:
    (change,) = plan([Wanted("/k", "new secret", sensitive=True)], {"/k": Actual("old secret", 0o600)})
    (entry,) = change.diff()
    assert "secret" not in str(entry)
    assert entry["before"] != entry["after"]


def test_an_absent_file_is_removed_once() -> None:
    wanted = [Wanted("/k", present=False)]
    (change,) = plan(wanted, {"/k": Actual("x", 0o600)})
    assert (change.after, change.diff()[0]["after_header"]) == (None, "/k (absent)")
    assert plan(wanted, {}) == []
