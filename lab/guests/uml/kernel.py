"""The user-mode kernel of the guests: built once from Debian's source package, and kept.

Debian's own user-mode kernel has no RDMA and NICs without speed or jumbo frames. So the newest source of Debian's
backports is fetched by mmdebstrap, a few lines are put into its network driver (lab_nic.h), and what a node needs is
built into it (config).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lab.guests.errors import GuestError
from lab.guests.image import Say, cache_dir, only_builder, publish

# seccomp, which makes such a kernel three times faster, came with 6.16; backports have had newer ones since.
SUITE = "trixie-backports"
RECIPE = Path(__file__).parent
TOOLS = ("gcc", "make", "flex", "bison", "bc", "xz", "dpkg-deb", "mmdebstrap")
_TAIL = 15

# What the driver has to become, as (file, text that is there, text to put in its place).
CHANGES: tuple[tuple[str, str, str], ...] = (
    (
        "vector_kern.c",
        "static const struct ethtool_ops vector_net_ethtool_ops = {\n",
        '#include "lab_nic.h"\n\n'  # noqa: ISC004
        "static const struct ethtool_ops vector_net_ethtool_ops = {\n"
        "\t.get_link_ksettings = lab_get_link_ksettings,\n"
        "\t.set_link_ksettings = lab_set_link_ksettings,\n"
        "\t.get_fecparam\t= lab_get_fecparam,\n"
        "\t.set_fecparam\t= lab_set_fecparam,\n"
        "\t.get_module_info = lab_get_module_info,\n"
        "\t.get_module_eeprom = lab_get_module_eeprom,\n",
    ),
    (
        "vector_kern.c",
        "\t.ndo_open\t\t= vector_net_open,\n",
        "\t.ndo_open\t\t= vector_net_open,\n\t.ndo_change_carrier\t= lab_change_carrier,\n",
    ),
    (
        "vector_kern.c",
        "\tdev_set_drvdata(&device->pdev.dev, device);\n",
        "\tdev_set_drvdata(&device->pdev.dev, device);\n\tlab_nic_setup(n, def, &device->pdev.dev);\n",
    ),
    (
        "vector_kern.c",
        "\tvp->max_packet\t= get_mtu(def) + ETH_HEADER_OTHER;\n",
        "\tvp->max_packet\t= get_mtu(def) + ETH_HEADER_OTHER;\n\tdev->max_mtu\t= get_mtu(def);\n",
    ),
)


@dataclass(frozen=True, slots=True)
class UserModeKernel:
    """``program`` is the kernel; ``builtin`` lists what is built into it, as modprobe wants to know.

    ``perftest_clock`` is the library that perftest needs on it (perftest_clock.c).
    """

    program: Path
    builtin: Path
    perftest_clock: Path
    release: str


def kernel_hash() -> str:
    """Return the name of the recipe."""
    parts = [SUITE, *(text for change in CHANGES for text in change)]
    parts += [(RECIPE / name).read_text(encoding="utf-8") for name in ("config", "lab_nic.h", "perftest_clock.c")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def missing_tools() -> list[str]:
    """Return what building it would need and this machine has not."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def ensure_kernel(say: Say) -> UserModeKernel:
    """Return the kernel, built first if this recipe has not been built on this machine yet.

    :raises GuestError: it cannot be built here, with the reason
    """
    cache = cache_dir()
    directory = cache / f"uml-{kernel_hash()}"
    if not directory.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with only_builder(cache / "uml.lock", say):
            if not directory.is_dir():  # Another builder may have been first.
                publish(cache, directory, lambda target: _build(target, say))
    return UserModeKernel(
        program=directory / "linux",
        builtin=directory / "modules.builtin",
        perftest_clock=directory / "perftest_clock.so",
        release=(directory / "release").read_text(encoding="utf-8").strip(),
    )


def change(driver: Path, changes: tuple[tuple[str, str, str], ...] = CHANGES) -> None:
    """Put the lab's lines into the driver's sources.

    :raises GuestError: this version of it is another one than these lines were written for
    """
    for name, there, instead in changes:
        path = driver / name
        text = path.read_text(encoding="utf-8")
        if text.count(there) != 1:
            raise GuestError(f"{name} of this kernel has changed: {there.strip()!r} is not where it was")
        path.write_text(text.replace(there, instead), encoding="utf-8")
    shutil.copy(RECIPE / "lab_nic.h", driver)


