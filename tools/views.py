"""The law of views, whole: `python tools/views.py` compares with the recorded answers of PyTorch; `--record` records them.

A whole run writes `tools/results/views.json`. The tests run a part of the cases.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="record PyTorch's answers")
    parser.add_argument("--every", type=int, default=1, help="run one case in so many")
    args = parser.parse_args()
    if args.record:
        import view_answers

        view_answers.record()
        return
    import view_runs

    started, found, bad = time.time(), Counter[str](), []
    for what, verdict, said in view_runs.verdicts(args.every):
        found[verdict] += 1
        if verdict == "different":
            bad.append(f"{what}: {said}")
            print(bad[-1], flush=True)
    told = {"combinations": sum(found.values()), **found, "seconds": round(time.time() - started)}
    print(told)
    if args.every == 1:
        (ROOT / "tools" / "results" / "views.json").write_text(json.dumps(told | {"differences": bad}, indent=1) + "\n")


if __name__ == "__main__":
    main()
