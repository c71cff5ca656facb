"""How much memory a long program takes: many steps of one shape, and many shapes, in both modes.

    python tools/memory.py    # writes tools/results/memory.json

Each case runs in a process of its own, with a compile cache that is thrown away.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jax
import numpy as np

import sporax as ms
from sporax import nn, ops

MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
WARM = 100
CASES = {"steps": 100_000, "shapes": 2_000}


def resident() -> float:
    """Return the MB of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def steps(count: int) -> float:
    """Train a network with dropout and Adam, and return by how many MB it grew after the first steps."""
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(16, 2))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    rng, before = np.random.default_rng(0), 0.0
    for number in range(count):
        if number == WARM:
            before = resident()
        x = rng.standard_normal((4, 8), np.float32)
        step(ms.Tensor(x), ms.Tensor(x[:, :2])).asnumpy()
    return resident() - before


def shapes(count: int) -> float:
    """Compute with ever new shapes, and return by how many MB the process grew."""
    function = ms.jit(lambda x: (ops.tanh(x) * 2 + x).sum()) if ms.get_context("mode") == ms.GRAPH_MODE else ops.tanh
    before = resident()
    for number in range(1, count + 1):
        (function(ms.Tensor(np.ones((number, 3), np.float32))) * 2).asnumpy()
    return resident() - before


def run(case: str, mode: str) -> dict[str, Any]:
    """Run a case in this process."""
    ms.set_context(mode=MODES[mode])
    return {"case": case, "mode": mode, "count": CASES[case], "grown_mb": round(globals()[case](CASES[case]), 1)}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", nargs=2, metavar=("CASE", "MODE"), help="run one case here and print it")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run(*options.one)))
        return
    results = []
    for case in CASES:
        for mode in MODES:
            with tempfile.TemporaryDirectory() as cache:
                command = [sys.executable, "-W", "ignore", __file__, "--one", case, mode]
                printed = subprocess.run(
                    command, capture_output=True, text=True, check=True, env={**os.environ, "SPORAX_CACHE_DIR": cache}
                ).stdout
            results.append(json.loads(printed))
            print(printed, end="", flush=True)
    out = Path(__file__).parent / "results" / "memory.json"
    out.write_text(json.dumps({"jax": jax.__version__, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
