"""Tensor methods that repeat, shift or add up elements along axes."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Axis, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops import shape_flips as _shape_flips
from sporax._src.ops import shape_repeats as _shape_repeats
from sporax._src.ops.callings import forms
from sporax._src.ops.methods import method
from sporax._src.ops.table import internal
from sporax._src.ops.tensor_methods import sizes_of


@method("broadcast_to", "expand")
def _expand(self: Tensor, *size: Any, shape: Any = None) -> Tensor:
    """Return the Tensor repeated along axes of size 1 and new leading axes; -1 keeps a size.

    Args:
        size, shape: The sizes, ints or a tuple; -1 keeps a size.

    Raises:
        ValueError: If the Tensor does not broadcast to the shape.

    Examples:
        >>> Tensor([1, 2]).broadcast_to((2, 2)).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    return _shape_repeats.broadcast_to(self, sizes_of(size) if shape is None else shape)


@method("expand_as")
def _expand_as(self: Tensor, other: Any = None, *, x: Any = None) -> Tensor:
    """Return the Tensor broadcast to the shape of another.

    Args:
        other, x: A Tensor.

    Raises:
        TypeError: If no Tensor is given.
        ValueError: If the Tensor does not broadcast to its shape.

    Examples:
        >>> Tensor([1, 2]).expand_as(ops.ones((3, 2))).shape
        (3, 2)
    """
    return _shape_repeats.broadcast_to(self, (other if x is None else x).shape)


forms("expand_as", of=("other: TensorArray", "x: TensorArray"))


@method("tile")
def _tile(self: Tensor, *dims: Any, reps: Any = None) -> Tensor:
    """Return the Tensor repeated along each axis.

    Args:
        dims, reps: How often along each axis, ints or a tuple.

    Raises:
        ValueError: If a number is negative.

    Examples:
        >>> Tensor([1, 2]).tile((2, 2)).asnumpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]])
    """
    return _shape_repeats.tile(self, sizes_of(dims) if reps is None else reps)


@method("repeat")
def _repeat(self: Tensor, *repeats: Any, axis: int | None = None) -> Tensor:
    """Return the Tensor repeated along each axis: `x.repeat(2, 1)` as `tile`.

    The older form with `axis`, or with one int on a Tensor of several axes, repeats each element in a row.

    Args:
        repeats: How often along each axis, ints or a tuple; with `axis` how often each element.
        axis: The axis of the older form.

    Raises:
        ValueError: If there are fewer numbers than axes.

    Examples:
        >>> Tensor([1, 2]).repeat(2, 1).asnumpy()
        array([[1, 2],
               [1, 2]])
    """
    given = sizes_of(repeats)
    if axis is not None or (len(repeats) == 1 and isinstance(given, tuple) and len(given) < self.ndim):
        return _shape_repeats.repeat_interleave(self, given[0] if len(given) == 1 else given, axis)
    if len(given) < self.ndim:
        raise ValueError(f"Tensor.repeat: give at least one number per axis ({self.ndim}), got {tuple(given)}.")
    return _shape_repeats.tile(self, tuple(given))


@method("repeat_interleave")
def _repeat_interleave(
    self: Tensor, repeats: Any, dim: int | None = None, *, axis: int | None = None, output_size: Any = None
) -> Tensor:
    """Return the Tensor with each element repeated in a row; `output_size` is accepted, it follows from `repeats`.

    Args:
        repeats: How often: an int, or one int per element along the axis.
        dim, axis: The axis; None flattens.
        output_size: Accepted.

    Raises:
        ValueError: If a number is negative, or there are neither one nor one per element.

    Examples:
        >>> Tensor([1, 2]).repeat_interleave(2).asnumpy()
        array([1, 1, 2, 2])
    """
    return _shape_repeats.repeat_interleave(self, repeats, dim if axis is None else axis)


@method("roll")
def _roll(self: Tensor, shifts: int | Shape, dims: Axis = None) -> Tensor:
    """Return the Tensor shifted along axes, what leaves at one end entering at the other.

    Args:
        shifts: Places to shift by, an int or one per axis.
        dims: The axes; None shifts all elements as one vector.

    Raises:
        ValueError: If an axis is out of range, or `shifts` and `dims` differ in length.

    Examples:
        >>> Tensor([1, 2, 3]).roll(1).asnumpy()
        array([3, 1, 2])
    """
    return _shape_flips.roll(self, shifts, dims)


@method("reverse_sequence")
def _reverse_sequence(self: Tensor, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    """Return the Tensor with the first `seq_lengths[b]` elements along `seq_dim` reversed, for each b along
    `batch_dim`.

    Args:
        seq_lengths: A 1-D Tensor of integers, one per element along `batch_dim`.
        seq_dim: The axis of the sequences.
        batch_dim: The axis of the batch.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> Tensor([[1, 2, 3], [4, 5, 6]]).reverse_sequence(Tensor([2, 3]), 1).asnumpy()
        array([[2, 1, 3],
               [6, 5, 4]])
    """
    return _shape_flips.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


@method("sum_to_size")
def _sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Return the Tensor summed down to a shape that broadcasts to its own.

    Args:
        size: The sizes, ints or a tuple.

    Raises:
        ValueError: If that shape does not broadcast to the Tensor's.

    Examples:
        >>> ops.ones((2, 3)).sum_to_size(1, 3).asnumpy()
        array([[2., 2., 2.]], dtype=float32)
    """
    return _summed(self, tuple(sizes_of(size)))


@internal("Tensor.sum_to_size")
def _summed(x: Array, size: Static) -> Array:
    lead = x.ndim - len(size)
    if lead < 0 or any(want not in (1, have) for want, have in zip(size, x.shape[max(lead, 0) :], strict=True)):
        raise ValueError(f"size must broadcast to the Tensor's shape {x.shape}, got {size}.")
    x = jnp.sum(x, tuple(range(lead)), dtype=x.dtype)
    return jnp.sum(x, tuple(d for d, n in enumerate(size) if n == 1), keepdims=True, dtype=x.dtype)
