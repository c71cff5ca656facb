"""Times whole short programs, from the start of Python to the last result, and writes bench/FIRST.md.

    python -m bench.first --sporax-python PY [--mindspore-python PY] [--torch-python PY] [--mindcv CHECKOUT] [--only NAMES]

Each program of `programs` runs under MindSpore, and unmodified under `sporax run` with an empty compile cache and with a
full one, in PyNative mode and in graph mode; programs with changing shapes also run in PyTorch (`torch`). The contestants of
a program follow each other. Their last printed losses must agree within 0.001; one that disagrees has no time.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROGRAMS, TORCH = FOLDER / "programs", FOLDER / "torch"
RESULTS, PAGE = FOLDER.parent / "first.json", FOLDER.parent / "FIRST.md"
PUBLIC = (
    "squeezenet1_0", "mobilenet_v2_035_224", "ghostnet_050", "shufflenet_v2_x0_5", "mnasnet_050", "resnet18", "regnet_x_200mf",
    "mobilenet_v1_025", "edgenext_xx_small", "repvgg_a0",
)  # fmt: skip
MODES = ("pynative", "graph")
MOST_SECONDS = 600

Timed = tuple[float | None, str]


def programs() -> dict[str, list[str]]:
    """Return the command line of each program, by its name."""
    own = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem not in ("common", "public"))
    return {name: [f"{name}.py"] for name in own} | {f"mindcv {name}": ["public.py", name] for name in PUBLIC}


def timed(command: list[str], folder: Path, **environment: str) -> Timed:
    """Return the seconds that a command took (None: it failed), and its last line."""
    start = time.perf_counter()
    try:
        ended = subprocess.run(
            command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=MOST_SECONDS
        )
    except subprocess.TimeoutExpired:
        return None, f"no result in {MOST_SECONDS} s"
    seconds = time.perf_counter() - start
    lines = (ended.stderr if ended.returncode else ended.stdout).strip().splitlines()
    return None if ended.returncode else seconds, lines[-1].replace(f"{PROGRAMS}/", "") if lines else ""


def contest(name: str, words: list[str], args: argparse.Namespace) -> dict[str, Timed]:
    """Return the time and the last line of each contestant of a program."""
    found = {}
    mindcv = {"MINDCV": args.mindcv or ""}
    for mode in MODES:
        with tempfile.TemporaryDirectory() as cache:
            command = [args.sporax_python, "-m", "sporax", "run", *words]
            for state in ("empty", "full"):
                found[f"sporax {mode} {state}"] = timed(
                    command, PROGRAMS, FIRST_MODE=mode, SPORAX_CACHE_DIR=cache, **mindcv
                )
        if args.mindspore_python:
            found[f"mindspore {mode}"] = timed([args.mindspore_python, *words], PROGRAMS, FIRST_MODE=mode, **mindcv)
    if args.torch_python and (TORCH / words[0]).exists():
        found["torch"] = timed([args.torch_python, *words], TORCH)
    return found


def agree(one: str, other: str) -> bool:
    """Return whether two lines have the same words, and numbers within 0.001."""
    pairs = list(zip(one.split(), other.split(), strict=False))
    return len(one.split()) == len(other.split()) and all(a == b or _close(a, b) for a, b in pairs)


def _close(a: str, b: str) -> bool:
    try:
        return abs(float(a) - float(b)) <= 1e-3 * max(1.0, abs(float(b)))
    except ValueError:
        return False


INTRODUCTION = """# Whole short programs

Seconds from the start of Python to the last result, imports included. In parentheses: the time divided by that of MindSpore 2.7
in the same mode; for PyTorch, the time of sporax in PyNative mode divided by PyTorch's. `python -m bench.first` writes this page.

| program | PyNative | from a full cache | graph | from a full cache | PyTorch |
|---|---|---|---|---|---|
"""


def page(results: dict[str, dict[str, Timed]]) -> str:
    """Return the text of bench/FIRST.md."""
    ratios: dict[str, list[float]] = {}
    rows = []
    for name, found in results.items():
        cells = [
            _cell(found, f"sporax {mode} {state}", f"mindspore {mode}", ratios)
            for mode in MODES
            for state in ("empty", "full")
        ]
        rows.append(f"| {name} | {' | '.join([*cells, _torch_cell(found, ratios)])} |\n")
    medians = [
        f"- {key}: {statistics.median(values):.2f} in the median of {len(values)} programs, {max(values):.2f} at most\n"
        for key, values in ratios.items()
    ]
    return f"{INTRODUCTION}{''.join(rows)}\nRatios:\n\n{''.join(medians)}"


def _cell(found: dict[str, Timed], ours: str, theirs: str, ratios: dict[str, list[float]]) -> str:
    seconds, line = found[ours]
    if seconds is None:
        return line[:80]
    other, wanted = found.get(theirs, (None, ""))
    if other is None:
        return f"{seconds:.1f}"
    if not agree(line, wanted):
        return f"{line[:40]} is not {wanted[:40]}"
    ratios.setdefault(f"{ours} cache to {theirs}", []).append(seconds / other)
    return f"{seconds:.1f} ({seconds / other:.2f})"


def _torch_cell(found: dict[str, Timed], ratios: dict[str, list[float]]) -> str:
    (ours, _), (theirs, _) = found["sporax pynative empty"], found.get("torch", (None, ""))
    if ours is None or theirs is None:
        return ""
    ratios.setdefault("sporax pynative empty cache to torch", []).append(ours / theirs)
    return f"{theirs:.1f} ({ours / theirs:.2f})"


def main() -> None:
    """Run the programs, and write the results after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sporax-python", required=True)
    parser.add_argument("--mindspore-python")
    parser.add_argument("--torch-python")
    parser.add_argument(
        "--mindcv", help="a checkout of mindspore-lab/mindcv, and a folder of the packages it needs, with a colon"
    )
    parser.add_argument("--only", help="names of programs, with commas")
    args = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name, words in programs().items():
        if (args.only and name not in args.only.split(",")) or (words[0] == "public.py" and not args.mindcv):
            continue
        results[name] = contest(name, words, args)
        print(name, results[name], flush=True)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        PAGE.write_text(page(results), encoding="utf-8")
    shutil.rmtree(PROGRAMS / "__pycache__", ignore_errors=True)


if __name__ == "__main__":
    main()
