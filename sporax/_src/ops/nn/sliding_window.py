"""Sliding windows over the trailing axes of an array: geometry, maximum (with its index) and sum.

Maximum and sum over a box separate into one axis after the other, and along one axis a window of k elements is k
strided slices, chosen or added element by element. XLA fuses that, and its gradient is as plain. `lax.reduce_window`
computes the same, but its gradient for the maximum (select-and-scatter) is slow on the CPU; it remains for sums of
windows that overlap and step. Forward and gradient, on two busy cores, ms:

                                         maximum: reduce_window  slices   sum: reduce_window  slices
    (16, 64, 32, 32), 2×2, step 2                    17.4          2.0             4.6          2.3
    (16, 64, 32, 32), 3×3, step 1                    96.1          8.8             8.6         10.7
    (4, 64, 112, 112), 3×3, step 2                  104.8         30.7            17.4         33.3
    (4, 256, 13, 13), 13×13, step 1                 115.9         13.1            14.3          6.9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array


@dataclass(frozen=True)
class Box:
    """A window along one axis: its elements, step, distance of elements, padding and number of positions."""

    kernel: int
    stride: int
    dilation: int
    low: int
    high: int
    count: int

    @property
    def reach(self) -> int:
        """The elements of the padded axis that the windows touch."""
        return (self.count - 1) * self.stride + (self.kernel - 1) * self.dilation + 1


def box(size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int], ceil_mode: bool = False) -> Box:
    """Return the windows along an axis of `size` elements; with `ceil_mode`, a last one may reach over the end.

    Raises:
        ValueError: If no window fits.
    """
    low, high = pads
    room = size + low + high - dilation * (kernel - 1) - 1
    count = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + low:
        count -= 1
    if count < 1:
        raise ValueError(f"a window of {kernel} elements does not fit an axis of {size} elements padded by {pads}.")
    return Box(kernel, stride, dilation, low, high, count)


def taps(x: Array, axis: int, b: Box, fill: float | int) -> list[Array]:
    """Return, for each element of the window, the array of its values at every position along `axis`."""
    size = x.shape[axis]
    after = b.reach - b.low - size
    config = [(0, 0, 0)] * x.ndim
    config[axis] = (b.low, after, 0)
    if b.low or after:
        x = lax.pad(x, jnp.asarray(fill, x.dtype), config)
    if b.kernel == b.stride and b.dilation == 1:
        shape = (*x.shape[:axis], b.count, b.kernel, *x.shape[axis + 1 :])
        folded = x.reshape(shape)
        return [lax.index_in_dim(folded, i, axis + 1, keepdims=False) for i in range(b.kernel)]
    starts = [i * b.dilation for i in range(b.kernel)]
    return [lax.slice_in_dim(x, i, i + (b.count - 1) * b.stride + 1, b.stride, axis) for i in starts]


def lowest(dtype: np.dtype) -> float | int:
    """Return the value below all others of a dtype."""
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else int(jnp.iinfo(dtype).min)


def window_max(x: Array, boxes: Sequence[Box]) -> Array:
    """Return the maximum of each window over the trailing axes; of equal elements the first receives the gradient."""
    for axis in _last_first(x, boxes):
        values = taps(x, axis, boxes[axis - x.ndim], lowest(x.dtype))
        x = reduce(lambda best, v: jnp.where(v > best, v, best), values)
    return x


def window_argmax(x: Array, boxes: Sequence[Box]) -> tuple[Array, Array]:
    """Return the maximum of each window and its index (int32) in the flattened trailing axes."""
    tail = x.shape[x.ndim - len(boxes) :]
    indices = jnp.broadcast_to(jnp.arange(int(np.prod(tail)), dtype=jnp.int32).reshape(tail), x.shape)
    for axis in _last_first(x, boxes):
        b = boxes[axis - x.ndim]
        pairs = zip(taps(x, axis, b, lowest(x.dtype)), taps(indices, axis, b, 0), strict=True)
        x, indices = reduce(_greater, pairs)
    return x, indices


def _greater(best: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    take = other[0] > best[0]
    return jnp.where(take, other[0], best[0]), jnp.where(take, other[1], best[1])


def _last_first(x: Array, boxes: Sequence[Box]) -> range:
    return range(x.ndim - 1, x.ndim - len(boxes) - 1, -1)


def window_sum(x: Array, boxes: Sequence[Box]) -> Array:
    """Return the sum of each window over the trailing axes."""
    if any(1 < b.stride < b.kernel for b in boxes):
        return _reduced_sum(x, boxes)
    for axis in _last_first(x, boxes):
        x = reduce(jnp.add, taps(x, axis, boxes[axis - x.ndim], 0))
    return x


def _reduced_sum(x: Array, boxes: Sequence[Box]) -> Array:
    lead = x.ndim - len(boxes)
    pads = [(b.low, max(b.reach - b.low - size, 0)) for size, b in zip(x.shape[lead:], boxes, strict=True)]
    ones = (1,) * lead
    return lax.reduce_window(
        x,
        np.zeros((), x.dtype),
        lax.add,
        (*ones, *(b.kernel for b in boxes)),
        (*ones, *(b.stride for b in boxes)),
        ((0, 0),) * lead + tuple(pads),
        window_dilation=(*ones, *(b.dilation for b in boxes)),
    )


def window_counts(sizes: Sequence[int], boxes: Sequence[Box], count_pads: bool) -> np.ndarray:
    """Return how many elements each window holds: those of the input and, with `count_pads`, of its padding."""
    total = np.ones((), np.int64)
    for size, b in zip(sizes, boxes, strict=True):
        low, high = (0, size + b.low + b.high) if count_pads else (b.low, b.low + size)
        starts = np.arange(b.count) * b.stride
        inside = [(starts + i * b.dilation >= low) & (starts + i * b.dilation < high) for i in range(b.kernel)]
        total = np.multiply.outer(total, np.sum(inside, axis=0))
    return total
