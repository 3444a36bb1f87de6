"""The command line of a user-mode kernel: pure, so that a test can read it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.guests.paths import GuestPaths
from lab.guests.seed import FABRIC, INTERFACES

MEMORY_MIB = 512
MAX_MTU = 9216  # as QEMU's; a ConnectX-7's is 9978
BOOT = "/usr/lib/sparkloom-lab/user-mode-boot"


def pid_file(paths: GuestPaths) -> Path:
    """Return where the kernel writes its pid."""
    return paths.state / "uml" / paths.name / "pid"


def uml_arguments(program: Path, disk: Path, paths: GuestPaths, macs: Mapping[str, str], agent: int) -> list[str]:
    """Return the command line of a guest; ``agent`` is the descriptor of the agent's channel."""
    return [
        str(program),
        f"umid={paths.name}",
        f"uml_dir={paths.state / 'uml'}",
        f"mem={MEMORY_MIB}M",
        "seccomp=auto",
        f"ubd0={paths.disk('cow')},{disk}",
        f"ubd1r={paths.seed}",
        *("root=/dev/ubda", "rw", f"init={BOOT}", "quiet"),
        # The console is what the process prints; ttyS0 is the agent's.
        *("con=null", "con0=null,fd:1", "ssl=null", f"ssl0=fd:{agent}"),
        *(
            "net.ifnames=0",
            "bonding.max_bonds=0",
            "dummy.numdummies=0",
            "systemd.show_status=0",
            "systemd.log_level=notice",
            "rcupdate.rcu_expedited=1",
        ),
        *(_nic(paths, number, interface, macs[interface]) for number, interface in enumerate(INTERFACES)),
    ]


def _nic(paths: GuestPaths, number: int, interface: str, mac: str) -> str:
    speed = 50000 if interface in FABRIC else 10000
    cable = f"transport=bess,dst={paths.net(interface)},depth=64"
    return f"vec{number}:{cable},mtu={MAX_MTU},mac={mac},speed={speed}"
