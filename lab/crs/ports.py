"""Ports: their settings for the wiring, what restarts when, and ``monitor`` in the device's words."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import SwitchModel, SwitchPort

from lab.wiring import LinkState, PortSettings

from .store import Values

# What renegotiates the link of the port it is set on. A new mtu does not.
_OWN_LINK = ("auto_negotiation", "speed", "advertise", "fec_mode")


def settings_of(port: SwitchPort, values: Mapping[str, str]) -> PortSettings:
    """Return the settings of one port from its row of ``/interface/ethernet``."""
    advertise = values.get("advertise", "")
    return PortSettings(
        name=port.name,
        cage=port.cage,
        lane=port.lane,
        kind=port.kind,
        disabled=values.get("disabled") == "true",
        auto_negotiation=values.get("auto-negotiation") != "false",
        speed=values.get("speed", ""),
        advertise=tuple(advertise.split(",")) if advertise else (),
        fec_mode=values.get("fec-mode", "auto"),
        mtu=int(values["mtu"]),
        l2mtu=int(values["l2mtu"]),
    )


def restarted(before: Mapping[str, PortSettings], after: Mapping[str, PortSettings]) -> frozenset[str]:
    """Return the ports whose links go down for a moment between two states of the settings.

    MikroTik's manual: enabling or disabling a lane reconfigures and restarts its whole cage; a new
    l2mtu reloads all interfaces.
    """
    if any(before[name].l2mtu != port.l2mtu for name, port in after.items()):
        return frozenset(after)
    cages = {port.cage for name, port in after.items() if before[name].disabled != port.disabled}
    return frozenset(
        name
        for name, port in after.items()
        if port.cage in cages or any(getattr(port, key) != getattr(before[name], key) for key in _OWN_LINK)
    )


def rate_words(gbps: int) -> str:
    return f"{gbps}Gbps"


def _yes(flag: bool) -> str:
    return "true" if flag else "false"


def monitor_row(name: str, kind: str, state: LinkState, settings: Mapping[str, str]) -> Values:
    """Return the fields of ``/interface/ethernet/monitor`` in the device's order; those that do not apply are absent."""
    row: Values = {"name": name, "status": state.status, "auto-negotiation": state.auto_negotiation}
    if state.rate_gbps is not None:
        row |= {
            "rate": rate_words(state.rate_gbps),
            "full-duplex": "true",
            "tx-flow-control": _yes(settings.get("tx-flow-control") == "on"),
            "rx-flow-control": _yes(settings.get("rx-flow-control") == "on"),
        }
    if state.fec is not None:
        row["fec"] = state.fec
    module = state.module
    if module.supported:
        row["sfp-supported"] = ",".join(module.supported)
    if settings.get("auto-negotiation") != "false":
        row["advertising"] = ",".join(state.advertising)
        row["link-partner-advertising"] = ",".join(state.partner_advertising)
    if kind == "10GBASE-T":
        return row
    row["sfp-module-present"] = _yes(module.present)
    if module.present:
        # The device shows no EEPROM or DDM field when the checksum is bad.
        row |= module.fields if module.checksum_good else {}
        row["eeprom-checksum"] = "good" if module.checksum_good else "bad"
    return row


def ports_by_name(model: SwitchModel) -> dict[str, SwitchPort]:
    return {port.name: port for port in model.ports}
