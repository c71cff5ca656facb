"""Reductions over axes: sums, products, means, truth, counts, extremes, and the running forms of them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Axis, OptArray, Static, TensorArray
from sporax._src.bindings.primitive import primitive
from sporax._src.bindings.tensor_methods import method
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import flag, inexact, known
from sporax._src.engine.table import internal, op

_CASES = ("T(2, 3)", "T(2, 3), 1", "T(2, 3, 4), (0, -1)", "T(2, 3), 0, True", "I(2, 3), 1", "T(0, 3), 0")
_AXIS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"), ("T(2, 3), 'x'", "axis must be an int"))
_REF = "references.math."


def dims(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes to reduce: all of them for None and ()."""
    dimensions = axes.several(None if axis == () else axis, ndim or 1)
    return dimensions if ndim else ()


def _widened(x: Array, dtype: Static) -> Array:
    if dtype is not None:
        return converted(x, to_numpy(dtype))
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
    amp="float32",
)
def sum(input: TensorArray, dim: Axis = None, keepdim: bool = False, *, dtype: Static = None) -> Array:
    """Return the sum over axes; integers add up as int64.

    Args:
        input: A Tensor.
        dim: An axis, several, or None for all.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before adding.

    Raises:
        TypeError: If `input` is not a Tensor, or `keepdim` not a bool.
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
def reduce_sum(x: Array, axis: Axis = (), keep_dims: bool = False, skip_mode: bool = False) -> Array:
    """Return the sum over axes in the dtype of x (of booleans: whether one is true).

    Args:
        x: A Tensor.
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
    x = known(x)
    return x if skip_mode and axis == () else _summed(x, dims(axis, x.ndim), keep_dims)


