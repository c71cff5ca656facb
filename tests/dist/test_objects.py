"""Objects of Python that processes exchange, and the store they share."""

from collections.abc import Callable, Iterator
from datetime import timedelta

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
    store.set("n", "1")
    assert (store.add("n", 3), store.get("n"), store.add("m", -2)) == (4, b"4", -2)
    assert (store.host, store.port) == ("127.0.0.1", 0)


REFUSED = [
    (
        lambda: dist.TCPStore(timeout=timedelta(seconds=1)).add("a", 1.0),
        TypeError,
        "a name and an int, got 'a' and 1.0",
    ),
    (
        lambda: dist.send_object_list([1], 0),
        ValueError,
        "send_object_list: dst must be another process, got 0, this one",
    ),
    (lambda: dist.send_object_list([1], 1), ValueError, "send_object_list: dst must be a process of the group, got 1"),
    (lambda: dist.send_object_list((1,), 1), TypeError, r"send_object_list: object_list must be a list, got \(1,\)"),
    (lambda: dist.recv_object_list([None]), RuntimeError, "nothing was sent under the tag objects"),
]


@pytest.mark.parametrize(("call", "error", "said"), REFUSED)
def test_what_is_refused(call: Callable[[], object], error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        call()
