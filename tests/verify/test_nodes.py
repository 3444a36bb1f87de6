"""The nodes: interfaces, MTU paths, RDMA, environment, logins, clocks."""

from __future__ import annotations

import json
import shlex
from concurrent.futures import ThreadPoolExecutor

import pytest

# What ICMP and IPv4 add to a ping's payload, in bytes.
HEADERS = 28


def only_filled(answers):
    return {name: answer for name, answer in answers.items() if answer}


def test_rails_have_speed_mtu_and_address(rack):
    def look(name):
        wrong = []
        seen = {link["ifname"]: link for link in json.loads(rack.host(name).check_output("ip -j addr"))}
        for rail in rack.vars[name]["fabric_interfaces"]:
            link = seen.get(rail["name"])
            if link is None:
                wrong.append(f"{rail['name']} is absent")
                continue
            addresses = [f"{entry['local']}/{entry['prefixlen']}" for entry in link["addr_info"]]
            speed = rack.host(name).check_output("cat /sys/class/net/%s/speed", rail["name"])
            found = {"mtu": link["mtu"], "address": addresses, "speed": int(speed)}
            wanted = {"mtu": rail["mtu"], "address": [rail["address"]], "speed": rail["speed_mbps"]}
            wrong += [f"{rail['name']}: {found} instead of {wanted}"] if found != wanted else []
        return wrong

    assert only_filled(rack.on_every_node(look)) == {}


def test_netplan_file_is_private(rack):
    def look(name):
        with rack.host(name).sudo():
            file = rack.host(name).file("/etc/netplan/60-sparkloom-fabric.yaml")
            return (file.exists, file.mode, file.user)

    assert set(rack.on_every_node(look).values()) == {(True, 0o600, "root")}


def test_full_frames_pass_between_all_pairs_on_both_rails(rack):
    def look(name):
        def ping(target):
            rail, peer, address = target
            size = rail["mtu"] - HEADERS
            command = f"ping -M do -s {size} -c 3 -w 15 -q -I {rail['name']} {address}"
            return None if rack.host(name).run(command).succeeded else f"{peer} {rail['rail']}"

        targets = [
            (rail, peer["name"], peer["addresses"][rail["rail"]])
            for rail in rack.vars[name]["fabric_interfaces"]
            for peer in rack.vars[name]["fabric_peers"]
            if peer["name"] in rack.nodes
        ]
        with ThreadPoolExecutor(4) as pool:
            return [lost for lost in pool.map(ping, targets) if lost]

    assert only_filled(rack.on_every_node(look)) == {}


def test_rdma_devices_are_active_ethernet_with_the_rails_gid(rack):
    def look(name):
        wrong = []
        for device in rack.vars[name]["nccl_devices"]:
            base = f"/sys/class/infiniband/{device['device']}"
            shown = rack.host(name).run(f"cat {base}/ports/1/link_layer {base}/ports/1/state")
            if shown.stdout.split() != ["Ethernet", "4:", "ACTIVE"]:
                wrong.append(f"{device['device']}: {shown.stdout} {shown.stderr}")
            mapped = "ffff:{:02x}{:02x}:{:02x}{:02x}".format(*map(int, device["address"].split(".")))
            if mapped not in rack.host(name).run(f"cat {base}/ports/1/gids/*").stdout:
                wrong.append(f"{device['device']}: no GID for {device['address']}")
        return wrong

    assert only_filled(rack.on_every_node(look)) == {}


def test_a_login_shell_has_the_planned_environment(rack):
    def look(name):
        wanted = rack.vars[name]["nccl_environment"]
        found = {}
        for user in rack.vars[name]["nccl_users"]:
            with rack.host(name).sudo():
                lines = rack.host(name).check_output("su - %s -c env", user).splitlines()
            seen = dict(line.split("=", 1) for line in lines if "=" in line)
            found |= {f"{user} {key}": seen.get(key) for key in wanted if seen.get(key) != wanted[key]}
        return found

    assert only_filled(rack.on_every_node(look)) == {}


