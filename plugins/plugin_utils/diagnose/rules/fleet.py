# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to be the same on all hosts, or on no two of them. The odd one out is named, not all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import Host, View

_UPGRADE = "bring this node to the release of the others, then reboot it"


def odd_ones(values: Iterable[tuple[Host, str]], reference: str = "") -> Iterator[tuple[Host, str, str]]:
    """Yield each host whose value is not that of most hosts: host, common value, its own.

    Of two values that are equally common, the one of the host named ``reference`` counts, else the first.
    """
    known = [(host, value) for host, value in values if value]
    count = Counter(value for _host, value in known)
    if len(count) < 2:  # noqa: PLR2004 - with one value there is no odd one.
        return
    of_reference = next((value for host, value in known if host.name == reference), "")
    common = max(count, key=lambda value: (count[value], value == of_reference))
    yield from ((host, common, value) for host, value in known if value != common)


def _odd_nodes(view: View, found: Found, value: Callable[[Host], str]) -> Iterator[Finding]:
    hosts = list(view.nodes())
    head = next((host.plan["node_head"] for host in hosts), "")
    for host, common, own in odd_ones(((host, value(host)) for host in hosts), head):
        yield found(host.name, expected=f"{common}, as the others", actual=own, hosts=[host.name])


@rule(
    "SL801",
    "the node runs another kernel than the others",
    needs=("node.system",),
    remedy=_UPGRADE,
    source="NVIDIA forum 366026",
    covers=("spark-26",),
)
def kernels(view: View, found: Found) -> Iterator[Finding]:
    yield from _odd_nodes(view, found, lambda host: host["system"]["kernel"])


@rule(
    "SL802",
    "the node has another NVIDIA driver than the others",
    uses=("node.gpu",),
    remedy=_UPGRADE,
    source="NVIDIA forum 366026",
    covers=("spark-26",),
)
def drivers(view: View, found: Found) -> Iterator[Finding]:
    yield from _odd_nodes(view, found, lambda host: (host.get("gpu") or {}).get("driver", ""))


def _firmware(host: Host) -> str:
    rails = {wanted["name"] for wanted in host.plan["fabric_interfaces"]}
    seen = {facts["firmware"] for name, facts in host["interfaces"].items() if name in rails and facts["firmware"]}
    return " and ".join(sorted(seen))


@rule(
    "SL803",
    "the node's NIC has another firmware than the others",
    needs=("node.interfaces",),
    remedy="let DGX OS update the NIC's firmware (nvidia-spark-mlnx-firmware-manager), then power the node off and on",
    cause="prefill was 140 % faster on a rack after one node's firmware was brought up to date",
    source="an owner's report of mixed NIC firmware",
    covers=("spark-47",),
)
def firmware(view: View, found: Found) -> Iterator[Finding]:
    yield from _odd_nodes(view, found, _firmware)


@rule(
    "SL804",
    "two nodes have one machine-id",
    needs=("node.system",),
    remedy="on all but one of them: rm /etc/machine-id /var/lib/dbus/machine-id; systemd-machine-id-setup; reboot",
    cause="a disk image was cloned; DHCP, the journal and clusters take both for one machine",
    source="spark-pulse",
    covers=("spark-38",),
)
def machine_ids(view: View, found: Found) -> Iterator[Finding]:
    owners: dict[str, list[str]] = defaultdict(list)
    for host in view.nodes():
        if host["system"]["machine_id"]:
            owners[host["system"]["machine_id"]].append(host.name)
    for names in owners.values():
        if len(names) > 1:
            yield found(" and ".join(names), expected="a machine-id each", actual="the same one", hosts=names)


@rule(
    "SL805",
    "two nodes hold one private key",
    needs=("node.ssh",),
    remedy="remove the key from both (~/.ssh), then run site.yml with --tags ssh_mesh",
    cause="some guides copy one key to all nodes: who has one node then has all of them",
    source="NVIDIA/dgx-spark-playbooks, connect-two-sparks/assets/discover-sparks",
    covers=("spark-36",),
)
def shared_keys(view: View, found: Found) -> Iterator[Finding]:
    owners: dict[tuple[str, str], list[str]] = defaultdict(list)
    for host in view.nodes():
        for user, seen in host["ssh"]["users"].items():
            for key in seen["keys"]:
                owners[user, key].append(host.name)
    for (user, key), names in owners.items():
        if len(names) > 1:
            yield found(
                f"{user} on {', '.join(names)}", expected="a key of its own on each node", actual=key, hosts=names
            )


@rule(
    "SL806",
    "the switch runs another RouterOS than the others",
    severity="warn",
    needs=("switch.system",),
    remedy="upgrade the older one, then its firmware (/system/routerboard/upgrade and a reboot)",
    source="defects that belong to single RouterOS releases: notes of 7.23 and 7.24",
)
def routeros(view: View, found: Found) -> Iterator[Finding]:
    for switch, common, own in odd_ones((switch, switch["system"]["version"]) for switch in view.switches()):
        yield found(switch.name, expected=f"{common}, as the others", actual=own, hosts=[switch.name])


RULES = (kernels, drivers, firmware, machine_ids, shared_keys, routeros)
