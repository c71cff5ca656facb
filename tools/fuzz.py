"""Compare random programs in NumPy, PyNative mode and graphs for a while; differences are shown as small programs.

python tools/fuzz.py --minutes 30 --seed 1        # writes tools/results/fuzz.json
python tools/fuzz.py --replay 12345               # one program, by the seed that a run has printed
python tools/fuzz.py --python 2000 --seed 1       # names and numbers, against Python: writes tools/results/fuzz_python.json
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import jax

import sporax.ops  # noqa: F401  (fills the table)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

from programs.calls import some_entries
from programs.laws import Difference, Unusable, cause, check_program, shrink
from programs.python_laws import check_python, python_program, shrink_python
from programs.writer import Program, Writer

BATCH = 100  # programs that share one choice of operators, so that most operators are compiled before


def program_of(seed: int) -> Program:
    """Return the program of a seed: the seed's hundreds choose its operators."""
    return Writer(seed, some_entries(seed // BATCH, 60), grows=seed % 10 == 0).program()


class Tally:
    """What a run has seen."""

    def __init__(self) -> None:
        self.programs = self.unusable = 0
        self.rows: set[str] = set()
        self.differences: list[dict[str, Any]] = []
        self.fallbacks: collections.Counter[str] = collections.Counter()

    def take(self, program: Program, seconds: float) -> None:
        """Check a program."""
        try:
            found = check_program(program)
        except Unusable:
            self.unusable += 1
            return
        except Difference as difference:
            self.add(program, difference, seconds)
            found = {}
        self.programs += 1
        self.rows |= program.rows
        self.fallbacks.update(f"{what}: {cause(warning)}" for what, warning in found.items())

    def add(self, program: Program, difference: Difference, seconds: float) -> None:
        """Note a difference, with a small program if it is the first of its kind."""
        known = any(d["kind"] == difference.kind for d in self.differences)
        small = program if known else shrink(program, difference.kind, seconds)
        source = small.source.split("\ndef loss")[0].strip()
        print(f"seed {program.seed}: {difference}\n{source}\n", flush=True)
        self.differences.append({"seed": program.seed, "kind": difference.kind, "program": source.split("\n")})


def run(minutes: float, seed: int, seconds: float) -> dict[str, Any]:
    """Check programs for some minutes and return the results."""
    tally, start = Tally(), time.monotonic()
    number = random.Random(seed).randrange(10**6) * BATCH
    while time.monotonic() - start < 60 * minutes:
        tally.take(program_of(number), seconds)
        number += 1
        if number % BATCH == 0:
            jax.clear_caches()
    return {
        "seed": seed,
        "seconds": round(time.monotonic() - start),
        "programs": tally.programs,
        "unusable": tally.unusable,
        "operators": len(tally.rows),
        "differences": tally.differences,
        "fallbacks": dict(tally.fallbacks.most_common()),
        "jax": jax.__version__,
    }


def run_python(count: int, minutes: float, seed: int, seconds: float) -> dict[str, Any]:
    """Check programs whose meaning Python knows, as many as there is time for, and return the results."""
    differences: list[dict[str, Any]] = []
    fallbacks: collections.Counter[str] = collections.Counter()
    outcomes: collections.Counter[str] = collections.Counter()
    start, done = time.monotonic(), 0
    for number in range(seed * count, (seed + 1) * count):
        if time.monotonic() - start > 60 * minutes:
            break
        program, done = python_program(number), done + 1
        try:
            found = check_python(program)
        except Difference as difference:
            known = any(d["kind"] == difference.kind for d in differences)
            small = program if known else shrink_python(program, difference.kind, seconds)
            print(f"seed {number}: {difference}\n{small.source}", flush=True)
            differences.append({"seed": number, "kind": difference.kind, "program": small.source.split("\n")})
        else:
            fallbacks.update(found.fallbacks)
            outcomes.update(found.outcomes)
        if number % BATCH == 0:
            jax.clear_caches()
    return {
        "seed": seed,
        "seconds": round(time.monotonic() - start),
        "programs": done,
        "calls that ended in": dict(outcomes.most_common()),
        "differences": differences,
        "fallbacks": dict(fallbacks.most_common()),
        "jax": jax.__version__,
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="5; with --python 60, if there are programs for so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shrink", type=float, default=120, help="seconds to spend on a smaller program")
    parser.add_argument("--replay", type=int, help="show and check the program of one seed")
    parser.add_argument("--python", type=int, metavar="N", help="check N programs of names and numbers against Python")
    parser.add_argument("--out", type=Path, help="where to write the results, in place of a file beside this one")
    options = parser.parse_args()
    if options.replay is not None:
        program = program_of(options.replay)
        print(program.source)
        print(check_program(program))
        return
    if options.python is None:
        results = run(options.minutes or 5, options.seed, options.shrink)
    else:
        results = run_python(options.python, options.minutes or 60, options.seed, options.shrink)
    name = "fuzz.json" if options.python is None else "fuzz_python.json"
    (options.out or Path(__file__).parent / "results" / name).write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps({k: v for k, v in results.items() if k != "differences"}, indent=1))
    print(f"{len(results['differences'])} differences")


if __name__ == "__main__":
    main()
