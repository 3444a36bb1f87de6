# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NIC's driver says by ethtool's ioctl: driver, firmware, FEC and the module's EEPROM. Costs no process.

Numbers are those of linux/ethtool.h and of SFF-8636.
"""

from __future__ import annotations

import array
import fcntl
import socket
import struct
from typing import Any

_SIOCETHTOOL = 0x8946
_GDRVINFO = 0x03
_GMODULEINFO = 0x42
_GMODULEEEPROM = 0x43
_GFECPARAM = 0x50
_IFNAMSIZ = 16
_DRVINFO = struct.Struct("=I32s32s32s32s32s12sIIIII")
_MODINFO = struct.Struct("=III8I")
_FECPARAM = struct.Struct("=IIII")
_EEPROM_HEAD = struct.Struct("=IIII")
_SFF_8636 = 0x3
_SFF_8636_LENGTH = 256
_FEC = {0x2: None, 0x4: "Off", 0x8: "RS", 0x10: "BaseR", 0x20: "LLRS"}

# SFF-8024, identifiers and encodings of QSFP modules.
_IDENTIFIERS = {0x0C: "QSFP", 0x0D: "QSFP+", 0x11: "QSFP28", 0x18: "QSFP-DD", 0x1E: "QSFP+ CMIS"}
_ENCODINGS = {0x03: "nrz", 0x05: "nrz", 0x06: "nrz", 0x08: "pam4"}


def _ask(interface: str, request: bytes) -> bytes | None:
    """Return a driver's answer to a request; None when it does not know it."""
    data = array.array("B", request)
    address, _length = data.buffer_info()
    ifreq = struct.pack(f"{_IFNAMSIZ}sP", interface.encode()[: _IFNAMSIZ - 1], address)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            fcntl.ioctl(probe, _SIOCETHTOOL, ifreq)
        except OSError:
            return None
    return data.tobytes()


def _text(raw: bytes) -> str | None:
    """Return a fixed field as text; None where it is empty."""
    text = raw.split(b"\0")[0].decode("ascii", errors="replace").strip()
    return text or None


def driver(interface: str) -> tuple[str | None, str | None]:
    """Return driver and firmware of an interface, the firmware without the board's PSID: "28.45.4028"."""
    answer = _ask(interface, _DRVINFO.pack(_GDRVINFO, b"", b"", b"", b"", b"", b"", 0, 0, 0, 0, 0))
    if answer is None:
        return None, None
    fields = _DRVINFO.unpack(answer)
    firmware = (_text(fields[3]) or "").split(" ")[0]
    return _text(fields[1]), firmware if firmware not in {"", "N/A"} else None


def active_fec(interface: str) -> str | None:
    """Return the FEC in use: "RS", "BaseR", "Off"; None when the driver does not say."""
    answer = _ask(interface, _FECPARAM.pack(_GFECPARAM, 0, 0, 0))
    if answer is None:
        return None
    _command, active, _fec, _reserved = _FECPARAM.unpack(answer)
    return next((name for bit, name in _FEC.items() if active & bit and name), None)


def module(interface: str) -> dict[str, Any] | None:
    """Return what the plugged module says of itself; None without a module, or when the driver does not say."""
    answer = _ask(interface, _MODINFO.pack(_GMODULEINFO, 0, 0, *[0] * 8))
    if answer is None:
        return None
    _command, kind, length = _MODINFO.unpack(answer)[:3]
    if kind != _SFF_8636 or length < _SFF_8636_LENGTH:
        return None
    request = _EEPROM_HEAD.pack(_GMODULEEEPROM, 0, 0, _SFF_8636_LENGTH) + bytes(_SFF_8636_LENGTH)
    answer = _ask(interface, request)
    return None if answer is None else parse_module(answer[_EEPROM_HEAD.size :])


def parse_module(eeprom: bytes) -> dict[str, Any] | None:
    """Read the 256 bytes of an SFF-8636 EEPROM."""
    if len(eeprom) < _SFF_8636_LENGTH or not eeprom[128]:
        return None
    return {
        "type": _IDENTIFIERS.get(eeprom[128], f"0x{eeprom[128]:02x}"),
        "encoding": _ENCODINGS.get(eeprom[139]),
        "length_m": eeprom[146] or None,
        "vendor": _text(eeprom[148:164]),
        "part": _text(eeprom[168:184]),
        "serial": _text(eeprom[196:212]),
    }
