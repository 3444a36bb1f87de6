# Copyright: (c) 2026, Sparkloom developers
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One environment in the formats of those who read it.

They quote differently: docker --env-file takes quotes literally, systemd and the shell
remove them, environment.d expands ``$``. So a value that they would not all read as the
same text is refused; no NCCL setting needs one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

_HEADER = "# Written by Sparkloom (role nccl); edit the cluster file instead.\n"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Printable ASCII without what some reader treats as syntax, and no blank at either end.
_VALUE = re.compile(r"(?! )[^\"'`$\\]*(?<! )")

# NCCL reads nccl.conf into a buffer of this size, the end included, and cuts the rest off.
_NCCL_LONGEST = 1023

_INDEX = "NCCL_IB_GID_INDEX"


class EnvironmentValueError(ValueError):
    """A variable that not every reader would understand alike."""


def checked(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment sorted by name, or raise for what cannot be written."""
    found = {}
    for name, value in sorted(environment.items()):
        if not isinstance(value, str):
            raise EnvironmentValueError(f"{name}: {value!r} is no string; quote it in the cluster file")
        if not _NAME.fullmatch(name):
            raise EnvironmentValueError(f"{name}: not a name of an environment variable")
        if not (value.isascii() and value.isprintable() and _VALUE.fullmatch(value)):
            raise EnvironmentValueError(
                f"{name}: {value!r} holds quotes, $, a backslash, control characters or blanks at an end; "
                "systemd, docker and the shell would each read it differently"
            )
        if not value and name.startswith("NCCL_"):
            # NCCL_IB_GID_INDEX= is index 0, not "unset".
            raise EnvironmentValueError(f"{name}: NCCL reads an empty value as 0; leave the variable out instead")
        if name.startswith("NCCL_") and len(value) >= _NCCL_LONGEST:
            raise EnvironmentValueError(f"{name}: longer than the {_NCCL_LONGEST - 1} characters that NCCL reads")
        found[name] = value
    return found


def plain(environment: Mapping[str, str]) -> str:
    """Return KEY=value lines: EnvironmentFile=, docker --env-file, environment.d and nccl.conf."""
    return "".join(f"{name}={value}\n" for name, value in environment.items())


def shell(environment: Mapping[str, str]) -> str:
    """Return what a login shell sources."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())


def _memlock(users: Iterable[str]) -> dict[str, Any]:
    """Return the limits: registering memory for RDMA locks it, and the usual limit is some MiB."""
    lines = "".join(f"{user} - memlock unlimited\n" for user in users)
    path = "/etc/security/limits.d/60-sparkloom-memlock.conf"
    if not lines:
        return {"path": path, "state": "absent"}
    return {"path": path, "content": f"{_HEADER}{lines}", "mode": "0644"}


def files(
    environment: Mapping[str, Any], gid_index: int | None = None, users: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Return the files of an environment as node_files takes them.

    An index that was looked up yields to one that the owner put into the environment.
    """
    index = {} if gid_index is None else {_INDEX: str(gid_index)}
    variables = checked({**index, **environment})
    nccl = {name: value for name, value in variables.items() if name.startswith("NCCL_")}
    whole = {
        "/etc/sparkloom/nccl.env": plain(variables),
        "/etc/profile.d/sparkloom-nccl.sh": shell(variables),
        "/etc/environment.d/60-sparkloom-nccl.conf": plain(variables),
    }
    return [
        *({"path": path, "content": f"{_HEADER}{text}", "mode": "0644"} for path, text in whole.items()),
        {"path": "/etc/nccl.conf", "content": plain(nccl), "block": "nccl"},
        _memlock(users),
    ]
