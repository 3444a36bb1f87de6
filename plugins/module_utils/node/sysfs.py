# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading small files of /sys, /proc and /etc, where not to be there is an answer."""

from __future__ import annotations

from pathlib import Path


def read(path: Path) -> str | None:
    """Return a file's text without surrounding space, or None when it cannot be read.

    Sysfs answers some attributes with an error (the speed of an interface that is down).
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    """Return a file's number, or None when it holds none."""
    try:
        return int(read(path) or "")
    except ValueError:
        return None


def names(folder: Path) -> list[str]:
    """Return what a folder holds, sorted; an absent folder holds nothing."""
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []
