"""Where one guest keeps its files and sockets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GuestPaths:
    """Where one guest keeps its sockets and files; names are short, a unix socket's path has 107 bytes."""

    state: Path
    name: str

    def disk(self, kind: str) -> Path:
        """Return the guest's own layer over the image: a qcow2 or a cow, each with its own mark."""
        return self.state / f"{self.name}.{kind}"

    @property
    def seed(self) -> Path:
        return self.state / f"{self.name}.seed"

    @property
    def qmp(self) -> Path:
        return self.state / f"{self.name}.qmp"

    @property
    def agent(self) -> Path:
        return self.state / f"{self.name}.agent"

    @property
    def console(self) -> Path:
        return self.state / f"{self.name}.console"

    @property
    def log(self) -> Path:
        return self.state / f"{self.name}.log"

    @property
    def pid(self) -> Path:
        return self.state / f"{self.name}.pid"

    def net(self, interface: str) -> Path:
        return self.state / "net" / f"{self.name}.{interface}"
