"""Reductions over axes: sums, products, means, truth and counts."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Axis, Static, TensorArray
from sporax._src.core.dtype import to_numpy
from sporax._src.ops import axes
from sporax._src.ops.checks import flag, inexact, known
from sporax._src.ops.table import op

_CASES = ("T(2, 3)", "T(2, 3), 1", "T(2, 3, 4), (0, -1)", "T(2, 3), 0, True", "I(2, 3), 1", "T(0, 3), 0")
_AXIS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"), ("T(2, 3), 'x'", "axis must be an int"))
_REF = "sporax._src.testing.math_references."


def dims(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes to reduce: all of them for None and ()."""
    found = axes.several(None if axis == () else axis, ndim or 1)
    return found if ndim else ()


def _widened(x: Array, dtype: Static) -> Array:
    if dtype is not None:
        return x.astype(to_numpy(dtype))
    return x.astype(np.int64) if x.dtype.kind in "bi" or x.dtype == np.uint8 else x


def _summed(x: Array, axis: tuple[int, ...], keep: bool) -> Array:
    if x.dtype == bool:
        return jnp.any(x, axis, keepdims=keep)
    return jnp.sum(x, axis, keepdims=keep, dtype=x.dtype)


@op(
    ref="numpy.sum",
    cases=("T(2, 3)", "T(2, 3), 1", "I(2, 3), 1", "B(4)", "T(0, 3), 0", "T(2, 3, 4), (0, -1)"),
    errors=(
        *_AXIS,
        ("1, 2", "input must be a Tensor, got 1"),
        ("T(2, 3), 1, 12", "keepdim must be a bool, got 12"),
    ),
)
def sum(input: TensorArray, dim: Axis = None, keepdim: bool = False, *, dtype: Static = None) -> Array:
    """Return the sum over axes; integers add up as int64.

    Args:
        input: A Tensor.
        dim: An axis, several, or None for all.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before adding.

    Raises:
        TypeError: If `input` is no Tensor, or `keepdim` no bool.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
        array([3., 7.], dtype=float32)
    """
    flag(keepdim, "keepdim")
    x = _widened(known(input), dtype)
    return _summed(x, dims(dim, x.ndim), keepdim)


@op(
    ref=_REF + "reduce_sum",
    cases=(*_CASES, "T(2, 3), (), True", "T(2, 3), (), False, True"),
    errors=_AXIS,
    primitive="ReduceSum(keep_dims=False, skip_mode=False)",
)
def reduce_sum(input: Array, axis: Axis = (), keep_dims: bool = False, skip_mode: bool = False) -> Array:
    """Return the sum over axes in the dtype of input (of booleans: whether one is true).

    Args:
        input: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.
        skip_mode: Whether axis=() means that nothing is reduced.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceSum(keep_dims=True)(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
        array([[3.],
               [7.]], dtype=float32)
    """
    x = known(input)
    return x if skip_mode and axis == () else _summed(x, dims(axis, x.ndim), keep_dims)


@op(
    ref=_REF + "mean",
    cases=_CASES[:5],
    errors=(*_AXIS, ("B(3)", "Bool")),
    aliases="reduce_mean",
    primitive="ReduceMean(keep_dims=False)",
)
def mean(x: TensorArray, axis: Axis = None, keep_dims: bool = False) -> Array:
    """Return the mean over axes, in the dtype of x (integers: rounded towards zero).

    Args:
        x: A Tensor of numbers.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `x` is no Tensor.
        TypeError: If `x` is boolean, or an axis is no int.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
        array([2., 3.], dtype=float32)
    """
    x = known(x)
    over = dims(axis, x.ndim)
    if x.dtype == bool:
        raise TypeError("x must be a Tensor of numbers, got Bool; convert it with .float().")
    if x.dtype.kind in "iu":
        count = np.prod([x.shape[a] for a in over], dtype=np.int64)
        return lax.div(jnp.sum(x, over, keepdims=keep_dims, dtype=np.int64), jnp.int64(count)).astype(x.dtype)
    return jnp.mean(x, over, keepdims=keep_dims)


@op(
    ref="numpy.prod",
    cases=("P(2, 3)", "P(2, 3), 1", "I(2, 3), 1", "P(2, 3, 4), (0, -1)", "B(4)", "P(0, 3), 0"),
    errors=_AXIS,
)
def prod(input: TensorArray, axis: Axis = None, keep_dims: bool = False, dtype: Static = None) -> Array:
    """Return the product over axes; integers multiply as int64.

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before multiplying.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.prod(Tensor([[1, 2], [3, 4]]), 1).asnumpy()
        array([ 2, 12])
    """
    x = _widened(known(input), dtype)
    return jnp.prod(x, dims(axis, x.ndim), keepdims=keep_dims, dtype=x.dtype)


