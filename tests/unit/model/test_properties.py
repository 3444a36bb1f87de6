"""What holds for any cluster file, found by throwing mutations of the lab's at parse and plan."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, switch_models
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import RAILS, Cluster
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.parse import parse, parse_text
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan import Plan, make_plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[3]
LAB = yaml.safe_load((ROOT / "inventories/lab/spark8.cluster.yml").read_text(encoding="utf-8"))
MODELS = switch_models()

# A machine that is busy with other tests is slow, not wrong.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Values that mean something somewhere in a cluster file, so that mutations get past the schema.
TELLING = st.sampled_from(
    [
        *cable_kinds(),
        *MODELS,
        *(
            "spark-1",
            "spark-2",
            "spark-9",
            "crs804",
            "crs812",
            "auto",
            "probe",
            "doca",
            "inbox",
            "wlP9s9",
            "enp1s0f0np0",
        ),
        *(
            "spark-1/0",
            "spark-1/1",
            "spark-2/7",
            "crs812/qsfp56-1",
            "crs804/qsfp56-dd-1",
            "crs804/qsfp56-dd-2-5",
            "a/b/c",
        ),
        *(
            "192.168.100.0/24",
            "192.168.100.0/30",
            "10.83.0.0/16",
            "0.0.0.0/0",
            "10.83.0.11",
            "10.83.0.255",
            "300.1.1.1",
        ),
        *(
            0,
            1,
            11,
            50,
            100,
            200,
            400,
            1500,
            9000,
            9570,
            9978,
            9979,
            65534,
            True,
            None,
            9000.0,
            float("inf"),
            float("nan"),
        ),
        *("", "x\n", "\ud800", "nodes", "all", "rate_gbps", "mtu", "first_host", "gid_index", "environment"),
    ]
)
SCALARS = st.one_of(
    TELLING, st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.binary(max_size=3)
)
KEYS = st.one_of(TELLING, st.text(max_size=12), st.integers(), st.none(), st.booleans())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)


def places(data: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [above]
    if isinstance(data, dict):
        for key, value in data.items():
            found += places(value, (*above, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            found += places(value, (*above, index))
    return found


def mutate(draw: st.DrawFn, data: Any) -> Any:
    """Drop, replace, or add one value somewhere in a mapping."""
    place = draw(st.sampled_from(places(data)))
    if not place:
        return draw(VALUES) if draw(st.integers(0, 9)) == 0 else data
    holder = data
    for part in place[:-1]:
        holder = holder[part]
    match draw(st.sampled_from(["drop", "replace", "add", "copy"])):
        case "drop":
            del holder[place[-1]]
        case "replace":
            holder[place[-1]] = draw(VALUES)
        case "copy":
            # Something that fits elsewhere: what the schema lets through oftenest.
            source: Any = data
            for part in draw(st.sampled_from(places(data))):
                source = source[part]
            holder[place[-1]] = copy.deepcopy(source)
        case _ if isinstance(holder, dict):
            holder[draw(KEYS)] = draw(VALUES)
        case _:
            holder.append(draw(VALUES))
    return data


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    data = copy.deepcopy(LAB)
    for _ in range(draw(st.integers(1, 4))):
        if not isinstance(data, (dict, list)) or not data:
            break
        data = mutate(draw, data)
    return data


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Any]:
    """A valid file of any supported shape: switches in a chain, nodes on what cages are left."""
    chain = draw(st.lists(st.sampled_from(sorted(MODELS)), max_size=4))
    medium = draw(st.sampled_from(["dac", "aoc"]))
    data: dict[str, Any] = {"plugin": "sparkloom.cluster.cluster", "cluster": "rack"}
    cables: list[dict[str, Any]] = []
    free: list[tuple[str, str]] = []
    for place, model in enumerate(chain):
        cages = [name for name, lanes in MODELS[model].cages().items() if lanes[0].kind == "QSFP56-DD"]
        if place:
            cables.append(
                {
                    "kind": f"400g-{medium}",
                    "from": f"switch-{place - 1}/{MODELS_LAST[chain[place - 1]]}",
                    "to": f"switch-{place}/{cages[0]}",
                }
            )
        first, last = (1 if place else 0), (-1 if place + 1 < len(chain) else None)
        free += [(f"switch-{place}", name) for name in cages[first:last]]
        free += [
            (f"switch-{place}", name) for name, lanes in MODELS[model].cages().items() if lanes[0].kind == "QSFP56"
        ]
    cage = draw(st.sampled_from(["0", "1"]))
    count = 0
    for switch, name in free or []:
        wide = "-dd-" in name
        kinds = (
            [(f"400g-{medium}-2x200g", 2), ("400g-dac-4x100g", 4)]
            if wide
            else [(f"200g-{medium}", 1), ("200g-dac-2x100g", 2)]
        )
        kind, legs = draw(st.sampled_from(kinds))
        used = draw(st.integers(0, legs))
        if used:
            cables.append(
                {"kind": kind, "from": f"{switch}/{name}", "to": [f"spark-{count + leg}/{cage}" for leg in range(used)]}
            )
            count += used
    if not chain:
        count = 2
        cables.append({"kind": f"200g-{medium}", "from": f"spark-0/{cage}", "to": f"spark-1/{cage}"})
    elif not count:
        # No cable was drawn: one node on the first cage that is free, so that the file is no empty rack.
        switch, name = free[0]
        kind = f"400g-{medium}-2x200g" if "-dd-" in name else f"200g-{medium}"
        cables.append({"kind": kind, "from": f"{switch}/{name}", "to": [f"spark-0/{cage}"]})
        count = 1
    data["nodes"] = {f"spark-{number}": {"address": f"10.0.0.{number + 20}"} for number in range(count)}
    data["switches"] = {
        f"switch-{place}": {"model": model, "address": f"10.0.0.{place + 1}"} for place, model in enumerate(chain)
    }
    data["cables"] = draw(st.permutations(cables))
    prefix = draw(st.integers(16, 26))
    data["fabric"] = {
        "subnets": {"A": f"172.16.0.0/{prefix}", "B": f"172.17.0.0/{prefix}"},
        "first_host": draw(st.integers(1, 2 ** (32 - prefix) - 1 - count)),
        "mtu": draw(st.integers(1280, 9216)),
        "gid_index": draw(st.one_of(st.sampled_from(["auto", "probe"]), st.integers(0, 255))),
    }
    if draw(st.booleans()):
        data["head"] = draw(st.sampled_from(sorted(data["nodes"])))
    return data


MODELS_LAST = {
    name: [cage for cage, lanes in model.cages().items() if lanes[0].kind == "QSFP56-DD"][-1]
    for name, model in MODELS.items()
}


def verdict(judge: Callable[[Any], Cluster], data: Any) -> Cluster | ClusterFileError:
    """Return the cluster or the refusal; whatever else is raised fails the test."""
    try:
        return judge(data)
    except ClusterFileError as error:
        return error


@settings(UNHURRIED, max_examples=400)
@given(mutated())
def test_no_mutation_raises_anything_else(data: Any) -> None:
    found = verdict(parse, data)
    if isinstance(found, ClusterFileError):
        assert found.faults
        assert all(fault.problem and fault.remedy for fault in found.faults)
        assert str(found).encode("utf-8")
    else:
        check_plan(data, make_plan(found))


@settings(UNHURRIED, max_examples=200)
@given(mutated())
def test_text_is_judged_as_the_mapping_is(data: Any) -> None:
    """What can be written as YAML is read back to the same cluster."""
    try:
        text = yaml.safe_dump(data, allow_unicode=True)
    except yaml.YAMLError:
        return
    from_mapping = verdict(parse, yaml.safe_load(text))
    if not isinstance(from_mapping, ClusterFileError):
        assert verdict(parse_text, text) == from_mapping


@settings(UNHURRIED, max_examples=200)
@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_text_raises_anything_else(text: str | bytes) -> None:
    assert isinstance(verdict(parse_text, text), ClusterFileError)


def test_the_mutations_get_as_far_as_a_plan() -> None:
    check_plan(LAB, make_plan(parse(LAB)))


@settings(UNHURRIED, max_examples=100)
@given(clusters())
def test_a_valid_file_has_a_sound_plan(data: dict[str, Any]) -> None:
    check_plan(data, make_plan(parse(data)))


def check_plan(data: dict[str, Any], plan: Plan) -> None:
    """Assert what every plan has to keep."""
    name = data["cluster"]
    nodes, switches = plan.groups[f"{name}_nodes"], plan.groups[f"{name}_switches"]
    hosts = plan.host_vars
    assert sorted(hosts) == sorted([*nodes, *switches])
    _addresses(data, nodes, hosts)
    _ranks(nodes, plan, name)
    _rounds(nodes, hosts)
    for switch in switches:
        _lanes(hosts[switch])
    _links(hosts, plan.group_vars[name]["cluster_links"])


def _addresses(data: dict[str, Any], nodes: list[str], hosts: dict[str, Any]) -> None:
    mtu = data["fabric"].get("mtu", 9000)
    subnets = {rail: IPv4Network(data["fabric"]["subnets"][rail]) for rail in RAILS}
    used: list[IPv4Address] = [IPv4Address(entry["address"]) for entry in data["nodes"].values()]
    used += [IPv4Address(entry["address"]) for entry in (data.get("switches") or {}).values()]
    for node in nodes:
        interfaces = hosts[node]["fabric_interfaces"]
        assert [interface["rail"] for interface in interfaces] == list(RAILS)
        assert len({interface["cage"] for interface in interfaces}) == 1
        for interface in interfaces:
            own, subnet = IPv4Interface(interface["address"]), subnets[interface["rail"]]
            assert own.network == subnet
            assert own.ip not in {subnet.network_address, subnet.broadcast_address}
            assert interface["mtu"] == mtu
            used.append(own.ip)
    assert [address for address, times in Counter(used).items() if times > 1] == []


def _ranks(nodes: list[str], plan: Plan, name: str) -> None:
    assert [plan.host_vars[node]["node_rank"] for node in nodes] == list(range(len(nodes)))
    assert plan.groups[f"{name}_head"] == nodes[:1]
    assert [node for node in nodes if plan.host_vars[node]["time_sync_is_reference"]] == nodes[:1]
    for node in nodes:
        assert {peer["name"] for peer in plan.host_vars[node]["fabric_peers"]} == {*nodes} - {node}


def _rounds(nodes: list[str], hosts: dict[str, Any]) -> None:
    assert len({len(hosts[node]["verify_rounds"]) for node in nodes}) == 1
    met: set[frozenset[str]] = set()
    for node in nodes:
        for number, part in enumerate(hosts[node]["verify_rounds"]):
            partner = part["partner"]
            if not partner:
                assert part["rails"] == []
                continue
            other = hosts[partner]["verify_rounds"][number]
            assert (other["partner"], {part["role"], other["role"]}) == (node, {"server", "client"})
            assert [(rail["own_address"], rail["partner_address"]) for rail in part["rails"]] == [
                (rail["partner_address"], rail["own_address"]) for rail in other["rails"]
            ]
            met.add(frozenset((node, partner)))
    # A chain: who is reached from the first node through measured pairs is everybody.
    reached = set(nodes[:1])
    while grown := {other for pair in met if pair & reached for other in pair} - reached:
        reached |= grown
    assert reached == set(nodes)


def _lanes(switch: dict[str, Any]) -> None:
    model = MODELS[switch["switch_model"]]
    ports = switch["switch_ports"]
    listed = [port["name"] for port in ports]
    assert listed == [port.name for port in model.ports if port.name in set(listed)]
    lanes = {cage: [port.name for port in lanes] for cage, lanes in model.cages().items()}
    for cage in {port["cage"] for port in ports}:
        assert [port["name"] for port in ports if port["cage"] == cage] == lanes[cage]
        assert any(port["role"] == "master" for port in ports if port["cage"] == cage)
    assert len({(port["l2mtu"], port["mtu"], port["disabled"]) for port in ports}) <= 1
    assert all(port["l2mtu"] >= port["mtu"] for port in ports)
    masters = {port["name"] for port in ports if port["role"] == "master"}
    assert len(switch["switch_bridge"]["members"]) == len(set(switch["switch_bridge"]["members"]))
    assert set(switch["switch_bridge"]["members"]) == masters == {link["port"] for link in switch["switch_links"]}


def _links(hosts: dict[str, Any], links: list[dict[str, Any]]) -> None:
    ends = [(end["name"], end.get("port") or end["cage"]) for link in links for end in link["ends"]]
    assert len(ends) == len(set(ends))
    speeds = {
        (switch, port["name"]): port["speed"]
        for switch, variables in hosts.items()
        for port in variables.get("switch_ports", [])
        if port["role"] == "master"
    }
    for link in links:
        for end in link["ends"]:
            if end["kind"] == "switch":
                assert speeds[end["name"], end["port"]].startswith(f"{link['rate_gbps']}G-base")
            else:
                rates = {one["speed_mbps"] for one in hosts[end["name"]]["fabric_interfaces"]}
                assert rates == {link["rate_gbps"] * 1000}
    assert len(speeds) == sum(end["kind"] == "switch" for link in links for end in link["ends"])
