"""Kill training runs at random moments, saves included, and compare them with runs that were left alone.

    python tools/kills.py    # writes tools/kills_results.json

A run saves its state at every step, so that about half of the kills fall into a save.
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

from kills import killed  # noqa: E402  of the tests


def main() -> None:
    """Run the kills and write their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=25, help="in each mode")
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()
    results = {}
    for mode in ("graph", "pynative"):
        with tempfile.TemporaryDirectory() as folder:
            results[mode] = killed(Path(folder), mode, options.epochs, options.kills, random.Random(0), last=0.3)
        print(mode, results[mode], flush=True)
    (ROOT / "tools" / "kills_results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
