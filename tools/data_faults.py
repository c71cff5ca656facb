"""Let worker processes of datasets fail, and end programs that have some: each fault is one clear error, and nothing is left.

python tools/data_faults.py    # writes tools/results/data_faults.json

A worker exits, is killed or stopped, crashes, hangs, or raises at a random row, or is killed from outside at a random moment, as is
the process that forks workers; programs end while their workers work or hang. After each, processes, open files, threads and shared
memory are those of before.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from data_faults import ENDS, FAULTS, check, check_end, check_kill  # noqa: E402  of the tests

RESULTS = ROOT / "tools" / "results" / "data_faults.json"


def main() -> None:
    """Cause the faults and write their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=40, help="each fault")
    parser.add_argument("--programs", type=int, default=10, help="ends of programs, of each kind")
    options = parser.parse_args()
    results = {}
    for name in FAULTS:
        told = [check(Random(number), name) for number in range(options.times)]
        results[name] = _summed(told)
        print(name, results[name], flush=True)
    for whom in ("worker", "fork server"):
        told = [check_kill(Random(number), whom) for number in range(options.times)]
        results[f"{whom} killed from outside"] = _summed(told)
        print(whom, _summed(told), flush=True)
    for end in ENDS:
        told = [check_end(Random(number), end, sys.executable) for number in range(options.programs)]
        results[f"program ended by {end}"] = _summed(told)
        print(end, _summed(told), flush=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def _summed(told: list[dict[str, object]]) -> dict[str, object]:
    seconds = sorted(float(str(one["seconds"])) for one in told)
    return {
        "times": len(told),
        "median seconds": round(seconds[len(seconds) // 2], 2),
        "most seconds": round(seconds[-1], 2),
    }


if __name__ == "__main__":
    main()
