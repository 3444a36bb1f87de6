"""The values a new row has where a client gives none, by path.

Compared with the defaults of community.routeros 3.22.0 (_api_data.py) where it has one; of QoS the
queues and the trust modes with MikroTik's manual. Assumed, with no source at hand: the other QoS
defaults and ethernet/switch/port, the bridge's port-cost-mode, max-learned-entries and
forward-reserved-addresses, a member's ingress-filtering and mvrp-*, lacp-mode, a VLAN's mvrp.
"""

from __future__ import annotations

from collections.abc import Mapping

QOS = "/interface/ethernet/switch/qos"

ETHERNET = {
    "mtu": "1500",
    "orig-mac-address": "",
    "arp": "enabled",
    "arp-timeout": "auto",
    "loop-protect": "default",
    "loop-protect-send-interval": "5s",
    "loop-protect-disable-time": "5m",
    "auto-negotiation": "true",
    "tx-flow-control": "off",
    "rx-flow-control": "off",
    "disabled": "false",
}
SFP = {"fec-mode": "auto", "sfp-rate-select": "high", "sfp-ignore-rx-los": "false"}

# What a port shows for speed until it is set: an owner's CRS804 said 50G, another's CRS812 nothing at all.
FORCED = {"QSFP56-DD": "50G-baseCR", "QSFP56": "50G-baseCR", "SFP56": "50G-baseCR", "10GBASE-T": "10G-baseT"}

# What a fresh row holds beside what a client gave, by path. A path that is in none of these tables is not played.
DEFAULTS: dict[str, Mapping[str, str]] = {
    "/interface/ethernet": {},
    "/interface/bridge": {
        "mtu": "auto",
        "arp": "enabled",
        "arp-timeout": "auto",
        "protocol-mode": "rstp",
        "fast-forward": "true",
        "igmp-snooping": "false",
        "auto-mac": "true",
        "ageing-time": "5m",
        "priority": "0x8000",
        "max-message-age": "20s",
        "forward-delay": "15s",
        "transmit-hold-count": "6",
        "port-cost-mode": "long",
        "vlan-filtering": "false",
        "dhcp-snooping": "false",
        "forward-reserved-addresses": "false",
        "max-learned-entries": "auto",
        "disabled": "false",
    },
    "/interface/bridge/port": {
        "priority": "0x80",
        "edge": "auto",
        "point-to-point": "auto",
        "learn": "auto",
        "horizon": "none",
        "hw": "true",
        "auto-isolate": "false",
        "restricted-role": "false",
        "restricted-tcn": "false",
        "pvid": "1",
        "frame-types": "admit-all",
        "ingress-filtering": "true",
        "unknown-unicast-flood": "true",
        "unknown-multicast-flood": "true",
        "broadcast-flood": "true",
        "tag-stacking": "false",
        "bpdu-guard": "false",
        "trusted": "false",
        "multicast-router": "temporary-query",
        "fast-leave": "false",
        "mvrp-registrar-state": "normal",
        "mvrp-applicant-state": "normal-participant",
        "disabled": "false",
    },
    "/interface/bridge/vlan": {"tagged": "", "untagged": "", "mvrp-forbidden": "", "disabled": "false"},
    "/interface/bonding": {
        "mtu": "1500",
        "mode": "balance-rr",
        "primary": "none",
        "link-monitoring": "mii",
        "mii-interval": "100ms",
        "down-delay": "0ms",
        "up-delay": "0ms",
        "lacp-rate": "30secs",
        "lacp-mode": "active",
        "transmit-hash-policy": "layer-2",
        "min-links": "0",
        "arp": "enabled",
        "arp-timeout": "auto",
        "disabled": "false",
    },
    "/interface/vlan": {
        "mtu": "1500",
        "arp": "enabled",
        "arp-timeout": "auto",
        "use-service-tag": "false",
        "mvrp": "false",
        "disabled": "false",
    },
    "/interface/ethernet/switch": {},
    "/interface/ethernet/switch/port": {"l3-hw-offloading": "true", "storm-rate": "100"},
    f"{QOS}/profile": {"traffic-class": "1", "dscp": "0", "pcp": "0"},
    f"{QOS}/map": {},
    f"{QOS}/map/ip": {"map": "default", "profile": "default"},
    f"{QOS}/map/vlan": {"map": "default", "profile": "default", "dei-only": "false"},
    f"{QOS}/port": {
        "map": "default",
        "profile": "default",
        "tx-manager": "default",
        "trust-l2": "ignore",
        "trust-l3": "ignore",
    },
    f"{QOS}/tx-manager": {},
    f"{QOS}/tx-manager/queue": {},
    f"{QOS}/priority-flow-control": {"rx": "false", "tx": "false", "traffic-class": ""},
    "/ip/address": {"disabled": "false"},
    "/ip/service": {},
    "/ip/neighbor": {},
    "/system/health": {},
    "/system/package": {},
    "/system/ntp/client/servers": {"iburst": "true", "auth-key": "none", "disabled": "false"},
    "/system/scheduler": {"interval": "0s", "disabled": "false"},
    "/user": {"address": "", "disabled": "false"},
    "/user/group": {"skin": "default"},
}
