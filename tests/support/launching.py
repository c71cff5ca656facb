"""Programs that run as several processes."""

import socket
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent.parent / "dist" / "programs"


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def launched(*arguments: object, processes: int = 2) -> subprocess.CompletedProcess:
    """Run a program as several processes."""
    command = [sys.executable, "-m", "sporax", "launch", "-n", processes, "--master_port", free_port(), *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
