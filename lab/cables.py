"""Cables as they really are in the virtual rack: what they carry and what their EEPROM says.

The cluster file says which cable is meant to be where; a fault puts another one there.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from ansible_collections.sparkloom.cluster.plugins.plugin_utils.hardware import cable_kinds, link_modes
from ansible_collections.sparkloom.cluster.plugins.plugin_utils.model import Cable, CableEnd, CableKind, LinkMode

from lab.wiring import ModuleInfo

# Part numbers that owners named (docs: published lists of cables used with CRS8xx and Sparks).
_PARTS = {
    "400g-dac-2x200g": ("NADDOD", "Q2Q56-400G-CU1"),
    "200g-dac": ("NADDOD", "Q56-200G-CU1"),
    "200g-dac-qsfp112": ("Amphenol", "NJAAKK-N911"),
}
NRZ_LANE_GBPS = 25


@dataclass(frozen=True, slots=True)
class PluggedCable:
    """One physical cable: its true kind, the state of its EEPROM, and the ends that are pulled out."""

    kind: CableKind
    near: CableEnd
    far: tuple[CableEnd, ...]
    eeprom_good: bool = True
    unplugged: frozenset[CableEnd] = frozenset()

    @classmethod
    def declared(cls, cable: Cable) -> PluggedCable:
        return cls(cable.kind, cable.near, cable.far)

    @property
    def ends(self) -> tuple[CableEnd, ...]:
        return (self.near, *self.far)

    def with_kind(self, kind: str) -> PluggedCable:
        """Return the cable that somebody plugged in instead."""
        return replace(self, kind=cable_kinds()[kind])

    def legs_at(self, end: CableEnd) -> int:
        """Return into how many legs the cable splits at this end."""
        return self.kind.far_ends if end == self.near else 1


def lanes_gbps(mode: LinkMode) -> float:
    """Return the rate of one lane of a mode; above 25G a lane is PAM4."""
    return mode.gbps / mode.lanes


def carries(kind: CableKind, mode: LinkMode, on_switch: bool = True) -> bool:
    """Tell whether one leg of a cable carries a mode.

    An NRZ cable (QSFP28) does 25G a lane and fails at 50G PAM4; a PAM4 cable does both
    (MikroTik manual, wired interface compatibility; owners' reports B1, B7, B9).
    """
    if mode.medium not in {kind.medium, "serdes"}:
        return False
    if kind.encoding == "nrz" and lanes_gbps(mode) > NRZ_LANE_GBPS:
        return False
    greatest = kind.switch_rate_gbps if on_switch and kind.switch_rate_gbps else kind.leg_rate_gbps
    return mode.gbps <= greatest


def module_info(cable: PluggedCable, end: CableEnd) -> ModuleInfo:
    """Return what ``monitor`` shows of the module at one end.

    A breakout cable says of itself what its wide end could do as one link (400G-baseCR8): the
    EEPROM does not reveal the split (dgxarley gotcha 1).
    """
    if end in cable.unplugged:
        return ModuleInfo(present=False)
    kind = cable.kind
    whole = kind.leg_rate_gbps * cable.legs_at(end)
    supported = tuple(
        mode.mode
        for mode in link_modes().values()
        if mode.medium == kind.medium
        and mode.gbps <= whole
        and not (kind.encoding == "nrz" and lanes_gbps(mode) > NRZ_LANE_GBPS)
    )
    vendor, part = _PARTS.get(kind.kind, ("LAB", kind.kind.upper()))
    plug = kind.near_plug if end == cable.near else kind.far_plug
    serial = hashlib.sha256(f"{cable.near}{kind.kind}".encode()).hexdigest()[:12].upper()
    copper = kind.medium == "copper"
    fields = {
        "sfp-type": "QSFPDD" if plug == "QSFP56-DD" else "QSFP28/QSFP56",
        "sfp-connector-type": "no-separable-connector",
        "sfp-encoding": kind.encoding,
        **({"sfp-link-length-cable-assembly": "1m"} if copper else {}),
        "sfp-vendor-name": vendor,
        "sfp-vendor-part-number": part,
        "sfp-vendor-revision": "A",
        "sfp-vendor-serial": serial,
        "sfp-manufacturing-date": "26-01-01",
    }
    return ModuleInfo(
        present=True,
        checksum_good=cable.eeprom_good,
        supported=supported if cable.eeprom_good else (),
        fields=fields if cable.eeprom_good else {},
    )
