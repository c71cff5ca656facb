"""Extremes over axes: the largest and smallest elements, and where they are."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Axis, OptArray, Static
from sporax._src.ops import axes
from sporax._src.ops.checks import known
from sporax._src.ops.reduction import _AXIS, _CASES, _REF, dims
from sporax._src.ops.table import op

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
def reduce_max(input: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the largest element over axes.

    Args:
        input: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceMax()(Tensor([[1.0, 4.0], [3.0, 2.0]]), 0).asnumpy()
        array([3., 4.], dtype=float32)
    """
    return amax.raw(input, axis, keep_dims)


@op(ref=_REF + "amin", cases=(*_EXTREME[:5],), errors=_AXIS, primitive="ReduceMin(keep_dims=False)")
def reduce_min(input: Array, axis: Axis = (), keep_dims: bool = False) -> Array:
    """Return the smallest element over axes.

    Args:
        input: A Tensor.
        axis: An axis, several, or () for all.
        keep_dims: Whether reduced axes stay with size 1.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> ops.ReduceMin()(Tensor([[1.0, 4.0], [3.0, 2.0]]), 0).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return amin.raw(input, axis, keep_dims)


def _chosen(x: Array, index: Array, axis: int, keepdims: bool) -> tuple[Array, Array]:
    """Return the elements at `index` along an axis (their gradient goes there, and nowhere else), and the index."""
    index = jnp.expand_dims(index, axis)
    found = jnp.take_along_axis(x, index, axis)
    index = index.astype(np.int64)
    return (found, index) if keepdims else (jnp.squeeze(found, axis), jnp.squeeze(index, axis))


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
