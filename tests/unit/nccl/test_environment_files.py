"""One environment, read alike by everybody."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.environment_files import (
    EnvironmentValueError,
    files,
    shell,
)

ENVIRONMENT = {
    "VLLM_HOST_IP": "192.168.100.11",
    "NCCL_IB_HCA": "=rocep1s0f1:1,roceP2p1s0f1:1",
    "GLOO_SOCKET_IFNAME": "enP7s7",
}


def texts(gid_index: int | None = None) -> dict[str, str]:
    return {entry["path"]: entry["content"] for entry in files(ENVIRONMENT, gid_index, ["spark"])}


def test_every_reader_gets_its_file() -> None:
    found = texts()
    plain = "GLOO_SOCKET_IFNAME=enP7s7\nNCCL_IB_HCA==rocep1s0f1:1,roceP2p1s0f1:1\nVLLM_HOST_IP=192.168.100.11\n"
    assert found["/etc/sparkloom/nccl.env"].endswith(f"file instead.\n{plain}")
    assert found["/etc/environment.d/60-sparkloom-nccl.conf"] == found["/etc/sparkloom/nccl.env"]
    assert found["/etc/nccl.conf"] == "NCCL_IB_HCA==rocep1s0f1:1,roceP2p1s0f1:1\n"
    assert "export NCCL_IB_HCA==rocep1s0f1:1,roceP2p1s0f1:1\n" in found["/etc/profile.d/sparkloom-nccl.sh"]


def test_no_comment_is_a_variable_to_a_reader_without_comments() -> None:
    comments = [line for text in texts().values() for line in text.splitlines() if line.startswith("#")]
    assert comments
    assert not any("=" in line for line in comments)


def test_a_found_index_joins_and_none_does_not() -> None:
    assert "NCCL_IB_GID_INDEX=3\n" in texts(3)["/etc/nccl.conf"]
    assert "NCCL_IB_GID_INDEX=0\n" in texts(0)["/etc/nccl.conf"]
    assert "GID_INDEX" not in str(texts(None))


def test_an_index_of_the_owner_wins() -> None:
    (entry, *_rest) = files({"NCCL_IB_GID_INDEX": "5"}, 3)
    assert "NCCL_IB_GID_INDEX=5\n" in entry["content"]


def test_locked_memory_is_for_the_users_alone() -> None:
    path = "/etc/security/limits.d/60-sparkloom-memlock.conf"
    assert texts()[path].endswith("spark - memlock unlimited\n")
    assert {"path": path, "state": "absent"} in files(ENVIRONMENT)


@pytest.mark.parametrize("value", ["a b", "a;b", "^mlx5_0", "a&b|c", "*", "a#b", "~", "(x)", ""])
def test_a_shell_reads_the_value_back(value: str) -> None:
    script = shell({"UCX_TLS": value}) + 'printf %s "$UCX_TLS"'
    assert subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True).stdout == value
    assert shlex.split(shell({"UCX_TLS": value}))[1] == f"UCX_TLS={value}"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("NCCL_DEBUG", 1, "is no string"),
        ("NCCL_DEBUG", "a\nNCCL_NET=Socket", "read it differently"),
        ("NCCL_DEBUG", '"WARN"', "read it differently"),
        ("NCCL_DEBUG", "$HOME", "read it differently"),
        ("NCCL_DEBUG", "a\\", "read it differently"),
        ("NCCL_DEBUG", " a", "read it differently"),
        ("NCCL_DEBUG", "a ", "read it differently"),
        ("NCCL_DEBUG", "\u00fc", "read it differently"),
        ("NCCL_IB_GID_INDEX", "", "as 0"),
        ("NCCL_IB_HCA", "x" * 1023, "longer"),
        ("NCCL-DEBUG", "x", "not a name"),
    ],
)
def test_what_readers_would_read_differently_is_refused(name: str, value: object, words: str) -> None:
    with pytest.raises(EnvironmentValueError, match=words):
        files({name: value})
