"""What guests run on: kvm where it works, else a user-mode kernel where one can be built, else tcg.

A /dev/kvm that opens proves nothing: some nested hypervisors let a guest start and then kill it or leave it
silent. So a guest is started, and believed when it speaks.
"""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from lab.guests.errors import GuestError
from lab.guests.image import Image, Say, cache_dir
from lab.guests.qemu import probe_arguments
from lab.guests.uml.kernel import UserModeKernel, ensure_kernel

QemuAccelerator = Literal["kvm", "tcg"]
Accelerator = Literal["kvm", "uml", "tcg"]
# Names one of them, for whoever wants another than the first that works.
FORCED = "SPARKLOOM_GUESTS"
PROOF = b"sparkloom: the accelerator works"
# kvm needs about a second; a silent guest is not waited for much longer.
PROBE_SECONDS = 20.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_KVM = Path("/dev/kvm")


@dataclass(frozen=True, slots=True)
class Choice:
    """What guests run on; ``kernel`` is there for uml alone."""

    accelerator: Accelerator
    kernel: UserModeKernel | None = None


def choose(image: Image, say: Say) -> Choice:
    """Return what guests run on here.

    :raises GuestError: SPARKLOOM_GUESTS names something that does not work here
    """
    forced = os.environ.get(FORCED, "")
    if forced and forced not in get_args(Accelerator):
        raise GuestError(f"{FORCED}={forced}: guests run on {', '.join(get_args(Accelerator))}")
    if forced == "uml":
        return Choice("uml", ensure_kernel(say))
    if forced == "tcg":
        return Choice("tcg")
    qemu = choose_accelerator(image, say)
    if forced == "kvm" and qemu != "kvm":
        raise GuestError(f"{FORCED}=kvm, but KVM does not work here")
    return Choice("kvm") if qemu == "kvm" else _without_kvm(say)


def _without_kvm(say: Say) -> Choice:
    """Return uml where it can be had: it is ten times faster than an emulated CPU."""
    if platform.machine() != "x86_64":
        return Choice("tcg")
    try:
        kernel = ensure_kernel(say)
    except GuestError as error:
        say(f"lab: guests run on tcg, slowly: {error}")
        return Choice("tcg")
    say("lab: guests run on a user-mode kernel (SPARKLOOM_GUESTS=tcg for emulated ones)")
    return Choice("uml", kernel)


def choose_accelerator(image: Image, say: Say) -> QemuAccelerator:
    """Return what QEMU can use here; tried once a boot of this machine and user."""
    known = cache_dir() / f"accelerator-{_BOOT_ID.read_text().strip()}"
    if known.exists():
        for accelerator in get_args(QemuAccelerator):
            if known.read_text().strip() == accelerator:
                return accelerator  # type: ignore[no-any-return]
    accelerator, why = _probe(image)
    say(f"lab: QEMU would run on {accelerator}: {why}")
    known.parent.mkdir(parents=True, exist_ok=True)
    for old in known.parent.glob("accelerator-*"):
        old.unlink(missing_ok=True)
    known.write_text(f"{accelerator}\n")
    return accelerator


def _probe(image: Image) -> tuple[QemuAccelerator, str]:
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
