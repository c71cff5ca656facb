"""What somebody does who reaches the address at which a run meets, and does not know its secret.

python stranger.py HOW ADDRESS PLANTED: connects as process 1 of two, and writes into the table of the run. Where what is written
there is unpickled, the file PLANTED appears.
"""

import os
import pickle
import socket
import sys
import time
from pathlib import Path

SECOND = "sporax/messages/0>1/objects/1/0"  # what process 1 takes second


class Planted:
    """An object whose pickle makes a file."""

    def __init__(self, file: str) -> None:
        self.file = file

    def __reduce__(self) -> tuple:
        return os.system, (f"touch {self.file}",)


def pickled(file: Path) -> bytes:
    """Return a pickle that makes a file when it is read."""
    return pickle.dumps(Planted(str(file)))


def connections(address: str, sent: bytes) -> list[socket.socket]:
    """Open connections, send something over each, and leave them open."""
    opened = []
    for _ in range(20):
        opened.append(socket.create_connection(_place(address)))
        opened[-1].sendall(sent)
    return opened


def _place(address: str) -> tuple[str, int]:
    host, port = address.rsplit(":", 1)
    return host, int(port)


def wait_for_service(address: str) -> None:
    """Wait until somebody listens at an address."""
    end = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(_place(address)).close()
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.05)


def main(how: str, address: str, planted: str) -> None:
    """Write into the table of a run."""
    from jax._src.lib import _jax

    table = _jax.get_distributed_runtime_client(
        address, 1, init_timeout=60, heartbeat_timeout=10, shutdown_on_destruction=False
    )
    table.connect()
    if how == "enters":
        table.key_value_set_bytes("sporax/members/1", bytes(64))
    elif how == "forges":
        from sporax._src.processes.run_secret import digest

        body = pickled(Path(planted))
        layout = b'[["uint8", [%d]]]' % len(body)
        parts = [bytes(12), len(layout).to_bytes(4, "big"), layout, body]
        table.key_value_set_bytes(SECOND, digest(b"a guess", SECOND, parts) + b"".join(parts))
    elif how == "replays":
        table.key_value_set_bytes(SECOND, table.blocking_key_value_get_bytes(SECOND.replace("/1/0", "/0/0"), 60_000))
    print("done", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
