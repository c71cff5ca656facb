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


def command(*arguments: object, processes: int = 2) -> list[str]:
    """Return the command that runs a program as several processes."""
    start = [sys.executable, "-m", "sporax", "launch", "-n", processes, "--master_port", free_port(), *arguments]
    return list(map(str, start))


def launched(*arguments: object, processes: int = 2) -> subprocess.CompletedProcess:
    """Run a program as several processes."""
    return subprocess.run(command(*arguments, processes=processes), capture_output=True, text=True, timeout=300)