@op(
    ref=_REF + "reduce_prod",
    cases=("P(2, 3)", "P(2, 3), 1, True", "I(2, 3), 1"),
    errors=_AXIS,
    primitive="ReduceProd(keep_dims=False)",
)
def reduce_prod(input: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the product over axes in the dtype of input.

    Args:
        input: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceProd()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
        array([3., 8.], dtype=float32)
    """
    x = known(input)
    return jnp.prod(x, dims(axis, x.ndim), keepdims=keep_dims, dtype=x.dtype)


# --- truth and counts -----------------------------------------------------------------------------------------------


@op(
    ref="numpy.all",
    cases=("B(2, 3)", "B(2, 3), 1", "T(3)", "B(0, 3)", "B(0, 3), 0"),
    errors=_AXIS,
    primitive="ReduceAll(keep_dims=False)",
    grad=0,
)
def all(input: TensorArray, axis: Axis = None, keep_dims: bool = False) -> Array:
    """Return whether all elements over axes are true (numbers: not 0).

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.all(Tensor([[True, False], [True, True]]), 1).asnumpy()
        array([False,  True])
    """
    return jnp.all(input, dims(axis, input.ndim), keepdims=keep_dims)


@op(
    ref="numpy.any",
    cases=("B(2, 3)", "B(2, 3), 1", "T(3)", "B(0, 3)", "B(0, 3), 0"),
    errors=_AXIS,
    primitive="ReduceAny(keep_dims=False)",
    grad=0,
)
def any(input: TensorArray, axis: Axis = None, keep_dims: bool = False) -> Array:
    """Return whether some element over axes is true (a number: not 0).

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.any(Tensor([[True, False], [False, False]]), 1).asnumpy()
        array([ True, False])
    """
    return jnp.any(input, dims(axis, input.ndim), keepdims=keep_dims)


@op(
    ref=_REF + "count_nonzero",
    cases=("I(2, 3)", "I(2, 3), 1", "T(2, 3), (0, 1), True", "I(0, 3)"),
    errors=_AXIS,
    grad=0,
)
def count_nonzero(x: Array, axis: Axis = (), keep_dims: bool = False, dtype: Static = None) -> Array:
    """Return how many elements over axes are not 0.

    Args:
        x: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.
        dtype: The dtype of the counts; None means int32.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.count_nonzero(Tensor([[0, 1], [2, 3]]), 1).asnumpy()
        array([1, 2], dtype=int32)
    """
    return jnp.sum(x != 0, dims(axis, x.ndim), keepdims=keep_dims, dtype=np.int32 if dtype is None else to_numpy(dtype))


@op(ref="numpy.nansum", cases=("T(2, 3)", "D([1.0, np.nan]), 0", "I(3)"), errors=_AXIS)
def nansum(input: TensorArray, axis: Axis = None, keepdims: bool = False, *, dtype: Static = None) -> Array:
    """Return the sum over axes with NaN counted as 0, in the dtype of input.

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before adding.

    Raises:
        TypeError: If `input` is no Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.nansum(Tensor([1.0, np.nan, 2.0])))
        3.0
    """
    x = known(input)
    x = x.astype(np.int64) if x.dtype == bool else jnp.where(x != x, jnp.zeros((), x.dtype), x)
    return _summed(x if dtype is None else x.astype(to_numpy(dtype)), dims(axis, x.ndim), keepdims)


@op(
    ref="numpy.nanmean",
    cases=("T(2, 3)", "D([1.0, np.nan, 4.0]), 0", "T(2, 3), 1"),
    errors=(*_AXIS, ("I(3)", "float")),
    method="nanmean",
)
def nanmean(input: Array, axis: Axis = None, keepdims: bool = False, *, dtype: Static = None) -> Array:
    """Return the mean over axes of the elements that are not NaN (NaN where there is none).

    Args:
        input: A Tensor of floats.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before adding.

    Raises:
        TypeError: If `input` is not of a float dtype, and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.nanmean(Tensor([1.0, np.nan, 4.0])))
        2.5
    """
    x = inexact(input) if dtype is None else known(input).astype(to_numpy(dtype))
    over = dims(axis, x.ndim)
    there = x == x
    total = jnp.sum(jnp.where(there, x, jnp.zeros((), x.dtype)), over, keepdims=keepdims)
    return total / jnp.sum(there, over, keepdims=keepdims, dtype=np.int32).astype(x.dtype)
