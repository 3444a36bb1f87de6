# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a node's evidence: what each is read from. Parsers are pure; readers are thin and may fail."""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import http.client
import json
import os
import platform
import pwd
import resource
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.module_utils.node import (
    clock,
    ethtool,
    interfaces,
    netplan_files,
    rdma,
    system,
)
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.bounded import Limits, UnavailableError, run
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.sysfs import names, read, read_int

Record = dict[str, Any]

_FEW = 16384  # rows of a table that a node has no business to exceed
_COUNTERS = ("rx_errors", "rx_dropped", "rx_crc_errors", "tx_errors", "tx_dropped")
_KMSG_RECORD = 8192
_KMSG_RECORDS = 20000
_TOLD_LINES = 20
_LINE_LENGTH = 300
_TROUBLE = {
    "aer_errors": ("AER:", "PCIe Bus Error"),
    "oom_kills": ("Out of memory: Killed", "oom-kill:"),
    "mlx5_errors": ("mlx5_core",),
}
# What mlx5_core says when all is well.
_HARMLESS = (
    "firmware version",
    "Link up",
    "E-Switch",
    "MLX5E: StrdRq",
    "Rate limit",
    "renamed from",
    "available PCIe bandwidth",
)
_OPENSSH_MAGIC = b"openssh-key-v1\0"
_DOCKER_SOCKET = "/var/run/docker.sock"


@dataclass(frozen=True)
class Asked:
    """What is asked beyond what every node has."""

    packages: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    sysctl: list[str] = field(default_factory=list)
    environment: str = "/etc/sparkloom/nccl.env"


def parse_json(text: str, what: str) -> Any:
    try:
        return json.loads(text) if text.strip() else []
    except ValueError as error:
        raise UnavailableError(f"{what} gave no JSON: {error}") from error


# --- the machine -------------------------------------------------------------------------------


def read_system() -> Record:
    disk = os.statvfs("/")
    meminfo = read(Path("/proc/meminfo"))
    return {
        "hostname": platform.node(),
        "uptime_seconds": system.uptime_seconds(read(Path("/proc/uptime"))),
        "boot_id": read(Path("/proc/sys/kernel/random/boot_id")),
        "machine_id": read(Path("/etc/machine-id")) or None,
        "kernel": platform.release(),
        "cmdline": read(Path("/proc/cmdline")),
        "architecture": platform.machine(),
        "distribution": system.distribution(read(Path("/etc/os-release"))),
        "python": platform.python_version(),
        "memory_kib": system.memory_kib(meminfo),
        "memory_available_kib": system.memory_kib(meminfo, "MemAvailable"),
        "swap_total_kib": system.memory_kib(meminfo, "SwapTotal"),
        "swap_free_kib": system.memory_kib(meminfo, "SwapFree"),
        "disk_free_kib": disk.f_bavail * disk.f_frsize // 1024,
        "dgx_release": system.dgx_release(read(Path("/etc/dgx-release"))),
    }


_GPU_FIELDS = (
    "driver_version",
    "name",
    "clocks.sm",
    "power.draw",
    "temperature.gpu",
    "clocks_throttle_reasons.hw_thermal_slowdown",
    "clocks_throttle_reasons.sw_thermal_slowdown",
    "clocks_throttle_reasons.hw_power_brake_slowdown",
    "clocks_throttle_reasons.sw_power_cap",
)