def _build(target: Path, say: Say) -> None:
    missing = missing_tools()
    if missing:
        raise GuestError(f"no {', '.join(missing)} here; run lab/install-tools")
    target.mkdir()
    # A kernel's small files are an order of magnitude faster in memory.
    memory = Path("/dev/shm")  # noqa: S108 - a folder of a random name is made in it.
    place = memory if memory.is_dir() and shutil.disk_usage(memory).free > 4 * 1024**3 else None
    with tempfile.TemporaryDirectory(prefix="sparkloom-uml-", dir=place) as work:
        tree = Path(work) / "tree"
        tree.mkdir()
        say("lab: fetching the source of the guests' user-mode kernel (165 MB)")
        package = _fetch(Path(work))
        _unpack(package, tree)
        change(tree / "arch/um/drivers")
        say("lab: building the guests' user-mode kernel (a few minutes, once)")
        make = ["make", "-C", str(tree), "ARCH=um", f"-j{os.cpu_count() or 1}"]
        _run([*make, f"KCONFIG_ALLCONFIG={RECIPE / 'config'}", "allnoconfig"], "its configuration was refused")
        _require(tree / ".config")
        _run([*make, "linux"], "it does not build")
        shutil.copy(tree / "linux", target)
        _run(["strip", str(target / "linux")], "it cannot be stripped")
        shutil.copy(tree / "modules.builtin", target)
        library = ["gcc", "-O2", "-shared", "-fPIC", "-o", str(target / "perftest_clock.so")]
        _run([*library, str(RECIPE / "perftest_clock.c")], "its clock for perftest does not build")
        shutil.copy(tree / "include/config/kernel.release", target / "release")


def _fetch(work: Path) -> Path:
    """Return the newest source package of the suite; mmdebstrap finds the mirror and checks the signatures."""
    hook = (
        'cd "$SPARKLOOM_WORK" && export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" && '
        "apt-get download \"$(apt-cache search --names-only '^linux-source-[0-9.]+$' | cut -d' ' -f1 | sort -V | tail -n1)\""
    )
    _run(
        [
            "mmdebstrap",
            "--mode=auto",
            "--variant=custom",
            "--format=null",
            f"--customize-hook={hook}",
            SUITE,
            "/dev/null",
        ],
        "its source could not be fetched",
        {"SPARKLOOM_WORK": str(work)},
    )
    found = sorted(work.glob("linux-source-*.deb"))
    if not found:
        raise GuestError(f"{SUITE} holds no source of a kernel")
    return found[-1]


def _unpack(package: Path, tree: Path) -> None:
    """Unpack the source without what a user-mode kernel never compiles."""
    left_out = [
        "Documentation/*",
        "drivers/gpu/*.[ch]",
        "sound/*.[ch]",
        "drivers/media/*.[ch]",
        "drivers/staging/*.[ch]",
    ]
    excluded = " ".join(f"--exclude='*/{pattern}'" for pattern in left_out)
    pipeline = (
        f"set -e; dpkg-deb --fsys-tarfile '{package}' | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |"
        f" xz -dc -T0 | tar -x -C '{tree}' --strip-components=1 {excluded}"
    )
    _run(["sh", "-c", pipeline], "its source cannot be unpacked")
    (tree / "Documentation").mkdir(exist_ok=True)
    (tree / "Documentation/Kconfig").touch()


def _require(config: Path) -> None:
    """Refuse a configuration that lost one of our lines: a dependency of it has changed."""
    wanted = set(re.findall(r"^(CONFIG_\w+=y)$", (RECIPE / "config").read_text(encoding="utf-8"), re.MULTILINE))
    lost = wanted - set(config.read_text(encoding="utf-8").splitlines())
    if lost:
        raise GuestError(f"this kernel does not take {', '.join(sorted(lost))}")


def _run(command: list[str], failure: str, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        tail = "\n".join((done.stderr or done.stdout).splitlines()[-_TAIL:])
        raise GuestError(f"the user-mode kernel: {failure}:\n{tail}")
