"""A switch as it leaves the factory.

Ports, l2mtu, bridge and ids come from the model's file in plugin_utils/data/switch_models; names of
health readings from owners' reports. Assumed, with no source at hand: the readings' values, the
policies of the user groups, which services are disabled, what a port advertises, discovery settings.
"""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import link_modes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import SwitchModel, SwitchPort

from .defaults import DEFAULTS, ETHERNET, FORCED, QOS, SFP
from .schema import Schema
from .store import Store

QUEUES = 8
PFC = f"{QOS}/priority-flow-control"

# Tables of the lab that clients may add rows to although no crawl says so (a CHR has no switch chip).
ADDABLE = (
    f"{QOS}/profile",
    f"{QOS}/map",
    f"{QOS}/map/ip",
    f"{QOS}/map/vlan",
    f"{QOS}/tx-manager",
    PFC,
)

_POLICIES = [
    "local",
    "telnet",
    "ssh",
    "ftp",
    "reboot",
    "read",
    "write",
    "policy",
    "test",
    "winbox",
    "password",
    "web",
    "sniff",
    "sensitive",
    "api",
    "romon",
    "rest-api",
]
_NOT_FOR_READ = {"ftp", "write", "policy"}
_NOT_FOR_WRITE = {"ftp", "policy"}

_SERVICES = (
    ("ftp", "21", True),
    ("ssh", "22", False),
    ("telnet", "23", True),
    ("www", "80", True),
    ("www-ssl", "443", True),
    ("winbox", "8291", False),
    ("api", "8728", False),
    ("api-ssl", "8729", False),
)


def _settings(model: SwitchModel, version: str, name: str) -> dict[str, dict[str, str]]:
    """Return the only rows of the settings directories."""
    channel = "testing" if any(word in version for word in ("rc", "beta", "alpha")) else "stable"
    serial = f"HX{sum(name.encode()) * 7919 % 10**8:08d}"
    return {
        "/system/identity": {"name": "MikroTik"},
        "/system/resource": {
            "version": f"{version} ({channel})",
            "free-memory": "3758096384",
            "total-memory": "4294967296",
            "cpu": "ARM64",
            "cpu-count": "4",
            "cpu-frequency": "2000",
            "architecture-name": "arm64",
            "board-name": model.model,
            "platform": "MikroTik",
        },
        "/system/routerboard": {
            "routerboard": "true",
            "board-name": model.product_code,
            "model": model.model,
            "serial-number": serial,
            "firmware-type": "98DX7335",
            "factory-firmware": "7.19.5",
            "current-firmware": version,
            "upgrade-firmware": version,
        },
        "/system/clock": {"time-zone-autodetect": "true", "time-zone-name": "manual"},
        "/system/ntp/client": {"enabled": "false", "mode": "unicast", "servers": "", "vrf": "main"},
        "/system/device-mode": {"mode": "basic", "scheduler": "true", "container": "false", "traffic-gen": "false"},
        "/interface/bridge/settings": {
            "use-ip-firewall": "false",
            "use-ip-firewall-for-vlan": "false",
            "use-ip-firewall-for-pppoe": "false",
            "allow-fast-path": "true",
        },
        "/ip/neighbor/discovery-settings": {
            "discover-interface-list": "static",
            "lldp-med-net-policy-vlan": "disabled",
            "protocol": "cdp,lldp,mndp",
            "mode": "tx-and-rx",
            "discover-interval": "30s",
            "lldp-mac-phy-config": "false",
            "lldp-max-frame-size": "false",
            "lldp-vlan-info": "false",
            "lldp-dcbx": "false",
        },
        f"{QOS}/settings": {
            "shared-buffers": "auto",
            "multicast-buffers": "auto",
            "mirror-buffers": "auto",
            "mirror-profile": "default",
            "wred-threshold": "medium",
            "lossless-traffic-class": "",
            "lossless-buffers": "auto",
        },
    }


_HEALTH = (
    ("cpu-temperature", "47", "C"),
    ("switch-temperature", "55", "C"),
    ("board-temperature1", "38", "C"),
    ("fan-state", "ok", ""),
    ("fan1-speed", "4830", "RPM"),
    ("fan2-speed", "4815", "RPM"),
    ("fan3-speed", "4845", "RPM"),
    ("fan4-speed", "4800", "RPM"),
    ("psu1-state", "ok", ""),
    ("psu2-state", "no-input", ""),
    ("psu1-power", "92.4", "W"),
)


def advertised(port: SwitchPort) -> str:
    """Return the modes that a port advertises from the factory: all that its kind of cage can carry."""
    lanes, fastest = {"QSFP56-DD": (8, 400), "QSFP56": (4, 200), "SFP56": (1, 50)}.get(port.kind, (1, 10))
    left = max(lanes - port.lane + 1, 1)
    copper = port.kind == "10GBASE-T"
    return ",".join(
        mode.mode
        for mode in link_modes().values()
        if mode.lanes <= left
        and mode.gbps <= fastest
        and (("baseT" in mode.mode) == copper)
        and "baseFX" not in mode.mode
    )


