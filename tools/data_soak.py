"""Read datasets for half an hour, and compare the memory at the end with that at the beginning.

python tools/data_soak.py    # writes tools/results/data_soak.json

Epochs are read by worker processes and by threads in turn; some are left in the middle, and some meet a bad row.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from soaked_data import soak  # noqa: E402  of the tests

RESULTS = ROOT / "tools" / "results" / "data_soak.json"


def main() -> None:
    """Read, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    told = soak(60 * parser.parse_args().minutes, note=lambda text: print(text, flush=True))
    print(told)
    RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
