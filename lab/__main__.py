"""lab: the virtual rack of a cluster file, on this machine.

lab up                 build the image if need be, start switches and guests, wait until all answer
lab down               stop everything; guests keep their disks (--wipe: also forget them)
lab status             nodes, links and faults
lab ssh NODE [COMMAND] log in to a guest
lab fault              list kinds of faults and those that are set
lab fault KIND TARGET [VALUE]
lab clear [KIND [TARGET]]
lab snapshot           the configuration of all switches, as JSON
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse_text

from lab.control import Message, NotRunningError, ask
from lab.faults import KINDS
from lab.rack import RackError
from lab.where import state_folder

ROOT = Path(__file__).parents[1]
DEFAULT_FILE = ROOT / "inventories" / "lab" / "spark8.cluster.yml"
# Building the image fetches half a gigabyte of packages; guests without KVM boot in minutes.
UP_SECONDS = 2400.0
DOWN_SECONDS = 120.0
POLL_SECONDS = 0.5


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the command's own output.


class Lab:
    """One cluster's rack, seen from the command line."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.cluster: Cluster = parse_text(source.read_text(encoding="utf-8"), str(source))
        self.folder = state_folder(self.cluster.name)

    def ask(self, **message: str) -> Message:
        return ask(self.folder, dict(message))

    def up(self, wipe: bool) -> int:
        try:
            self.ask(command="status")
            say(f"lab: {self.cluster.name} is up already")
        except NotRunningError:
            if wipe:
                shutil.rmtree(self.folder, ignore_errors=True)
            if not self._start():
                return 1
        return self._wait_ready()

    def _start(self) -> bool:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        log = self.folder / "rack.log"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "collections"), str(ROOT)])}
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "lab.daemon", str(self.source.resolve())],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        shown = 0
        deadline = time.monotonic() + UP_SECONDS
        while time.monotonic() < deadline:
            lines = log.read_text(errors="replace").splitlines()
            for line in lines[shown:]:
                say(line)
            shown = len(lines)
            try:
                self.ask(command="status")
            except NotRunningError:
                if process.poll() is not None:
                    say(f"lab: the rack did not come up; see {log}")
                    return False
                time.sleep(POLL_SECONDS)
            else:
                return True
        say(f"lab: the rack did not come up in {UP_SECONDS:.0f} s; see {log}")
        return False

    def _wait_ready(self) -> int:
        ready: set[str] = set()
        started = time.monotonic()
        while True:
            status = self.ask(command="status")
            for name, word in status["nodes"].items():
                if word == "ready" and name not in ready:
                    ready.add(name)
                    say(f"lab: {name} answers after {time.monotonic() - started:.0f} s")
            if not status["booting"]:
                break
            time.sleep(POLL_SECONDS)
        for problem in status["problems"].values():
            say(f"lab: {problem}")
        say(f"lab: {len(ready)} of {len(status['nodes'])} nodes are up; ssh_config: {self.folder / 'ssh_config'}")
        return 1 if status["problems"] else 0

    def down(self, wipe: bool) -> int:
        try:
            self.ask(command="down")
        except NotRunningError:
            say(f"lab: {self.cluster.name} is not up")
        else:
            deadline = time.monotonic() + DOWN_SECONDS
            while self._runs():
                if time.monotonic() > deadline:
                    say(f"lab: it does not go down; see {self.folder / 'rack.log'}")
                    return 1
                time.sleep(POLL_SECONDS)
            say(f"lab: {self.cluster.name} is down")
        if wipe:
            shutil.rmtree(self.folder, ignore_errors=True)
        return 0

    def _runs(self) -> bool:
        """Tell whether the daemon still holds its lock."""
        try:
            with (self.folder / "lock").open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def status(self) -> int:
        status = self.ask(command="status")
        for name, word in status["nodes"].items():
            say(f"node   {name:10} {word}")
        for port in status["ports"]:
            rate = f"{port['rate_gbps']}G" if port["rate_gbps"] else "-"
            false = "  (shows link-ok, carries nothing)" if port["status"] == "link-ok" and not port["carrier"] else ""
            say(f"port   {port['switch'] + '/' + port['port']:24} {port['status']:16} {rate}{false}")
        for cage in status["cages"]:
            rate = f"{cage['rate_gbps']}G" if cage["carrier"] else "no carrier"
            say(f"cage   {cage['cage']:24} {rate}")
        for fault in status["faults"]:
            say(f"fault  {fault['kind']} {fault['target']} {fault['value']}")
        return 0

    def ssh(self, node: str, command: list[str]) -> int:
        if node not in self.cluster.nodes:
            say(f"lab: no node {node!r}; known: {', '.join(self.cluster.nodes)}")
            return 1
        connect = self.cluster.nodes[node].connect
        if connect is None:
            say(f"lab: {node} has no connect in {self.source}")
            return 1
        user = self.cluster.login or "spark"
        arguments = ["-F", str(self.folder / "ssh_config"), "-p", str(connect.port or 22), f"{user}@{connect.host}"]
        return subprocess.run(["ssh", *arguments, *command], check=False).returncode

    def fault(self, kind: str, target: str, value: str) -> int:
        if not kind:
            for name, known in KINDS.items():
                say(f"{name + ' ' + known.target + ' ' + known.value:36} {known.text}")
            for fault in self.ask(command="status")["faults"]:
                say(f"set: {fault['kind']} {fault['target']} {fault['value']}")
            return 0
        self.ask(command="fault", kind=kind, target=target, value=value)
        say(f"lab: set {kind} {target} {value}".rstrip())
        return 0

    def clear(self, kind: str, target: str) -> int:
        say(f"lab: cleared {self.ask(command='clear', kind=kind, target=target)['cleared']}")
        return 0

    def snapshot(self) -> int:
        say(json.dumps(self.ask(command="snapshot")["switches"], indent=1, sort_keys=True))
        return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="lab", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--file", type=Path, default=DEFAULT_FILE, help="cluster file (default: %(default)s)")
    commands = top.add_subparsers(dest="command", required=True)
    for name in ("up", "down"):
        commands.add_parser(name).add_argument("--wipe", action="store_true", help="forget the guests' disks and keys")
    commands.add_parser("status")
    commands.add_parser("snapshot")
    ssh = commands.add_parser("ssh")
    ssh.add_argument("node")
    ssh.add_argument("remote", nargs=argparse.REMAINDER)
    fault = commands.add_parser("fault")
    clear = commands.add_parser("clear")
    for command, words in ((fault, ("kind", "target", "value")), (clear, ("kind", "target"))):
        for word in words:
            command.add_argument(word, nargs="?", default="")
    return top


def main(arguments: list[str] | None = None) -> int:
    given = parser().parse_args(arguments)
    try:
        lab = Lab(given.file)
        match given.command:
            case "up":
                return lab.up(given.wipe)
            case "down":
                return lab.down(given.wipe)
            case "ssh":
                return lab.ssh(given.node, given.remote)
            case "fault":
                return lab.fault(given.kind, given.target, given.value)
            case "clear":
                return lab.clear(given.kind, given.target)
            case "snapshot":
                return lab.snapshot()
            case _:
                return lab.status()
    except NotRunningError:
        say("lab: the rack is not up; start it with: lab/lab up")
    except (RackError, ClusterFileError, ValueError, OSError) as error:
        say(f"lab: {error}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
