# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric's network of one node: what differs, and applying it under the revert timer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem, live, netplan
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.files import (
    Actual,
    Change,
    FileError,
    Wanted,
    plan,
)
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.revert import Revert, Run

BACKUPS = "/var/backups/sparkloom/netplan"

# How long netplan's own backend may take before the leftovers are put right by hand.
GRACE_SECONDS = 5.0
POLL_SECONDS = 0.5


class FabricError(Exception):
    """The network could not be made what it shall be; the text says what stands now."""


@dataclass(frozen=True)
class Yaml:
    """python3-yaml, which is no part of the standard library; netplan itself needs it."""

    load: Callable[[str], Any]
    dump: Callable[[Any], str]


@dataclass(frozen=True)
class Observation:
    """What is to change, and in words what differs in the kernel."""

    changes: tuple[Change, ...]
    competition: netplan.Competition
    differences: tuple[str, ...]
    absent: str
    links: dict[str, live.Link]
    warnings: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.changes or self.differences)

    def diff(self) -> list[dict[str, str]]:
        shown = [entry for change in self.changes for entry in change.diff()]
        if self.differences:
            words = "".join(f"{line}\n" for line in self.differences)
            shown.append(
                {"before_header": "live state", "after_header": "live state", "before": words, "after": "as declared\n"}
            )
        return shown


@dataclass(frozen=True)
class Fabric:
    """One node's fabric; ``root`` is another folder in tests, ``yaml`` None where it is missing."""

    interfaces: list[dict[str, Any]]
    path: str
    run: Run
    yaml: Yaml | None
    root: Path = Path("/")
    clock: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep

    @property
    def names(self) -> list[str]:
        return [interface["name"] for interface in self.interfaces]

    @property
    def revert(self) -> Revert:
        return Revert(self.run, self.root)

    def observe(self) -> Observation:
        links = self.links()
        documents, warnings = self._documents()
        macs = {name: link.mac for name, link in links.items()}
        competition = netplan.compete(documents, self.names, macs)
        own = Wanted(self._real(self.path), netplan.render(self.interfaces), mode=0o600)
        retired = [self._retire(retirement) for retirement in competition.retirements]
        wanted = [own, *retired]
        return Observation(
            tuple(plan(wanted, {entry.path: filesystem.read(entry.path) for entry in wanted})),
            competition,
            tuple(live.differences(self.interfaces, links)),
            live.absent(self.interfaces, links),
            links,
            (*warnings, *competition.warnings),
        )

    def links(self) -> dict[str, live.Link]:
        return live.parse(self._say(["ip", "-j", "addr", "show"]))

    def refuse_losing_the_way(self, observation: Observation) -> None:
        """Refuse what would take the node's only default route: nobody could reach it again."""
        ways = live.default_route_devices(self._say(["ip", "-j", "route", "show", "default"]))
        if ways and ways <= {*self.names, *observation.competition.virtual}:
            raise FabricError(
                f"the default route leaves by {', '.join(sorted(ways))}, which belongs to the fabric; nothing was "
                "changed. Give the management interface a default route first"
            )

    def apply(self, observation: Observation, revert_seconds: int, settle_seconds: int) -> None:
        """Write, apply and wait until the kernel agrees; whatever fails is undone at once."""
        failed = self.revert.arm(revert_seconds)
        if failed:
            raise FabricError(failed)
        try:
            self._write(observation.changes)
            self._netplan("generate")
            self._netplan("apply")
            self._settle(observation, settle_seconds)
        except (FabricError, FileError, OSError) as error:
            self.revert.restore()
            raise FabricError(f"{error}; the node's netplan files are back as they were") from error

    def confirm(self) -> bool:
        """Keep the pending change; return whether there was one."""
        if not self.revert.pending():
            undone = self.revert.undone()
            if undone:
                raise FabricError(_undone(undone))
            return False
        differs = live.differences(self.interfaces, self.links())
        if differs:
            raise FabricError(f"not confirmed, the node will undo the change by itself: {'; '.join(differs)}")
        if not self.revert.confirm():
            raise FabricError(_undone(self.revert.undone() or "just now"))
        return True

    def _real(self, path: str) -> str:
        return str(self.root / path.lstrip("/"))

    def _say(self, command: list[str]) -> str:
        _rc, out, _err = self.run(command)
        return out

    def _netplan(self, verb: str) -> None:
        rc, out, err = self.run(["netplan", verb])
        if rc:
            raise FabricError(f"netplan {verb} failed: {(err or out).strip()}")

    def _documents(self) -> tuple[dict[str, Any], list[str]]:
        """Return the other netplan files parsed, and in words why some could not be."""
        paths = [
            path
            for folder in netplan.FOLDERS
            for path in sorted(Path(self._real(folder)).glob("*.yaml"))
            if str(path) != self._real(self.path)
        ]
        if self.yaml is None:
            return {}, ["python3-yaml is missing on this node: other netplan files were not looked at"] if paths else []
        documents: dict[str, Any] = {}
        for path in paths:
            text = filesystem.read(path).content or ""
            documents[str(path)] = self._parsed(self.yaml, path, text)
        return documents, []

    @staticmethod
    def _parsed(yaml: Yaml, path: Path, text: str) -> Any:
        try:
            return yaml.load(text)
        except Exception as error:  # PyYAML's errors have no common base in the standard library.
            raise FabricError(f"{path} is no YAML, so netplan would refuse it too: {error}") from error

    def _retire(self, retirement: netplan.Retirement) -> Wanted:
        if retirement.remaining is None or self.yaml is None:
            return Wanted(retirement.path, present=False)
        return Wanted(retirement.path, self.yaml.dump(retirement.remaining), mode=0o600)

    def _write(self, changes: tuple[Change, ...]) -> None:
        stamp = time.strftime("%Y%m%dT%H%M%S")
        for change in changes:
            kept = change.before.content
            if kept is not None:
                # Two folders may hold files of one name: the second backup says where it is from.
                backup = Path(self._real(BACKUPS)) / f"{Path(change.path).name}.{stamp}"
                if backup.exists():
                    backup = backup.with_name(f"{backup.name}.{change.path.strip('/').replace('/', '-')}")
                filesystem.make_folder(backup.parent, 0o700)
                filesystem.apply(Change(str(backup), Actual(), kept, 0o600, None, None))
            filesystem.make_parents(change.path)
            filesystem.apply(change)

    def _settle(self, observation: Observation, seconds: int) -> None:
        carried = [name for name, link in observation.links.items() if link.carrier]
        start = self.clock()
        corrected = False
        while True:
            links = self.links()
            differs = live.differences(self.interfaces, links, carried)
            leftover = [name for name in observation.competition.virtual if name in links]
            if not differs and not leftover:
                return
            if self.clock() - start > seconds:
                stands = [*differs, *(f"{name} is still there" for name in leftover)]
                raise FabricError(f"after {seconds} s the network is not as declared: {'; '.join(stands)}")
            if not corrected and self.clock() - start > GRACE_SECONDS:
                corrected = True
                for command in [
                    *(["ip", "link", "del", "dev", name] for name in leftover),
                    *live.corrections(self.interfaces, links),
                ]:
                    self.run(command)
            self.pause(POLL_SECONDS)


def _undone(when: str) -> str:
    return (
        f"the node undid the change of its network ({when}): nobody confirmed it in time. "
        "Its old netplan files are in force again"
    )
