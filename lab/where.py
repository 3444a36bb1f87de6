"""Where a virtual rack keeps its state."""

from __future__ import annotations

import os
from pathlib import Path

# A unix socket's path has at most 107 bytes, and ours end in net/NODE.INTERFACE.
_LONGEST_SOCKET_PATH = 107
_LONGEST_ENDING = len("/net/") + 40


def state_folder(cluster: str) -> Path:
    """Return the folder of one cluster's rack: below $SPARKLOOM_LAB_DIR, else in the user's state."""
    base = os.environ.get("SPARKLOOM_LAB_DIR")
    root = Path(base) if base else Path.home() / ".local" / "state" / "sparkloom" / "lab"
    folder = root.absolute() / cluster
    if len(str(folder)) + _LONGEST_ENDING > _LONGEST_SOCKET_PATH:
        raise ValueError(f"{folder} is too long a path for unix sockets; set SPARKLOOM_LAB_DIR to a shorter one")
    return folder
