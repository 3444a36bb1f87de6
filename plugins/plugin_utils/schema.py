# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON schema of the cluster file: for editors, and for the first pass of ``parse``.

One description serves both, so an editor and the inventory plugin cannot disagree. The
names of models and cables come from the tables of data/. ``make schema`` writes
docs/cluster.schema.json from it.
"""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, node_models, switch_models

Schema = dict[str, Any]

PLUGIN = "sparkloom.cluster.cluster"
# ``$`` of Python also matches before a last line break, which a block scalar (``|``) leaves
# behind; the look-ahead refuses it, and editors' engines read it the same way.
_END = r"$(?!\n)"
# A letter somewhere: the resolver takes a number for an address (10 is 0.0.0.10).
HOST_NAME = r"^(?=[0-9-]*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?" + _END
# What Ansible accepts as a group's name without a warning.
CLUSTER_NAME = r"^[a-z][a-z0-9_]{0,62}" + _END
USER_NAME = r"^[a-z_][a-z0-9_-]{0,31}" + _END
INTERFACE_NAME = r"^[A-Za-z0-9_.-]{1,15}" + _END
VARIABLE_NAME = r"^[A-Z][A-Z0-9_]*" + _END
IPV4 = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}" + _END
IPV4_SUBNET = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}/[0-9]{1,2}" + _END
CABLE_END = r"^[^/\s]+/[^/\s]+" + _END
SERVER = r"^[A-Za-z0-9.:-]+" + _END
ROUTEROS = r"^[0-9]+\.[0-9]+(\.[0-9]+)?" + _END
RELEASE = r"^[0-9]+(\.[0-9]+)+" + _END
# It ends up in files of one line a value.
ONE_LINE = r"^[^\u0000-\u001f\u007f]*" + _END

# A pattern says nothing to an owner; these words do.
PATTERN_WORDS = {
    HOST_NAME: "a host name: lower case letters, digits and hyphens, with a letter in it",
    CLUSTER_NAME: "lower case letters, digits and underscores, a letter first",
    USER_NAME: "the name of a Linux account",
    INTERFACE_NAME: "the name of a network interface",
    VARIABLE_NAME: "the name of an environment variable in capitals",
    IPV4: "an IPv4 address such as 10.0.0.11",
    IPV4_SUBNET: "an IPv4 subnet such as 192.168.100.0/24",
    CABLE_END: "DEVICE/CAGE, such as spark1/1 or crs812/qsfp56-dd-1",
    SERVER: "the address or name of an NTP server",
    ROUTEROS: "a release of RouterOS such as '7.18', in quotes",
    RELEASE: "a release such as '2.9.1', in quotes",
    ONE_LINE: "text of one line",
}


def _object(description: str, properties: dict[str, Schema], required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return {**schema, "required": list(required)} if required else schema


def _text(description: str, pattern: str | None = None, **more: Any) -> Schema:
    return {"description": description, "type": "string", **({"pattern": pattern} if pattern else {}), **more}


def _whole(description: str, low: int, high: int, **more: Any) -> Schema:
    return {"description": description, "type": "integer", "minimum": low, "maximum": high, **more}


def _number(description: str, **more: Any) -> Schema:
    return {"description": description, "type": "number", "minimum": 0, **more}


def _list(description: str, items: Schema, **more: Any) -> Schema:
    return {"description": description, "type": "array", "items": items, **more}


def _connect() -> Schema:
    return _object(
        "How this machine reaches the host, when that is not its address: a tunnel, or the virtual rack.",
        {"host": _text("Address or name.", ONE_LINE, minLength=1), "port": _whole("TCP port.", 1, 65535)},
        ("host",),
    )


def _node() -> Schema:
    return _object(
        "One node.",
        {
            "address": _text("Address on the management network.", IPV4),
            "model": _text("Node model.", enum=sorted(node_models()), default="dgx-spark"),
            "connect": _connect(),
            "management_interface": _text("Interface of the management network.", INTERFACE_NAME, default="enP7s7"),
        },
        ("address",),
    )


def _switch() -> Schema:
    return _object(
        "One switch. Its password is never here: `routeros_password` in group_vars, from Vault or the environment.",
        {
            "model": _text("Switch model, as /system/routerboard names it.", enum=sorted(switch_models())),
            "address": _text("Address on the management network.", IPV4),
            "connect": _connect(),
            "tls": {
                "description": "Whether the API is spoken over TLS (service api-ssl, port 8729).",
                "type": "boolean",
                "default": True,
            },
            "ca_path": _text(
                "File on this machine with the CA that signed the switch's certificate.", ONE_LINE, minLength=1
            ),
            "username": _text("RouterOS user.", ONE_LINE, minLength=1, default="admin"),
            "bridge": _text("The one hardware-offloaded bridge.", ONE_LINE, minLength=1, default="bridge"),
            "l2mtu": _whole("L2MTU of every fabric lane, in bytes.", 1500, 65535, default=9216),
        },
        ("model", "address"),
    )


def _cable() -> Schema:
    kinds = cable_kinds()
    end = _text("Where the cable is plugged in.", CABLE_END)
    return _object(
        "One cable.",
        {
            "kind": {
                **_text("Kind of cable.", enum=list(kinds)),
                "markdownEnumDescriptions": [kind.description for kind in kinds.values()],
            },
            "from": {**end, "description": "The end that a breakout cable has one of: DEVICE/CAGE."},
            "to": {
                "description": "The other end, or the ends of a breakout cable in the order of its legs.",
                "anyOf": [end, _list("Ends.", end, minItems=1, maxItems=8)],
            },
            "rate_gbps": {
                "description": "Rate of each link in Gb/s, when it is to run below what the cable carries.",
                "type": "integer",
                "enum": [50, 100, 200, 400],
            },
        },
        ("kind", "from", "to"),
    )


def _fabric() -> Schema:
    return _object(
        "The network between the nodes' cages.",
        {
            "mtu": _whole("MTU of every rail, in bytes.", 1280, 65535, default=9000),
            "subnets": _object(
                "One subnet a rail; both rails in one subnet is what breaks RoCE.",
                {"A": _text("Subnet of rail A.", IPV4_SUBNET), "B": _text("Subnet of rail B.", IPV4_SUBNET)},
                ("A", "B"),
            ),
            "first_host": _whole("Host number of the first node in each subnet.", 1, 65534, default=11),
            "gid_index": {
                "description": "RoCE GID index: left to NCCL, probed on each node, or a number.",
                "anyOf": [{"enum": ["auto", "probe"]}, {"type": "integer", "minimum": 0, "maximum": 255}],
                "default": "auto",
            },
        },
        ("subnets",),
    )


def _requirements() -> Schema:
    return _object(
        "What preflight asks of every node; the defaults are those of a DGX Spark.",
        {
            "architecture": _text("Machine architecture.", enum=["aarch64", "x86_64"], default="aarch64"),
            "distributions": _list(
                "Supported distributions.", _text("Such as Ubuntu 24.04.", ONE_LINE, minLength=1), minItems=1
            ),
            "min_memory_gib": _number("Least memory in GiB.", default=100),
            "min_free_disk_gib": _number("Least free space of / in GiB.", default=20),
            "pcie_width": _whole("PCIe lanes of each rail.", 1, 16, default=4),
            "pcie_speed_gts": _number("PCIe speed of each rail in GT/s.", default=32),
            "min_routeros": _text("Oldest RouterOS.", ROUTEROS, default="7.18"),
        },
    )


def cluster_schema() -> Schema:
    """Return the schema (JSON Schema draft 2020-12)."""
    host_names = {"propertyNames": {"pattern": HOST_NAME}}
    root = _object(
        "A rack of DGX Sparks and MikroTik CRS8xx switches.",
        {
            "plugin": {"description": "Names the inventory plugin.", "const": PLUGIN},
            "cluster": _text("Name of the cluster, and of its group of hosts.", CLUSTER_NAME),
            "login": _text("Account that Ansible logs in as on the nodes.", USER_NAME),
            "users": _list(
                "Accounts that get the SSH mesh and the environment.", _text("Account.", USER_NAME), uniqueItems=True
            ),
            "head": _text("Node with rank 0; the first one when left out.", HOST_NAME),
            "nodes": {
                "description": "Nodes by name, in the order of their ranks.",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _node(),
                **host_names,
            },
            "switches": {
                "description": "Switches by name; none for nodes that are joined directly.",
                "type": "object",
                "additionalProperties": _switch(),
                **host_names,
            },
            "cables": _list("Every cable of the fabric.", _cable(), minItems=1),
            "management": _object(
                "The network of the nodes' RJ45 ports.", {"subnet": _text("Its subnet.", IPV4_SUBNET)}, ("subnet",)
            ),
            "fabric": _fabric(),
            "environment": {
                "description": "Variables to set on every node beside the planned ones, or instead of them.",
                "type": "object",
                "propertyNames": {"pattern": VARIABLE_NAME},
                "additionalProperties": {"type": ["string", "integer"], "pattern": ONE_LINE},
            },
            "time_sync": _object(
                "Time; without servers the head is the reference.",
                {
                    "servers": _list("NTP servers.", _text("Address or name.", SERVER), uniqueItems=True),
                    "max_offset_ms": _number("Greatest offset of a node from the reference, in ms.", default=50),
                },
            ),
            "ofed": _object(
                "The RDMA stack.",
                {
                    "provider": _text("Where the drivers come from.", enum=["inbox", "doca"], default="inbox"),
                    "doca_floor": _text("Oldest DOCA-OFED release; for provider doca.", RELEASE),
                },
            ),
            "requirements": _requirements(),
        },
        ("plugin", "cluster", "nodes", "cables", "fabric"),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sparkloom cluster file",
        **root,
    }


def schema_text() -> str:
    """Return the schema as the text of docs/cluster.schema.json."""
    return json.dumps(cluster_schema(), indent=2) + "\n"
