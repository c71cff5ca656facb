"""The parameters of a convolution: its axes, strides, padding and groups, and values derived from these."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array

MOST_WRITTEN = 16  # terms: longer sums are loops, which compile five times faster and run no slower


class Convolution(NamedTuple):
    """The parameters of a convolution; the names are those of `lax.conv_general_dilated_p`."""

    window_strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]
    dimension_numbers: Any
    feature_group_count: int
    precision: Any

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> Convolution:
        """Return the parameters of an operation as a `Convolution`."""
        return cls(**{name: params[name] for name in cls._fields})

    def lengths(self, image: Any, kernel: Any) -> list[int]:
        """Return the sizes of the result along the spatial axes."""
        axes = zip(self.dimension_numbers[0][2:], self.dimension_numbers[1][2:], strict=True)
        rows = zip(axes, self.window_strides, self.padding, self.lhs_dilation, self.rhs_dilation, strict=True)
        return [
            (spread(image.shape[i], between) + low + high - spread(kernel.shape[k], hole)) // step + 1
            for (i, k), step, (low, high), between, hole in rows
        ]

    def padded(self, x: Array) -> Array:
        """Return an image with its padding and its dilation."""
        pads = [(0, 0, 0)] * x.ndim
        for axis, (low, high), between in zip(
            self.dimension_numbers[0][2:], self.padding, self.lhs_dilation, strict=True
        ):
            pads[axis] = (low, high, between - 1)
        return lax.pad(x, jnp.zeros((), x.dtype), pads)


def spread(length: int, step: int) -> int:
    """Return the extent of `length` elements with `step` - 1 elements between them."""
    return (length - 1) * step + 1


def of_sums(given: Any, result: Any) -> np.dtype[Any]:
    """Return the dtype in which to compute sums of elements of one dtype for a result of another: float32, or wider."""
    return max(np.dtype(np.float32), np.dtype(given), np.dtype(result), key=lambda dtype: dtype.itemsize)


def part(x: Array, axes: Sequence[int], starts: Sequence[Any], lengths: Sequence[int], steps: Sequence[int]) -> Array:
    """Return some elements of an array along axes: so many, from a start on, each so many steps behind the last."""
    begins: list[Any] = [np.int32(0)] * x.ndim
    extents, strides = list(x.shape), [1] * x.ndim
    for axis, start, length, step in zip(axes, starts, lengths, steps, strict=True):
        begins[axis], extents[axis], strides[axis] = start, spread(length, step), step
    return lax.slice(lax.dynamic_slice(x, begins, extents), [0] * x.ndim, extents, strides)


def indices(sizes: Sequence[int]) -> list[tuple[Any, ...]]:
    """Return the indices of the elements of an array of some sizes."""
    return list(itertools.product(*[np.arange(size, dtype=np.int32) for size in sizes]))


def inverse(order: Sequence[int]) -> list[int]:
    """Return the permutation that undoes another one."""
    return sorted(range(len(order)), key=order.__getitem__)
