"""Read random pipelines with threads and processes, and on from saved positions: the rows are the same bit for bit.

python tools/data_positions.py    # writes tools/results/data_positions.json

Each pipeline is read for two epochs on one thread, then with every number and kind of workers. Each of these is left at a random
row, and its position is restored in a new pipeline with workers of another kind.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from data_positions import ENGINES, check  # noqa: E402  of the tests

import sporax.dataset as ds  # noqa: E402

RESULTS = ROOT / "tools" / "results" / "data_positions.json"


def main() -> None:
    """Read the pipelines and write how many rows and positions there were, after every 20 of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pipelines", type=int, default=300)
    ds.config.set_seed(1)
    told: Counter[str] = Counter()
    for number in range(parser.parse_args().pipelines):
        told.update({"pipelines": 1, **check(Random(number), len(ENGINES))})
        if number % 20 == 19:
            print(dict(told), flush=True)
            RESULTS.write_text(json.dumps(dict(told), indent=1) + "\n")


if __name__ == "__main__":
    main()
