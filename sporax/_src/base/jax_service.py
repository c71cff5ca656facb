"""The program of a process that hosts JAX's coordination service (`processes/service.py` starts it by its file).

A process of its own outlives the one that started it: those that are connected then learn from the store of the run who is lost.
If the service ended with the lost process, XLA would abort all others. It needs `jaxlib` only, so it starts in a fifth of a second.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import jaxlib._jax as _jax

READY = b"ready\n"
_LOOK = 0.2  # seconds between checks
_LONGEST = 600.0  # seconds that it waits at most for those that are connected
_ESTABLISHED = "01"  # of Linux's table of connections


def main() -> None:
    """Host the service as long as the process that started this one lives, and then until nobody is connected."""
    address, processes, heartbeat, parent = sys.argv[1], *map(int, sys.argv[2:])
    service = _jax.get_distributed_runtime_service(address, processes, heartbeat_timeout=heartbeat, recoverable=True)
    os.write(1, READY)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    while os.getppid() == parent:
        time.sleep(_LOOK)
    end = time.monotonic() + _LONGEST
    while time.monotonic() < end and _is_connected(int(address.rsplit(":", 1)[1])):
        time.sleep(_LOOK)
    del service


def _is_connected(port: int) -> bool:
    """Return whether anything is connected to a port of this machine; False where the system does not tell."""
    tables = [
        path.read_text().splitlines()[1:] for path in map(Path, ("/proc/net/tcp", "/proc/net/tcp6")) if path.exists()
    ]
    rows = [line.split() for table in tables for line in table]
    return any(row[1].endswith(f":{port:04X}") and row[3] == _ESTABLISHED for row in rows)


if __name__ == "__main__":
    main()
