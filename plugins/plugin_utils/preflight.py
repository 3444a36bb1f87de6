# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a node can become part of the rack: its facts against the requirements and against its peers.

Unequal versions are refused too: ranks that run different stacks fail late and in strange ways.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding, Severity
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import node_models

Facts = dict[str, Any]

SUDO = "SL107"  # the one finding that a password given to Ansible makes void
KIB_PER_GIB = 1024 * 1024

# What the modules of this collection are written for; Ubuntu 22.04 has it.
MIN_PYTHON = (3, 10)


def judge(
    name: str, requirements: dict[str, Any], facts: dict[str, Facts], interfaces: tuple[str, ...] = ()
) -> list[Finding]:
    """Return what is wrong with node ``name``; ``facts`` of all nodes known, by name."""
    own = facts.get(name)
    if own is None:
        return [
            Finding(
                "SL100",
                "fail",
                name,
                "the node gave no facts, so nothing about it can be judged",
                "facts of node_facts",
                "none",
                f"run preflight on {name} without --start-at-task",
            )
        ]
    return [
        *_platform(name, requirements, own),
        *_kernel(name, requirements, own),
        *_sizes(name, requirements, own),
        *_access(name, own),
        *_interfaces(name, own, interfaces),
        *_machine_id(name, facts),
        *_unequal(name, facts, "SL111", "kernels", _kernel_of, "upgrade the nodes to one release and reboot them"),
        *_unequal(name, facts, "SL112", "NVIDIA drivers", _driver_of, "upgrade the nodes to one release"),
        *_unequal(
            name,
            facts,
            "SL113",
            "firmware of the NIC",
            lambda node: _firmware_of(node, interfaces),
            "upgrade the node's firmware through DGX OS and power it off and on",
        ),
    ]


def _platform(name: str, requirements: dict[str, Any], own: Facts) -> list[Finding]:
    findings = []
    if own["architecture"] != requirements["architecture"]:
        findings.append(
            Finding(
                "SL101",
                "fail",
                name,
                "the node has another architecture than the cluster file requires",
                requirements["architecture"],
                own["architecture"],
                "see that the address is that of a Spark, or set requirements.architecture",
            )
        )
    if own["distribution"] not in requirements["distributions"]:
        findings.append(
            Finding(
                "SL102",
                "fail",
                name,
                "the node runs a distribution that the cluster file does not allow",
                " or ".join(requirements["distributions"]),
                own["distribution"] or "unknown",
                "install DGX OS of an allowed release, or add it to requirements.distributions",
            )
        )
    return findings


def _of_release(release: str, listed: str) -> bool:
    """Tell whether a kernel is the listed one or a flavour of it (7.0.0-1019-nvidia-64k)."""
    return release == listed or release.startswith(f"{listed}-")


def _kernel(name: str, requirements: dict[str, Any], own: Facts) -> list[Finding]:
    release = own["kernel"]
    denied = [
        Finding(
            "SL103",
            "fail",
            name,
            f"the node runs kernel {release}: {row['reason']}",
            "another kernel",
            release,
            row["remedy"],
            f"known fault, {row['source']}",
        )
        for row in requirements.get("denied_kernels", [])
        if _of_release(release, row["release"])
    ]
    arguments = (own["cmdline"] or "").split()
    lacking = [
        Finding(
            "SL104",
            "fail",
            name,
            f"kernel {release} runs without {row['argument']}: {row['reason']}",
            f"{row['argument']} on the kernel's command line",
            "not there",
            f"add {row['argument']} to GRUB_CMDLINE_LINUX in /etc/default/grub, run update-grub and reboot",
            f"known fault, {row['source']}",
        )
        for row in requirements.get("kernel_arguments", [])
        if _of_release(release, row["release"]) and row["argument"] not in arguments
    ]
    return [*denied, *lacking]


def _sizes(name: str, requirements: dict[str, Any], own: Facts) -> list[Finding]:
    sizes: list[tuple[str, str, str, float, int | None, str]] = [
        (
            "SL105",
            "memory",
            "total",
            requirements["min_memory_gib"],
            own["memory_kib"],
            "see with `free -h` and `dmesg` whether memory is missing or reserved",
        ),
        (
            "SL106",
            "space on /",
            "free",
            requirements["min_free_disk_gib"],
            own["disk_free_kib"],
            "make room, for example with `docker system prune` or by removing models that nobody uses",
        ),
    ]
    return [
        Finding(
            code,
            "fail",
            name,
            f"the node has too little {what}",
            f"{least:g} GiB {kind}",
            "unknown" if kib is None else f"{kib / KIB_PER_GIB:.1f} GiB {kind}",
            remedy,
        )
        for code, what, kind, least, kib, remedy in sizes
        if kib is None or kib < least * KIB_PER_GIB
    ]


