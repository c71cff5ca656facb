"""Objects of Python that processes exchange, and the store they share."""

from collections.abc import Iterator

import pytest

from sporax import communication
from sporax.mint import distributed as dist


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


def test_objects() -> None:
    given, gathered, collected, scattered, shared = {"a": [1]}, [None], [None], [None], [{"b": 2}]
    dist.all_gather_object(gathered, given)
    dist.gather_object(given, collected)
    dist.scatter_object_list(scattered, [given])
    dist.broadcast_object_list(shared)
    assert gathered == collected == scattered == [given] and gathered[0] is not given and shared == [{"b": 2}]


def test_store() -> None:
    store = dist.TCPStore("127.0.0.1", 0, 1, True)
    store.set("a", "text")
    assert store.get("a") == b"text" and store.delete_key("a") and not store.delete_key("a")
