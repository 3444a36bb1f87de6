"""The root image of the guests: Debian 13 with the packages of a rack's node, built once and kept.

Two stages, so that a change of our own files does not fetch the packages again: ``packages-HASH.tar``
is what mmdebstrap makes, ``image-HASH/`` holds kernel, initrd and disk made from it. Each is named
after everything it is made of.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.guests.errors import GuestError
from lab.guests.initrd import APPLETS, MODULES, build_initrd, load_order, needs_interpreter

SUITE = "trixie"
PACKAGES = (
    "systemd",
    "systemd-sysv",
    "systemd-resolved",
    "dbus",
    "udev",
    "netplan.io",
    "openssh-server",
    "python3",
    "python3-apt",
    "python3-yaml",
    "chrony",
    "rdma-core",
    "ibverbs-utils",
    "perftest",
    "iproute2",
    "ethtool",
    "iputils-ping",
    "sudo",
    "kmod",
    "procps",
    "linux-image-amd64",
    "ca-certificates",
)
# Small files are what unpacking and mke2fs spend their time on.
EXCLUDED_PATHS = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")
FILES = Path(__file__).parent / "files"
_TAIL = 15

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Image:
    """What a guest boots from; the disk is the backing file of every guest's own."""

    kernel: Path
    initrd: Path
    disk: Path


def cache_dir() -> Path:
    """Return where images and what else is learned of this machine are kept."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sparkloom"


def packages_hash() -> str:
    """Return the name of the package set."""
    return _digest("packages", SUITE, *PACKAGES, *EXCLUDED_PATHS)


def image_hash(files: Path = FILES) -> str:
    """Return the name of the recipe: packages, our files with their modes, and the initrd's contents."""
    parts = [packages_hash(), *MODULES, *APPLETS]
    for path in sorted(p for p in files.rglob("*") if p.is_file()):
        executable = "x" if os.access(path, os.X_OK) else "-"
        parts += [str(path.relative_to(files)), executable, hashlib.sha256(path.read_bytes()).hexdigest()]
    return _digest(*parts)


def ensure_image(say: Say) -> Image:
    """Return the image, built first if this recipe has not been built on this machine yet (a minute or two)."""
    cache = cache_dir()
    directory = cache / f"image-{image_hash()}"
    image = Image(directory / "vmlinuz", directory / "initrd", directory / "disk.img")
    if directory.is_dir():
        return image
    cache.mkdir(parents=True, exist_ok=True)
    with only_builder(cache / "build.lock", say):
        if not directory.is_dir():  # Another builder may have been first.
            packages = _ensure_packages(cache, say)
            say("lab: building the guests' disk (half a minute)")
            publish(cache, directory, lambda work: _build(packages, work))
    return image


def _ensure_packages(cache: Path, say: Say) -> Path:
    packages = cache / f"packages-{packages_hash()}.tar"
    if not packages.exists():
        say(f"lab: fetching Debian {SUITE} for the guests (a minute or two, 350 MB)")
        publish(cache, packages, _fetch_packages)
    return packages


def _fetch_packages(target: Path) -> None:
    """Let mmdebstrap make a tar; it names no mirror, so the machine's own configuration decides."""
    excluded = [f"--dpkgopt=path-exclude={path}" for path in EXCLUDED_PATHS]
    included = ",".join(PACKAGES)
    _run(
        [
            "mmdebstrap",
            "--mode=auto",
            "--variant=minbase",
            "--format=tar",
            f"--include={included}",
            *excluded,
            SUITE,
            str(target),
        ],
        "mmdebstrap could not fetch the guests' packages",
    )


def _build(packages: Path, target: Path) -> None:
    target.mkdir()
    with tarfile.open(packages) as tar:
        names = tar.getnames()
        kernel = next((name for name in names if name.startswith("./boot/vmlinuz-")), None)
        if kernel is None:
            raise GuestError(f"{packages} holds no kernel; delete it and start again")
        modules = f"./usr/lib/modules/{kernel.removeprefix('./boot/vmlinuz-')}"

        def read(name: str) -> bytes:
            member = tar.extractfile(name)
            if member is None:
                raise GuestError(f"{packages}: {name} is no file")
            return member.read()

        order = load_order(
            read(f"{modules}/modules.dep").decode(), read(f"{modules}/modules.builtin").decode(), MODULES
        )
        (target / "vmlinuz").write_bytes(read(kernel))
        initrd = build_initrd(_busybox(), (FILES / "init").read_bytes(), order, lambda path: read(f"{modules}/{path}"))
        (target / "initrd").write_bytes(initrd)
    with tempfile.TemporaryDirectory(prefix="sparkloom-", dir=target.parent) as work:
        # As another user, files of many owners can be made only as root of a namespace with a range of ids.
        enter = [] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--map-auto"]
        _run(
            [*enter, str(FILES / "make-disk"), str(packages), str(FILES / "root"), str(target / "disk.img"), work],
            "the guests' disk could not be made",
        )


def _busybox() -> bytes:
    path = shutil.which("busybox")
    if path is None:
        raise GuestError("no busybox here; run lab/install-tools")
    content = Path(path).read_bytes()
    if needs_interpreter(content):
        raise GuestError(f"{path} needs libraries that an initrd has not; run lab/install-tools (busybox-static)")
    return content


def publish(cache: Path, target: Path, make: Callable[[Path], None]) -> None:
    """Let ``make`` fill a path of its own and rename it, so that ``target`` is whole or absent."""
    with tempfile.TemporaryDirectory(prefix="building-", dir=cache) as work:
        made = Path(work) / target.name
        make(made)
        made.rename(target)


@contextmanager
def only_builder(lock: Path, say: Say) -> Iterator[None]:
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("lab: waiting for another build of the guests' image")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _run(command: list[str], failure: str) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise GuestError(f"{failure}: no {command[0]} here; run lab/install-tools") from error
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).splitlines()[-_TAIL:])
        raise GuestError(f"{failure}:\n{tail}")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
