"""Lines of known hosts and authorized keys, before anything is written."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import ssh
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.ssh import Peer

MEMBERS = ["spark-1", "spark-2", "spark-3"]
ONE = Peer("spark-1", ("spark-1", "10.83.0.11"), ("ssh-ed25519 HOST1",), {"spark": "ssh-ed25519 USER1 spark@spark-1"})
TWO = Peer("spark-2", ("spark-2", "10.83.0.12"), ("ssh-ed25519 HOST2",), {"spark": "ssh-ed25519 USER2"})


def test_a_host_key_is_one_line_with_every_name() -> None:
    assert ssh.known_hosts("", MEMBERS, [ONE]) == "spark-1,10.83.0.11 ssh-ed25519 HOST1 sparkloom spark-1\n"


def test_members_outside_the_run_are_kept_and_former_ones_go() -> None:
    block = (
        "spark-1 ssh-ed25519 OLD sparkloom spark-1\n"
        "spark-3 ssh-ed25519 HOST3 sparkloom spark-3\n"
        "spark-9 ssh-ed25519 HOST9 sparkloom spark-9\n"
    )
    assert ssh.known_hosts(block, MEMBERS, [ONE]) == (
        "spark-1,10.83.0.11 ssh-ed25519 HOST1 sparkloom spark-1\nspark-3 ssh-ed25519 HOST3 sparkloom spark-3\n"
    )


def test_a_second_run_says_the_same() -> None:
    hosts = ssh.known_hosts("", MEMBERS, [ONE, TWO])
    keys = ssh.authorized_keys("", "spark", MEMBERS, [ONE, TWO])
    assert ssh.known_hosts(hosts, MEMBERS, [ONE, TWO]) == hosts
    assert ssh.authorized_keys(keys, "spark", MEMBERS, [ONE, TWO]) == keys


def test_a_user_key_is_known_by_its_node_and_a_missing_one_is_no_reason_to_forget() -> None:
    block = ssh.authorized_keys("", "spark", MEMBERS, [ONE, TWO])
    assert block == "ssh-ed25519 USER1 sparkloom spark-1\nssh-ed25519 USER2 sparkloom spark-2\n"
    keyless = Peer("spark-1", ONE.hosts, ONE.host_keys)
    assert ssh.authorized_keys(block, "spark", MEMBERS, [keyless]) == block
    assert ssh.authorized_keys("", "spark", MEMBERS, [keyless]) == ""


def hashed(host: str) -> str:
    digest = hmac.new(b"salt", host.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(b'salt').decode()}|{base64.b64encode(digest).decode()}"


@pytest.mark.parametrize(
    ("line", "left", "stale"),
    [
        ("spark-1 ssh-ed25519 OLD", "", ["spark-1"]),
        ("spark-1 ssh-ed25519 HOST1", None, []),
        ("spark-1,mine ssh-ed25519 OLD x", "mine ssh-ed25519 OLD x", ["spark-1"]),
        (f"{hashed('10.83.0.11')} ssh-rsa OLD", "", [hashed("10.83.0.11")]),
        (f"{hashed('github.com')} ssh-rsa OLD", None, []),
        ("|1|broken ssh-rsa OLD", None, []),
        ("github.com ssh-ed25519 OLD", None, []),
        ("@revoked spark-1 ssh-ed25519 OLD", None, []),
        ("# spark-1 ssh-ed25519 OLD", None, []),
        ("spark-1 ssh-ed25519 OLD sparkloom spark-1", None, []),
        ("", None, []),
        # The name of one peer with the key of another is stale, too.
        ("spark-2 ssh-ed25519 HOST1", "", ["spark-2"]),
    ],
)
def test_stale_keys_go_and_everything_else_stays(line: str, left: str | None, stale: list[str]) -> None:
    expected = f"{line}\n" if left is None else (f"{left}\n" if left else "")
    assert ssh.without_stale(f"a b c\n{line}\n", [ONE, TWO]) == (f"a b c\n{expected}", stale)


def test_a_peer_whose_keys_are_not_known_makes_nothing_stale() -> None:
    text = "spark-1 ssh-ed25519 OLD\n"
    assert ssh.without_stale(text, [Peer("spark-1", ("spark-1",))]) == (text, [])


def test_a_key_on_two_nodes_is_named() -> None:
    clone = Peer("spark-2", ("spark-2",), ONE.host_keys, {"spark": "ssh-ed25519 USER1 other comment"})
    words = ssh.shared_keys([ONE, clone])
    assert [word.split(":")[0] for word in words] == [
        "spark-1, spark-2 have the same host key",
        "spark-1, spark-2 have the same key of user spark",
    ]
    assert ssh.shared_keys([ONE, TWO]) == []


def test_each_node_begins_behind_itself() -> None:
    peers = [{"name": name, "hosts": [name, f"{name}-a"]} for name in MEMBERS]
    first = ssh.logins(["spark"], peers, "spark-2", "first")
    assert [login.host for login in first] == ["spark-3", "spark-1", "spark-2"]
    assert len(ssh.logins(["spark", "root"], peers, "spark-2", "all")) == 12


def test_a_login_neither_asks_nor_trusts() -> None:
    command = ssh.Login("spark", "spark-2", "10.83.0.12").command(5)
    assert {"BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=5"} <= set(command)
    assert command[-2:] == ["spark@10.83.0.12", "true"]


@pytest.mark.parametrize(
    ("rc", "stderr", "expected"),
    [
        (0, "banner", ""),
        (
            255,
            "banner\nspark@spark-2: Permission denied (publickey).\n",
            "spark@spark-2: Permission denied (publickey).",
        ),
        (124, "", "ssh ended with 124"),
    ],
)
def test_a_failed_login_is_told_in_the_words_of_ssh(rc: int, stderr: str, expected: str) -> None:
    assert ssh.complaint(rc, stderr) == expected
