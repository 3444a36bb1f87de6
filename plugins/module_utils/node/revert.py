# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dead man's switch of a network change: the node undoes it unless somebody confirms.

The saved netplan files and the script that restores them stand in one folder. While it is
there a change is pending; the script removes it, and so does a confirmation.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import filesystem
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.netplan import FOLDERS

UNIT = "sparkloom-fabric-revert"

Run = Callable[[list[str]], tuple[int, str, str]]

# Restores before it removes, so that a power cut never leaves a node without netplan files.
# It depends on nothing of Sparkloom's: it runs when Sparkloom cannot reach the node.
_SCRIPT = """#!/bin/sh
# Put the netplan files back that stood here before an unconfirmed change.
saved='{saved}'
for folder in {folders}; do
    [ -d "$saved$folder" ] || continue
    cp -a "$saved$folder/." "{root}$folder/"
    for file in "{root}$folder"/*.yaml; do
        [ -e "$saved$folder/${{file##*/}}" ] || rm -f "$file"
    done
done
netplan apply
date '+%F %T' >'{marker}'
rm -rf "$saved"
"""


@dataclass(frozen=True)
class Revert:
    """The switch of one node; ``root`` is another folder in tests."""

    run: Run
    root: Path = Path("/")

    @property
    def saved(self) -> Path:
        return self.root / "var/lib/sparkloom/fabric-revert"

    @property
    def marker(self) -> Path:
        """Say, by standing there, that the node undid a change."""
        return self.root / "var/lib/sparkloom/fabric-reverted"

    @property
    def script(self) -> Path:
        return self.saved / "revert"

    def pending(self) -> bool:
        return self.saved.is_dir()

    def undone(self) -> str:
        """Return when the node undid a change; empty when it did not."""
        try:
            return self.marker.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""

    def arm(self, seconds: int) -> str:
        """Save the files and start the timer; return what went wrong, empty when nothing did.

        A change already pending keeps its saved files: they are the last that were confirmed.
        """
        self.marker.unlink(missing_ok=True)
        fresh = not self.pending()
        if fresh:
            self._save()
        self._stop_timer()
        rc, out, err = self.run(
            [
                "systemd-run",
                f"--unit={UNIT}",
                f"--on-active={seconds}",
                "--timer-property=AccuracySec=1s",
                "--collect",
                "--description=Undo the unconfirmed change of the fabric's network",
                "/bin/sh",
                str(self.script),
            ]
        )
        if rc:
            if fresh:
                shutil.rmtree(self.saved)
            return f"the revert timer could not be started, so nothing was changed: {(err or out).strip()}"
        return ""

    def restore(self) -> None:
        """Undo the pending change now."""
        self._stop_timer()
        self.run(["/bin/sh", str(self.script)])
        self.marker.unlink(missing_ok=True)

    def confirm(self) -> bool:
        """Keep the change; False when the timer was faster."""
        self._stop_timer()
        _rc, state, _err = self.run(["systemctl", "is-active", f"{UNIT}.service"])
        if state.strip() in {"active", "activating"} or not self.pending():
            return False
        shutil.rmtree(self.saved)
        return True

    def _stop_timer(self) -> None:
        # Neither unit is there in most cases; that is no failure.
        self.run(["systemctl", "stop", f"{UNIT}.timer"])
        self.run(["systemctl", "reset-failed", f"{UNIT}.timer", f"{UNIT}.service"])

    def _save(self) -> None:
        filesystem.make_folder(self.saved.parent)
        unfinished = self.saved.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        for folder in FOLDERS:
            source = self.root / folder.lstrip("/")
            if source.is_dir():
                shutil.copytree(source, unfinished / folder.lstrip("/"), symlinks=True)
        root = "" if self.root == Path("/") else str(self.root)
        text = _SCRIPT.format(saved=self.saved, folders=" ".join(FOLDERS), root=root, marker=self.marker)
        (unfinished / "revert").write_text(text, encoding="utf-8")
        unfinished.rename(self.saved)
