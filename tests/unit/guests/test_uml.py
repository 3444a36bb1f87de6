"""Guests on a user-mode kernel: command line, the driver's changes, what is chosen, and a kernel that is none."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from lab.guests import accelerator
from lab.guests.accelerator import FORCED, Choice, choose
from lab.guests.errors import GuestError
from lab.guests.image import Image
from lab.guests.paths import GuestPaths
from lab.guests.seed import FABRIC, INTERFACES, GuestConfig
from lab.guests.uml import kernel
from lab.guests.uml.command import pid_file, uml_arguments
from lab.guests.uml.kernel import CHANGES, RECIPE, UserModeKernel, change
from lab.guests.uml.machine import uml_guest

# Behaves as a user-mode kernel does towards the lab: pid file, console, agent's line.
FAKE_KERNEL = """#!{python}
import os, re, sys
options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
folder = os.path.join(options["uml_dir"], options["umid"])
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "pid"), "w") as pid:
    pid.write(f"{{os.getpid()}}\\n")
print("this is a console", flush=True)
line = os.fdopen(int(options["ssl0"].removeprefix("fd:")), "rb+", buffering=0)
line.write(b"garbage of a line that is not set yet\\nsparkloom: the agent listens\\n")
for said in line:
    with open({log!r}, "ab") as log:
        log.write(said)
    line.write(said.split()[0] + b" ok\\n")
