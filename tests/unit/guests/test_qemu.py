from itertools import pairwise
from pathlib import Path

from lab.guests.image import Image
from lab.guests.paths import GuestPaths
from lab.guests.qemu import escape, gateway_arguments, guest_arguments
from lab.guests.seed import FABRIC, INTERFACES, GuestConfig


def devices(arguments: list[str]) -> list[str]:
    return [value for option, value in pairwise(arguments) if option == "-device"]


def test_every_nic_has_a_pcie_port_and_a_cable_of_its_own(config: GuestConfig, image: Image) -> None:
    arguments = guest_arguments(GuestPaths(Path("/run/lab"), "spark1"), config.macs, image.kernel, image.initrd, "tcg")
    ports = [d.split(",")[1].removeprefix("id=") for d in devices(arguments) if d.startswith("pcie-root-port")]
    nics = [d for d in devices(arguments) if d.startswith("virtio-net-pci")]
    assert len(nics) == len(set(ports)) == len(INTERFACES)
    for name, port, nic in zip(INTERFACES, ports, nics, strict=True):
        assert f"id={name},bus={port},netdev=n_{name},mac={config.macs[name]}," in nic
        assert f"stream,id=n_{name},server=off,addr.type=unix,addr.path=/run/lab/net/spark1.{name}" in arguments
        assert ("speed=50000," in nic) == (name in FABRIC)


def test_tcg_keeps_its_translation_buffer_small(config: GuestConfig, image: Image) -> None:
    paths = GuestPaths(Path("/run/lab"), "spark1")
    assert "tcg,thread=multi,tb-size=128" in guest_arguments(paths, config.macs, image.kernel, image.initrd, "tcg")
    assert "kvm" in guest_arguments(paths, config.macs, image.kernel, image.initrd, "kvm")


def test_tcg_goes_without_the_instruction_that_it_emulates_badly(config: GuestConfig, image: Image) -> None:
    paths = GuestPaths(Path("/run/lab"), "spark1")
    assert "qemu64,-cx16" in guest_arguments(paths, config.macs, image.kernel, image.initrd, "tcg")
    assert "host" in guest_arguments(paths, config.macs, image.kernel, image.initrd, "kvm")


def test_a_comma_in_a_path_is_doubled() -> None:
    assert escape(Path("/a,b")) == "/a,,b"


def test_the_gateway_forwards_every_node_and_lets_nothing_out() -> None:
    forwards = {"127.83.0.11:2222": "10.83.0.11:22", "127.83.0.12:2222": "10.83.0.12:22"}
    state = Path("/run")
    arguments = gateway_arguments(
        state / "net/gateway", "10.83.0.0/24", "10.83.0.1", forwards, state / "gw.pid", state / "gw.qmp"
    )
    user = next(a for a in arguments if a.startswith("user,"))
    assert ",restrict=on," in user
    assert user.endswith("hostfwd=tcp:127.83.0.11:2222-10.83.0.11:22,hostfwd=tcp:127.83.0.12:2222-10.83.0.12:22")