def _mac(number: int) -> str:
    digits = f"{0xD0EA11000000 + number:012X}"
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _interfaces(store: Store, model: SwitchModel, name: str) -> None:
    pfc = {"pfc": "disabled"} if PFC in store.tables else {}
    base = (sum(name.encode()) % 0xFFFF) << 8
    for number, port in enumerate(model.ports):
        identity = port.id or f"*{number + 2:X}"
        mac = _mac(base + int(identity[1:], 16))  # MAC addresses run in the order of the ids
        own = (
            {}
            if port.kind == "10GBASE-T"
            else {**SFP, "sfp-shutdown-temperature": "95" if port.kind == "SFP56" else "80"}
        )
        values = {"default-name": port.name, "name": port.name, **ETHERNET, **own}
        values |= {"l2mtu": str(model.factory_l2mtu), "mac-address": mac, "orig-mac-address": mac}
        values |= {"advertise": advertised(port), "speed": FORCED[port.kind], "switch": "switch1"}
        store.insert("/interface/ethernet", values, identity=identity, interface=True, fixed=True)
        row = {"name": port.name, "switch": "switch1"}
        store.insert("/interface/ethernet/switch/port", row, fixed=True)
        if port.kind != "10GBASE-T":
            store.insert(f"{QOS}/port", row | pfc, fixed=True)
    bridge = {"name": model.factory_bridge, "mac-address": _mac(base)}
    store.insert("/interface/bridge", bridge, interface=True)
    for port in model.ports:
        store.insert("/interface/bridge/port", {"interface": port.name, "bridge": model.factory_bridge})
    store.insert("/ip/address", {"address": "192.168.88.1/24", "interface": model.factory_bridge})


def add_queues(store: Store, manager: str) -> None:
    """Add the queues that come with every tx-manager."""
    groups = ("low-priority-group",) * 3 + ("high-priority-group",) * 3 + ("strict-priority",) * 2
    weights = ("1", "2", "3", "3", "4", "5", None, None)
    marking = {"ecn": "false", "wred": "false"} if PFC in store.tables else {}  # both came with PFC
    for queue in range(QUEUES):
        values = {"tx-manager": manager, "traffic-class": str(queue), "schedule": groups[queue]}
        weight = weights[queue]
        values |= {"weight": weight} if weight else {}
        store.insert(f"{QOS}/tx-manager/queue", values | marking, fixed=True)


def _builtin(store: Store, version: str) -> None:
    """Add the rows that the device made and that cannot be removed."""
    store.insert(
        "/interface/ethernet/switch",
        {"name": "switch1", "type": "Marvell-98DX7335", "l3-hw-offloading": "false", "qos-hw-offloading": "true"},
        fixed=True,
    )
    for path in ("profile", "map", "tx-manager"):
        store.insert(
            f"{QOS}/{path}",
            {"name": "default", "traffic-class": "0"} if path == "profile" else {"name": "default"},
            fixed=True,
        )
    if PFC in store.tables:
        store.insert(PFC, {"name": "disabled"}, fixed=True)
    add_queues(store, "default")
    for service, port, disabled in _SERVICES:
        secured = {"certificate": "none", "tls-version": "any"} if service.endswith("-ssl") else {}
        values = {
            "name": service,
            "port": port,
            "address": "",
            "vrf": "main",
            "max-sessions": "20",
            "disabled": "true" if disabled else "false",
        }
        store.insert("/ip/service", values | secured, fixed=True)
    for reading, value, unit in _HEALTH:
        store.insert("/system/health", {"name": reading, "value": value, "type": unit}, fixed=True)
    for package in ("routeros", "switch-marvell"):
        store.insert("/system/package", {"name": package, "version": version, "disabled": "false"}, fixed=True)


def _users(store: Store, users: Mapping[str, tuple[str, str]]) -> None:
    for group, without in (("read", _NOT_FOR_READ), ("write", _NOT_FOR_WRITE), ("full", set())):
        words = ",".join(policy if policy not in without else f"!{policy}" for policy in _POLICIES)
        store.insert("/user/group", {"name": group, "policy": words}, fixed=True)
    for user, (password, group) in users.items():
        store.insert("/user", {"name": user, "group": group, "password": password})


def build(model: SwitchModel, schema: Schema, version: str, name: str, users: Mapping[str, tuple[str, str]]) -> Store:
    """Return the factory state of a switch; ``name`` makes its serial number and MAC addresses its own."""
    store = Store()
    for path, defaults in DEFAULTS.items():
        if schema.directory(path):
            store.create(path, {key: value for key, value in defaults.items() if _has(schema, path, key)})
        if path in ADDABLE and (directory := schema.directory(path)):
            directory.extend(frozenset({"add", "remove", "enable", "disable"}))
    for path, values in _settings(model, version, name).items():
        if schema.directory(path):
            store.create(path, {}, singleton=True)
            store.insert(path, {key: value for key, value in values.items() if _has(schema, path, key)}, fixed=True)
    _interfaces(store, model, name)
    _builtin(store, version)
    _users(store, users)
    return store


def _has(schema: Schema, path: str, key: str) -> bool:
    directory = schema.directory(path)
    return directory is not None and directory.available(key)