def parse_gpu(output: str) -> Record:
    """Read the first line of nvidia-smi's CSV; what a GPU does not tell ([N/A]) is None."""
    row = next(csv.reader([output.strip().splitlines()[0]]), []) if output.strip() else []
    values = [value.strip() for value in row]
    if len(values) != len(_GPU_FIELDS):
        # A stand-in, or a driver of another time, may know the version alone.
        version = system.nvidia_driver(output)
        if version is None:
            raise UnavailableError("nvidia-smi gave no figures")
        return {
            "driver": version,
            "name": None,
            "clock_mhz": None,
            "power_w": None,
            "temperature_c": None,
            "throttle": [],
        }

    def number(text: str) -> float | None:
        with contextlib.suppress(ValueError):
            return float(text.split(maxsplit=1)[0]) if text else None
        return None

    return {
        "driver": values[0],
        "name": values[1],
        "clock_mhz": number(values[2]),
        "power_w": number(values[3]),
        "temperature_c": number(values[4]),
        "throttle": [
            name.rpartition(".")[2]
            for name, value in zip(_GPU_FIELDS[5:], values[5:], strict=True)
            if value == "Active"
        ],
    }


def read_gpu(limits: Limits) -> Record:
    query = f"--query-gpu={','.join(_GPU_FIELDS)}"
    return parse_gpu(run(["nvidia-smi", query, "--format=csv,noheader,nounits"], limits))


def read_sysctl(keys: list[str]) -> dict[str, str | None]:
    return {key: read(Path("/proc/sys") / key.replace(".", "/")) for key in keys}


