# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node's system says of itself: parsers of /etc, /proc and of commands' outputs."""

from __future__ import annotations

import re
from typing import Any


def distribution(os_release: str | None) -> str | None:
    """Return "Debian 13" or "Ubuntu 24.04" of /etc/os-release: first word of NAME and VERSION_ID."""
    values = dict(re.findall(r"^(\w+)=[\"']?([^\"'\n]*)", os_release or "", re.MULTILINE))
    words = [*values.get("NAME", "").split()[:1], *values.get("VERSION_ID", "").split()[:1]]
    return " ".join(words) or None


def memory_kib(meminfo: str | None, name: str = "MemTotal") -> int | None:
    """Return a size of /proc/meminfo."""
    found = re.search(rf"^{name}:\s+(\d+) kB", meminfo or "", re.MULTILINE)
    return int(found[1]) if found else None


def dgx_release(text: str | None) -> str | None:
    """Return the version of DGX OS that /etc/dgx-release gives; the last update counts."""
    found = re.findall(r"^DGX_(?:OTA|SWBUILD)_VERSION=[\"']?([^\"'\n]+)", text or "", re.MULTILINE)
    return found[-1] if found else None


def uptime_seconds(uptime: str | None) -> float | None:
    """Return the first number of /proc/uptime."""
    words = (uptime or "").split()
    return float(words[0]) if words else None


def nvidia_driver(output: str | None) -> str | None:
    """Return the version that nvidia-smi gave for its first GPU; a complaint is none."""
    lines = (output or "").split()
    return lines[0] if lines and re.fullmatch(r"\d+(\.\d+)+", lines[0]) else None


def firmware(ethtool_i: str | None) -> str | None:
    """Return the NIC's firmware of ``ethtool -i``, without the board's PSID: "28.45.4028"."""
    found = re.search(r"^firmware-version: *(\S+)", ethtool_i or "", re.MULTILINE)
    return found[1] if found and found[1] != "N/A" else None


# It takes package names; ``package_versions`` reads what it prints.
PACKAGE_QUERY = ["dpkg-query", "-W", "-f", "${Package} ${Version} ${db:Status-Status}\n"]


def package_versions(output: str | None, wanted: list[str]) -> dict[str, str | None] | None:
    """Read package, version and status of each line, as ``dpkg-query -W`` gives them.

    A package that was removed, or of which only the configuration is left, is not installed.
    """
    if output is None:
        return None
    rows = [line.split() for line in output.splitlines()]
    installed = {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == "installed"}  # noqa: PLR2004
    return {name: installed.get(name) for name in wanted}


def default_routes(routes: dict[int, list[dict[str, Any]] | None]) -> list[dict[str, Any]] | None:
    """Return the default routes of ``ip -j route show default``, by address family 4 and 6."""
    if all(entries is None for entries in routes.values()):
        return None
    return [
        {"family": family, "gateway": route.get("gateway"), "interface": route["dev"], "metric": route.get("metric")}
        for family, entries in routes.items()
        for route in entries or []
        if route.get("dst") == "default" and "dev" in route
    ]
