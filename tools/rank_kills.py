"""Kill one of two training processes at random moments, resume on 1, 2 and 4, and compare with a run left alone.

    python tools/rank_kills.py    # writes tools/results/rank_kills.json

Then steps are dispatched without waiting on two processes, and the run is started again with the same disk cache.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from rank_kills import dispatched, killed  # noqa: E402  of the tests


def main() -> None:
    """Run the kills and write their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--steps", type=int, default=10_000, help="that are dispatched without waiting")
    parser.add_argument("--minutes", type=float, default=60, help="after which no process is killed any more")
    options = parser.parse_args()
    results = {}
    others = {kill: 1 if kill % 10 else 4 for kill in range(5, options.kills + 1, 5)}
    with tempfile.TemporaryDirectory() as folder:
        results["dispatched without waiting"] = dispatched(Path(folder), options.steps)
        print(results, flush=True)
        results["killed"] = killed(Path(folder), options.kills, random.Random(0), others, options.minutes)
    print(results["killed"], flush=True)
    (ROOT / "tools" / "results" / "rank_kills.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
