# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of evidence, each bounded in time and size, so that one that hangs or floods costs itself alone."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Where tools are that an ordinary login's path does not name.
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CHUNK = 65536


class UnavailableError(Exception):
    """A source that is absent or refuses, with the reason in words."""


@dataclass(frozen=True)
class Limits:
    seconds: float = 5.0  # for each source
    max_bytes: int = 262144  # for each command's output


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(process: subprocess.Popen[bytes], name: str, limits: Limits, end: float) -> tuple[bytes, bytes]:
    """Return all that a command prints, until it ends or is over its limits."""
    out, err = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for stream, into in ((process.stdout, out), (process.stderr, err)):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, into)
        while selector.get_map():
            ready = selector.select(max(end - time.monotonic(), 0))
            if not ready:
                raise UnavailableError(f"{name} did not answer within {limits.seconds:g} s")
            for key, _events in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                key.data.extend(chunk)
                if len(key.data) > limits.max_bytes:
                    raise UnavailableError(f"{name} said more than {limits.max_bytes // 1024} KiB")
    return bytes(out), bytes(err)


def run(command: list[str], limits: Limits, ok: tuple[int, ...] = (0,)) -> str:
    """Return what a command prints.

    :raises UnavailableError: it is absent, fails, does not end in time or prints too much
    """
    name = command[0]
    program = shutil.which(name, path=_PATH)
    if program is None:
        raise UnavailableError(f"{name} is not installed")
    end = time.monotonic() + limits.seconds
    # run_command knows no limits.
    process = subprocess.Popen(  # pylint: disable=ansible-bad-function
        [program, *command[1:]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={"PATH": _PATH, "LC_ALL": "C.UTF-8"},
    )
    with process:
        try:
            out, err = _read(process, name, limits, end)
            code = process.wait(max(end - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            raise UnavailableError(f"{name} did not answer within {limits.seconds:g} s") from None
        finally:
            if process.poll() is None:
                _kill(process)
    if code not in ok:
        words = " ".join(err.decode(errors="replace").split())[:200]
        raise UnavailableError(f"{name} failed{f': {words}' if words else f' with exit code {code}'}")
    return out.decode(errors="replace")


def gather(sources: Mapping[str, Callable[[], Any]], limits: Limits) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what each source gave, and why the others gave nothing.

    A source runs in a thread of its own: a file that blocks its reader cannot be called back otherwise. One after
    the other, since a node has better things to do than to be looked at.
    """
    parts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, source in sources.items():
        # The source's own commands end in time by themselves, and say which one did not.
        asked = _Asked(source)
        asked.start()
        asked.join(limits.seconds * 2)
        if asked.is_alive():
            missing[name] = f"did not answer within {limits.seconds * 2:g} s"
        elif asked.why:
            missing[name] = asked.why
        else:
            parts[name] = asked.value
    return parts, missing


class _Asked(threading.Thread):
    """One source that is being asked; ``why`` says why it gave no ``value``."""

    def __init__(self, source: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._source = source
        self.value: Any = None
        self.why = ""

    def run(self) -> None:
        try:
            self.value = self._source()
        except UnavailableError as error:
            self.why = str(error) or "no reason given"
        except Exception as error:  # noqa: BLE001 - a source's own fault is said, never raised.
            self.why = f"{type(error).__name__}: {error}"