@op(
    ref=_REF + "mean",
    cases=_CASES[:5],
    errors=(*_AXIS, ("B(3)", "Bool")),
    aliases="reduce_mean",
    primitive="ReduceMean(keep_dims=False)(x, axis=())",
)
def mean(x: TensorArray, axis: Axis = None, keep_dims: bool = False) -> Array:
    """Return the mean over axes, in the dtype of x (integers: rounded towards zero).

    Args:
        x: A Tensor of numbers.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `x` is not a Tensor.
        TypeError: If `x` is boolean, or an axis is not an int.
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
    amp="float32",
)
def prod(input: TensorArray, axis: Axis = None, keep_dims: bool = False, dtype: Static = None) -> Array:
    """Return the product over axes; integers multiply as int64.

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to before multiplying.

    Raises:
        TypeError: If `input` is not a Tensor.
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
    amp="float32",
)
def reduce_prod(x: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the product over axes in the dtype of x.

    Args:
        x: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceProd()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
        array([3., 8.], dtype=float32)
    """
    x = known(x)
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
        TypeError: If `input` is not a Tensor.
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
    primitive="ReduceAny(keep_dims=False)(x, axis=())",
    grad=0,
)
def any(input: TensorArray, axis: Axis = None, keep_dims: bool = False) -> Array:
    """Return whether some element over axes is true (a number: not 0).

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        TypeError: If `input` is not a Tensor.
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
        TypeError: If `input` is not a Tensor.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.nansum(Tensor([1.0, np.nan, 2.0])))
        3.0
    """
    x = known(input)
    x = x.astype(np.int64) if x.dtype == bool else jnp.where(x != x, jnp.zeros((), x.dtype), x)
    return _summed(x if dtype is None else converted(x, to_numpy(dtype)), dims(axis, x.ndim), keepdims)


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
    x = inexact(input) if dtype is None else converted(known(input), to_numpy(dtype))
    over = dims(axis, x.ndim)
    there = x == x
    total = jnp.sum(jnp.where(there, x, jnp.zeros((), x.dtype)), over, keepdims=keepdims)
    return total / jnp.sum(there, over, keepdims=keepdims, dtype=np.int32).astype(x.dtype)


# --- extremes -----------------------------------------------------------------------------------------------------------

_EXTREME = (*_CASES[:5], "T(0, 3), 1")


def _masked(x: Array, initial: OptArray, where: OptArray, larger: bool) -> Array:
    if where is not None:
        if initial is None:
            raise ValueError("initial must be given together with where: it is the value of masked elements.")
        x = jnp.where(where, x, jnp.asarray(initial).astype(x.dtype))
    if initial is not None:
        initial = jnp.asarray(initial).astype(x.dtype)
        x = jnp.maximum(x, initial) if larger else jnp.minimum(x, initial)
    return x


@op(ref=_REF + "amax", cases=(*_EXTREME, "T(2, 3), 1, initial=0.5"), errors=_AXIS)
def amax(
    input: Array, axis: Axis = None, keepdims: bool = False, *, initial: OptArray = None, where: OptArray = None
) -> Array:
    """Return the largest element over axes.

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        initial: A value the result is not below.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If an axis is out of range, or `where` is given without `initial`.

    Examples:
        >>> ops.amax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1).asnumpy()
        array([4., 3.], dtype=float32)
    """
    x = _masked(known(input), initial, where, True)
    return jnp.max(x, dims(axis, x.ndim), keepdims=keepdims)


@op(ref=_REF + "amin", cases=(*_EXTREME, "T(2, 3), 1, initial=0.5"), errors=_AXIS)
def amin(
    input: Array, axis: Axis = None, keepdims: bool = False, *, initial: OptArray = None, where: OptArray = None
) -> Array:
    """Return the smallest element over axes.

    Args:
        input: A Tensor.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        initial: A value the result is not above.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If an axis is out of range, or `where` is given without `initial`.

    Examples:
        >>> ops.amin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1).asnumpy()
        array([1., 2.], dtype=float32)
    """
    x = _masked(known(input), initial, where, False)
    return jnp.min(x, dims(axis, x.ndim), keepdims=keepdims)


@op(ref=_REF + "amax", cases=(*_EXTREME[:5],), errors=_AXIS, primitive="ReduceMax(keep_dims=False)")
def reduce_max(x: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the largest element over axes.

    Args:
        x: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceMax()(Tensor([[1.0, 4.0], [3.0, 2.0]]), 0).asnumpy()
        array([3., 4.], dtype=float32)
    """
    return amax.raw(x, axis, keep_dims)


