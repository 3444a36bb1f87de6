from __future__ import annotations

import pytest
from seen_rack import Rack, pair, spark8


@pytest.fixture
def rack() -> Rack:
    """The eight Sparks of inventories/lab, all well."""
    return Rack(spark8())


@pytest.fixture
def two() -> Rack:
    """Two Sparks and one cable, no switch, all well."""
    return Rack(pair())
