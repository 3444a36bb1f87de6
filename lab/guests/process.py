"""Processes of guests: started here, known by a pid file, stopped by pid."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from lab.guests.errors import GuestError
from lab.guests.qmp import qmp

_POLL = 0.05
_START = 20.0


async def spawn(arguments: list[str], log: Path, what: str, keep: tuple[int, ...] = ()) -> asyncio.subprocess.Process:
    """Start a program in a process group of its own; its words go to ``log``, and it inherits the descriptors ``keep``."""
    try:
        with log.open("wb") as output:
            return await asyncio.create_subprocess_exec(
                *arguments,
                pass_fds=keep,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # The terminal's Ctrl-C is the rack's to handle.
                start_new_session=True,
            )
    except FileNotFoundError as error:
        raise GuestError(f"{what}: no {arguments[0]} here; run lab/install-tools") from error


async def start_qemu(
    arguments: list[str], log: Path, socket: Path, cables: Iterable[Path], what: str
) -> asyncio.subprocess.Process:
    """Start QEMU and wait until it answers on its QMP socket and its cables are plugged in.

    The pid file is no sign of that, since QEMU writes it before it opens anything else; nor is a process that
    stays, since QEMU starts without cables where nobody listens.
    """
    process = await spawn(arguments, log, what)
    end = time.monotonic() + _START
    while True:
        try:
            network = await qmp(socket, "human-monitor-command", **{"command-line": "info network"})
        except GuestError:
            trouble = last_words(log)
        else:
            loose = [path for path in cables if f"unix:{path}\n" not in network.replace("\r", "")]
            if not loose:
                return process
            trouble = f"nothing listens on {', '.join(map(str, loose))}"
        if process.returncode is not None:
            raise GuestError(f"{what}: QEMU does not start: {last_words(log)}")
        if time.monotonic() >= end:
            process.kill()
            await process.wait()
            raise GuestError(f"{what}: QEMU is not up within {_START:.0f} s: {trouble}")
        await asyncio.sleep(_POLL)


def last_words(log: Path) -> str:
    """Return what a process said at its end, for an error's text."""
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        return "without a word"
    return lines[-1] if lines else "without a word"


def running_pid(pid_file: Path) -> int | None:
    """Return the pid in ``pid_file`` if it is still the process that was told that very file, or the folder it is in."""
    try:
        pid = int(pid_file.read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None
    if (b"-pidfile", str(pid_file).encode()) in itertools.pairwise(arguments):
        return pid
    # A user-mode kernel writes it to UML_DIR/UMID/pid.
    told = {f"uml_dir={pid_file.parents[1]}".encode(), f"umid={pid_file.parent.name}".encode()}
    return pid if told <= set(arguments) else None


async def kill(pid_file: Path, grace: float) -> None:
    """End the process of ``pid_file``: SIGTERM, and SIGKILL after ``grace`` seconds."""
    for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, grace)):
        pid = running_pid(pid_file)
        if pid is None:
            break
        try:
            # A user-mode kernel's programs are processes of its group.
            os.killpg(pid, number)
        except ProcessLookupError:
            break
        if await until(lambda: running_pid(pid_file) is None, patience):
            break
    else:
        raise GuestError(f"process {running_pid(pid_file)} ({pid_file.name}) does not end, not even when killed")
    pid_file.unlink(missing_ok=True)  # noqa: ASYNC240  # One call on a small local file.


async def until(condition: Callable[[], bool], timeout: float) -> bool:  # noqa: ASYNC109
    """Wait for a condition of the world outside; return whether it came true."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= end:
            return False
        await asyncio.sleep(_POLL)
    return True