def test_every_node_logs_in_to_every_node(rack):
    def look(name):
        failed = []
        for user in rack.vars[name]["ssh_mesh_users"]:
            for peer in rack.vars[name]["ssh_mesh_peers"]:
                if peer["name"] not in rack.nodes:
                    continue
                ssh = f"ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=20 {peer['hosts'][0]} hostname"
                with rack.host(name).sudo():
                    answer = rack.host(name).run(f"su - {user} -c {shlex.quote(ssh)}")
                if answer.stdout.strip() != peer["name"]:
                    failed.append(f"{user} to {peer['name']}: {answer.stderr.strip()}")
        return failed

    assert only_filled(rack.on_every_node(look)) == {}


def test_no_two_nodes_share_a_private_key(rack):
    def look(name):
        with rack.host(name).sudo():
            return [
                rack.host(name).check_output(f"ssh-keygen -y -f ~{user}/.ssh/id_ed25519").split()[1]
                for user in rack.vars[name]["ssh_mesh_users"]
            ]

    keys = [key for found in rack.on_every_node(look).values() for key in found]
    assert len(set(keys)) == len(keys)


def test_clocks_agree(rack):
    def look(name):
        values = rack.vars[name]
        if values["time_sync_is_reference"] and not values["time_sync_servers"]:
            return 0.0
        fields = rack.host(name).check_output("chronyc -c tracking").split(",")
        return abs(float(fields[4])) * 1000

    limits = {name: rack.vars[name]["time_sync_max_offset_ms"] for name in rack.nodes}
    offsets = rack.on_every_node(look)
    assert {name: offset for name, offset in offsets.items() if offset > limits[name]} == {}


@pytest.mark.parametrize("round_number", [0, 1])
def test_rdma_writes_between_neighbours(rack, round_number):
    """A real ib_write_bw on rail A, the server on one node and the client on the other."""
    for name in rack.nodes:
        part = rack.vars[name]["verify_rounds"][round_number]
        if part["role"] != "client" or part["partner"] not in rack.nodes:
            continue
        mine = part["rails"][0]
        theirs = rack.vars[part["partner"]]["verify_rounds"][round_number]["rails"][0]
        options = "-F -x {gid} -s 65536 -n 50 --report_gbits -p 18700"

        def command(host, rail, options=options):
            gid = gid_index(rack.host(host), rail["device"], rail["own_address"])
            return f"ib_write_bw -d {rail['device']} {options.format(gid=gid)}"

        server, client = command(part["partner"], theirs), command(name, mine)
        with ThreadPoolExecutor(1) as pool:
            served = pool.submit(rack.host(part["partner"]).run, f"timeout 60 {server}")
            wait = "for i in $(seq 60); do ss -ltn | grep -q :18700 && exit 0; sleep 0.5; done; exit 1"
            assert rack.host(part["partner"]).run(wait).succeeded
            measured = rack.host(name).run(f"timeout 60 {client} {mine['partner_address']}")
            assert served.result().succeeded, served.result().stderr
        assert measured.succeeded, measured.stderr + measured.stdout


def gid_index(host, device, address):
    """Return the index of the RoCE v2 GID of an address."""
    mapped = "ffff:{:02x}{:02x}:{:02x}{:02x}".format(*map(int, address.split(".")))
    base = f"/sys/class/infiniband/{device}/ports/1"
    listing = host.check_output(f"grep -H . {base}/gids/* {base}/gid_attrs/types/* 2>/dev/null || true")
    gids, kinds = {}, {}
    for line in listing.splitlines():
        path, _, value = line.partition(":")
        (gids if "/gids/" in path else kinds)[int(path.rsplit("/", 1)[1])] = value
    return next(index for index, gid in gids.items() if gid.endswith(mapped) and kinds.get(index) == "RoCE v2")
