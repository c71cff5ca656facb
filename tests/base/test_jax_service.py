"""Connections to a port of this machine."""

import socket

from sporax._src.base.jax_service import _is_connected


def test_connections_are_seen_while_they_are_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not _is_connected(port)
        with socket.create_connection(("127.0.0.1", port)):
            assert _is_connected(port)
