# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a switch is well in itself: errors on its ports, release, firmware, fans, and who may log in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ansible_collections.sparkloom.cluster.plugins.module_utils.routeros import versions
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.finding import Finding
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rule import Found, rule
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.rules.ports import factory_names, links_of
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.diagnose.view import View

# The account that the attackers of September 2026 leave behind.
_ROGUE = {"ops"}
_FORWARDING = {"designated-port", "root-port"}
# A second power supply without a cord is its owner's choice.
_STATES_OF_HEALTH = {"ok", "no-input"}


@rule(
    "SL205",
    "the port receives what error correction cannot mend",
    severity="warn",
    needs=("switch.counters",),
    remedy="reseat the cable at both ends, then replace it; `/interface/ethernet/reset-counters` begins anew",
    cause="a bad cable or a dirty connector: packets are lost that RDMA then sends again",
    source="RouterOS' counters rs-fec-uncorrected and rx-fcs-error",
    covers=("spark-43", "B8"),
)
def errors(view: View, found: Found) -> Iterator[Finding]:
    words = {"rs_fec_uncorrected": "uncorrected codewords", "rx_fcs_error": "frames with a bad checksum"}
    for switch in view.switches():
        for link in switch.plan["switch_links"]:
            counters = switch["counters"].get(link["port"]) or {}
            seen = [f"{counters[name]} {text}" for name, text in words.items() if counters.get(name)]
            if seen:
                yield found(
                    f"{switch.name}/{link['port']}",
                    expected="none",
                    actual=", ".join(seen),
                    hosts=[switch.name, link["peer"]["name"]],
                    follows=view.causes.of(link["name"]),
                )