@op(ref=_REF + "amin", cases=(*_EXTREME[:5],), errors=_AXIS, primitive="ReduceMin(keep_dims=False)")
def reduce_min(x: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the smallest element over axes.

    Args:
        x: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceMin()(Tensor([[1.0, 4.0], [3.0, 2.0]]), 0).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return amin.raw(x, axis, keep_dims)


def _chosen(x: Array, index: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    """Return the elements at `index` along an axis (their gradient goes there, and nowhere else), and the index."""
    index = jnp.expand_dims(index, axis)
    values = jnp.take_along_axis(x, index, axis)
    index = index.astype(np.int64)
    return (values, index) if keepdims else (jnp.squeeze(values, axis), jnp.squeeze(index, axis))


_PAIR = ("T(2, 3)", "T(2, 3), 1", "T(2, 3), 0, True", "I(2, 3), -1", "D([[1, 3, 3]], np.int32), 1")
_ONE_AXIS = (
    ("T(2, 3), 5", "axis must be in [-2, 2), got 5"),
    ("T(2, 3), (0, 1)", "axis must be an int"),
    ("T(0, 3), 0", "zero-size"),
)


@op(ref=_REF + "max_with_index", cases=(*_PAIR, "T(2, 3), 1, initial=0.5"), errors=_ONE_AXIS)
def max(
    input: Array, axis: Static = None, keepdims: bool = False, *, initial: OptArray = None, where: OptArray = None
) -> tuple[Array, Array]:
    """Return the largest elements along an axis, and their (first) indices as int64.

    Args:
        input: A Tensor.
        axis: The axis; None takes the largest of all elements, and then the index is 0.
        keepdims: Whether the axis stays with size 1.
        initial: A value the result is not below.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If the axis is out of range or empty, or `where` is given without `initial`.

    Examples:
        >>> value, index = ops.max(Tensor([1.0, 3.0, 2.0]), 0)
        >>> int(index)
        1
    """
    x = _masked(known(input), initial, where, True)
    if axis is None:
        return jnp.max(x), jnp.zeros((), np.int64)
    axis = axes.one(axis, x.ndim)
    return _chosen(x, _arg(jnp.argmax, x, axis), axis, keepdims)


@op(ref=_REF + "min_with_index", cases=(*_PAIR, "T(2, 3), 1, initial=0.5"), errors=_ONE_AXIS)
def min(
    input: Array, axis: Static = None, keepdims: bool = False, *, initial: OptArray = None, where: OptArray = None
) -> tuple[Array, Array]:
    """Return the smallest elements along an axis, and their (first) indices as int64.

    Args:
        input: A Tensor.
        axis: The axis; None takes the smallest of all elements, and then the index is 0.
        keepdims: Whether the axis stays with size 1.
        initial: A value the result is not above.
        where: A mask of the elements that count; needs `initial`.

    Raises:
        ValueError: If the axis is out of range or empty, or `where` is given without `initial`.

    Examples:
        >>> value, index = ops.min(Tensor([3.0, 1.0, 2.0]), 0)
        >>> int(index)
        1
    """
    x = _masked(known(input), initial, where, False)
    if axis is None:
        return jnp.min(x), jnp.zeros((), np.int64)
    axis = axes.one(axis, x.ndim)
    return _chosen(x, _arg(jnp.argmin, x, axis), axis, keepdims)


def _arg(fn: Static, x: Array, axis: int) -> Array:
    if not x.shape[axis]:
        raise ValueError(f"the reduced axis must not be empty: zero-size axis {axis}.")
    return fn(x, axis)


@op(ref=_REF + "argmax", cases=(*_PAIR, "D([1.0, 3.0, 3.0])"), errors=(("T(2, 3), 5", "dim must be in"),), grad=0)
def argmax(input: Array, dim: Static = None, keepdim: bool = False) -> Array:
    """Return the (first) index of the largest element along an axis, or of all elements, as int64.

    Args:
        input: A Tensor.
        dim: The axis; None looks at all elements in row-major order.
        keepdim: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.argmax(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1).asnumpy()
        array([1, 0])
    """
    return _index(jnp.argmax, input, dim, keepdim, "dim").astype(np.int64)


@op(ref=_REF + "argmin", cases=(*_PAIR, "D([1.0, 1.0, 3.0])"), errors=_ONE_AXIS[:2], grad=0)
def argmin(input: Array, axis: Static = None, keepdims: bool = False) -> Array:
    """Return the (first) index of the smallest element along an axis, or of all elements, as int32.

    Args:
        input: A Tensor.
        axis: The axis; None looks at all elements in row-major order.
        keepdims: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.argmin(Tensor([[1.0, 4.0], [3.0, 2.0]]), 1).asnumpy()
        array([0, 1], dtype=int32)
    """
    return _index(jnp.argmin, input, axis, keepdims, "axis").astype(np.int32)


def _index(fn: Static, x: Array, axis: Static, keepdims: bool, name: str) -> Array:
    x = known(x)
    if axis is None:
        return fn(x)
    return fn(x, axes.one(axis, x.ndim or 1, name) if x.ndim else None, keepdims=keepdims)


@op(
    ref=_REF + "aminmax",
    cases=("T(2, 3)", "T(2, 3), axis=1", "T(2, 3), axis=None", "T(2, 3), axis=1, keepdims=True"),
    errors=(("T(2, 3), axis=2", "axis must be in"),),
    method="aminmax",
)
def aminmax(input: Array, *, axis: Static = 0, keepdims: bool = False) -> tuple[Array, Array]:
    """Return the smallest and the largest elements along an axis.

    Args:
        input: A Tensor.
        axis: The axis; None looks at all elements.
        keepdims: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> least, most = ops.aminmax(Tensor([3.0, 1.0, 2.0]))
        >>> float(least), float(most)
        (1.0, 3.0)
    """
    over = dims(axis, input.ndim)
    return jnp.min(input, over, keepdims=keepdims), jnp.max(input, over, keepdims=keepdims)


# --- running sums, products and extremes --------------------------------------------------------------------------------

_RUNNING = ("T(2, 3), 1", "T(4), 0", "T(2, 3), -2", "T(0, 3), 0")
_RUNNING_AXIS = (("T(2, 3), 5", "axis must be in [-2, 2), got 5"),)


def _run(fn: Static, x: Array, axis: int, exclusive: bool, reverse: bool, first: float) -> Array:
    axis = axes.one(axis, x.ndim)
    out = fn(x, axis, reverse)
    if not exclusive:
        return out
    count = x.shape[axis]
    edge = [(0, 0, 0)] * x.ndim
    edge[axis] = (-1, 1, 0) if reverse else (1, -1, 0)
    return lax.pad(out, jnp.asarray(first, x.dtype), edge) if count else out


@op(ref="numpy.cumsum", cases=(*_RUNNING, "C(3), 0"), errors=(*_RUNNING_AXIS, ("B(3), 0", "Bool")), amp="float32")
def cumsum(x: TensorArray, axis: int, dtype: Static = None) -> Array:
    """Return the running sum along an axis, in the dtype of x or in `dtype`.

    Args:
        x: A Tensor of numbers.
        axis: The axis.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `x` is not a Tensor.
        TypeError: If `x` holds booleans.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
        array([1., 3., 6.], dtype=float32)
    """
    x = known(x) if dtype is None else converted(x, to_numpy(dtype))
    if x.dtype == bool:
        raise TypeError("x must be a Tensor of numbers, got Bool; convert it with .int().")
    return _run(lax.cumsum, x, axis, False, False, 0)


@primitive("CumSum(exclusive=False, reverse=False)")
@internal("CumSum")
def _cumsum(input: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the running sum along an axis, without the element itself if exclusive, from the end if reverse."""
    return _run(lax.cumsum, input, axis, exclusive, reverse, 0)


@method("cumsum")
def _cumsum_method(self: Tensor, axis: int | None = None, dtype: Static = None, *, dim: int | None = None) -> Tensor:
    """Sum along an axis (None: of the flattened Tensor); small integers and booleans add up as int32.

    Args:
        axis: The axis; None: flatten first.
        dtype: The dtype to convert to first.
        dim: Another name of `axis`.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> Tensor([[1, 2], [3, 4]]).cumsum(0).asnumpy()
        array([[1, 2],
               [4, 6]])
    """
    if dtype is None and self._data.dtype in (np.bool_, np.int8, np.int16, np.uint8):
        dtype = np.dtype(np.int32)
    axis = dim if axis is None else axis
    return cumsum(self.reshape((-1,)), 0, dtype) if axis is None else cumsum(self, axis, dtype)


@op(
    ref="numpy.cumprod",
    cases=("P(2, 3), 1", "P(4), 0", "T(0, 3), 0"),
    errors=(("T(2, 3), 5", "must be in [-2, 2), got 5"),),
    method="cumprod",
    amp="float32",
)
def cumprod(input: Array, dim: int, dtype: Static = None) -> Array:
    """Return the running product along an axis, in the dtype of input or in `dtype`.

    Args:
        input: A Tensor of numbers.
        dim: The axis.
        dtype: The dtype to convert to first.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
        array([1., 2., 6.], dtype=float32)
    """
    return _run(lax.cumprod, known(input) if dtype is None else converted(input, to_numpy(dtype)), dim, False, False, 1)


@primitive("CumProd(exclusive=False, reverse=False)")
@internal("CumProd")
def _cumprod(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the running product along an axis, without the element itself if exclusive, from the end if reverse."""
    return _run(lax.cumprod, x, axis, exclusive, reverse, 1)


@op(ref=_REF + "logcumsumexp", cases=_RUNNING[:3], errors=(*_RUNNING_AXIS, ("I(3), 0", "float")), method="logcumsumexp")
def logcumsumexp(input: Array, axis: int) -> Array:
    """Return the logarithm of the running sum of exponentials along an axis.

    Args:
        input: A Tensor of floats.
        axis: The axis.

    Raises:
        TypeError: If `input` holds integers or booleans.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.logcumsumexp(Tensor([1.0, 1.0]), 0).asnumpy().round(3)
        array([1.   , 1.693], dtype=float32)
    """
    return _run(lax.cumlogsumexp, inexact(input), axis, False, False, 0)


@primitive("CumulativeLogsumexp(exclusive=False, reverse=False)")
@internal("CumulativeLogsumexp")
def _logcumsumexp(x: Array, axis: int, exclusive: bool = False, reverse: bool = False) -> Array:
    """Return the logarithm of the running sum of exponentials along an axis."""
    return _run(lax.cumlogsumexp, x, axis, exclusive, reverse, float(np.finfo(x.dtype).min))


def _extreme(x: Array, axis: int, fn: Static, dtype: Static) -> tuple[Array, Array]:
    """Return the running extreme and the index it comes from: the latest of equal elements, the first NaN for ever."""
    axis = axes.one(axis, x.ndim)
    shape = [1] * x.ndim
    shape[axis] = -1
    position = jnp.arange(x.shape[axis], dtype=dtype).reshape(shape)
    lost = x != x
    first_lost = lost & (lax.cumsum(lost.astype(np.int32), axis) == 1)
    new = (x == fn(x, axis)) | first_lost
    index = lax.cummax(jnp.where(new, position, jnp.zeros((), dtype)), axis)
    return jnp.take_along_axis(x, index.astype(np.int64), axis), index


@op(
    ref=_REF + "cummax",
    cases=("T(2, 3), 1", "D([1, 3, 3, 2], np.int32), 0", "I(4), -1"),
    errors=_RUNNING_AXIS,
    method="cummax",
    primitive="Cummax(axis)",
)
def cummax(input: Array, axis: int) -> tuple[Array, Array]:
    """Return the running maximum along an axis and the indices (int64) it comes from.

    Args:
        input: A Tensor of numbers.
        axis: The axis.

    Returns:
        Two Tensors of the shape of input; of equal elements the last counts.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, indices = ops.cummax(Tensor([1, 3, 2]), 0)
        >>> values.asnumpy(), indices.asnumpy()
        (array([1, 3, 3]), array([0, 1, 1]))
    """
    return _extreme(input, axis, lax.cummax, np.int64)


@op(
    ref=_REF + "cummin",
    cases=("T(2, 3), 1", "D([3, 1, 1, 2], np.int32), 0", "I(4), -1"),
    errors=_RUNNING_AXIS,
    method="cummin",
    primitive="Cummin(axis)",
)
def cummin(input: Array, axis: int) -> tuple[Array, Array]:
    """Return the running minimum along an axis and the indices (int32) it comes from.

    Args:
        input: A Tensor of numbers.
        axis: The axis.

    Returns:
        Two Tensors of the shape of input; of equal elements the last counts.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, indices = ops.cummin(Tensor([3, 1, 2]), 0)
        >>> values.asnumpy(), indices.asnumpy()
        (array([3, 1, 1]), array([0, 1, 1], dtype=int32))
    """
    return _extreme(input, axis, lax.cummin, np.int32)