def read_limits() -> Record:
    """Return what a process of root starts with; -1 is no limit."""
    memlock, _hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    nofile, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return {"memlock_kib": memlock if memlock < 0 else memlock // 1024, "nofile": nofile}


# --- interfaces and routes ---------------------------------------------------------------------


def read_interfaces(limits: Limits) -> Record:
    found = interfaces.read_interfaces(parse_json(run(["ip", "-j", "-d", "addr"], limits), "ip"))
    for name, interface in found.items():
        home = Path(interfaces.SYSFS) / name
        physical = interface["driver"] is not None
        _driver, firmware = ethtool.driver(name) if physical else (None, None)
        counters = {counter: read_int(home / "statistics" / counter) or 0 for counter in _COUNTERS}
        interface |= {
            "firmware": firmware,
            "duplex": read(home / "duplex"),
            "phys_port_name": read(home / "phys_port_name") or None,
            "fec": ethtool.active_fec(name) if physical else None,
            "module": ethtool.module(name) if physical else None,
            "counters": counters,
        }
    return found


def parse_routes(routes: list[Record], family: int) -> list[Record]:
    return [
        {
            "family": family,
            "destination": str(route.get("dst", "")),
            "gateway": route.get("gateway"),
            "interface": route["dev"],
            "metric": route.get("metric"),
        }
        for route in routes[:_FEW]
        if "dev" in route
    ]


def read_routes(limits: Limits) -> list[Record]:
    four = parse_json(run(["ip", "-j", "-4", "route", "show"], limits), "ip")
    six = parse_json(run(["ip", "-j", "-6", "route", "show", "default"], limits), "ip")
    return [*parse_routes(four, 4), *parse_routes(six, 6)]


def parse_neighbours(rows: list[Record]) -> list[Record]:
    """Return neighbours; iproute2 6.1.0 leaves out ``dev`` (NVIDIA/NemoClaw#8519)."""
    return [
        {
            "address": str(row.get("dst", "")),
            "interface": row.get("dev"),
            "mac": row.get("lladdr"),
            "state": (row.get("state") or ["NONE"])[0],
        }
        for row in rows[:_FEW]
    ]


def read_neighbours(limits: Limits) -> list[Record]:
    return parse_neighbours(parse_json(run(["ip", "-j", "neigh", "show"], limits), "ip"))


def read_rdma() -> Record:
    devices = rdma.read_devices()
    for name, device in devices.items():
        device["active_mtu"] = None
        mtu = read(Path(rdma.SYSFS) / name / "ports/1/active_mtu")
        if mtu and mtu.split()[0].isdecimal():
            device["active_mtu"] = int(mtu.split()[0])
    return devices


# --- software ----------------------------------------------------------------------------------


def read_packages(limits: Limits, wanted: list[str]) -> Record:
    # It exits with 1 when one of the packages is unknown, and tells of the others all the same.
    return system.package_versions(run([*system.PACKAGE_QUERY, *wanted], limits, ok=(0, 1)), wanted) or {}


def parse_units(output: str) -> dict[str, Record]:
    """Read the blocks of ``systemctl show``, one a unit."""
    found = {}
    for block in output.split("\n\n"):
        values = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if values.get("Id"):
            absent = values.get("LoadState") == "not-found"
            found[values["Id"]] = {
                "active": "not-found" if absent else values.get("ActiveState", ""),
                "enabled": "not-found" if absent else values.get("UnitFileState", ""),
            }
    return found


def read_services(limits: Limits, units: list[str]) -> dict[str, Record]:
    output = run(["systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState", "--", *units], limits)
    found = parse_units(output)
    unknown = {"active": "not-found", "enabled": "not-found"}
    return {unit: found.get(unit, unknown) for unit in units}


def parse_failed_units(output: str) -> list[str]:
    return [line.split()[0] for line in output.splitlines()[:_FEW] if line.split()]


def read_failed_units(limits: Limits) -> list[str]:
    command = ["systemctl", "list-units", "--failed", "--no-legend", "--plain", "--no-pager"]
    return parse_failed_units(run(command, limits))


def read_clock(limits: Limits) -> Record:
    """Return the clock as chronyd sees it; the limit that it is held to is the plan's."""
    try:
        tracking = clock.parse_tracking(run(["chronyc", "-c", "tracking"], limits))
    except UnavailableError as error:
        if "not installed" in str(error) or "did not answer" in str(error):
            raise
        tracking = None
    if tracking is None:
        nothing = {"synchronised": False, "offset_ms": None, "reference": None, "stratum": None}
        return {"running": False, **nothing, "problem": "chronyd does not answer"}
    sources = clock.parse_sources(run(["chronyc", "-c", "sources"], limits))
    seen = clock.judge(tracking, sources, float("inf"), is_reference=False)
    return {"running": True, **seen.to_dict()}


def parse_environment(text: str) -> dict[str, str]:
    """Read a file of NAME=value lines."""
    lines = (line.strip() for line in text.splitlines())
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def read_environment(path: str) -> dict[str, str]:
    text = read(Path(path))
    if text is None:
        raise UnavailableError(f"{path} is not there or cannot be read")
    return parse_environment(text)


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket, as dockerd speaks it."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _docker(limits: Limits, path: str) -> Any:
    connection = _UnixConnection(_DOCKER_SOCKET, limits.seconds)
    try:
        connection.request("GET", path)
        body = connection.getresponse().read(limits.max_bytes + 1)
    except OSError as error:
        raise UnavailableError(f"docker does not answer: {error.strerror or error}") from error
    finally:
        connection.close()
    if len(body) > limits.max_bytes:
        raise UnavailableError(f"docker said more than {limits.max_bytes // 1024} KiB")
    return parse_json(body.decode(errors="replace"), "docker")


def read_containers(limits: Limits, users: list[str]) -> Record:
    if not Path(_DOCKER_SOCKET).exists():
        raise UnavailableError("docker is not installed, or not running")
    version = _docker(limits, "/version")
    images = {
        reference: str(image.get("Id", ""))
        for image in _docker(limits, "/images/json")
        for reference in image.get("RepoTags") or ()
    }
    group = Path(_DOCKER_SOCKET).stat().st_gid
    return {
        "version": str(version.get("Version", "")),
        "members": {user: group in _groups(user) for user in users},
        "images": images,
    }


def _groups(user: str) -> list[int]:
    try:
        return os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
    except KeyError:
        return []


# --- keys --------------------------------------------------------------------------------------


def fingerprint(blob: bytes) -> str:
    """Return a public key's fingerprint as ssh-keygen -l prints it."""
    return f"SHA256:{base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip('=')}"


def public_blob(private_key: str) -> bytes | None:
    """Return the public half, which an OpenSSH private key holds in the clear before all else; None for another file."""
    lines = private_key.strip().splitlines()
    if not lines or "BEGIN OPENSSH PRIVATE KEY" not in lines[0]:
        return None
    try:
        raw = base64.b64decode("".join(lines[1:-1]))
    except ValueError:
        return None
    if not raw.startswith(_OPENSSH_MAGIC):
        return None
    at = len(_OPENSSH_MAGIC)
    try:
        for _field in ("cipher", "kdf", "kdf options"):
            (length,) = struct.unpack_from(">I", raw, at)
            at += 4 + length
        _count, length = struct.unpack_from(">II", raw, at)
    except struct.error:
        return None
    return raw[at + 8 : at + 8 + length]


def read_ssh(users: list[str]) -> Record:
    host_keys = []
    for name in names(Path("/etc/ssh")):
        words = (read(Path("/etc/ssh") / name) or "").split() if name.endswith("_key.pub") else []
        if len(words) > 1:
            with contextlib.suppress(ValueError):
                host_keys.append(fingerprint(base64.b64decode(words[1])))
    return {"host_keys": sorted(host_keys), "users": {user: {"keys": _user_keys(user)} for user in users}}


def _user_keys(user: str) -> list[str]:
    try:
        folder = Path(pwd.getpwnam(user).pw_dir) / ".ssh"
    except KeyError:
        return []
    blobs = [public_blob(read(folder / name) or "") for name in names(folder) if name.startswith("id_")]
    return sorted(fingerprint(blob) for blob in blobs if blob)


# --- the kernel's log --------------------------------------------------------------------------


def parse_kernel_log(lines: list[str]) -> Record:
    """Count what hardware and memory complained of since boot, and keep the last lines that say so."""
    counts = dict.fromkeys(_TROUBLE, 0)
    told = []
    for line in lines:
        for kind, words in _TROUBLE.items():
            if any(word in line for word in words) and not (kind == "mlx5_errors" and _harmless(line)):
                counts[kind] += 1
                told.append(line[:_LINE_LENGTH])
                break
    return {**counts, "lines": told[-_TOLD_LINES:]}


def _harmless(line: str) -> bool:
    return any(word in line for word in _HARMLESS)


def read_kernel_log() -> Record:
    """Read the kernel's ring buffer; it costs no process and never waits."""
    try:
        log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise UnavailableError(f"/dev/kmsg: {error.strerror}") from error
    lines = []
    try:
        for _record in range(_KMSG_RECORDS):
            try:
                record = os.read(log, _KMSG_RECORD)
            except BlockingIOError:
                break
            except BrokenPipeError:  # The oldest record was overwritten; the next one is there.
                continue
            if not record:
                break
            lines.append(record.decode(errors="replace").partition(";")[2].split("\n")[0])
    finally:
        os.close(log)
    return parse_kernel_log(lines)


# --- all together ------------------------------------------------------------------------------


def sources(asked: Asked, limits: Limits) -> dict[str, Callable[[], Any]]:
    """Return every source of a node by the part that it gives."""
    return {
        "system": read_system,
        "interfaces": lambda: read_interfaces(limits),
        "rdma_devices": read_rdma,
        "routes": lambda: read_routes(limits),
        "neighbours": lambda: read_neighbours(limits),
        "netplan": netplan_files.read_all,
        "packages": lambda: read_packages(limits, asked.packages),
        "services": lambda: read_services(limits, asked.services),
        "failed_units": lambda: read_failed_units(limits),
        "clock": lambda: read_clock(limits),
        "environment": lambda: read_environment(asked.environment),
        "ssh": lambda: read_ssh(asked.users),
        "kernel_log": read_kernel_log,
        "sysctl": lambda: read_sysctl(asked.sysctl),
        "limits": read_limits,
        "gpu": lambda: read_gpu(limits),
        "containers": lambda: read_containers(limits, asked.users),
    }
