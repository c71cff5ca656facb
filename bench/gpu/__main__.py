"""All contestants by turns, in the order of what matters if time runs out; results are written after each.

    python -m bench.gpu [--seconds 480] [--out DIR] [--only gpt,resnet50] [--small]

Needs torch, JAX with CUDA and sporax in one environment. `--small` makes sizes that a CPU runs in seconds, to test this command.
Each contestant is a process of its own with an empty compile cache; the first of RUNS starts a second time, with a full one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.variants import ROOT

RUNS = (
    ("gpt", "bfloat16", "sporax-graph"), ("gpt", "bfloat16", "torch-compile"), ("gpt", "bfloat16", "jax-cudnn"),
    ("resnet50", "bfloat16", "sporax-graph"), ("resnet50", "bfloat16", "torch-compile"),
    ("vit", "bfloat16", "sporax-graph"), ("vit", "bfloat16", "torch-compile"), ("gpt", "bfloat16", "sporax-graph"),
    ("bert", "bfloat16", "sporax-graph"), ("bert", "bfloat16", "torch-compile"), ("bert", "bfloat16", "jax-cudnn"),
    ("lstm", "float32", "sporax-graph"), ("lstm", "float32", "torch-eager"),
    ("eager", "float32", "sporax-pynative"), ("eager", "float32", "torch-eager"),
    ("gpt", "bfloat16", "sporax-pynative"), ("gpt", "bfloat16", "torch-eager"),
    ("resnet50", "bfloat16", "jax"), ("vit", "bfloat16", "jax-cudnn"),
    ("gpt", "float32", "sporax-graph"), ("gpt", "float32", "torch-compile"),
    ("resnet50", "float32", "sporax-graph"), ("resnet50", "float32", "torch-compile"),
)  # fmt: skip
LONGEST = 160  # seconds of one contestant
LEAST = 25  # seconds that must be left to start one


def environment(cache: Path, contestant: str) -> dict[str, str]:
    """Return the environment of a contestant, whose compile cache is below a folder."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        "SPORAX_CACHE_DIR": str(cache / contestant), "TORCHINDUCTOR_CACHE_DIR": str(cache / contestant),
        "TF_CPP_MIN_LOG_LEVEL": "3", "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }  # fmt: skip


def run(names: tuple[str, str, str], cache: Path, seconds: float, small: bool) -> dict[str, Any]:
    """Run a contestant, and return its figures, or its error."""
    model, precision, contestant = names
    command = [sys.executable, "-m", "bench.gpu.contestant", model, contestant, precision, *["--small"] * small]
    found: dict[str, Any] = {"model": model, "contestant": contestant, "precision": precision}
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, env=environment(cache, contestant), capture_output=True, text=True, timeout=seconds
        )
        if done.returncode == 0:
            found = json.loads(done.stdout.splitlines()[-1])
        else:
            found["error"] = done.stderr.strip().splitlines()[-1][:300]
    except subprocess.TimeoutExpired:
        found["error"] = f"longer than {seconds:.0f} s"
    return found | {"wall_s": round(time.perf_counter() - start, 1)}


def line_of(found: dict[str, Any]) -> str:
    """Return a result for readers."""
    said = found.get("error") or found.get("us")
    if said is None:
        said = (
            f"{found['step_ms']:9.2f} ms, {found['items_s']:>9,} a second, {found['tflops']} TFLOP/s, first step "
            f"{found['first_s']} s, {found['memory_mib']} MiB, loss {found['losses'][0]} to {found['losses'][-1]}"
        )
    return f"{found['model']:9} {found['precision']:9} {found['contestant']:16} {said}  [{found['wall_s']} s]"


def all_runs(seconds: float, out: Path, only: list[str], small: bool) -> list[dict[str, Any]]:
    """Run all contestants that the time allows, and write their results after each."""
    start, results = time.perf_counter(), []
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        for names in RUNS:
            left = seconds - (time.perf_counter() - start)
            if only and names[0] not in only:
                continue
            if left < LEAST:
                print(f"no time left for {' '.join(names)}", flush=True)
                continue
            results.append(run(names, Path(cache), min(left, LONGEST), small))
            (out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
            print(line_of(results[-1]), flush=True)
    return results


def main() -> None:
    """Run what the command line asks for; the status is 1 if a contestant failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--out", type=Path, default=Path("gpu-steps"))
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="MODEL,...")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    results = all_runs(args.seconds, args.out, args.only, args.small)
    sys.exit(1 if any("error" in found for found in results) else 0)


if __name__ == "__main__":
    main()
