"""Programs of two processes, started by `msrun`: losses, weights, what collective operators give."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from .common import write_json

PROGRAM = Path(__file__).resolve().parents[2] / "tests" / "dist" / "programs" / "data_parallel.py"


def record(out: Path) -> None:
    """Write `parallel.json`: what each process of two found."""
    here = Path(sys.executable).parent
    folder = Path.cwd()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [here / "msrun", "--worker_num=2", "--local_worker_num=2", f"--master_port={port}", "--join=True"]
    environ = os.environ | {"PATH": f"{here}:{os.environ['PATH']}"}
    subprocess.run([*command, "--log_dir=logs", PROGRAM, folder, "before"], env=environ, check=True)
    processes = [json.loads((folder / f"rank_{rank}.json").read_text()) for rank in range(2)]
    write_json(out / "parallel.json", {"processes": processes})
