"""A guest with a QEMU that is none: it writes a pid file, a console and answers on the agent's socket."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from lab.guests import process
from lab.guests.errors import GuestError
from lab.guests.image import Image
from lab.guests.machine import RESTARTS, Guest
from lab.guests.paths import GuestPaths
from lab.guests.qemu_machine import qemu_guest
from lab.guests.seed import GuestConfig

FAKE_QEMU = '''#!{python}
"""Behaves as PLAN says: a list of what each start does, the last for all further ones."""
import asyncio, json, os, re, sys
from pathlib import Path

here = Path(__file__).parent
plan = json.loads((here / "plan").read_text())
starts = here / "starts"
starts.write_text(starts.read_text() + "." if starts.exists() else ".")
act = plan[min(len(starts.read_text()), len(plan)) - 1]
options = " ".join(sys.argv)
state = {{name: re.search(rf"id={{name}},server=on,wait=off,path=(\\S+)", options)[1] for name in ("agent", "qmp")}}
console = Path(re.search(r"id=console,path=(\\S+)", options)[1])
if act == "refuse":
    sys.exit("qemu: no such cable")
if act == "panic":
    console.write_text("[    1.0] Kernel panic - not syncing: IO-APIC + timer doesn't work!\\n")

async def agent(reader, writer):
    if act == "panic":
        return
    while line := await reader.readline():
        number, command = line.decode().split(None, 1)
        answer = "error no interface" if command.startswith("speed nope") else "ok"
        if command.strip() == "ready":
            writer.write(b"0 ok\\n")  # Of a command that was given up on.
        writer.write(f"{{number}} {{answer}}\\n".encode())

async def qmp(reader, writer):
    writer.write(b'{{"QMP": {{}}}}\\n')
    while line := await reader.readline():
        request = json.loads(line)
        with (here / "qmp.log").open("a") as log:
            log.write(json.dumps(request) + "\\n")
        if request["execute"] == "quit":
            os._exit(0)
        # As if every cable were plugged in.
        answer = "".join(f"unix:{{path}}\\r\\n" for path in re.findall(r"addr.path=(\\S+)", options) if act != "loose")
        writer.write(b'{{"event": "NOTHING"}}\\n' + json.dumps({{"return": answer}}).encode() + b"\\n")

async def main():
    for path in state.values():
        Path(path).unlink(missing_ok=True)
    await asyncio.start_unix_server(agent, state["agent"])
    await asyncio.start_unix_server(qmp, state["qmp"])
    Path(sys.argv[sys.argv.index("-pidfile") + 1]).write_text(str(os.getpid()))
    await asyncio.Event().wait()

asyncio.run(main())
'''


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "qemu-system-x86_64").write_text(FAKE_QEMU.format(python=sys.executable))
    (tools / "qemu-img").write_text('#!/bin/sh\nfor last; do :; done\necho disk >"$last"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return tools


def make(tools: Path, config: GuestConfig, image: Image, plan: list[str]) -> Guest:
    (tools / "plan").write_text(json.dumps(plan))
    return qemu_guest(config, image, GuestPaths(tools.parent / "s", config.name), "tcg")


def test_a_guest_starts_obeys_and_stops(tools: Path, config: GuestConfig, image: Image) -> None:
    guest = make(tools, config, image, ["run"])

    async def live() -> None:
        await guest.start()
        assert guest.alive
        await guest.wait_ready(20)
        await guest.agent("pcie enp1s0f0np0 2")
        with pytest.raises(GuestError, match=r"^spark1: no interface$"):
            await guest.agent("speed nope 100")
        with pytest.raises(GuestError, match=r"no interface eth0"):
            await guest.set_carrier("eth0", up=False)
        await guest.set_carrier("enp1s0f0np0", up=False)
        await guest.stop()

    asyncio.run(live())
    assert not guest.alive
    assert guest.restarts == 0
    requests = [json.loads(line) for line in (tools / "qmp.log").read_text().splitlines()]
    assert {"execute": "set_link", "arguments": {"name": "enp1s0f0np0", "up": False}} in requests
    assert requests[-1]["execute"] == "quit"


def test_a_guest_that_panics_is_started_again(tools: Path, config: GuestConfig, image: Image) -> None:
    guest = make(tools, config, image, ["panic", "run"])

    async def live() -> None:
        await guest.start()
        await guest.set_carrier("enp1s0f0np0", up=False)
        await guest.wait_ready(20)
        await guest.stop()

    asyncio.run(live())
    assert guest.restarts == 1
    assert "Kernel panic" in guest.paths.console.with_suffix(".console.old").read_text()
    # The new process is told of the carrier that was taken away before.
    assert (tools / "qmp.log").read_text().count('"up": false') == 2


def test_a_guest_that_always_panics_is_given_up(tools: Path, config: GuestConfig, image: Image) -> None:
    guest = make(tools, config, image, ["panic"])

    async def live() -> None:
        await guest.start()
        try:
            with pytest.raises(GuestError, match=rf"gave up after {RESTARTS} new starts: .*Kernel panic.*console"):
                await guest.wait_ready(30)
        finally:
            await guest.stop()

    asyncio.run(live())


def test_a_qemu_that_refuses_is_quoted(tools: Path, config: GuestConfig, image: Image) -> None:
    guest = make(tools, config, image, ["refuse"])
    with pytest.raises(GuestError, match=r"spark1: QEMU does not start: qemu: no such cable"):
        asyncio.run(guest.start())


def test_a_new_start_ends_the_guest_of_an_earlier_rack(tools: Path, config: GuestConfig, image: Image) -> None:
    async def live() -> None:
        earlier, later = make(tools, config, image, ["run"]), make(tools, config, image, ["run"])
        await earlier.start()
        pid = int(earlier.paths.pid.read_text())
        assert later.alive
        await later.start()
        assert int(later.paths.pid.read_text()) != pid
        await later.stop()

    asyncio.run(live())


def test_a_cable_that_nobody_holds_is_named(
    tools: Path, config: GuestConfig, image: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QEMU itself starts all the same, and the guest would have a dead NIC."""
    monkeypatch.setattr(process, "_START", 1.0)
    guest = make(tools, config, image, ["loose"])
    with pytest.raises(GuestError, match=r"nothing listens on \S+/spark1.enP7s7"):
        asyncio.run(guest.start())
    assert not guest.alive
