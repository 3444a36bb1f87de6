from __future__ import annotations

import pytest
from ansible_collections.sparkloom.cluster.plugins.module_utils.node import ofed


@pytest.mark.parametrize(
    ("output", "release"),
    [
        ("MLNX_OFED_LINUX-24.10-1.1.4.0:\n", "24.10-1.1.4.0"),
        ("OFED-internal-25.07-0.9.7:\n", "25.07-0.9.7"),
        ("", None),
        (None, None),
    ],
)
def test_the_release_of_ofed_info(output: str | None, release: str | None) -> None:
    assert ofed.installed(output) == release


@pytest.mark.parametrize(
    ("provider", "floor", "output", "words"),
    [
        ("inbox", None, None, None),
        ("inbox", None, "OFED-internal-25.07-0.9.7:\n", ["25.07-0.9.7", "ofed_uninstall.sh", "provider: doca"]),
        ("doca", None, "OFED-internal-25.07-0.9.7:\n", None),
        ("doca", "25.07", "OFED-internal-25.07-0.9.7:\n", None),
        ("doca", "25.10", "OFED-internal-25.07-0.9.7:\n", ["25.07-0.9.7 is older than the floor 25.10"]),
        ("doca", "24.10", "OFED-internal-24.7-1.0:\n", ["older"]),
        ("doca", "25.07", None, ["does not install it", "provider: inbox"]),
    ],
)
def test_another_stack_than_the_declared_one_is_refused_in_words(
    provider: str, floor: str | None, output: str | None, words: list[str] | None
) -> None:
    fault = ofed.provider_fault(provider, floor, output)
    assert bool(fault) == bool(words)
    assert all(word in fault for word in words or [])
