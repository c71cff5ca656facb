"""One contestant with one model: a line of JSON.

    python -m bench.gpu.contestant gpt sporax-graph bfloat16 [--small]

The first step includes compilation, not imports. A step is the median of windows of steps, at whose end the host waits.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

from bench.gpu.sizes import MODELS, Size, size

CONTESTANTS = ("sporax-graph", "sporax-pynative", "torch-compile", "torch-eager", "jax-cudnn", "jax")


def step_of(contestant: str, model: str, at: Size, precision: str) -> tuple[Callable[[int], Any], Callable[[], Any]]:
    """Return a step, and what tells the MiB that the card held at most."""
    framework, _, how = contestant.partition("-")
    if framework == "torch":
        from bench.gpu import torch_steps

        return torch_steps.training_step(model, at, precision, how == "compile"), torch_steps.memory
    if framework == "jax":
        from bench.gpu import jax_steps

        return jax_steps.training_step(model, at, precision, how == "cudnn"), memory_of_jax
    from bench.gpu import sporax_steps

    return sporax_steps.training_step(model, at, precision, how == "graph"), memory_of_jax


def memory_of_jax() -> float | None:
    """Return the MiB that the card held at most; None on a CPU."""
    import jax

    stats = jax.devices()[0].memory_stats() or {}
    return stats["peak_bytes_in_use"] / 2**20 if "peak_bytes_in_use" in stats else None


def value(loss: Any) -> float:
    """Return a loss, when it is known."""
    return float(loss.asnumpy() if hasattr(loss, "asnumpy") else loss)


def measured(model: str, contestant: str, precision: str, at: Size) -> dict[str, Any]:
    """Return the figures of a model's step."""
    start = time.perf_counter()
    step, memory = step_of(contestant, model, at, precision)
    built = time.perf_counter()
    losses = [value(step(0))]
    first = time.perf_counter() - built
    losses += [value(step(i)) for i in range(1, 6)]
    seconds = []
    for _ in range(at.windows):
        begun = time.perf_counter()
        for i in range(at.steps):
            last = step(i)
        losses.append(value(last))
        seconds.append((time.perf_counter() - begun) / at.steps)
    if not all(map(math.isfinite, losses)):
        raise ArithmeticError(f"a loss is not finite: {losses}")
    each, peak = statistics.median(seconds), memory()
    tflops = at.flops(model) / each / 1e12
    return {
        "step_ms": round(1e3 * each, 3), "spread_ms": [round(1e3 * s, 3) for s in (min(seconds), max(seconds))],
        "items_s": round(at.items(model) / each), "tflops": None if math.isnan(tflops) else round(tflops, 1),
        "first_s": round(first, 2), "build_s": round(built - start, 2), "memory_mib": None if peak is None else round(peak),
        "losses": [round(loss, 4) for loss in losses],
    }  # fmt: skip


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=(*MODELS, "eager"))
    parser.add_argument("contestant", choices=CONTESTANTS)
    parser.add_argument("precision", choices=("bfloat16", "float32"))
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    if args.model == "eager":
        from bench.gpu.eager_ops import times

        found: dict[str, Any] = {"us": times(args.contestant.partition("-")[0], args.small)}
    else:
        found = measured(args.model, args.contestant, args.precision, size(args.small))
    print(json.dumps({"model": args.model, "contestant": args.contestant, "precision": args.precision, **found}))


if __name__ == "__main__":
    main()
