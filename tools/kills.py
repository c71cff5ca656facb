"""Kill training runs, and processes that overwrite sets of files, and look at what they leave.

    python tools/kills.py                    # writes tools/results/kills.json
    python tools/kills.py --only unified     # anew for this one

A training saves its state at every step, so that about half of the kills fall into a save; it is compared with one that was left
alone. What is read of a set of files whose overwriting was killed must be the old set or the new one.
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

from killed_overwrites import KINDS, killed_alone  # noqa: E402  of the tests
from kills import killed  # noqa: E402

RESULTS = ROOT / "tools" / "results" / "kills.json"
MODES = ("graph", "pynative")


def main() -> None:
    """Run the kills and write their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=25, help="of a training in each mode")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--overwrites", type=int, default=200, help="kills of each format of several files")
    parser.add_argument("--only", nargs="*", choices=(*MODES, *KINDS), default=(*MODES, *KINDS))
    options = parser.parse_args()
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            if name in MODES:
                told = killed(Path(folder), name, options.epochs, options.kills, random.Random(0), last=0.3)
            else:
                told = killed_alone(name, Path(folder), options.overwrites)
        print(name, told, flush=True)
        results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**results, name: told}, indent=1) + "\n")


if __name__ == "__main__":
    main()
