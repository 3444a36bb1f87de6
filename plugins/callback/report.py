# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what doctor, verify and drift found, writes it down, and makes the verdict the exit code of the run."""

from __future__ import annotations

DOCUMENTATION = r"""
name: report
type: notification
short_description: Show the judgement of a rack, write it down, and exit by it
version_added: 0.2.0
description:
  - At the end of C(doctor.yml), C(verify.yml) or C(drift.yml) shows what was found, each cause with what follows from it, writes
    the report's other forms, and ends C(ansible-playbook) with 0 when all is in order, 1 with findings, and 2 when it could not
    be told.
  - Any other run is left alone.
author: Sparkloom developers (@sparkloom)
requirements:
  - enabled in C(callbacks_enabled) of C(ansible.cfg)
options:
  report_dir:
    description: Folder for the reports; each cluster has one of its own in there. Nothing is written when it is empty.
    type: str
    default: reports
    env: [{name: SPARKLOOM_REPORT_DIR}]
    ini: [{section: sparkloom_report, key: report_dir}]
  formats:
    description: Forms to write.
    type: list
    elements: str
    default: [json, junit, prometheus]
    env: [{name: SPARKLOOM_REPORT_FORMATS}]
    ini: [{section: sparkloom_report, key: formats}]
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.callback import CallbackBase
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.files import FORMS, write
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import Change, Report, diff_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.terminal import Look, render

# Playbooks that end in a judgement: one of these without any could not tell.
_JUDGING = {"doctor.yml", "verify.yml", "drift.yml"}
_COULD_NOT_TELL = 2
# Findings weigh more than open questions.
_WORST = (0, 2, 1)


class CallbackModule(CallbackBase):  # type: ignore[misc]  # Ansible has no types
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "sparkloom.cluster.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._judging = False
        self._judgements: list[dict[str, Any]] = []
        self._changes: list[Change] = []

    def v2_playbook_on_start(self, playbook: Any) -> None:
        path = Path(playbook._file_name)  # noqa: SLF001 - how callbacks know the playbook.
        self._judging = path.name in _JUDGING and path.resolve().parent.name == "playbooks"

    def v2_runner_on_ok(self, result: Any) -> None:
        answer = result.result
        if isinstance(answer.get("judgement"), dict):
            self._judgements.append(answer["judgement"])
        elif answer.get("changed") and result.task.check_mode:
            self._changes.append(_change(result))

    def v2_playbook_on_stats(self, stats: Any) -> None:  # noqa: ARG002
        if not self._judging and not self._judgements:
            return
        if not self._judgements:
            self._display.display("could not tell: the run ended before anything was judged; see above")
            raise SystemExit(_COULD_NOT_TELL)
        codes = [self._tell(judgement) for judgement in self._judgements]
        raise SystemExit(max(codes, key=_WORST.index))

    def _tell(self, judgement: dict[str, Any]) -> int:
        hosts = {host["name"] for kind in ("nodes", "switches") for host in judgement["rack"][kind]}
        changes = [change for change in self._changes if change.host in hosts] if judgement["kind"] == "drift" else []
        report = Report(judgement, changes)
        self._display.display(render(report, _look(), self._write(report)))
        return report.exit_code

    def _write(self, report: Report) -> dict[str, str]:
        folder = self.get_option("report_dir")
        forms = self.get_option("formats")
        unknown = [form for form in forms if form not in FORMS]
        if unknown:
            self._display.warning(f"report: no form {', '.join(unknown)}; known: {', '.join(FORMS)}")
        if not folder:
            return {}
        try:
            return write(report, Path(folder) / report.judgement["cluster"], [form for form in forms if form in FORMS])
        except OSError as error:
            self._display.warning(f"report: {error.filename or folder} cannot be written: {error.strerror}")
            return {}


def _change(result: Any) -> Change:
    answer = result.result
    diffs = [item.get("diff") for item in answer.get("results", []) if item.get("changed")] or [answer.get("diff")]
    flat = [one for diff in diffs if diff for one in (diff if isinstance(diff, list) else [diff])]
    text = diff_text(flat) or (str(answer.get("msg", "")) if answer.get("msg") else "")
    return Change(result.host.get_name(), result.task.get_name(), text)


def _look() -> Look:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ and not constants.ANSIBLE_NOCOLOR
    return Look(shutil.get_terminal_size((100, 24)).columns, colour or constants.ANSIBLE_FORCE_COLOR)
