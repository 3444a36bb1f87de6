from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.gid import Gid, find_ipv4, read_table

LINK_LOCAL = "fe80:0000:0000:0000:5054:00ff:fe00:0001"
MAPPED = "0000:0000:0000:0000:0000:ffff:c0a8:640b"  # 192.168.100.11


def table(*entries: tuple[int, str, str]) -> list[Gid]:
    return [Gid(index, gid, kind, "enp1s0f1np1") for index, gid, kind in entries]


# Where owners found the entry: alone, after a link-local address, after two.
@pytest.mark.parametrize(
    ("gids", "expected"),
    [
        (table((2, MAPPED, "IB/RoCE v1"), (3, MAPPED, "RoCE v2")), 3),
        (
            table(
                (0, LINK_LOCAL, "IB/RoCE v1"),
                (1, LINK_LOCAL, "RoCE v2"),
                (4, MAPPED, "IB/RoCE v1"),
                (5, MAPPED, "RoCE v2"),
            ),
            5,
        ),
        (table((1, LINK_LOCAL, "RoCE v2"), (2, MAPPED, "IB/RoCE v1")), None),
        ([], None),
    ],
)
def test_the_entry_is_found_by_what_it_is(gids: list[Gid], expected: int | None) -> None:
    found = find_ipv4(gids, "192.168.100.11")
    assert (found.index if found else None) == expected


def test_another_address_on_the_port_is_not_taken() -> None:
    other = "0000:0000:0000:0000:0000:ffff:0a00:0001"
    gids = table((1, other, "RoCE v2"), (3, MAPPED, "RoCE v2"))
    assert find_ipv4(gids, "192.168.100.11") == gids[1]
    assert find_ipv4(gids) == gids[0]
    assert find_ipv4(gids, "192.168.100.12") is None


def test_a_table_is_read_in_order_without_its_unused_entries(tmp_path: Path) -> None:
    home = tmp_path / "rocep1s0f1/ports/1"
    for folder in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
        (home / folder).mkdir(parents=True)
    for index, gid in ((0, LINK_LOCAL), (1, "0000:" * 7 + "0000"), (10, MAPPED), (2, LINK_LOCAL)):
        (home / f"gids/{index}").write_text(gid + "\n")
        (home / f"gid_attrs/types/{index}").write_text("RoCE v2\n")
        (home / f"gid_attrs/ndevs/{index}").write_text("enp1s0f1np1\n")
    assert [gid.index for gid in read_table("rocep1s0f1", root=str(tmp_path))] == [0, 2, 10]


def test_an_absent_device_has_no_table(tmp_path: Path) -> None:
    assert read_table("rocep1s0f0", root=str(tmp_path)) == []
