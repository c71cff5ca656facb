"""Eager mode: the time of operators, and of an update of 500 Parameters."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SHAPES = ((32, 32), (32,)) * 250
OPS: dict[str, Callable[[Any], Any]] = {
    "x + x": lambda x: x + x,
    "x.sum()": lambda x: x.sum(),
    "x[3]": lambda x: x[3],
    "x @ x": lambda x: x @ x,
    "x.reshape": lambda x: x.reshape(-1),
}
UPDATE = "Adam of 500, ms"


def of_torch() -> tuple[Any, Callable[[], Any], Callable[[], float]]:
    """Return a tensor, an update, and what waits for a Parameter that it writes."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    params = [torch.nn.Parameter(torch.ones(shape, device=device)) for shape in SHAPES]
    optimizer = torch.optim.Adam(params, 1e-3, fused=device == "cuda")
    for p in params:
        p.grad = torch.ones_like(p)
    return torch.ones(1024, 1024, device=device), optimizer.step, lambda: float(params[-1].detach().sum())


def of_sporax() -> tuple[Any, Callable[[], Any], Callable[[], float]]:
    """Return the same of sporax."""
    import sporax as ms
    from sporax import nn

    ms.set_context(mode=ms.PYNATIVE_MODE)
    ones = [ms.Tensor(np.ones(shape, np.float32)) for shape in SHAPES]
    params = ms.ParameterTuple([ms.Parameter(value.copy(), name=f"p{i}") for i, value in enumerate(ones)])
    optimizer, grads = nn.Adam(params, 1e-3), tuple(ones)
    x = ms.Tensor(np.ones((1024, 1024), np.float32))
    return x, lambda: optimizer(grads), lambda: float(params[-1].sum().asnumpy())


def times(framework: str, small: bool) -> dict[str, float]:
    """Return microseconds of each operator in a loop, the host waiting after the last; milliseconds of the update."""
    x, update, last = of_torch() if framework == "torch" else of_sporax()
    many = 50 if small else 500
    found = {name: 1e6 * timed(lambda op=op: op(x), lambda: float(x.sum()), many, warm=20) for name, op in OPS.items()}
    found[UPDATE] = 1e3 * timed(update, last, 10, warm=5)
    return {name: round(value, 3) for name, value in found.items()}


def timed(call: Callable[[], Any], wait: Callable[[], Any], many: int, warm: int) -> float:
    """Return the seconds of a call: the median of five loops, of which each ends when the device has finished."""
    each = []
    for _ in range(warm):
        call()
    for _ in range(5):
        wait()
        start = time.perf_counter()
        for _ in range(many):
            call()
        wait()
        each.append((time.perf_counter() - start) / many)
    return statistics.median(each)
