"""kvm where it works, else tcg.

A /dev/kvm that opens proves nothing: some nested hypervisors let a guest start and then kill it or leave it
silent. So a guest is started, and believed when it speaks.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Literal, get_args

from lab.guests.image import Image, Say, cache_dir
from lab.guests.qemu import probe_arguments

Accelerator = Literal["kvm", "tcg"]
PROOF = b"sparkloom: the accelerator works"
# kvm needs about a second; a silent guest is not waited for much longer.
PROBE_SECONDS = 20.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_KVM = Path("/dev/kvm")


def choose_accelerator(image: Image, say: Say) -> Accelerator:
    """Return the accelerator that works here; tried once a boot of this machine and user."""
    known = cache_dir() / f"accelerator-{_BOOT_ID.read_text().strip()}"
    if known.exists():
        for accelerator in get_args(Accelerator):
            if known.read_text().strip() == accelerator:
                return accelerator  # type: ignore[no-any-return]
    accelerator, why = _probe(image)
    say(f"lab: guests run on {accelerator}: {why}")
    known.parent.mkdir(parents=True, exist_ok=True)
    for old in known.parent.glob("accelerator-*"):
        old.unlink(missing_ok=True)
    known.write_text(f"{accelerator}\n")
    return accelerator


def _probe(image: Image) -> tuple[Accelerator, str]:
    try:
        os.close(os.open(_KVM, os.O_RDWR))
    except OSError as error:
        return "tcg", f"{_KVM}: {error.strerror}"
    try:
        done = subprocess.run(
            probe_arguments(image.kernel, image.initrd),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "tcg", f"a guest on kvm stayed silent for {PROBE_SECONDS:.0f} s"
    if PROOF in done.stdout:
        return "kvm", "a guest started on it"
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return "tcg", f"a guest on kvm died: {said[0] if said else 'without a word'}"
