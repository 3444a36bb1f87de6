"""What is baked into the image: every script is sound, every stand-in says that it is one."""

import subprocess
from pathlib import Path

import pytest

from lab.guests.image import FILES

SCRIPTS = [path for path in FILES.rglob("*") if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]
STAND_INS = [
    "etc/dgx-release",
    "usr/bin/nvidia-smi",
    "etc/systemd/system/sparkloom-lab-rdma.service",
    "etc/systemd/system/sparkloom-lab-agent.service",
    "usr/lib/sparkloom-lab/rdma",
    "usr/lib/sparkloom-lab/agent",
]


@pytest.mark.parametrize("script", [*SCRIPTS, FILES.parent.parent / "install-tools"], ids=lambda p: p.name)
def test_a_script_is_sound(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", str(script)], check=True)


@pytest.mark.parametrize("name", STAND_INS)
def test_a_stand_in_says_so(name: str) -> None:
    assert "Stand-in of the Sparkloom lab" in (FILES / "root" / name).read_text()


def nvidia_smi(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(FILES / "root/usr/bin/nvidia-smi"), *arguments], capture_output=True, text=True, check=False
    )


def test_nvidia_smi_answers_the_driver_version_alone() -> None:
    assert nvidia_smi("--query-gpu=driver_version", "--format=csv,noheader").stdout == "580.142\n"
    assert nvidia_smi("--query-gpu=memory.used", "--format=csv,noheader").returncode == 2
    assert nvidia_smi().returncode == 2