def _access(name: str, own: Facts) -> list[Finding]:
    findings = []
    if not own["sudo"]:
        findings.append(
            Finding(
                SUDO,
                "fail",
                name,
                "the login may not become root without a password",
                "sudo without a password",
                "sudo asks for one, or refuses",
                "give the playbook the password with -K, or allow the login NOPASSWD in /etc/sudoers.d",
            )
        )
    version = tuple(int(number) for number in re.findall(r"\d+", own["python"])[:2])
    if version < MIN_PYTHON:
        findings.append(
            Finding(
                "SL114",
                "fail",
                name,
                "the node's Python is too old for the modules",
                f"Python {MIN_PYTHON[0]}.{MIN_PYTHON[1]} or later",
                f"Python {own['python']}",
                "install a newer python3, or point ansible_python_interpreter at one",
            )
        )
    return findings


def _interfaces(name: str, own: Facts, declared: tuple[str, ...]) -> list[Finding]:
    seen = own["interfaces"]
    absent = [interface for interface in declared if interface not in seen]
    if not absent:
        return []
    fabric = {
        rail.interface for model in node_models().values() for cage in model.cages for rail in cage.rails.values()
    }
    there = sorted(fabric & seen.keys())
    if not there and len(absent) == len(declared):
        return [
            Finding(
                "SL108",
                "fail",
                name,
                "the node has no fabric interface at all",
                ", ".join(absent),
                "none of them",
                "plug the cable in until it clicks at both ends; the interfaces come within seconds. If they do not, "
                "power the node off and on",
                "uncabled: the hot-plug service removes the ports of a cage without a cable",
            )
        ]
    return [
        Finding(
            "SL109",
            "fail",
            name,
            f"interface {', '.join(absent)} is absent while others of the fabric are there",
            ", ".join(declared),
            ", ".join(there) or "none of the usual names",
            "correct the cage of this node in the cluster file, or move the cable to the cage it names "
            "(cage 0 is next to the RJ45)",
            "the name is wrong, or the cable is in the node's other cage",
        )
    ]


def _machine_id(name: str, facts: dict[str, Facts]) -> list[Finding]:
    own = facts[name]["machine_id"]
    twins = sorted(peer for peer, theirs in facts.items() if peer != name and own and theirs["machine_id"] == own)
    if not twins:
        return []
    return [
        Finding(
            "SL110",
            "fail",
            " and ".join([name, *twins]),
            "nodes share a machine-id, so DHCP and systemd take them for one machine",
            "a machine-id of its own on each node",
            f"{own} on {', '.join([name, *twins])}",
            "on all of them but one: sudo rm /etc/machine-id /var/lib/dbus/machine-id; "
            "sudo systemd-machine-id-setup; sudo reboot",
            "the nodes were installed from one image; Sparks were seen to ship so",
        )
    ]


def _kernel_of(facts: Facts) -> str | None:
    return str(facts["kernel"])


def _driver_of(facts: Facts) -> str | None:
    return facts["nvidia_driver"] or "no driver"


def _firmware_of(facts: Facts, interfaces: tuple[str, ...]) -> str | None:
    """Return the firmware of the declared interfaces; one NIC carries all of them."""
    found = {facts["interfaces"].get(interface, {}).get("firmware") for interface in interfaces} - {None}
    return " and ".join(sorted(found)) or None


def _unequal(
    name: str, facts: dict[str, Facts], code: str, what: str, value: Callable[[Facts], str | None], remedy: str
) -> list[Finding]:
    """Say that a node has another version than most; when no version leads, name every group."""
    groups: dict[str, list[str]] = {}
    for node in sorted(facts):
        version = value(facts[node])
        if version is not None:
            groups.setdefault(version, []).append(node)
    own = next((version for version, nodes in groups.items() if name in nodes), None)
    if own is None or len(groups) < 2:  # noqa: PLR2004 - nothing to compare with
        return []
    most = max(len(nodes) for nodes in groups.values())
    leaders = [version for version, nodes in groups.items() if len(nodes) == most]
    severity: Severity = "fail"
    everyone = "; ".join(f"{version} on {', '.join(nodes)}" for version, nodes in sorted(groups.items()))
    if len(leaders) > 1:
        problem = f"the {what} of the nodes differ, and no version has the majority"
        return [Finding(code, severity, name, problem, "one version on every node", everyone, remedy)]
    leader = leaders[0]
    if own == leader:
        return []
    return [
        Finding(
            code,
            severity,
            name,
            f"the {what} of the nodes differ, and {name} is the odd one out"
            if len(groups[own]) == 1
            else f"the {what} of the nodes differ, and {name} is not with the majority",
            f"{leader}, as on {', '.join(groups[leader])}",
            own,
            remedy,
        )
    ]
