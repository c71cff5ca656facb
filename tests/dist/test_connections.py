"""Connections between processes: what arrives, in any order, and who is refused."""

import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from sporax._src.dist import connections
from sporax._src.processes.run_secret import ForeignEntry


@pytest.fixture(autouse=True)
def _own_connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(connections, "own_host", lambda: "127.0.0.1")
    connections._outgoing.cache_clear()
    connections._incoming.clear()
    yield
    for incoming in connections._incoming.values():
        incoming.close()
    connections._incoming.clear()
    connections._outgoing.cache_clear()


def _posted(name: str, *arrays: np.ndarray) -> str:
    return connections.post(0, name, [a.view(np.uint8).data for a in arrays])


def _taken(address: str, name: str, *lengths: int) -> list[np.ndarray]:
    rooms = [np.empty(length) for length in lengths]
    connections.take(0, address, name, [room.view(np.uint8).data for room in rooms])
    return rooms


def test_messages_are_taken_in_any_order() -> None:
    one, two, three = np.arange(300_000.0), np.arange(3.0), np.arange(50_000.0)
    address = _posted("one", one)
    assert _posted("two and three", two, three) == address
    _posted("empty")
    np.testing.assert_array_equal(np.concatenate(_taken(address, "two and three", 3, 50_000)), [*two, *three])
    np.testing.assert_array_equal(_taken(address, "one", 300_000)[0], one)
    assert _taken(address, "empty") == []


def test_a_stranger_is_refused_and_hinders_nobody() -> None:
    address = _posted("one", np.arange(4.0))
    host, port = address.split()
    with socket.create_connection((host, int(port))) as stranger, socket.create_connection((host, int(port))):
        stranger.recv(32)
        stranger.sendall(bytes(4 + 32 + 32))
        assert stranger.recv(1) == b""
        np.testing.assert_array_equal(_taken(address, "one", 4)[0], np.arange(4.0))


def test_a_foreign_listener_is_not_believed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1 {listener.getsockname()[1]}"

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(bytes(32))
                connection.recv(68)
                connection.sendall(bytes(32))

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ForeignEntry, match="'sporax/connections/answer' is not signed with the secret of this run"):
            _taken(address, "one", 4)
        thread.join()


def test_a_process_that_has_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        _taken(f"127.0.0.1 {port}", "one", 4)
    address = _posted("one", np.arange(4.0))
    _taken(address, "one", 4)
    connections._incoming[0].close()
    with pytest.raises(OSError, match="an earlier message was not received to its end"):
        _taken(address, "two", 4)
