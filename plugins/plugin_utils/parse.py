# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster file to a Cluster, or to every fault that it has.

Three passes: ``reader`` reads the text, ``shape`` holds it against the schema, and the
checks here judge what a schema cannot: whether the rack holds together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils import hardware, reader
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks import addresses, cabling, names, sizes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.checks.draft import Draft
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.faults import ClusterFileError, Faults
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import (
    Cluster,
    Endpoint,
    Fabric,
    Node,
    Ofed,
    Requirements,
    Switch,
    TimeSync,
)
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.shape import check_shape

_CHECKS = (names.check, addresses.check, cabling.check, sizes.check)


def parse_text(text: str | bytes, source: str = "") -> Cluster:
    """Return the cluster that ``text`` declares. Raises ClusterFileError with all faults.

    Bytes are what a file holds; that they are not UTF-8 is one more fault of it.
    """
    try:
        document = reader.read(text)
    except ClusterFileError as error:
        raise ClusterFileError(error.faults, source) from None
    faults = Faults(list(document.faults))
    cluster = _parse(document.data, faults)
    if cluster is None:
        raise ClusterFileError(faults, source, document.lines)
    return cluster


def parse(data: Any) -> Cluster:
    """Return the cluster that a mapping declares. Raises ClusterFileError with all faults."""
    faults = Faults()
    cluster = _parse(data, faults)
    if cluster is None:
        raise ClusterFileError(faults)
    return cluster


def _parse(data: Any, faults: Faults) -> Cluster | None:
    draft = Draft(check_shape(data, faults))
    for check in _CHECKS:
        check(draft, faults)
    return None if faults else _build(draft)


def _endpoint(entry: Mapping[str, Any]) -> Endpoint | None:
    return Endpoint(**entry["connect"]) if "connect" in entry else None


def _chosen(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return the given ones of ``keys``, so that the model's defaults stand for the rest."""
    return {key: tuple(entry[key]) if isinstance(entry[key], list) else entry[key] for key in keys if key in entry}


def _build(draft: Draft) -> Cluster:
    """Build the model of a draft that has no fault."""
    data = draft.data
    nodes = {
        name: Node(
            name=name,
            address=draft.addresses[name],
            model=draft.node_model(name),
            connect=_endpoint(entry),
            **_chosen(entry, "management_interface"),
        )
        for name, entry in draft.nodes.items()
    }
    switches = {
        name: Switch(
            name=name,
            address=draft.addresses[name],
            model=hardware.switch_models()[entry["model"]],
            connect=_endpoint(entry),
            **_chosen(entry, "tls", "ca_path", "username", "bridge", "l2mtu"),
        )
        for name, entry in draft.switches.items()
    }
    return Cluster(
        name=data["cluster"],
        nodes=nodes,
        switches=switches,
        cables=tuple(cable for cable in draft.cables if cable),
        fabric=Fabric(subnets=draft.subnets, **_chosen(data["fabric"], "mtu", "first_host", "gid_index")),
        head=data.get("head", next(iter(nodes))),
        login=data.get("login"),
        users=tuple(data.get("users", ())),
        management=draft.management,
        time_sync=TimeSync(**_chosen(data.get("time_sync", {}), "servers", "max_offset_ms")),
        ofed=Ofed(**_chosen(data.get("ofed", {}), "provider", "doca_floor")),
        environment={key: str(value) for key, value in data.get("environment", {}).items()},
        requirements=Requirements(**_chosen(data.get("requirements", {}), *Requirements.__dataclass_fields__)),
    )
