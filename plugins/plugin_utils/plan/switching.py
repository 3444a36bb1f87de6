# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch's ports, bridge and expected links.

Every lane of a cabled cage is listed: a lane master with its forced speed, and the lanes
that it consumes as companions, which have to stay enabled and are otherwise idle
(MikroTik manual, wired interface compatibility). All of a cage carries one L2MTU.
"""

from __future__ import annotations

from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cluster, LinkMode, Switch
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.plan.links import (
    Link,
    SwitchPortEnd,
    cable_record,
)


def fec_of(mode: LinkMode) -> str:
    """Return the FEC to set: RS-FEC wherever the mode allows it, as the node's NIC uses it."""
    if "fec91" in mode.fec:
        return "fec91"
    return mode.fec[0] if mode.fec else "off"


def _ends_on(switch: str, links: tuple[Link, ...]) -> list[tuple[SwitchPortEnd, Link]]:
    return [
        (end, link) for link in links for end in link.ends if isinstance(end, SwitchPortEnd) and end.switch == switch
    ]


def ports(cluster: Cluster, switch: Switch, links: tuple[Link, ...]) -> list[dict[str, Any]]:
    """Return the wanted state of every lane of every cabled cage, in the device's name order."""
    masters = {end.port: end for end, _link in _ends_on(switch.name, links)}
    cabled = {end.cage for end in masters.values()}
    frame = {"l2mtu": switch.l2mtu, "mtu": cluster.fabric.mtu}
    wanted = []
    for port in switch.model.ports:
        if port.cage not in cabled:
            continue
        common = {"name": port.name, "cage": port.cage, "disabled": False, **frame}
        if end := masters.get(port.name):
            forced = {"auto_negotiation": False, "speed": end.mode.mode, "fec_mode": fec_of(end.mode)}
            wanted.append({**common, "role": "master", **forced})
        else:
            wanted.append({**common, "role": "companion"})
    return wanted


def bridge(switch: Switch, links: tuple[Link, ...]) -> dict[str, Any]:
    """Return the one bridge that the switch chip forwards, and its lane masters."""
    return {"name": switch.bridge, "members": sorted(end.port for end, _link in _ends_on(switch.name, links))}


def expected_links(switch: Switch, links: tuple[Link, ...]) -> list[dict[str, Any]]:
    """Return what ``monitor`` has to show for each lane master once all is well."""
    expected = []
    for end, link in _ends_on(switch.name, links):
        peer = link.far if end is link.near else link.near
        expected.append(
            {
                "name": link.name,
                "port": end.port,
                "rate_gbps": link.rate_gbps,
                "fec": fec_of(end.mode),
                "cable": cable_record(link.cable, link),
                "peer": {**peer.to_dict(), "label": str(peer)},
            }
        )
    return expected
