"""JAX's coordination service, at which the processes of a run meet, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from sporax._src.base import jax_service
from sporax._src.base.jax_compat import HEARTBEAT


class Service:
    """A process that hosts the service for so many processes; it ends soon after this one, when nobody is connected any more.

    Args:
        address: Where it listens.
        processes: How many processes will connect.

    Raises:
        RuntimeError: If it does not start.
    """

    def __init__(self, address: str, processes: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", jax_service.__file__, address, str(processes), str(HEARTBEAT), str(os.getpid())],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        with self._process.stdout as printed:
            lines = []
            for line in printed:
                if line == jax_service.READY:
                    return
                lines.append(line.decode(errors="replace").strip())
        self.end()
        errors = [line for line in lines if line.startswith("E")]  # as C++ marks them; then Python's last line
        raise RuntimeError(f"the service at {address} does not start: {'; '.join([*errors, *lines[-1:]])}")

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
