# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a node is well in itself: memory, heat, complaints of the kernel, files that do not belong there."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

_KIB_PER_GIB = 1024 * 1024
_PRIVATE = "0600"
# The file that the role fabric writes.
_OWN = "60-sparkloom-fabric.yaml"


@rule(
    "SL811",
    "the node is short of memory",
    severity="warn",
    needs=("node.system",),
    remedy="stop what is not needed, or give the engine less (gpu_memory_utilization)",
    cause="CPU and GPU share one memory; nodes lock up when it is used up",
    source="NVIDIA/dgx-spark-playbooks#97; vllm#56824; open-gpu-kernel-modules#1358",
    covers=("spark-12", "spark-27"),
)
def memory(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        free, total = host["system"]["memory_available_kib"], host["system"]["memory_kib"]
        if free is None or total is None:
            continue
        # A machine that is small altogether is held to a twentieth of what it has.
        floor = min(view.thresholds["memory_floor_gib"] * _KIB_PER_GIB, total / 20)
        if free < floor:
            yield found(
                host.name,
                expected=f"at least {floor / _KIB_PER_GIB:.2g} GiB available",
                actual=f"{free / _KIB_PER_GIB:.2g} GiB",
                hosts=[host.name],
            )


@rule(
    "SL812",
    "the kernel complains of its hardware or of memory",
    severity="warn",
    needs=("node.kernel_log",),
    remedy="look at `journalctl -k -b`; PCIe errors and heat come before a lock-up: let the node cool, then power it off and on",
    source="MiaAI-Lab DSpark#146; eugr/spark-vllm-docker#212; NVIDIA forum 368536",
    covers=("spark-27", "spark-29"),
)
def kernel_log(view: View, found: Found) -> Iterator[Finding]:
    words = {"aer_errors": "PCIe errors", "oom_kills": "kills for want of memory"}
    for host in view.nodes():
        seen = {words[kind]: host["kernel_log"][kind] for kind in words if host["kernel_log"][kind]}
        if seen:
            yield found(
                host.name,
                expected="none since boot",
                actual=", ".join(f"{count} {kind}" for kind, count in seen.items()),
                hosts=[host.name],
            )


@rule(
    "SL813",
    "the GPU is hot or slowed down",
    severity="warn",
    uses=("node.gpu",),
    remedy="see that air flows; `nvidia-smi -lgc 0,2200` takes a third of the power and hardly slows decoding",
    cause="heat, or a power supply that negotiated too little",
    source="MiaAI-Lab DSpark#146; im0xMagnus tools/gpu_burn_check.sh",
    covers=("spark-28", "spark-29"),
)
def heat(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        gpu = host.get("gpu")
        if gpu is None:
            continue
        hot = gpu["temperature_c"] is not None and gpu["temperature_c"] >= view.thresholds["gpu_hot_c"]
        if hot or gpu["throttle"]:
            actual = [f"{gpu['temperature_c']:g} °C"] if gpu["temperature_c"] is not None else []
            yield found(
                host.name,
                expected=f"below {view.thresholds['gpu_hot_c']:g} °C, nothing that slows it down",
                actual=", ".join([*actual, *(reason.replace("_", " ") for reason in gpu["throttle"])]),
                hosts=[host.name],
            )


@rule(
    "SL814",
    "units of systemd have failed",
    severity="warn",
    needs=("node.failed_units",),
    remedy="look at `systemctl status` of each, then mend or disable it",
    source="a failed unit of today is the question of tomorrow",
)
def failed_units(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        if host["failed_units"]:
            yield found(host.name, expected="none", actual=", ".join(host["failed_units"]), hosts=[host.name])


@rule(
    "SL321",
    "another netplan file claims interfaces of the fabric",
    needs=("node.netplan",),
    remedy="run site.yml with --tags fabric: it retires the file and keeps a copy",
    cause="netplan merges all files, the last name winning; NVIDIA's guides and NVIDIA Sync each write one of their own",
    source="NVIDIA/dgx-spark-playbooks (40-cx7.yaml); LMDS RUNBOOK (99-nvidia-sync-cluster.yaml)",
    covers=("spark-21",),
)
def rivals(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        rails = {wanted["name"] for wanted in host.plan["fabric_interfaces"]}
        for file in host["netplan"]:
            claimed = sorted(rails & set(file["interfaces"] or ()))
            if claimed and not file["path"].endswith(f"/{_OWN}"):
                yield found(
                    f"{host.name} {file['path']}",
                    expected=f"{_OWN} alone",
                    actual=f"it claims {', '.join(claimed)}",
                    hosts=[host.name],
                )


@rule(
    "SL322",
    "a netplan file can be read by others",
    severity="warn",
    needs=("node.netplan",),
    remedy="chmod 600 the file; netplan warns of it as well",
    source="NVIDIA/dgx-spark-playbooks, connect-two-sparks: mode 600",
    covers=("spark-21",),
)
def netplan_mode(view: View, found: Found) -> Iterator[Finding]:
    for host in view.nodes():
        for file in host["netplan"]:
            if file["path"].startswith("/etc/") and file["mode"] != _PRIVATE:
                place = f"{host.name} {file['path']}"
                yield found(place, expected=_PRIVATE, actual=file["mode"], hosts=[host.name])


RULES = (rivals, netplan_mode, memory, kernel_log, heat, failed_units)
