"""Command lines of QEMU: pure, so that a test can read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.guests.paths import GuestPaths
from lab.guests.seed import FABRIC, INTERFACES

PROGRAM = "qemu-system-x86_64"
MEMORY_MIB = 512
# No disk controller, keyboard or sensors: each would bring its drivers.
MACHINE = "q35,sata=off,smbus=off,i8042=off,vmport=off,usb=off"
# A ConnectX-7's 9978 is more than virtio and the fabric's jumbo frames need.
MAX_MTU = 9216
# Without kvm's clock, a busy machine fails the kernel's own timer checks and the guest panics at boot.
KERNEL_ARGUMENTS = (
    "console=ttyS0 root=/dev/vda rw no_timer_check tsc=reliable mitigations=off net.ifnames=0 quiet"
    # These save an emulated CPU work at boot.
    " init_on_alloc=0 nokaslr lsm=capability audit=0 kfence.sample_interval=0 cryptomgr.notests 8250.nr_uarts=1"
    " rcupdate.rcu_expedited=1 systemd.show_status=0 systemd.log_level=notice"
)
AGENT_PORT = "sparkloom.agent"


def escape(value: object) -> str:
    """Return a value as QEMU's option lists take it, where a comma parts options."""
    return str(value).replace(",", ",,")


def accelerator_arguments(accelerator: str) -> list[str]:
    """Return the arguments of kvm or tcg."""
    if accelerator == "kvm":
        return ["-accel", "kvm", "-cpu", "host"]
    # Without a tb-size, a guest's process takes 1.5 GB instead of 0.6.
    # QEMU 7.2 emulates cmpxchg16b with wrong flags now and then: a kernel that uses it for its memory allocator dies of
    # a double fault there, one guest of eight in some minutes. Without cx16 the kernel takes another way.
    return ["-accel", "tcg,thread=multi,tb-size=128", "-cpu", "qemu64,-cx16"]


def guest_arguments(
    paths: GuestPaths, macs: Mapping[str, str], kernel: Path, initrd: Path, accelerator: str
) -> list[str]:
    """Return QEMU's command line for a guest."""
    return [
        *(PROGRAM, "-name", f"{paths.name},process={paths.name}"),
        *("-nodefaults", "-no-user-config", "-display", "none"),
        *("-machine", MACHINE, *accelerator_arguments(accelerator), "-smp", "1", "-m", str(MEMORY_MIB)),
        *("-kernel", str(kernel), "-initrd", str(initrd), "-append", KERNEL_ARGUMENTS),
        *("-drive", f"if=none,id=root,format=qcow2,cache=unsafe,discard=unmap,file={escape(paths.disk('qcow2'))}"),
        *("-device", "virtio-blk-pci,drive=root"),
        *("-drive", f"if=none,id=seed,format=raw,read-only=on,file={escape(paths.seed)}"),
        *("-device", "virtio-blk-pci,drive=seed"),
        *("-device", "virtio-rng-pci"),
        *("-chardev", f"file,id=console,path={escape(paths.console)}", "-serial", "chardev:console"),
        *("-chardev", f"socket,id=agent,server=on,wait=off,path={escape(paths.agent)}"),
        *("-device", "virtio-serial-pci", "-device", f"virtserialport,chardev=agent,name={AGENT_PORT}"),
        *("-chardev", f"socket,id=qmp,server=on,wait=off,path={escape(paths.qmp)}"),
        *("-mon", "chardev=qmp,mode=control"),
        *("-pidfile", str(paths.pid)),
        *(argument for n, name in enumerate(INTERFACES) for argument in _nic(paths, n, name, macs[name])),
    ]


def _nic(paths: GuestPaths, number: int, interface: str, mac: str) -> list[str]:
    speed = 50000 if interface in FABRIC else 10000
    identity = f"id={interface},bus=p_{interface},netdev=n_{interface}"
    return [
        # A port of its own gives the NIC the PCIe link that node checks look at.
        *("-device", f"pcie-root-port,id=p_{interface},chassis={number + 1},slot={number + 1}"),
        *("-netdev", f"stream,id=n_{interface},server=off,addr.type=unix,addr.path={escape(paths.net(interface))}"),
        *("-device", f"virtio-net-pci,{identity},mac={mac},host_mtu={MAX_MTU},speed={speed},duplex=full"),
    ]


def gateway_arguments(
    socket: Path, subnet: str, host: str, forwards: Mapping[str, str], pid: Path, qmp: Path
) -> list[str]:
    """Return the command line of a QEMU without a machine that forwards loopback ports into the management network.

    ``forwards`` maps "127.83.0.11:2222" to "10.83.0.11:22".
    """
    rules = "".join(f",hostfwd=tcp:{here}-{there}" for here, there in forwards.items())
    return [
        *(PROGRAM, "-name", "gateway,process=sparkloom-gateway"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-machine", "none"),
        # restrict: the guests cannot reach out through it.
        *("-netdev", f"user,id=user,ipv6=off,restrict=on,net={subnet},host={host}{rules}"),
        *("-netdev", f"stream,id=net,server=off,addr.type=unix,addr.path={escape(socket)}"),
        *("-netdev", "hubport,id=h0,hubid=0,netdev=user", "-netdev", "hubport,id=h1,hubid=0,netdev=net"),
        *("-chardev", f"socket,id=qmp,server=on,wait=off,path={escape(qmp)}", "-mon", "chardev=qmp,mode=control"),
        *("-pidfile", str(pid)),
    ]


def probe_arguments(kernel: Path, initrd: Path) -> list[str]:
    """Return the command line of a guest that says one line and powers off, on kvm."""
    return [
        *(PROGRAM, "-nodefaults", "-no-user-config", "-display", "none", "-machine", MACHINE),
        *(*accelerator_arguments("kvm"), "-smp", "1", "-m", "256", "-no-reboot"),
        *("-kernel", str(kernel), "-initrd", str(initrd)),
        *("-append", "console=ttyS0 quiet panic=-1 sparkloom.probe", "-serial", "stdio"),
    ]
