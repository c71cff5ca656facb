"""Run the law of threads for many rounds: what threads compute beside each other, against what they compute alone.

    python tools/threads.py --rounds 1000 --seed 1    # writes tools/results/threads.json

A round runs four threads: jobs of all kinds twice each, or one function that changes shared states, or one that all call first.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # as the tests: programs are small, and compiled often
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import jax
from thread_laws import Law


def run(rounds: int, seed: int, threads: int) -> dict[str, Any]:
    """Run the law and return the results."""
    law, start, differences = Law(seed, threads), time.monotonic(), []
    for number in range(rounds):
        for text in law.round(number):
            print(text, flush=True)
            differences.append(text)
    return {
        "seed": seed,
        "threads": threads,
        "rounds": rounds,
        "seconds": round(time.monotonic() - start),
        "jobs": len(law.jobs),
        "differences": differences,
        "jax": jax.__version__,
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "threads.json")
    options = parser.parse_args()
    results = run(options.rounds, options.seed, options.threads)
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{results['rounds']} rounds in {results['seconds']} s, {len(results['differences'])} differences")


if __name__ == "__main__":
    main()
