"""Operands for the tests of operators: drawn at random, counted, of given numbers."""

from typing import Any

import numpy as np

from sporax import Parameter, Tensor

RNG = np.random.default_rng(0)


def T(*shape: int) -> Tensor:
    """Return a Tensor of normal numbers in float32."""
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def parameters(*shapes: tuple[int, ...], dtype: Any = np.float32) -> list[Parameter]:
    """Return a Parameter of each shape, with numbers in [0, 1)."""
    return [Parameter(Tensor(RNG.random(s).astype(dtype)), name=f"p{i}") for i, s in enumerate(shapes)]


def tensor(values: Any, dtype: Any = np.float32) -> Tensor:
    """Return a Tensor of given numbers."""
    return Tensor(np.asarray(values, dtype))


def counted(*shape: int) -> Tensor:
    """Return the Tensor of 0, 1, 2, ... in float32."""
    return tensor(np.arange(np.prod(shape)).reshape(shape))
