import pytest
from crs_desk import Desk


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def make_desk():
    return Desk
