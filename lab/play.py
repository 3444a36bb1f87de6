"""Plays on the virtual rack, by ansible-runner: what changed where, and what was said."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ansible_runner

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task on one host."""

    host: str
    task: str
    outcome: str  # ok, changed, failed, unreachable
    message: str = ""
    diff: tuple[dict[str, Any], ...] = ()
    item: Any = None


@dataclass
class PlayResult:
    """A whole run of a playbook; ``stats`` are Ansible's own by kind and host."""

    rc: int = -1
    results: list[TaskResult] = field(default_factory=list)
    stats: dict[str, dict[str, int]] = field(default_factory=dict)
    output: str = ""

    def changed(self, host: str | None = None) -> list[TaskResult]:
        return [result for result in self.results if result.outcome == "changed" and host in {None, result.host}]

    def failures(self) -> list[TaskResult]:
        return [result for result in self.results if result.outcome in {"failed", "unreachable"}]

    def hosts(self) -> set[str]:
        return {host for hosts in self.stats.values() for host in hosts}

    def count(self, kind: str) -> dict[str, int]:
        """Return Ansible's count of a kind (``changed``, ``failures``, ``dark``) by host, zeros left out."""
        return {host: number for host, number in self.stats.get(kind, {}).items() if number}


_OUTCOMES = {"runner_on_ok": "ok", "runner_on_failed": "failed", "runner_on_unreachable": "unreachable"}


def _result_of(event: dict[str, Any]) -> TaskResult | None:
    outcome = _OUTCOMES.get(event["event"])
    if outcome is None:
        return None
    data = event["event_data"]
    res = data.get("res") or {}
    if outcome == "ok" and res.get("changed"):
        outcome = "changed"
    diff = res.get("diff") or []
    return TaskResult(
        host=data.get("host", ""),
        task=data.get("task", ""),
        outcome=outcome,
        message=str(res.get("msg", "")),
        diff=tuple(diff if isinstance(diff, list) else [diff]),
    )


def run_playbook(
    playbook: str,
    inventory: Path,
    options: Sequence[str] = (),
    on_task: Callable[[str], None] = lambda _name: None,
) -> PlayResult:
    """Run a playbook of this repository with ansible-playbook's ``options`` and return what came of it."""
    result = PlayResult()

    def handle(event: dict[str, Any]) -> bool:
        if event["event"] == "playbook_on_task_start":
            on_task(event["event_data"].get("name", ""))
        if found := _result_of(event):
            result.results.append(found)
        if event["event"] == "playbook_on_stats":
            data = event["event_data"]
            kinds = ("ok", "changed", "failures", "dark", "skipped")
            result.stats = {kind: data.get(kind) or {} for kind in kinds}
        result.output += (event.get("stdout") or "") + ("\n" if event.get("stdout") else "")
        return False  # Events are not kept as files.

    with tempfile.TemporaryDirectory(prefix="sparkloom-play-") as folder:
        runner = ansible_runner.run(
            private_data_dir=folder,
            project_dir=str(ROOT),
            playbook=str(ROOT / playbook),
            inventory=str(inventory.resolve()),
            cmdline=" ".join(options),
            envvars={"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "PATH": os.environ["PATH"]},
            event_handler=handle,
            quiet=True,
        )
    result.rc = runner.rc
    return result
