"""Kill, stop and end processes of trainings that restart themselves at random moments, and compare with trainings left alone.

python tools/random_kills.py    # writes tools/results/random_kills.json
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from disturbed_runs import disturbed  # noqa: E402  of the tests


def main() -> None:
    """Disturb trainings of 2, 3 and 4 processes in turn, and write what was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--signals", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60, help="after which no process gets a signal any more")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, until = random.Random(options.seed), time.monotonic() + 60 * options.minutes
    results: dict[str, dict[str, int]] = {}
    number = 0
    while sum(_signals(row) for row in results.values()) < options.signals and time.monotonic() < until:
        size = (2, 3, 4)[number % 3]
        with tempfile.TemporaryDirectory() as folder:
            found = {"trainings": 1, **disturbed(Path(folder), size, 40, 10, rng, until)}
        known = results.setdefault(f"{size} processes", {})
        for name, count in found.items():
            known[name] = known.get(name, 0) + count
        number += 1
        print(results, flush=True)
        (ROOT / "tools" / "results" / "random_kills.json").write_text(json.dumps(results, indent=1) + "\n")


def _signals(row: dict[str, int]) -> int:
    return sum(count for name, count in row.items() if name in ("kill", "stop", "end", "end all"))


if __name__ == "__main__":
    main()
