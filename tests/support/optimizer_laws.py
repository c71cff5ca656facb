"""`check_optimizer`: what every optimizer must satisfy; a new one is tested because it is public."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture

START = {"fc.weight": np.array([[1.0, -2.0, 3.0], [0.5, -0.25, 0.75]], np.float32), "bn.gamma": np.float32([2.0, -1.0])}
Build = Callable[[list[Parameter]], Any]


def parameters(dtype: Any = ms.float32) -> list[Parameter]:
    """Return fresh Parameters."""
    return [Parameter(Tensor(value, dtype), name=name) for name, value in START.items()]


def descend(optimizer: Any, params: list[Parameter], steps: int) -> list[np.ndarray]:
    """Take steps down f(w) = ‖w‖² / 2, whose gradient is w, and return the values at the end."""
    for _ in range(steps):
        optimizer(tuple(Tensor(p.asnumpy(), p.dtype) for p in params))
    return [p.astype(ms.float32).asnumpy() for p in params]


def height(values: list[np.ndarray]) -> float:
    """Return f."""
    return float(sum((v.astype(np.float64) ** 2).sum() for v in values)) / 2


def check_optimizer(build: Build, folder: Path, *, saved: bool = True) -> None:
    """Check that an optimizer converges, is one graph in both modes, keeps dtypes, and is saved and loaded.

    Args:
        build: Makes the optimizer of a list of Parameters.
        folder: Where a checkpoint may be written.
        saved: Whether checkpoints hold all that it remembers.
    """
    _converges(build)
    _is_the_same_in_graph_mode(build)
    _names_its_state(build)
    for dtype in (ms.float16, ms.bfloat16):
        _keeps_dtype(build, dtype)
    if saved:
        _goes_on_after_loading(build, folder)


def _converges(build: Build) -> None:
    params = parameters()
    optimizer, before = build(params), height(list(START.values()))
    descend(optimizer, params, 1)
    count = capture.compilations
    after = height(descend(optimizer, params, 200))
    assert capture.compilations == count, "a step after the first was compiled again"
    assert after < before / 10, f"200 steps go from {before} to {after}"


def _is_the_same_in_graph_mode(build: Build) -> None:
    ends = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        params = parameters()
        ends.append(descend(build(params), params, 3))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for eager, graph in zip(*ends, strict=True):
        np.testing.assert_allclose(graph, eager, rtol=1e-6, atol=1e-7)


def _names_its_state(build: Build) -> None:
    """What is remembered of a Parameter ends with its name, and no name is there twice."""
    params = parameters()
    optimizer = build(params)
    descend(optimizer, params, 1)
    names = [p.name for p in optimizer.get_parameters()]
    assert len(set(names)) == len(names) and set(START) <= set(names)
    for slot in getattr(optimizer, "slots", {}):
        for state, param in zip(getattr(optimizer, slot), params, strict=True):
            assert state.name.endswith(param.name), f"{state.name} does not end with {param.name}"


def _keeps_dtype(build: Build, dtype: Any) -> None:
    params = parameters(dtype)
    optimizer = build(params)
    kept = {p.name: p.dtype for p in optimizer.get_parameters()}
    values = descend(optimizer, params, 3)
    assert {p.name: p.dtype for p in optimizer.get_parameters()} == kept
    assert all(np.isfinite(v).all() for v in values) and [p.dtype for p in params] == [dtype] * 2


def _goes_on_after_loading(build: Build, folder: Path) -> None:
    """A fresh optimizer that loads the state of another makes the same steps from there."""
    params = parameters()
    optimizer = build(params)
    descend(optimizer, params, 3)
    ms.save_checkpoint(optimizer, str(folder / "optimizer.ckpt"))
    others = parameters()
    fresh = build(others)
    missing, unexpected = ms.load_param_into_net(fresh, ms.load_checkpoint(str(folder / "optimizer.ckpt")))
    assert (missing, unexpected) == ([], [])
    for got, want in zip(descend(fresh, others, 3), descend(optimizer, params, 3), strict=True):
        np.testing.assert_array_equal(got, want)
