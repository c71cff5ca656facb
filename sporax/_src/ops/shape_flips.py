"""Operators that reverse or shift elements along axes: flip, roll, rot90, ..."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Axis, Shape
from sporax._src.ops import axes
from sporax._src.ops.table import op


@op(
    ref="numpy.flip",
    cases=("T(2, 3), (0,)", "T(2, 3), (0, -1)", "T(0, 3), (1,)"),
    errors=(("T(2), (1,)", "[-1, 1)"),),
    method="flip",
)
def flip(input: Array, dims: Axis) -> Array:
    """Return the input with the order of elements reversed along `dims`.

    Args:
        input: A Tensor.
        dims: An axis or several.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.flip(Tensor([[1, 2], [3, 4]]), (1,)).asnumpy()
        array([[2, 1],
               [4, 3]])
    """
    return jnp.flip(input, axes.several(dims, input.ndim, "dims"))


@op(
    ref="numpy.flip",
    cases=("T(2, 3), (0,)",),
    errors=(("T(), (0,)", "axis must be in [0, 0)"),),
    method="reverse",
    primitive="ReverseV2(axis)",
)
def reverse(x: Array, axis: Axis) -> Array:
    """Return the input with the order of elements reversed along `axis`.

    Args:
        x: A Tensor.
        axis: An axis or several.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.reverse(Tensor([[1, 2], [3, 4]]), (0,)).asnumpy()
        array([[3, 4],
               [1, 2]])
    """
    return jnp.flip(x, axes.several(axis, x.ndim))


@op(ref="numpy.fliplr", cases=("T(2, 3)",), errors=(("T(2)", "2 axes"),), method="fliplr")
def fliplr(input: Array) -> Array:
    """Return the input reversed along axis 1.

    Args:
        input: A Tensor with at least 2 axes.

    Raises:
        ValueError: If it has fewer.

    Examples:
        >>> ops.fliplr(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[2, 1],
               [4, 3]])
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {input.ndim}.")
    return jnp.flip(input, 1)


@op(
    ref="numpy.flipud",
    cases=("T(2, 3)",),
    errors=(("T()", "axis 0 is out of bounds for array of dimension 0"),),
    method="flipud",
)
def flipud(input: Array) -> Array:
    """Return the input reversed along axis 0.

    Args:
        input: A Tensor with at least one axis.

    Examples:
        >>> ops.flipud(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[3, 4],
               [1, 2]])
    """
    return jnp.flip(input, 0)


@op(
    ref="numpy.roll",
    cases=("T(2, 3), 1", "T(2, 3), 1, 0", "T(2, 3), (1, -1), (0, 1)"),
    errors=(("T(2, 3), (1, 2), (0,)", "equal numbers"),),
    primitive="Roll(shifts, dims=None)",
)
def roll(input: Array, shifts: Axis, dims: Axis = None) -> Array:
    """Return the input shifted along `dims`, what leaves at one end entering at the other.

    Args:
        input: A Tensor; shifted as one vector if `dims` is None.
        shifts: Places to shift by, one per axis.
        dims: The axes.

    Raises:
        ValueError: If an axis is out of range, or `shifts` and `dims` differ in length.

    Examples:
        >>> ops.roll(Tensor([1, 2, 3]), 1).asnumpy()
        array([3, 1, 2])
    """
    moves = axes.sizes(shifts, "shifts")
    where = None if dims is None else axes.several(dims, input.ndim, "dims")
    if where is not None and len(where) != len(moves):
        raise ValueError(f"shifts and dims must have equal numbers of elements, got {shifts} and {dims}.")
    return jnp.roll(input, sum(moves) if where is None else moves, where)


@op(
    ref="numpy.rot90",
    cases=("T(2, 3), 1, (0, 1)", "T(2, 3), -1, (1, 0)"),
    errors=(("T(2, 3), 1, (0,)", "2 different"),),
    method="rot90",
)
def rot90(input: Array, k: int, dims: Shape) -> Array:
    """Return the input turned k times by 90 degrees in the plane of two axes.

    Args:
        input: A Tensor with at least 2 axes.
        k: How often; the turn goes from the first axis towards the second, a negative k the other way.
        dims: The two axes.

    Raises:
        ValueError: If `dims` is not two different axes.

    Examples:
        >>> ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)).asnumpy()
        array([[2, 4],
               [1, 3]])
    """
    plane = axes.several(dims, input.ndim, "dims")
    if len(plane) != 2:
        raise ValueError(f"dims must be 2 different axes, got {dims}.")
    return jnp.rot90(input, k, plane)


@op(
    ref="sporax._src.testing.array_references.reverse_sequence",
    cases=("T(2, 3), D([1, 3], np.int64), 1", "T(3, 2), D([2, 3], np.int32), 0, 1"),
    errors=(("T(2, 3), D([1, 3], np.int64), 99", "seq_dim must be in [-2, 2)"),),
    method=(),
    primitive="ReverseSequence(seq_dim, batch_dim=0)",
)
def reverse_sequence(x: Array, seq_lengths: Array, seq_dim: int, batch_dim: int = 0) -> Array:
    """Return x with the first `seq_lengths[b]` elements along `seq_dim` reversed for each b along `batch_dim`.

    Args:
        x: A Tensor.
        seq_lengths: A 1-D Tensor of integers, one per element along `batch_dim`.
        seq_dim: The axis of the sequences.
        batch_dim: The axis of the batch.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1).asnumpy()
        array([[2, 1, 3],
               [6, 5, 4]])
    """
    along, batch = axes.one(seq_dim, x.ndim, "seq_dim"), axes.one(batch_dim, x.ndim, "batch_dim")
    place = jnp.arange(x.shape[along], dtype=seq_lengths.dtype).reshape(
        [-1 if d == along else 1 for d in range(x.ndim)]
    )
    length = seq_lengths.reshape([-1 if d == batch else 1 for d in range(x.ndim)])
    index = jnp.where(place < length, length - 1 - place, place)
    return jnp.take_along_axis(x, jnp.broadcast_to(index, x.shape), along)


@op(
    ref="sporax._src.testing.array_references.shift",
    cases=("T(3, 4), 1.5", "T(3, 4), 0.0, -2, 0", "T(5), 2.0, 9", "T(2, 3), 1.0, 0, 1"),
    errors=(("T(3), 1.0, 1, 1", "axis"), ("T(3), 1.0, 1.5", "periods must be an int, got float: 1.5")),
    name="_shift",
    primitive="Shift(periods=1, axis=-1)",
)
def shift(x: Array, fill_value: Array, periods: int = 1, axis: int = -1) -> Array:
    """Return x with its elements moved `periods` places along an axis; the places that become free hold `fill_value`.

    Args:
        x: A Tensor.
        fill_value: A number, or a Tensor of one.
        periods: How many places: towards the end, or if negative towards the start.
        axis: The axis.

    Raises:
        TypeError: If `periods` is no int.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.Shift(1)(Tensor([1, 2, 3]), 0).asnumpy()
        array([0, 1, 2])
    """
    axis = axes.one(axis, x.ndim)
    size = x.shape[axis]
    move = max(-size, min(size, axes.whole(periods, "periods")))
    kept = jax.lax.slice_in_dim(x, max(-move, 0), size - max(move, 0), axis=axis)
    free = x.shape[:axis] + (abs(move),) + x.shape[axis + 1 :]
    filled = jnp.broadcast_to(jnp.asarray(fill_value).astype(x.dtype), free)
    return jnp.concatenate([filled, kept] if move > 0 else [kept, filled], axis)
