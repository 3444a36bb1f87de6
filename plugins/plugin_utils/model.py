"""The cluster model: what an owner declared, as frozen values.

Nothing here reads a file, talks to a host or knows Ansible. ``parse`` builds a
``Cluster`` from a cluster file; ``plan`` derives every host's values from it.
Words are those of docs/architecture.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Literal

Rail = Literal["A", "B"]
RAILS: tuple[Rail, Rail] = ("A", "B")


@dataclass(frozen=True, slots=True)
class LinkMode:
    """One ``speed`` value of RouterOS, e.g. ``200G-baseCR4``."""

    mode: str
    gbps: float
    lanes: int
    medium: str
    fec: tuple[str, ...]
    fec_required: bool


@dataclass(frozen=True, slots=True)
class Breakout:
    """One way a kind of switch cage can be split, e.g. ``2x200G`` on lanes 1 and 5."""

    layout: str
    master_lanes: tuple[int, ...]
    speeds: tuple[str, ...]
    auto_negotiation_allowed: bool | None  # None: the manual does not say.


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """One lane of a switch as RouterOS lists it."""

    name: str
    cage: str
    lane: int
    kind: str  # plug of the cage: QSFP56-DD, QSFP56, SFP56, 10GBASE-T
    max_l2mtu: int
    id: str | None = None


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """A switch model, read from data/switch_models/MODEL.json."""

    model: str
    product_code: str
    ports: tuple[SwitchPort, ...]
    breakouts: dict[str, tuple[Breakout, ...]]  # by plug of the cage
    factory_l2mtu: int
    factory_bridge: str

    def cages(self) -> dict[str, tuple[SwitchPort, ...]]:
        """Return the lanes of each cage, in lane order."""
        cages: dict[str, list[SwitchPort]] = {}
        for port in self.ports:
            cages.setdefault(port.cage, []).append(port)
        return {cage: tuple(sorted(lanes, key=lambda p: p.lane)) for cage, lanes in cages.items()}


@dataclass(frozen=True, slots=True)
class NodeRail:
    """One logical interface of a node's cage."""

    interface: str
    rdma_device: str
    pci_function: str


@dataclass(frozen=True, slots=True)
class NodeCage:
    cage: str
    plug: str
    rate_gbps: int
    rails: dict[Rail, NodeRail]


@dataclass(frozen=True, slots=True)
class NodeModel:
    """A node model, read from data/node_models/MODEL.json."""

    model: str
    architecture: str
    management_interface: str
    max_mtu: int
    memory_kib: int
    cages: tuple[NodeCage, ...]


@dataclass(frozen=True, slots=True)
class CableKind:
    """A kind of cable, read from data/cable_kinds.json; rates in Gb/s."""

    kind: str
    description: str
    near_plug: str  # plug of the ``from`` end
    far_plug: str  # plug of each ``to`` end
    far_ends: int
    leg_rate_gbps: int  # greatest rate of one leg
    encoding: str  # pam4 or nrz
    medium: str  # copper or optical
    switch_rate_gbps: int | None = None  # greatest rate seen on a switch, where it is lower


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the controller reaches a machine, when that is not its address."""

    host: str
    port: int | None = None


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    address: IPv4Address  # on the management network
    model: NodeModel
    connect: Endpoint | None = None
    management_interface: str = "enP7s7"


@dataclass(frozen=True, slots=True)
class Switch:
    name: str
    address: IPv4Address
    model: SwitchModel
    connect: Endpoint | None = None
    tls: bool = True
    ca_path: str | None = None
    username: str = "admin"
    bridge: str = "bridge"
    l2mtu: int = 9216  # owners used 9022, 9216 and 9500 for mtu 9000


@dataclass(frozen=True, slots=True)
class CableEnd:
    """A cage of a device: ``spark1/1``, ``crs804/qsfp56-dd-2``."""

    device: str
    cage: str

    def __str__(self) -> str:
        return f"{self.device}/{self.cage}"


@dataclass(frozen=True, slots=True)
class Cable:
    kind: CableKind
    near: CableEnd  # ``from``
    far: tuple[CableEnd, ...]  # ``to``, in the order of the legs
    rate_gbps: int | None = None  # declared lower rate of each leg

    def __str__(self) -> str:
        return f"{self.near} = {', '.join(map(str, self.far))} ({self.kind.kind})"


@dataclass(frozen=True, slots=True)
class Fabric:
    subnets: dict[Rail, IPv4Network]
    mtu: int = 9000
    first_host: int = 11  # host number of the first node in each subnet
    gid_index: Literal["auto", "probe"] | int = "auto"  # auto: left to NCCL


@dataclass(frozen=True, slots=True)
class TimeSync:
    servers: tuple[str, ...] = ()
    max_offset_ms: float = 50.0


@dataclass(frozen=True, slots=True)
class Ofed:
    provider: Literal["inbox", "doca"] = "inbox"
    doca_floor: str | None = None


@dataclass(frozen=True, slots=True)
class Requirements:
    """What preflight asks of every node; defaults are those of a DGX Spark."""

    architecture: str = "aarch64"
    distributions: tuple[str, ...] = ("Ubuntu 24.04",)
    min_memory_gib: float = 100.0
    min_free_disk_gib: float = 20.0
    pcie_width: int = 4
    pcie_speed_gts: float = 32.0
    min_routeros: str = "7.18"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A whole cluster file, valid: parse refuses what does not hold together."""

    name: str
    nodes: dict[str, Node]
    cables: tuple[Cable, ...]
    fabric: Fabric
    switches: dict[str, Switch] = field(default_factory=dict)
    head: str = ""  # name of the head node; parse defaults it to the first
    login: str | None = None  # account that Ansible logs in as
    users: tuple[str, ...] = ()  # accounts that get the SSH mesh and the environment
    management: IPv4Network | None = None
    time_sync: TimeSync = TimeSync()
    ofed: Ofed = Ofed()
    environment: dict[str, str] = field(default_factory=dict)
    requirements: Requirements = Requirements()
