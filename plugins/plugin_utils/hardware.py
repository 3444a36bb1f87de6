# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the hardware: the tables of data/ as frozen values.

Adding a switch model, a node model or a kind of cable is adding data, not code.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import (
    Breakout,
    CableKind,
    LinkMode,
    NodeCage,
    NodeModel,
    NodeRail,
    SwitchModel,
    SwitchPort,
)

DATA = Path(__file__).parent / "data"


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@cache
def link_modes() -> dict[str, LinkMode]:
    """Return the ``speed`` values of RouterOS by name, in the device's own order."""
    rows = _load(DATA / "link_modes.json")["modes"]
    return {row["mode"]: LinkMode(**{**row, "fec": tuple(row["fec"])}) for row in rows}


@cache
def cable_kinds() -> dict[str, CableKind]:
    """Return the kinds of cable by name."""
    return {row["kind"]: CableKind(**row) for row in _load(DATA / "cable_kinds.json")["kinds"]}


def _switch_model(path: Path) -> SwitchModel:
    data = _load(path)
    breakouts = {
        plug: tuple(
            Breakout(
                row["layout"],
                tuple(row["master_lanes"]),
                tuple(row["speeds"]),
                row["auto_negotiation_allowed"] if isinstance(row["auto_negotiation_allowed"], bool) else None,
            )
            for row in rows
        )
        for plug, rows in data["breakouts"].items()
    }
    return SwitchModel(
        model=data["model"],
        product_code=data["product_code"],
        ports=tuple(SwitchPort(**port) for port in data["ports"]),
        breakouts=breakouts,
        factory_l2mtu=data["factory"]["l2mtu"],
        factory_bridge=data["factory"]["bridge"],
    )


@cache
def switch_models() -> dict[str, SwitchModel]:
    """Return the switch models by name."""
    return {path.stem: _switch_model(path) for path in sorted((DATA / "switch_models").glob("*.json"))}


def _node_model(path: Path) -> NodeModel:
    data = _load(path)
    cages = tuple(
        NodeCage(
            cage=cage["cage"],
            plug=cage["plug"],
            rate_gbps=cage["rate_gbps"],
            rails={rail: NodeRail(**names) for rail, names in cage["rails"].items()},
        )
        for cage in data["cages"]
    )
    return NodeModel(
        model=data["model"],
        architecture=data["architecture"],
        management_interface=data["management_interface"],
        max_mtu=data["max_mtu"],
        memory_kib=data["memory_kib"],
        cages=cages,
    )


@cache
def node_models() -> dict[str, NodeModel]:
    """Return the node models by name."""
    return {path.stem: _node_model(path) for path in sorted((DATA / "node_models").glob("*.json"))}


def plug_fits(plug: str, cage_plug: str) -> bool:
    """Tell whether a plug goes into a cage.

    QSFP28, QSFP56 and QSFP112 share one size. A QSFP-DD cage is longer and takes them too; a
    QSFP-DD plug goes into nothing smaller (MikroTik manual, wired interface compatibility).
    """
    narrow = {"QSFP28", "QSFP56", "QSFP112"}
    if plug == "QSFP56-DD":
        return cage_plug == "QSFP56-DD"
    return plug in narrow and cage_plug in {"QSFP56", "QSFP56-DD"}


def breakout_for(model: SwitchModel, cage_plug: str, legs: int, rate_gbps: int) -> Breakout | None:
    """Return the layout that splits a cage into ``legs`` links of ``rate_gbps``, or None."""
    return next(
        (row for row in model.breakouts.get(cage_plug, ()) if row.layout == f"{legs}x{rate_gbps}G"),
        None,
    )


def speed_of(breakout: Breakout, medium: str) -> LinkMode:
    """Return the mode of a layout for copper or optics (``200G-baseCR4``, ``200G-baseSR4-LR4``)."""
    modes = link_modes()
    fitting = [modes[speed] for speed in breakout.speeds if modes[speed].medium in {medium, "serdes"}]
    return fitting[0]
