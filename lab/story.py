"""The story: what happened to an owner with eight Sparks, a CRS812 and a CRS804, on the virtual rack.

The rack comes up as an owner finds it, `site.yml` makes it right, verification proves it, and one wrong
cable ends in a message that says which one. `make demo` plays it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from lab.__main__ import DEFAULT_FILE, Lab
from lab.control import Message, NotRunningError
from lab.play import PlayResult, run_playbook
from lab.rack import cage_nics

WRONG_CABLE = "100g-dac"


def say(text: str = "") -> None:
    print(text, flush=True)  # noqa: T201 - the story is told on the terminal.


class Story:
    """Plays the story on one cluster file and remembers how long its parts took."""

    def __init__(self, source: Path) -> None:
        self.lab = Lab(source)
        self.inventory = source.parent
        self.nodes = self.lab.cluster.nodes
        ends = [end for cable in self.lab.cluster.cables for end in (cable.near, *cable.far)]
        self.cabled = {name: {str(end) for end in ends if end.device == name} for name in self.nodes}
        self.seconds: dict[str, float] = {}

    @contextmanager
    def chapter(self, title: str) -> Iterator[None]:
        say(f"\n=== {title}")
        started = time.monotonic()
        yield
        self.seconds[title] = time.monotonic() - started

    def play(self, playbook: str, *options: str) -> PlayResult:
        say(f"$ ansible-playbook {' '.join([playbook, *options])}")
        shown: set[str] = set()

        def on_task(name: str) -> None:
            if name not in shown and "arg spec" not in name:
                shown.add(name)
                say(f"  {name}")

        return run_playbook(playbook, self.inventory, options, on_task)

    def status(self) -> Message:
        return self.lab.ask(command="status")

    def show_links(self) -> None:
        status = self.status()
        for port in status["ports"]:
            rate = f"{port['rate_gbps']}G" if port["rate_gbps"] else "-"
            say(f"  {port['switch'] + '/' + port['port']:24} {port['status']:10} {rate}")
        for cage in status["cages"]:
            say(f"  {cage['cage']:24} {'link' if cage['carrier'] else 'no link':10} {cage['rate_gbps'] or '-'}")

    def show_nodes(self) -> None:
        """Show MTU and addresses of each node's rails, as `ip` prints them."""

        def look(name: str) -> str:
            connect = self.nodes[name].connect
            if connect is None:
                return "not reachable"
            command = ["ssh", "-F", str(self.lab.folder / "ssh_config"), "-p", str(connect.port or 22)]
            where = f"{self.lab.cluster.login}@{connect.host}"
            rails = " ".join(
                nic
                for end, nics in cage_nics(self.lab.cluster).items()
                if str(end) in self.cabled[name]
                for _, nic in nics
            )
            show = f"for i in {rails}; do echo $i mtu $(cat /sys/class/net/$i/mtu) $(ip -br -4 addr show $i | awk '{{print $3}}'); done"
            done = subprocess.run([*command, where, show], capture_output=True, text=True, check=False)
            return "; ".join(done.stdout.splitlines()) or done.stderr.strip()

        with ThreadPoolExecutor(len(self.nodes)) as pool:
            for name, text in zip(self.nodes, pool.map(look, self.nodes), strict=True):
                say(f"  {name:10} {text}")


def must_succeed(result: PlayResult) -> PlayResult:
    if result.rc != 0:
        for failure in result.failures():
            say(f"\n{failure.host}, {failure.task}:\n{failure.message}")
        if not result.failures():
            say(result.output)
        raise SystemExit("demo: this part of the story should have gone well; see above")
    return result


def summary(result: PlayResult) -> None:
    """Say what a run changed, one line a task with its hosts."""
    tasks: dict[str, list[str]] = defaultdict(list)
    for change in result.changed():
        tasks[change.task].append(change.host)
    for task, hosts in tasks.items():
        say(f"  {task}: {', '.join(sorted(set(hosts)))}")


def tell(story: Story, keep: bool) -> None:
    lab = story.lab
    with story.chapter("The rack comes up, as an owner finds it"):
        try:
            story.status()
        except NotRunningError:
            pass
        else:
            say("A rack of this name is up; it is taken down first.")
            lab.down(wipe=False)
        if lab.up(wipe=True):
            raise SystemExit("demo: the virtual rack did not come up; see above")
    try:
        say("\nLinks as found:")
        story.show_links()
        say("\nRails as found:")
        story.show_nodes()
        with story.chapter("The main job makes it right"):
            first = must_succeed(story.play("site.yml", "-l", lab.cluster.name))
        say("\nLinks now:")
        story.show_links()
        say("\nRails now:")
        story.show_nodes()
        with story.chapter("Verification, from both ends of every cable"):
            verified = must_succeed(story.play("playbooks/verify.yml", "-l", lab.cluster.name))
        verdict = next((found.message for found in verified.results if "Hold what was seen" in found.task), "")
        say(f"  {verdict}")
        with story.chapter("The same story with a QSFP28 cable on one leg"):
            wrong_cable(story)
        say("\n=== What the first run changed")
        summary(first)
    finally:
        if not keep:
            lab.down(wipe=True)
    say("\n=== How long it took")
    for title, seconds in story.seconds.items():
        say(f"  {seconds:6.0f} s  {title}")


def wrong_cable(story: Story) -> None:
    """Swap the cable of the last node that has one of its own, else the last one, and let the run say so."""
    cables = story.lab.cluster.cables
    cable = next(
        (cable for cable in reversed(cables) if len(cable.far) == 1 and cable.far[0].device in story.nodes), cables[-1]
    )
    leg, switch = str(cable.far[0]), cable.near.device
    say(f"Somebody plugs a QSFP28 cable in between {cable.near} and {leg}; it looks like the right one.")
    story.lab.ask(command="fault", kind="cable", target=leg, value=WRONG_CABLE)
    result = story.play("site.yml", "-l", switch)
    failures = result.failures()
    if not failures:
        raise SystemExit("demo: the wrong cable went unnoticed")
    say()
    for failure in failures:
        say(failure.message)
    story.lab.ask(command="clear", kind="cable", target=leg)
    say("\nThe right cable is plugged in again.")
    must_succeed(story.play("site.yml", "-l", switch))
    story.show_links()


def main() -> int:
    parser = argparse.ArgumentParser(prog="story", description=__doc__)
    parser.add_argument("--file", type=Path, default=DEFAULT_FILE, help="cluster file of a virtual rack")
    parser.add_argument("--keep", action="store_true", help="leave the rack up at the end")
    given = parser.parse_args()
    tell(Story(given.file), given.keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
