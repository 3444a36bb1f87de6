"""The process that is the rack: `python -m lab.daemon CLUSTER_FILE`; `lab up` starts it."""

from __future__ import annotations

import asyncio
import fcntl
import signal
import sys
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text

from lab.control import SOCKET, Control
from lab.guests.accelerator import choose
from lab.guests.errors import GuestError
from lab.guests.image import ensure_image
from lab.rack import Rack, RackError
from lab.where import state_folder


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - its output is the rack's log.


async def run(rack: Rack, folder: Path) -> None:
    """Run the rack until it is told to go down."""
    control = Control(rack)
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, control.stopping.set)
    try:
        await rack.start()
        server = await control.serve(folder / SOCKET)
        say("lab: switches are up, guests are booting")
        await control.stopping.wait()
        server.close()
    finally:
        (folder / SOCKET).unlink(missing_ok=True)
        await rack.close()
        say("lab: down")


def main() -> int:
    source = Path(sys.argv[1])
    cluster = parse_text(source.read_text(encoding="utf-8"), str(source))
    folder = state_folder(cluster.name)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say(f"lab: a rack of {cluster.name} runs already")
            return 1
        (folder / SOCKET).unlink(missing_ok=True)  # a rack that was killed left it
        try:
            image = ensure_image(say)
            rack = Rack(cluster, folder, image, choose(image, say))
            asyncio.run(run(rack, folder))
        except (GuestError, RackError) as error:
            say(f"lab: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
