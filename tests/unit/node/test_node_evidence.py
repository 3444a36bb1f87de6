"""A node's evidence: sources that hang, flood or break cost themselves alone, and parsers read what real tools print."""

from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import bounded, ethtool, observed
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.bounded import (
    Limits,
    UnavailableError,
    gather,
    run,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.evidence.document import accept

ROOT = Path(__file__).parents[3]
SHORT = Limits(seconds=0.3, max_bytes=1000)


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts a program of some shell text where tools are looked for."""
    monkeypatch.setattr(bounded, "_PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(text: str, name: str = "tool") -> str:
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
        return name

    return make


def test_a_command_that_answers(tool: Any) -> None:
    assert run([tool("echo $1; echo noise >&2"), "hello"], Limits()) == "hello\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sleep 60", "tool did not answer within 0.3 s"),
        ("sleep 60 & echo started; wait", "tool did not answer within 0.3 s"),
        ("exec >&- 2>&-; sleep 60", "tool did not answer within 0.3 s"),
        ("yes", "tool said more than 0 KiB"),
        ("yes >&2", "tool said more than 0 KiB"),
        ("echo it broke >&2; exit 3", "tool failed: it broke"),
        ("exit 3", "tool failed with exit code 3"),
    ],
)
def test_a_command_that_does_not(tool: Any, text: str, words: str) -> None:
    with pytest.raises(UnavailableError, match=words):
        run([tool(text)], SHORT)


def test_an_absent_command() -> None:
    with pytest.raises(UnavailableError, match="no-such-tool is not installed"):
        run(["no-such-tool"], Limits())


def test_what_a_command_started_ends_with_it(tool: Any, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError):
        run([tool(f"sleep 60 & echo $! >{tmp_path}/pid; wait")], SHORT)
    pid = int((tmp_path / "pid").read_text())
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_output_that_is_no_text_is_text(tool: Any) -> None:
    assert run([tool(r"printf 'a\377b'")], Limits()) == "a\ufffdb"


def test_a_source_costs_itself_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    def refuse() -> None:
        raise UnavailableError("not today")

    parts, missing = gather(
        {
            "hangs": (tmp_path / "fifo").read_text,
            "breaks": lambda: 1 / 0,
            "refuses": refuse,
            "works": lambda: {"a": 1},
            "gives nothing": lambda: None,
        },
        SHORT,
    )
    assert parts == {"works": {"a": 1}, "gives nothing": None}
    assert missing == {
        "hangs": "did not answer within 0.6 s",
        "breaks": "ZeroDivisionError: division by zero",
        "refuses": "not today",
    }


def test_the_module_gives_a_valid_document_on_any_machine(tmp_path: Path) -> None:
    arguments = tmp_path / "arguments.json"
    arguments.write_text(json.dumps({"ANSIBLE_MODULE_ARGS": {"users": ["root", "nobody-of-this-name"]}}))
    done = subprocess.run(
        [sys.executable, "-m", "ansible_collections.sparkloom.cluster.plugins.modules.node_evidence", str(arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "collections")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    host = accept("node", result["evidence"])
    assert dict(host.missing) == result["evidence"]["missing"], "a part is not what its schema says"
    assert set(host.parts) | set(host.missing) == set(observed.sources(observed.Asked(), Limits()))
    assert host.parts["system"]["kernel"] == os.uname().release
    assert result["changed"] is False


GPU = "580.173.02, NVIDIA GB10, 2405, 12.34, 45, Not Active, Not Active, Not Active, Active\n"


def test_a_gpu_with_what_it_tells() -> None:
    assert observed.parse_gpu(GPU) == {
        "driver": "580.173.02",
        "name": "NVIDIA GB10",
        "clock_mhz": 2405.0,
        "power_w": 12.34,
        "temperature_c": 45.0,
        "throttle": ["sw_power_cap"],
    }


def test_a_gpu_that_keeps_things_to_itself() -> None:
    seen = observed.parse_gpu(GPU.replace("12.34", "[N/A]").replace("45", "[N/A]"))
    assert (seen["power_w"], seen["temperature_c"]) == (None, None)
    assert observed.parse_gpu("580.95.05\n")["driver"] == "580.95.05"
    with pytest.raises(UnavailableError):
        observed.parse_gpu("NVIDIA-SMI has failed\n")
    with pytest.raises(UnavailableError):
        observed.parse_gpu("")


def test_neighbours_without_a_device_are_kept() -> None:
    rows = [{"dst": "10.0.0.1", "state": ["STALE"]}, {"dst": "10.0.0.2", "dev": "a", "lladdr": "x", "state": []}]
    assert observed.parse_neighbours(rows) == [
        {"address": "10.0.0.1", "interface": None, "mac": None, "state": "STALE"},
        {"address": "10.0.0.2", "interface": "a", "mac": "x", "state": "NONE"},
    ]


def test_routes() -> None:
    rows = [{"dst": "default", "gateway": "10.0.0.1", "dev": "a", "metric": 100}, {"dst": "unreachable"}]
    (route,) = observed.parse_routes(rows, 4)
    assert route == {"family": 4, "destination": "default", "gateway": "10.0.0.1", "interface": "a", "metric": 100}


def test_units() -> None:
    text = (
        "Id=chrony.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n\n"
        "Id=docker.service\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n"
    )
    assert observed.parse_units(text) == {
        "chrony.service": {"active": "active", "enabled": "enabled"},
        "docker.service": {"active": "not-found", "enabled": "not-found"},
    }


def test_the_kernel_log_counts_what_matters() -> None:
    lines = [
        "pcieport 0000:00:00.0: AER: Corrected error received",
        "mlx5_core 0000:01:00.0: firmware version: 28.45.4028",
        "mlx5_core 0000:01:00.0: Port module event[error]: module 0, Cable error",
        "Out of memory: Killed process 1 (python)",
        "eth0: link up" + "x" * 1000,
    ]
    seen = observed.parse_kernel_log(lines * 30)
    assert (seen["aer_errors"], seen["oom_kills"], seen["mlx5_errors"]) == (30, 30, 30)
    assert len(seen["lines"]) == 20
    assert max(map(len, seen["lines"])) <= 300


def test_the_environment_file() -> None:
    text = "# Written by Sparkloom\nNCCL_NET=IB\n\nNCCL_IB_HCA==rocep1s0f1:1\nnonsense\n"
    assert observed.parse_environment(text) == {"NCCL_NET": "IB", "NCCL_IB_HCA": "=rocep1s0f1:1"}


def test_a_private_key_gives_its_public_half_and_nothing_more(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(tmp_path / "id")], check=True)
    told = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(tmp_path / "id.pub")], capture_output=True, text=True, check=True
    )
    blob = observed.public_blob((tmp_path / "id").read_text())
    assert blob is not None
    assert observed.fingerprint(blob) == told.stdout.split()[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n!!!\n-----END",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n"
        + base64.b64encode(b"openssh-key-v1\0" + struct.pack(">I", 2**31)).decode()
        + "\n-----END",
    ],
)
def test_what_is_no_private_key_gives_nothing(text: str) -> None:
    assert observed.public_blob(text) is None


def test_a_module_s_eeprom() -> None:
    eeprom = bytearray(256)
    eeprom[128], eeprom[139], eeprom[146] = 0x11, 0x08, 1
    eeprom[148:154], eeprom[168:180], eeprom[196:198] = b"NADDOD", b"Q56-200G-CU1", b"A1"
    assert ethtool.parse_module(bytes(eeprom)) == {
        "type": "QSFP28",
        "encoding": "pam4",
        "length_m": 1,
        "vendor": "NADDOD",
        "part": "Q56-200G-CU1",
        "serial": "A1",
    }
    assert ethtool.parse_module(bytes(256)) is None
    assert ethtool.parse_module(b"short") is None


def test_an_interface_that_is_not_there() -> None:
    assert ethtool.driver("nosuch0") == (None, None)
    assert ethtool.active_fec("nosuch0") is None
    assert ethtool.module("nosuch0") is None
