# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of netplan on this node, with the interfaces that they claim."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import netplan_claims
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import names, read


def read_all() -> list[dict[str, Any]]:
    """Return path, mode and claimed interfaces of every file; ``error`` says why interfaces are None."""
    paths = [Path(folder) / name for folder in netplan_claims.FOLDERS for name in names(Path(folder))]
    return [_read_file(path) for path in paths if path.suffix == ".yaml" and path.exists()]


def _read_file(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": str(path),
        "mode": f"{path.stat().st_mode & 0o7777:04o}",
        "interfaces": None,
        "error": "",
    }
    text = read(path)
    if text is None:
        return {**found, "error": "could not be read without root"}
    try:
        # netplan needs python3-yaml, so it is where netplan is; but not in every virtual environment.
        yaml = importlib.import_module("yaml")
    except ImportError:
        return {**found, "error": "could not be read without python3-yaml"}
    try:
        return {**found, "interfaces": netplan_claims.claimed(yaml.safe_load(text))}
    except yaml.YAMLError as error:
        return {**found, "error": f"is no valid YAML: {error}"}
