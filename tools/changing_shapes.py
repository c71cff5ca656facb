"""Run random eager programs at random sizes, several times each, and compare all runs of a size and graph mode.

    python tools/changing_shapes.py --programs 1000 --seed 1      # writes tools/results/changing_shapes.json

A program is a chain of operators on a Tensor (n, m) with a gradient. It runs at several n, each of them several times, in random
order. So operators are compiled, compiled quickly, or computed by NumPy, depending on what the process has run before. A run must
agree with the same function in graph mode, where XLA compiles the first size and one graph serves the others. At one further size
XLA alone computes, and all runs must have the same bits.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sporax as ms
from sporax import Tensor, mint, ops
from sporax._src.engine import numpy_fallback

RESULTS = Path(__file__).resolve().parent / "results" / "changing_shapes.json"
OTHER = 41  # columns where XLA alone computes; no array has them before
TOLERANCE = 2e-5  # of the largest value: NumPy and XLA differ in the last bits of sums and functions

STEPS: dict[str, Callable[[Any, Any, int], Any]] = {
    "tanh": lambda x, w, k: ops.tanh(x),
    "relu": lambda x, w, k: ops.relu(x),
    "gelu": lambda x, w, k: ops.gelu(x),
    "sigmoid": lambda x, w, k: ops.sigmoid(x) * 2,
    "matmul": lambda x, w, k: ops.matmul(x, w) / 4,
    "attention": lambda x, w, k: ops.matmul(ops.softmax(ops.matmul(x, x.T) / 8, -1), x),
    "layer norm": lambda x, w, k: ops.layer_norm(x, (x.shape[-1],), eps=0.2),
    "softmax": lambda x, w, k: ops.softmax(x, k % 2) * 4,
    "log": lambda x, w, k: ops.log(ops.abs(x) + 1),
    "residual": lambda x, w, k: x + ops.tanh(x),
    "scale": lambda x, w, k: x * (0.5 + k / 4),
    "mean": lambda x, w, k: x - x.mean(k % 2, keep_dims=True),
    "variance": lambda x, w, k: x / ops.sqrt((x * x).mean(k % 2, keep_dims=True) + 0.5),
    "maximum": lambda x, w, k: x - x.max(axis=k % 2, keepdims=True) / 2,
    "cumsum": lambda x, w, k: ops.cumsum(x, k % 2) / 8,
    "sort": lambda x, w, k: ops.sort(x, 1)[0],
    "flip": lambda x, w, k: mint.flip(x, (k % 2,)),
    "roll": lambda x, w, k: mint.roll(x, 1, k % 2),
    "clamp": lambda x, w, k: ops.clamp(x, -1.5, 1.0 + k),
    "where": lambda x, w, k: ops.where(x > 0, x, x / 4),
    "transposed": lambda x, w, k: ops.matmul(w, x.T).T / 4,
    "reshape": lambda x, w, k: ops.tanh(x.reshape(-1)).reshape(x.shape),
    "concat": lambda x, w, k: ops.cat((x, x[:1]), 0),
    "slice": lambda x, w, k: x[: max(1, x.shape[0] - k)],
    "every other": lambda x, w, k: x[::2],
    "pad": lambda x, w, k: mint.nn.functional.pad(x, (0, 0, k, 1)),
    "gather": lambda x, w, k: x[Tensor(np.arange(x.shape[0]) // 2)],
    "outer sum": lambda x, w, k: (x.expand_dims(0) + x.expand_dims(1)).mean(0),
    "split": lambda x, w, k: ops.cat(mint.split(x, [k, x.shape[1] - k] if k < x.shape[1] else [x.shape[1]], 1)[::-1], 1),
}  # fmt: skip


def program(rng: random.Random) -> tuple[list[str], Callable[[Any, Any], Any]]:
    """Return the names of a random chain of operators, and its loss."""
    chain = [(rng.choice(list(STEPS)), rng.randrange(3)) for _ in range(rng.randrange(2, 7))]

    def loss(x: Any, w: Any) -> Any:
        for name, k in chain:
            x = STEPS[name](x, w, k)
        return (x * x).mean()

    return [name for name, _ in chain], loss


def apart(a: list[np.ndarray], b: list[np.ndarray]) -> float:
    """Return the largest difference, relative to the largest value of each array."""
    return max(float(np.abs(p - q).max() / max(np.abs(q).max(), 1e-6)) for p, q in zip(a, b, strict=True))


def results(step: Any, x: Any, w: Any) -> list[np.ndarray]:
    """Return the loss of a step and its gradients."""
    value, gradients = step(x, w)
    return [value.asnumpy(), *[g.asnumpy() for g in gradients]]


def rounding(step: Any, x: Any, w: Any) -> float:
    """Return how far XLA's float32 is from float64: a sum of numbers that cancel is no better in any of the modes."""
    ms.set_deterministic(True)
    try:
        return apart(results(step, x, w), results(step, x.astype(ms.float64), w.astype(ms.float64)))
    finally:
        ms.set_deterministic(False)


