import pytest
from desk import Desk


@pytest.fixture
def desk():
    return Desk()


@pytest.fixture
def make_desk():
    return Desk
