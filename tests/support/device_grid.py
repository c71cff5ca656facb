"""Training on several devices of several processes, compared with one device."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from launching import PROGRAMS, command

PROGRAM = PROGRAMS / "devices.py"


def trained(folder: Path, processes: int, devices: int, *kinds: str) -> list[dict]:
    """Return what each of so many processes, with so many simulated devices each, computes for kinds of training, or for all."""
    start = [sys.executable, "-m", "sporax", "run"] if processes == 1 else command(processes=processes)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    run = subprocess.run(
        [*start, str(PROGRAM), str(folder), *kinds],
        env=os.environ | {"XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return [json.loads((folder / f"rank_{rank}.json").read_text()) for rank in range(processes)]


def differences(found: list[dict], alone: dict) -> dict[str, float]:
    """Return, by kind, the largest relative difference between the mean loss of the processes and that of one device."""
    largest = {}
    for kind in alone:
        mean = np.mean([rank[kind]["losses"] for rank in found], axis=0)
        largest[kind] = float(np.max(np.abs(mean / np.array(alone[kind]["losses"]) - 1)))
    return largest