@rule(
    "SL206",
    "the port's egress is capped",
    uses=("switch.qos_ports", "switch.ports"),
    remedy="/interface/ethernet/switch/qos/port/set egress-rate-queue3=0 on this port",
    cause="a shaper for RoCE that was set for 100G ports; RDMA uses queue 3",
    source="vroomfondel/dgxarley, gotcha 2; RouterOS 7.22.1: max bit rate is 100G",
    covers=("spark-7", "B15"),
)
def shaper(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        factory = factory_names(switch.get("ports"))
        rows = {factory.get(row.get("name", ""), row.get("name", "")): row for row in switch.get("qos_ports") or ()}
        for link in switch.plan["switch_links"]:
            rate = rows.get(link["port"], {}).get("egress-rate-queue3", "0")
            if rate.isdecimal() and 0 < int(rate) < link["rate_gbps"] * 10**9:
                yield found(
                    f"{switch.name}/{link['port']}",
                    expected=f"no cap, or {link['rate_gbps']}G",
                    actual=f"{int(rate) / 10**9:g} Gb/s",
                    hosts=[switch.name, link["peer"]["name"]],
                    breaks=[link["name"]],
                )


@rule(
    "SL207",
    "spanning tree blocks a fabric port",
    needs=("switch.bridge_ports",),
    uses=("switch.ports",),
    remedy="give the port that makes the other way round a high path-cost (path-cost=200000000 internal-path-cost=200000000)",
    cause="a second way between the switches, mostly over the management ports: the fabric then takes the slow one",
    source="capetron/gb10-cluster-guide docs/03; an owner of two CRS812",
    covers=("spark-6", "B11"),
)
def blocked(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        factory = factory_names(switch.get("ports"))
        for row in switch["bridge_ports"]:
            port = factory.get(row.get("interface", ""), row.get("interface", ""))
            links = links_of(view.declared, switch.name, port)
            role = row.get("role", "")
            # A port without a link is disabled-port, which its link explains.
            if links and role and role not in _FORWARDING and role != "disabled-port":
                yield found(
                    f"{switch.name}/{port}",
                    expected="it forwards",
                    actual=role,
                    hosts=[switch.name],
                    follows=view.causes.of(*links),
                    breaks=links,
                )


@rule(
    "SL221",
    "this RouterOS release has known faults",
    severity="warn",
    needs=("switch.system",),
    remedy="upgrade RouterOS, then its firmware (/system/routerboard/upgrade and a reboot)",
    source="MikroTik's notes and owners' reports, each named in the finding",
    covers=("B16", "B17", "B18", "B19"),
)
def release(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        version = switch["system"]["version"]
        for fault in switch.plan["switch_warn_versions"]:
            if versions.warnings(version, [fault]):
                yield found(
                    switch.name,
                    expected=f"no release from {fault['from']} and below {fault['below']}",
                    actual=version,
                    cause=f"{fault['reason']} ({fault['source']})",
                    remedy=fault["remedy"],
                    hosts=[switch.name],
                )


@rule(
    "SL222",
    "the switch's firmware is older than its RouterOS",
    severity="warn",
    needs=("switch.system",),
    remedy="/system/routerboard/upgrade, then reboot the switch in a quiet hour",
    cause="RouterOS was upgraded and the firmware was not; lossless options are missing then",
    source="vroomfondel/dgxarley, gotcha 3",
    covers=("spark-48",),
)
def switch_firmware(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        current, upgrade = switch["system"]["current_firmware"], switch["system"]["upgrade_firmware"]
        if current and upgrade and current != upgrade:
            yield found(switch.name, expected=upgrade, actual=current, hosts=[switch.name])


@rule(
    "SL223",
    "an account of attackers is on the switch",
    needs=("switch.users",),
    remedy="take the switch off the network, reinstall RouterOS with Netinstall, set new passwords, restrict /ip/service address",
    cause="RouterOS below 7.23.4 and 7.24.2 is broken into on a large scale",
    source="MikroTik's warning of September 2026",
    covers=("B19",),
)
def rogue(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        for user in switch["users"]:
            if user["name"] in _ROGUE:
                yield found(
                    f"{switch.name} user {user['name']}",
                    expected="no such user",
                    actual=f"group {user['group']}{', disabled' if user['disabled'] else ''}",
                    hosts=[switch.name],
                )


@rule(
    "SL224",
    "the switch reports a fault of its own",
    severity="warn",
    needs=("switch.health",),
    remedy="look at /system/health; replace the fan or power supply that it names",
    source="MikroTik's manual on /system/health",
    covers=("B20",),
)
def own_health(view: View, found: Found) -> Iterator[Finding]:
    for switch in view.switches():
        ill = {
            name: value
            for name, value in switch["health"].items()
            if name.endswith("-state") and value not in _STATES_OF_HEALTH
        }
        if ill:
            actual = ", ".join(f"{name.removesuffix('-state')} {value}" for name, value in sorted(ill.items()))
            yield found(switch.name, expected="fans and power supplies ok", actual=actual, hosts=[switch.name])


@rule(
    "SL208",
    "a node hangs off another port than declared",
    needs=("switch.fdb", "node.interfaces"),
    uses=("switch.ports",),
    remedy="swap the cables back, or write into the cluster file how they are plugged in",
    cause="two cables were exchanged; rates and addresses look well until a breakout or a rail map depends on them",
    source="what only both ends together can tell",
    covers=("spark-23",),
)
def wrong_port(view: View, found: Found) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    for host in view.nodes():
        rails = {wanted["name"] for wanted in host.plan["fabric_interfaces"]}
        macs = {
            facts["mac"].upper(): host.name
            for name, facts in host["interfaces"].items()
            if name in rails and facts["mac"]
        }
        owners |= macs
    for switch in view.switches():
        factory = factory_names(switch.get("ports"))
        declared = {
            link["port"]: link["peer"]["name"] for link in switch.plan["switch_links"] if link["peer"]["kind"] == "node"
        }
        seen: dict[str, set[str]] = defaultdict(set)
        for row in switch["fdb"]:
            port, owner = factory.get(row["interface"], row["interface"]), owners.get(row["mac"].upper())
            if port in declared and owner:
                seen[port].add(owner)
        for port, names in seen.items():
            if names != {declared[port]}:
                yield found(
                    f"{switch.name}/{port}",
                    expected=declared[port],
                    actual=", ".join(sorted(names)),
                    hosts=[switch.name, declared[port], *sorted(names)],
                )


RULES = (wrong_port, shaper, blocked, errors, rogue, release, switch_firmware, own_health)
