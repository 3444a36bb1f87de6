"""The owner's path, in its order: a fresh rack, the first run, the second, what drifts, what breaks.

The tests build on one another, as the runs of an owner do; each states what it needs.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from lab.play import ROOT

pytestmark = pytest.mark.lab


def test_check_mode_tells_all_and_changes_nothing(rack):
    before = rack.fingerprint()
    result = rack.play("site.yml", "--check", "--diff")
    assert result.rc == 0, result.output
    told = {host: {found.task for found in result.changed(host)} for host in result.hosts()}
    assert all(told[node] for node in rack.nodes), told
    assert all(told[switch] for switch in rack.switches), told
    assert rack.fingerprint() == before


def test_the_first_run_makes_every_host_right(rack):
    result = rack.play("site.yml")
    assert result.rc == 0, result.output
    assert set(result.count("changed")) == {*rack.nodes, *rack.switches}
    status = rack.lab.ask(command="status")
    assert {port["status"] for port in status["ports"]} == {"link-ok"}
    assert {cage["rate_gbps"] for cage in status["cages"]} == {200}


def test_the_second_run_changes_nothing(rack):
    before = rack.fingerprint()
    result = rack.play("site.yml", "--diff")
    assert result.rc == 0, result.output
    assert result.count("changed") == {}, [(found.host, found.task, found.diff) for found in result.changed()]
    assert rack.fingerprint() == before


def test_verification_passes(rack):
    result = rack.play("playbooks/verify.yml")
    assert result.rc == 0, result.output
    assert result.count("changed") == {}


def test_the_testinfra_suite_passes(rack):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/verify",
        "--rack",
        str(rack.inventory),
        "-q",
        "--tb=short",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


def only_change(result, host):
    """Assert that one task on one host changed something, and return it."""
    assert result.rc == 0, result.output
    (change,) = result.changed()
    assert change.host == host
    return str(change.diff)


def test_a_port_speed_behind_the_back_is_put_right(rack):
    switch = rack.switches[0]
    link = next(iter(rack.lab.ask(command="status")["ports"]))
    rack.fault("port-speed", f"{link['switch']}/{link['port']}", "50G-baseCR")
    diff = only_change(rack.play("site.yml", "--diff", "-l", switch), switch)
    assert f"{link['port']} speed=50G-baseCR" in diff
    assert diff.count("speed=") == 2


@pytest.mark.parametrize(
    ("role", "spoil", "told"),
    [
        ("fabric", "sudo ip link set enp1s0f1np1 mtu 1500", "1500"),
        ("fabric", "sudo sed -i s/9000/4096/ /etc/netplan/60-sparkloom-fabric.yaml", "4096"),
        ("nccl", "sudo sed -i s/^NCCL_NET=.*/NCCL_NET=Socket/ /etc/sparkloom/nccl.env", "NCCL_NET=Socket"),
        ("time_sync", "echo server 192.0.2.1 | sudo tee -a /etc/chrony/chrony.conf", "192.0.2.1"),
    ],
)
def test_a_node_changed_behind_the_back_is_put_right(rack, role, spoil, told):
    node = rack.nodes[-1]
    rack.on(node, spoil)
    result = rack.play("site.yml", "--diff", "--tags", role, "-l", node)
    assert result.rc == 0, result.output
    assert {found.host for found in result.changed()} == {node}
    assert told in str([found.diff for found in result.changed()])


def test_a_host_key_behind_the_back_is_put_right(rack):
    node = rack.nodes[-1]
    rack.on(
        node,
        "sudo sed -i '/ssh-ed25519/s/AAAA[^ ]*/AAAAC3NzaC1lZDI1NTE5AAAAIDRIFTDRIFTDRIFTDRIFTDRIFT/' /etc/ssh/ssh_known_hosts",
    )
    diff = only_change(rack.play("site.yml", "--diff", "--tags", "ssh_mesh"), node)
    assert "DRIFT" in diff


def test_a_netplan_file_that_competes_is_retired(rack):
    node = rack.nodes[0]
    rival = "network: {version: 2, ethernets: {enp1s0f1np1: {addresses: [192.168.100.99/24], mtu: 1500}}}"
    rack.on(node, f"echo '{rival}' | sudo tee /etc/netplan/99-nvidia-sync-cluster.yaml; sudo netplan apply")
    result = rack.play("site.yml", "--diff", "--tags", "fabric", "-l", node)
    assert result.rc == 0, result.output
    # The change, and its confirmation over a fresh connection.
    assert [(found.host, found.task) for found in result.changed()] == [
        (node, "Apply the fabric's network"),
        (node, "Keep the change"),
    ]
    assert "99-nvidia-sync-cluster.yaml" in str([found.diff for found in result.changed()])
    assert "99-nvidia" in rack.on(node, "sudo ls /var/backups/sparkloom/netplan")
    assert "192.168.100.99" not in rack.on(node, "ip -br addr")


def test_nothing_is_left_to_do(rack):
    result = rack.play("site.yml", "--diff")
    assert result.rc == 0, result.output
    assert result.count("changed") == {}, [(found.host, found.task, found.diff) for found in result.changed()]


def test_a_subset_of_nodes_is_run_alone(rack):
    some = rack.nodes[-2:]
    result = rack.play("site.yml", "-l", ",".join(some))
    assert result.rc == 0, result.output
    assert result.hosts() == set(some)
    assert result.count("changed") == {}


def test_check_mode_tells_of_a_package_that_apt_knows_nothing_of(rack):
    node = rack.nodes[0]
    rack.on(node, "sudo rm -rf /var/lib/apt/lists/*")
    packages = '{"ofed_packages":["rdma-core","a-package-of-tomorrow"]}'
    result = rack.play("site.yml", "--check", "--diff", "--tags", "ofed", "-l", node, "-e", f"'{packages}'")
    assert result.rc == 0, result.output
    (told,) = result.changed(node)
    assert "a-package-of-tomorrow" in str(told.diff)


def test_a_dead_node_fails_alone(rack):
    dead, alive = rack.nodes[-1], rack.nodes[0]
    rack.fault("dead", dead)
    try:
        result = rack.play("site.yml", "--tags", "preflight,nccl")
        assert result.count("dark") == {dead: 1}
        assert result.count("failures") == {}
        assert "Write the environment for all that read it" in {
            found.task for found in result.results if found.host == alive
        }
    finally:
        rack.clear()


def test_a_qsfp28_cable_ends_in_words_that_name_it(rack):
    cage = str(rack.lab.cluster.cables[-1].near)
    switch = cage.split("/", maxsplit=1)[0]
    rack.fault("cable", cage, "100g-dac")
    try:
        result = rack.play("site.yml", "-l", switch)
    finally:
        rack.clear()
    (failure,) = result.failures()
    for words in ("QSFP28", cage, "seen", "200G expected", "buy a QSFP56"):
        assert words in failure.message
