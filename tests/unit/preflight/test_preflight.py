from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.preflight import judge

REQUIREMENTS: dict[str, Any] = {
    "architecture": "aarch64",
    "distributions": ["Ubuntu 24.04", "Debian 13"],
    "min_memory_gib": 100.0,
    "min_free_disk_gib": 20.0,
    "denied_kernels": [
        {"release": "6.17.0-1008-nvidia", "reason": "it panics", "remedy": "upgrade", "source": "forum 366026"}
    ],
    "kernel_arguments": [
        {"release": "7.0.0-1019-nvidia", "argument": "kho=off", "reason": "ENOMEM", "source": "an owner"}
    ],
}
RAILS = ("enp1s0f1np1", "enP2p1s0f1np1")


def node(number: int = 1, **changes: Any) -> dict[str, Any]:
    interface = {"firmware": "28.45.4028"}
    return {
        "architecture": "aarch64",
        "distribution": "Ubuntu 24.04",
        "kernel": "6.17.0-1029-nvidia",
        "cmdline": "ro quiet",
        "memory_kib": 127535252,
        "disk_free_kib": 500 * 1024 * 1024,
        "machine_id": f"{number:032x}",
        "python": "3.12.3",
        "sudo": True,
        "nvidia_driver": "580.173.02",
        "interfaces": {"enP7s7": {"firmware": None}, RAILS[0]: interface, RAILS[1]: interface},
        **changes,
    }


def rack(count: int, **changed: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the facts of s1, s2, …; ``s2={"kernel": …}`` makes that one differ."""
    return {f"s{n}": node(n, **changed.get(f"s{n}", {})) for n in range(1, count + 1)}


def found(name: str, facts: dict[str, Any]) -> list[Finding]:
    return judge(name, REQUIREMENTS, facts, RAILS)


def alone(**changes: Any) -> list[Finding]:
    return found("s1", {"s1": node(**changes)})


def test_a_good_rack_has_no_finding() -> None:
    facts = rack(8)
    assert [finding for name in facts for finding in found(name, facts)] == []


def test_a_node_without_facts_is_not_passed() -> None:
    assert [finding.code for finding in found("s1", {"s2": node()})] == ["SL100"]


@pytest.mark.parametrize(
    ("changes", "code", "severity", "actual"),
    [
        ({"architecture": "x86_64"}, "SL101", "fail", "x86_64"),
        ({"distribution": "Ubuntu 22.04"}, "SL102", "fail", "Ubuntu 22.04"),
        ({"distribution": None}, "SL102", "fail", "unknown"),
        ({"kernel": "6.17.0-1008-nvidia"}, "SL103", "fail", "6.17.0-1008-nvidia"),
        ({"kernel": "7.0.0-1019-nvidia"}, "SL104", "fail", "not there"),
        ({"kernel": "7.0.0-1019-nvidia-64k", "cmdline": None}, "SL104", "fail", "not there"),
        ({"kernel": "7.0.0-1019-nvidia", "cmdline": "xkho=off"}, "SL104", "fail", "not there"),
        ({"memory_kib": 64 * 1024 * 1024}, "SL105", "fail", "64.0 GiB total"),
        ({"memory_kib": None}, "SL105", "fail", "unknown"),
        ({"disk_free_kib": 1024 * 1024}, "SL106", "fail", "1.0 GiB free"),
        ({"sudo": False}, "SL107", "fail", "sudo asks for one, or refuses"),
        ({"python": "3.9.18"}, "SL114", "fail", "Python 3.9.18"),
    ],
)
def test_what_a_node_lacks_is_found_alone(changes: dict[str, Any], code: str, severity: str, actual: str) -> None:
    findings = alone(**changes)
    assert [(finding.code, finding.severity, finding.actual) for finding in findings] == [(code, severity, actual)]
    assert findings[0].remedy
    assert findings[0].where == "s1"


@pytest.mark.parametrize(
    "changes",
    [
        {"kernel": "7.0.0-1019-nvidia", "cmdline": "ro kho=off quiet"},
        {"kernel": "7.0.0-10190-nvidia"},
        {"distribution": "Debian 13"},
        {"python": "3.10.0"},
        {"python": "3.13.5"},
    ],
)
def test_what_is_allowed_is_not_found(changes: dict[str, Any]) -> None:
    assert alone(**changes) == []


def test_a_node_without_any_fabric_interface_is_uncabled() -> None:
    (finding,) = alone(interfaces={"enP7s7": {"firmware": None}, "lo": {"firmware": None}})
    assert finding.code == "SL108"
    assert "uncabled: the hot-plug service removes the ports of a cage without a cable" in str(finding)


def test_a_node_with_other_fabric_interfaces_has_a_wrong_name_or_cage() -> None:
    nic = {"firmware": "28.45.4028"}
    (finding,) = alone(interfaces={"enp1s0f0np0": nic, "enP2p1s0f0np0": nic})
    assert finding.code == "SL109"
    assert finding.actual == "enP2p1s0f0np0, enp1s0f0np0"
    (finding,) = alone(interfaces={RAILS[0]: nic})
    assert (finding.code, RAILS[1] in finding.problem, RAILS[0] in finding.problem) == ("SL109", True, False)


def test_twins_are_both_named_and_nobody_else_is() -> None:
    facts = rack(4, s3={"machine_id": f"{1:032x}"})
    assert [finding.where for finding in found("s1", facts)] == ["s1 and s3"]
    assert [finding.code for finding in found("s3", facts)] == ["SL110"]
    assert found("s2", facts) == []
    assert "systemd-machine-id-setup" in found("s1", facts)[0].remedy


def test_nodes_without_a_machine_id_are_no_twins() -> None:
    assert found("s1", rack(2, s1={"machine_id": None}, s2={"machine_id": None})) == []


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("SL111", {"kernel": "6.17.0-1032-nvidia"}),
        ("SL112", {"nvidia_driver": "595.84"}),
        ("SL112", {"nvidia_driver": None}),
        ("SL113", {"interfaces": {rail: {"firmware": "28.46.1006"} for rail in RAILS}}),
    ],
)
def test_the_odd_one_out_is_named_and_only_there(code: str, changes: dict[str, Any]) -> None:
    facts = rack(4, s2=changes)
    (finding,) = found("s2", facts)
    assert (finding.code, finding.severity) == (code, "fail")
    assert "s2 is the odd one out" in finding.problem
    assert "s1, s3, s4" in finding.expected
    assert [found(name, facts) for name in ("s1", "s3", "s4")] == [[], [], []]


def test_a_tie_names_both_groups_on_both_sides() -> None:
    facts = rack(4, s3={"kernel": "6.17.0-1032-nvidia"}, s4={"kernel": "6.17.0-1032-nvidia"})
    for name in facts:
        (finding,) = found(name, facts)
        assert "no version has the majority" in finding.problem
        assert "6.17.0-1029-nvidia on s1, s2; 6.17.0-1032-nvidia on s3, s4" in finding.actual


def test_firmware_that_cannot_be_read_differs_from_nothing() -> None:
    facts = rack(3, s2={"interfaces": {rail: {"firmware": None} for rail in RAILS}})
    assert [found(name, facts) for name in facts] == [[], [], []]


def test_a_minority_of_more_than_one_is_not_called_odd() -> None:
    facts = rack(5, s4={"kernel": "x"}, s5={"kernel": "x"})
    assert "is not with the majority" in found("s4", facts)[0].problem
