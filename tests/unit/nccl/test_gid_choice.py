from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node.gid_choice import choose


@pytest.mark.parametrize(
    ("indexes", "index", "words"),
    [
        ((3, 3), 3, ""),
        ((0,), 0, ""),
        ((3, 5), None, "3 on roce0, 5 on roce1"),
        ((3, None), None, "no RoCE v2 GID over IPv4 on roce1"),
        ((), None, "no devices"),
    ],
)
def test_one_index_serves_all_devices_or_none(indexes: tuple[int | None, ...], index: int | None, words: str) -> None:
    gids = [{"device": f"roce{at}", "address": "192.168.100.11", "index": found} for at, found in enumerate(indexes)]
    choice = choose(gids)
    assert choice.index == index
    assert words in choice.complaint
    assert bool(choice.complaint) == (index is None)
