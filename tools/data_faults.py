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
from functools import partial
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
    faults = {name: partial(check, name=name) for name in FAULTS}
    faults |= {f"{whom} killed from outside": partial(check_kill, whom=whom) for whom in ("worker", "fork server")}
    ends = {f"program ended by {end}": partial(check_end, end=end, python=sys.executable) for end in ENDS}
    results = {}
    for name, cause in {**faults, **ends}.items():
        results[name] = _summed([cause(Random(n)) for n in range(options.programs if name in ends else options.times)])
        print(name, results[name], flush=True)
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
