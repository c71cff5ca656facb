"""Functions of `numpy` that draw random numbers."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from sporax._src.base.typing import Array, Key, Shape
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.numpy_base import as_dtype, public, typed
from sporax._src.ops.numpy_creation import _shape
from sporax._src.ops.table import internal


@internal("numpy.rand")
def _rand(key: Key, shape: Shape) -> Array:
    return jax.random.uniform(key, shape, np.float32)


@internal("numpy.randn")
def _randn(key: Key, shape: Shape) -> Array:
    return jax.random.normal(key, shape, np.float32)


@internal("numpy.randint")
def _randint(key: Key, low: Array, high: Array, shape: Shape) -> Array:
    return jax.random.randint(key, shape, low, high, np.int64)


def _of_kind(kind: str, dtype: Any) -> mstype.Type:
    found = as_dtype(dtype)
    if found.kind != kind:
        raise ValueError(f"dtype must be {'a float' if kind == 'f' else 'a signed integer'} type, got {found}.")
    return found


def _drawn(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return axes.fixed_sizes(shape[0] if len(shape) == 1 else shape) if shape else (1,)


@public()
def rand(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return draws from the uniform distribution over [0, 1); of shape (1,) without arguments.

    Args:
        shape: The sizes, or one tuple of them.
        dtype: A float dtype.

    Raises:
        ValueError: If a size is negative, or the dtype is no float dtype.

    Examples:
        >>> ms.numpy.rand(2, 3).shape
        (2, 3)
    """
    return typed(_rand(_drawn(shape)), _of_kind("f", dtype))


@public()
def randn(*shape: Any, dtype: Any = mstype.float32) -> Tensor:
    """Return draws from the standard normal distribution; of shape (1,) without arguments.

    Args:
        shape: The sizes, or one tuple of them.
        dtype: A float dtype.

    Raises:
        ValueError: If a size is negative, or the dtype is no float dtype.

    Examples:
        >>> ms.numpy.randn(2, 3).shape
        (2, 3)
    """
    return typed(_randn(_drawn(shape)), _of_kind("f", dtype))


@public()
def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = mstype.int32) -> Tensor:
    """Return integers drawn evenly from [minval, maxval), or from [0, minval) without `maxval`.

    Args:
        minval: The least integer, or without `maxval` the one above the greatest.
        maxval: The integer above the greatest.
        shape: The shape; (1,) if None.
        dtype: A signed integer dtype.

    Raises:
        TypeError: If a bound is no int.
        ValueError: If there is no integer to draw, or the dtype is no signed integer dtype.

    Examples:
        >>> ms.numpy.randint(5, shape=(2, 3)).shape
        (2, 3)
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if not isinstance(low, int) or not isinstance(high, int):
        raise TypeError(f"numpy.randint: minval and maxval must be ints, got {minval!r} and {maxval!r}.")
    if low >= high:
        raise ValueError(f"numpy.randint: minval must be smaller than maxval, got {low} and {high}.")
    return typed(_randint(low, high, (1,) if shape is None else _shape(shape)), _of_kind("i", dtype))
