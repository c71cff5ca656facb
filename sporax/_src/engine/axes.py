"""Checks of axes, sizes and other whole numbers among the arguments; axes become non-negative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import is_variable_size
from sporax._src.core.tensor import Tensor


def whole(value: object, name: str) -> int:
    """Return an int.

    Raises:
        TypeError: If it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}: {value!r}.")
    return int(value)


def count(value: Any, name: str) -> int:
    """Return a number of things, an int that is not negative.

    Raises:
        TypeError: If it is no integer.
        ValueError: If it is negative.
    """
    if whole(value, name) < 0:
        raise ValueError(f"{name} must not be negative, got {value}.")
    return int(value)


def one(axis: Any, ndim: int, name: str = "axis") -> int:
    """Return an axis as an index in [0, ndim).

    Raises:
        TypeError: If it is no integer.
        ValueError: If it is out of range.
    """
    if not -ndim <= whole(axis, name) < ndim:
        raise ValueError(f"{name} must be in [{-ndim}, {ndim}), got {axis}.")
    return int(axis) % ndim


def several(axis: object, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """Return an axis, a sequence of different axes, or None (all of them) as indices in [0, ndim)."""
    if axis is None:
        return tuple(range(ndim))
    axes: Sequence[Any] = axis if isinstance(axis, (tuple, list)) else (axis,)
    indices = tuple(one(a, ndim, name) for a in axes)
    if len(set(indices)) != len(indices):
        raise ValueError(f"{name} must not name an axis twice, got {tuple(axes)}.")
    return indices


def sizes(shape: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape given as an int or a sequence of ints; symbolic sizes of an exported graph stay as they are.

    Raises:
        TypeError: If an element is no integer.
    """
    values = shape if isinstance(shape, (tuple, list)) else (shape,)
    for d in values:
        if isinstance(d, bool) or not (isinstance(d, (int, np.integer)) or is_variable_size(d)):
            raise TypeError(f"{name} must be an int or a tuple of ints, got {type(d).__name__}: {shape!r}.")
    return tuple(int(d) if isinstance(d, (int, np.integer)) else d for d in values)


def fixed_sizes(shape: object, name: str = "shape") -> tuple[int, ...]:
    """Return a shape none of whose sizes is negative."""
    result = sizes(shape, name)
    if any(d < 0 for d in result):
        raise ValueError(f"{name} must not have negative sizes, got {result}.")
    return result


def implicit(dim: int | None, input: Tensor) -> int:
    """Return the axis that torch chooses for None: 0 for 0, 1 and 3 axes, else 1."""
    return (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
