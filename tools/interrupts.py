"""Interrupt training at random moments, by hand and by `Model`, and compare each state with the run that was left alone.

python tools/interrupts.py    # writes tools/results/interrupts.json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from interrupts import by_hand, by_model  # noqa: E402  of the tests

import sporax as ms  # noqa: E402


def main() -> None:
    """Run the interrupts and write their results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interrupts", type=int, default=1000, help="in all")
    each = -(-parser.parse_args().interrupts // 6)
    results = {}
    for name, mode in {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}.items():
        ms.set_context(mode=mode)
        with tempfile.TemporaryDirectory() as folder:
            results[name] = {
                "by hand": by_hand(False, each),
                "by hand, scaled": by_hand(True, each),
                "Model": by_model(Path(folder), each),
            }
        print(name, results[name], flush=True)
    (ROOT / "tools" / "results" / "interrupts.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