def check(seed: int) -> list[str]:
    """Run the program of a seed; return what differs."""
    rng = random.Random(seed)
    draw = np.random.default_rng(seed)
    names, loss = program(rng)
    columns = rng.choice((2, 3, 8, 16))
    w = Tensor((draw.standard_normal((columns, columns)) / columns**0.5).astype(np.float32))
    sizes = rng.sample(range(2, 40), 5)
    inputs = {n: Tensor(draw.standard_normal((n, columns)).astype(np.float32)) for n in sizes}
    step = ms.value_and_grad(loss, (0, 1))
    found: list[str] = []
    first: dict[int, list[np.ndarray]] = {}
    for n in rng.sample(sizes * 3, len(sizes) * 3):
        got = results(step, inputs[n], w)
        if n not in first:
            first[n] = got
        elif apart(got, first[n]) > TOLERANCE:
            found.append(f"{names} at {n}: a later run differs from the first by {apart(got, first[n]):.1e}")
    graph = ms.jit(step, dynamic=1)
    for n in (*sizes, sizes[0]):  # XLA compiles the first; one graph serves the others, if NumPy can compute it
        expected = results(graph, inputs[n], w)
        distance = apart(first[n], expected)
        if distance > TOLERANCE and distance > 4 * rounding(step, inputs[n], w):
            found.append(f"{names} at {n}: PyNative mode differs from graph mode by {distance:.1e}")
    further = [Tensor(draw.standard_normal((n, OTHER)).astype(np.float32)) for n in (rng.randrange(81, 99), OTHER)]
    return found + _same_bits(names, step, *further)


def _same_bits(names: list[str], step: Any, x: Any, w: Any) -> list[str]:
    """Run a size more often than operators are compiled quickly, with NumPy out of the way; return what differs in any bit."""
    usual, numpy_fallback.USUAL = numpy_fallback.USUAL, 10**9
    try:
        first = results(step, x, w)
        for run in range(1, 41):
            got = results(step, x, w)
            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(got, first, strict=True)):
                return [f"{names}: run {run} of one size differs in its bits by {apart(got, first):.1e}"]
    finally:
        numpy_fallback.USUAL = usual
    return []


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    start, differences = time.monotonic(), []
    for seed in range(options.seed, options.seed + options.programs):
        for text in check(seed):
            differences.append(f"{seed}: {text}")
            print(differences[-1], flush=True)
    result = {
        "programs": options.programs, "seed": options.seed, "sizes": 5, "runs": 15, "differences": differences,
        "seconds": round(time.monotonic() - start),
    }  # fmt: skip
    options.out.write_text(json.dumps(result, indent=1) + "\n")
    print({key: value if key != "differences" else len(differences) for key, value in result.items()})


if __name__ == "__main__":
    main()
