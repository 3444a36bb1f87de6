# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a report's forms, each whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report import junit, prometheus
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.report.report import Report

# What names hosts, addresses and faults is the owner's to read; metrics are the collector's too.
_PRIVATE, _PUBLIC = 0o600, 0o644

FORMS: dict[str, tuple[str, int, Callable[[Report], str]]] = {
    "json": ("report.json", _PRIVATE, lambda report: json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n"),
    "junit": ("junit.xml", _PRIVATE, junit.render),
    "prometheus": ("sparkloom.prom", _PUBLIC, prometheus.render),
}


def write(report: Report, folder: Path, forms: Sequence[str]) -> dict[str, str]:
    """Write the wanted forms and return their paths by form."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    written = {}
    for form in forms:
        name, mode, render = FORMS[form]
        path = folder / name
        _replace(path, render(report), mode)
        written[form] = str(path)
    return written


def _replace(path: Path, text: str, mode: int) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(mode)
        Path(temporary).rename(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
