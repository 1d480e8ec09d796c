import pytest

from shop_support import Receiver, control


@pytest.fixture(autouse=True)
def empty():
    control("reset", {})


@pytest.fixture
def receiver():
    one = Receiver()
    yield one
    one.server.shutdown()