"""


@pytest.fixture
def fake(tmp_path: Path) -> UserModeKernel:
    program = tmp_path / "linux"
    program.write_text(FAKE_KERNEL.format(python=sys.executable, log=str(tmp_path / "said")))
    program.chmod(0o755)
    for name in ("builtin", "clock"):
        (tmp_path / name).write_bytes(b"\x7fELF")
    return UserModeKernel(program, tmp_path / "builtin", tmp_path / "clock", "7.2.12-sparkloom")


def test_every_nic_has_its_cable_its_mac_and_a_speed(config: GuestConfig, image: Image) -> None:
    paths = GuestPaths(Path("/run/lab"), "spark1")
    arguments = uml_arguments(Path("/k/linux"), image.disk, paths, config.macs, 7)
    assert arguments[0] == "/k/linux"
    assert f"ubd0=/run/lab/spark1.cow,{image.disk}" in arguments
    assert "ssl0=fd:7" in arguments
    nics = [argument for argument in arguments if argument.startswith("vec")]
    assert len(nics) == len(INTERFACES)
    for number, name in enumerate(INTERFACES):
        assert nics[number].startswith(f"vec{number}:transport=bess,dst=/run/lab/net/spark1.{name},")
        assert f"mac={config.macs[name]}" in nics[number]
        assert nics[number].endswith("speed=50000" if name in FABRIC else "speed=10000")


def test_the_driver_is_changed_once_and_whole(tmp_path: Path) -> None:
    for name in {name for name, _there, _instead in CHANGES}:
        lines = "".join(f"before\n{there}after\n" for file, there, _instead in CHANGES if file == name)
        (tmp_path / name).write_text(lines)
    change(tmp_path)
    text = (tmp_path / "vector_kern.c").read_text()
    assert '#include "lab_nic.h"' in text
    assert "lab_change_carrier" in text
    assert (tmp_path / "lab_nic.h").read_text() == (RECIPE / "lab_nic.h").read_text()


def test_another_driver_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "vector_kern.c").write_text("int main;\n")
    with pytest.raises(
        GuestError, match=r"vector_kern\.c of this kernel has changed: 'static const struct ethtool_ops"
    ):
        change(tmp_path)


def test_a_line_of_the_configuration_that_got_lost_is_named(tmp_path: Path) -> None:
    wanted = (RECIPE / "config").read_text()
    (tmp_path / ".config").write_text(wanted)
    kernel._require(tmp_path / ".config")
    (tmp_path / ".config").write_text(wanted.replace("CONFIG_RDMA_RXE=y\n", ""))
    with pytest.raises(GuestError, match="does not take CONFIG_RDMA_RXE=y"):
        kernel._require(tmp_path / ".config")


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(GuestError, match="no gcc, make, flex, bison, bc, xz, dpkg-deb, mmdebstrap here"):
        kernel.ensure_kernel(lambda _text: None)
    assert not list((tmp_path / "sparkloom").glob("uml-*"))


@pytest.mark.parametrize("forced", ["", "kvm", "uml", "tcg"])
@pytest.mark.parametrize("kvm_works", [True, False])
@pytest.mark.parametrize("kernel_builds", [True, False])
def test_what_guests_run_on(
    monkeypatch: pytest.MonkeyPatch,
    image: Image,
    fake: UserModeKernel,
    forced: str,
    kvm_works: bool,
    kernel_builds: bool,
) -> None:
    def build(_say: object) -> UserModeKernel:
        if not kernel_builds:
            raise GuestError("no gcc here")
        return fake

    monkeypatch.setenv(FORCED, forced)
    monkeypatch.setattr(accelerator, "choose_accelerator", lambda *_: "kvm" if kvm_works else "tcg")
    monkeypatch.setattr(accelerator, "ensure_kernel", build)
    monkeypatch.setattr(accelerator.platform, "machine", lambda: "x86_64")
    said: list[str] = []
    if (forced == "kvm" and not kvm_works) or (forced == "uml" and not kernel_builds):
        with pytest.raises(GuestError):
            choose(image, said.append)
        return
    first = "kvm" if kvm_works else "uml" if kernel_builds else "tcg"
    chosen = choose(image, said.append)
    assert chosen == Choice(forced or first, fake if (forced or first) == "uml" else None)
    if not forced and chosen.accelerator == "tcg":
        assert said == ["lab: guests run on tcg, slowly: no gcc here"]


def test_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch, image: Image) -> None:
    monkeypatch.setenv(FORCED, "xen")
    with pytest.raises(GuestError, match="SPARKLOOM_GUESTS=xen: guests run on kvm, uml, tcg"):
        choose(image, lambda _text: None)


def test_a_guest_starts_obeys_and_stops(
    tmp_path: Path, config: GuestConfig, image: Image, fake: UserModeKernel
) -> None:
    paths = GuestPaths(tmp_path / "state", config.name)
    guest = uml_guest(config, image, paths, fake)

    async def live() -> None:
        await guest.start()
        # Nobody can take a carrier from a kernel that is not up yet: it is done once it is.
        await guest.set_carrier("enp1s0f0np0", up=False)
        await guest.wait_ready(20)
        assert guest.alive
        await guest.agent("speed enp1s0f1np1 200000")
        await guest.stop()

    asyncio.run(live())
    assert not guest.alive
    said = [line.split(" ", 1)[1] for line in (tmp_path / "said").read_text().splitlines()]
    assert said == ["ready", "carrier enp1s0f0np0 off", "speed enp1s0f1np1 200000"]
    assert paths.console.read_text() == "this is a console\n"


def test_a_layer_over_another_image_is_dropped(
    tmp_path: Path, config: GuestConfig, image: Image, fake: UserModeKernel
) -> None:
    paths = GuestPaths(tmp_path / "state", config.name)
    guest = uml_guest(config, image, paths, fake)

    async def restart() -> None:
        await guest.start()
        await guest.wait_ready(20)
        await guest.stop()

    asyncio.run(restart())
    paths.disk("cow").write_text("what a role wrote")
    asyncio.run(restart())
    assert paths.disk("cow").read_text() == "what a role wrote"
    paths.disk("cow-image").write_text("/another/disk.img")
    asyncio.run(restart())
    assert not paths.disk("cow").exists()


def test_a_new_start_ends_the_guest_of_an_earlier_rack(
    tmp_path: Path, config: GuestConfig, image: Image, fake: UserModeKernel
) -> None:
    paths = GuestPaths(tmp_path / "state", config.name)

    async def live() -> None:
        earlier, later = (uml_guest(config, image, paths, fake) for _ in range(2))
        await earlier.start()
        await earlier.wait_ready(20)
        pid = int(pid_file(paths).read_text())
        assert later.alive
        await later.start()
        await later.wait_ready(20)
        assert int(pid_file(paths).read_text()) != pid
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        await later.stop()
        await earlier.stop()

    asyncio.run(live())
