"""Operators that put values in place of slices, rows or masked elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static, TensorArray, number
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.checks import shaped
from sporax._src.ops.gathering import integers
from sporax._src.ops.primitive import primitive
from sporax._src.ops.scattering import REF
from sporax._src.ops.table import freeze, internal, op


@op(
    ref=REF + "index_add",
    cases=("T(3, 2), 0, D([0, 0], np.int32), T(2, 2)", "T(2, 3), 1, D([2], np.int64), T(2, 1), alpha=2.0"),
    errors=(("T(3, 2), 0, T(7, 11), T(2, 2)", "index must be an integer Tensor"),),
    name="index_add_ext",
    bounds=lambda input, dim, index, **_: [("index", index, input.shape[dim])],
)
def index_add_ext(input: Array, dim: int, index: Array, source: Array, *, alpha: Array = number(1)) -> Array:
    """Return the input with `alpha` times the slices of `source` along `dim` added at `index`.

    Args:
        input: A Tensor.
        dim: The axis of the slices.
        index: A 1-D integer Tensor: where each slice of `source` goes.
        source: A Tensor of the shape of `input` but for len(index) along `dim`.
        alpha: A factor of the slices.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> ops.index_add_ext(Tensor([1, 2, 3]), 0, Tensor([0, 2]), Tensor([10, 20]), alpha=2).asnumpy()
        array([21,  2, 43])
    """
    dim, index = axes.one(dim, input.ndim, "dim"), integers(index, "index")
    source = shaped(source, (*input.shape[:dim], *index.shape, *input.shape[dim + 1 :]), "source")
    place = (slice(None),) * dim + (index,)
    return input.at[place].add(jnp.asarray(alpha).astype(input.dtype) * source.astype(input.dtype))


@op(
    ref=REF + "index_fill",
    cases=("T(3, 2), 0, D([0, 2], np.int32), 9.0", "T(2, 3), 1, D([2], np.int64), 1.0"),
    errors=(("T(3), 0, T(2), 1.0", "integer"),),
    method="index_fill",
    primitive="IndexFill()",
    bounds=lambda x, axis, index, value: [("index", index, x.shape[axis])],
)
def index_fill(x: Array, axis: int, index: Array, value: Array) -> Array:
    """Return x with the slices along `axis` at `index` filled with one value.

    Args:
        x: A Tensor.
        axis: The axis of the slices.
        index: An integer Tensor: the numbers of the slices.
        value: A number, or a Tensor of one element.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.index_fill(Tensor([[1, 2], [3, 4]]), 1, Tensor([0]), 9).asnumpy()
        array([[9, 2],
               [9, 4]])
    """
    place = (slice(None),) * axes.one(axis, x.ndim) + (integers(index, "index"),)
    return x.at[place].set(jnp.asarray(value).astype(x.dtype))


@op(
    ref=REF + "select_scatter",
    cases=("T(2, 3), T(3), 0, 1", "T(2, 3), T(2), 1, -1"),
    errors=(
        ("T(2), T(), 0, 5", "[-2, 2)"),
        ("T(2, 3), T(1), 0, 1", "src must have shape [3], got [1]"),
        ("T(2, 3), 5.0, 0, 1", "src must be a Tensor, got 5.0"),
    ),
    method="select_scatter",
)
def select_scatter(input: TensorArray, src: TensorArray, axis: int, index: int) -> Array:
    """Return the input with `src` in place of the slice number `index` along `axis`.

    Args:
        input: A Tensor.
        src: A Tensor of the shape of `input` without `axis`.
        axis: The axis, counted from the end where it is negative.
        index: The number of the slice.

    Raises:
        TypeError: If `input` or `src` is no Tensor.
        ValueError: If the axis or the number is out of range, or `src` has another shape.

    Examples:
        >>> ops.select_scatter(Tensor([[1, 2], [3, 4]]), Tensor([8, 9]), 0, 1).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    axis = axes.one(axis, input.ndim)
    place = (slice(None),) * axis + (axes.one(index, input.shape[axis], "index"),)
    return _replaced(input, place, src)


def _replaced(x: Array, place: Any, src: Array) -> Array:
    """Return x with `src`, which must have the shape of what it replaces, at a place."""
    want = jax.eval_shape(lambda x: x[place], x).shape
    return x.at[place].set(shaped(src, want, "src").astype(x.dtype))


@op(
    ref=REF + "slice_scatter",
    cases=("T(4, 2), T(2, 2), 0, 1, 3", "T(4), T(2), 0, None, None, 2"),
    errors=(
        ("T(4, 2), T(2, 2), 99, 1, 3", "axis must be in [-2, 2)"),
        ("T(4, 2), T(2), 0, 1, 3", "src must have shape [2, 2], got [2]"),
    ),
    method="slice_scatter",
)
def slice_scatter(
    input: TensorArray, src: TensorArray, axis: int = 0, start: Static = None, end: Static = None, step: int = 1
) -> Array:
    """Return the input with `src` in place of `input[start:end:step]` along `axis`.

    Args:
        input: A Tensor.
        src: A Tensor of the shape of the slice.
        axis: The axis, counted from the end where it is negative.
        start: Where the slice begins; None: at the start.
        end: Where it ends; None: at the end.
        step: Every how many elements.

    Raises:
        TypeError: If `input` or `src` is no Tensor.
        ValueError: If the axis is out of range, or `src` has another shape.

    Examples:
        >>> ops.slice_scatter(Tensor([1, 2, 3, 4]), Tensor([8, 9]), 0, 1, 3).asnumpy()
        array([1, 8, 9, 4])
    """
    return _replaced(input, (slice(None),) * axes.one(axis, input.ndim) + (slice(start, end, step),), src)


@primitive("TensorCopySlices()")
def _copy_slices(x: Tensor, value: Tensor, begin: Any, end: Any, strides: Any) -> Tensor:
    """Return x with `value`, broadcast, in place of the elements from `begin` to `end` along its first axes.

    Args:
        x: A Tensor.
        value: A Tensor that broadcasts to what it replaces.
        begin, end, strides: An int for each of these axes; strides of 1.

    Raises:
        RuntimeError: If a stride is not 1.
        ValueError: If `value` does not broadcast.

    Examples:
        >>> ops.TensorCopySlices()(Tensor([1, 2, 3]), Tensor([8]), (1,), (2,), (1,)).asnumpy()
        array([1, 8, 3])
    """
    if any(step != 1 for step in freeze(strides)):
        raise RuntimeError(f"ops.TensorCopySlices: strides must be 1, got {freeze(strides)}.")
    return _copied(x, value, freeze(begin), freeze(end))


@internal("TensorCopySlices")
def _copied(x: Array, value: Array, begin: Static, end: Static) -> Array:
    return x.at[tuple(map(slice, begin, end))].set(value.astype(x.dtype))


def _rows(name: str) -> Callable[..., Array]:
    def fn(x: Array, v: Array, indices: Static) -> Array:
        place = x.at[np.asarray(axes.sizes(indices, "indices"))]
        return getattr(place, name)(v.astype(x.dtype))

    return fn


@op(
    ref=REF + "inplace_update",
    cases=("T(3, 2), T(2, 2), (0, 2)", "T(3, 2), T(1, 2), 1"),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_update(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with its rows `indices` replaced by those of v.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is no int.

    Examples:
        >>> ops.inplace_update(Tensor([[1, 2], [3, 4]]), Tensor([[8, 9]]), 1).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    return _rows("set")(x, v, indices)


@op(
    ref=REF + "inplace_add",
    cases=("T(3, 2), T(2, 2), (0, 2)",),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_add(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v added to its rows `indices`.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is no int.

    Examples:
        >>> ops.inplace_add(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]]), 1).asnumpy()
        array([[ 1,  2],
               [13, 14]])
    """
    return _rows("add")(x, v, indices)


@op(
    ref=REF + "inplace_sub",
    cases=("T(3, 2), T(2, 2), (0, 2)",),
    errors=(("T(3, 2), T(7, 11), (0, 2)", "Incompatible types for broadcasting"),),
    method=(),
)
def inplace_sub(x: Array, v: Array, indices: Shape) -> Array:
    """Return x with the rows of v subtracted from its rows `indices`.

    Args:
        x: A Tensor; it stays as it is, for all the name.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Raises:
        TypeError: If an index is no int.

    Examples:
        >>> ops.inplace_sub(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]]), 0).asnumpy()
        array([[0, 1],
               [3, 4]])
    """
    return _rows("subtract")(x, v, indices)


@primitive("InplaceUpdate(indices)")
def _inplace_update(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with its rows `indices` replaced by those of v.

    Args:
        x: A Tensor.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Examples:
        >>> ops.InplaceUpdate(1)(Tensor([[1, 2], [3, 4]]), Tensor([[8, 9]])).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    return inplace_update(x, v, indices)


@primitive("InplaceUpdateV2()")
def _inplace_update_v2(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Return x with its rows `indices` replaced by those of v.

    Args:
        x: A Tensor.
        indices: An int or several: rows of x.
        v: A Tensor with a row for each index.

    Examples:
        >>> ops.InplaceUpdateV2()(Tensor([[1, 2], [3, 4]]), 1, Tensor([[8, 9]])).asnumpy()
        array([[1, 2],
               [8, 9]])
    """
    return inplace_update(x, v, indices)


@primitive("InplaceAdd(indices)")
def _inplace_add(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with the rows of v added to its rows `indices`.

    Args:
        x: A Tensor.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Examples:
        >>> ops.InplaceAdd(1)(Tensor([[1, 2], [3, 4]]), Tensor([[10, 10]])).asnumpy()
        array([[ 1,  2],
               [13, 14]])
    """
    return inplace_add(x, v, indices)


@primitive("InplaceSub(indices)")
def _inplace_sub(x: Tensor, v: Tensor, indices: Any) -> Tensor:
    """Return x with the rows of v subtracted from its rows `indices`.

    Args:
        x: A Tensor.
        v: A Tensor with a row for each index.
        indices: An int or several: rows of x.

    Examples:
        >>> ops.InplaceSub(0)(Tensor([[1, 2], [3, 4]]), Tensor([[1, 1]])).asnumpy()
        array([[0, 1],
               [3, 4]])
    """
    return inplace_sub(x, v, indices)


# --- under masks ----------------------------------------------------------------------------------------------------


def _mask(mask: Array) -> Array:
    if mask.dtype != np.bool_:
        raise TypeError(f"mask must be a bool Tensor, got {mstype.from_numpy(mask.dtype)}.")
    return mask


@op(
    ref=REF + "masked_fill",
    cases=("T(2, 3), B(2, 3), 9.0", "T(2, 3), B(3), 1", "I(3), B(2, 3), 7"),
    errors=(("T(3), T(3), 1.0", "bool"),),
    method="masked_fill",
    primitive="MaskedFill()",
)
def masked_fill(input_x: Array, mask: Array, value: Array) -> Array:
    """Return the input with `value` where the mask is True; shapes broadcast, the input's dtype stays.

    Args:
        input_x: A Tensor.
        mask: A Tensor of booleans that broadcasts with `input_x`.
        value: A number or Tensor.

    Raises:
        TypeError: If `mask` does not hold booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.masked_fill(Tensor([1, 2, 3]), Tensor([True, False, True]), 0).asnumpy()
        array([0, 2, 0])
    """
    return jnp.where(_mask(mask), jnp.asarray(value).astype(input_x.dtype), input_x)


@op(
    ref=REF + "masked_scatter",
    cases=("T(2, 3), D([[1, 0, 1], [0, 1, 1]], bool), T(6)", "T(3), D([1, 0, 1], bool), T(4)"),
    errors=(("T(3), T(3), T(3)", "bool"),),
    method="masked_scatter",
    primitive="MaskedScatter()",
)
def masked_scatter(input: Array, mask: Array, source: Array) -> Array:
    """Return the input with the elements of `source`, in order, where the mask is True.

    Args:
        input: A Tensor.
        mask: A Tensor of booleans that broadcasts to the shape of `input`.
        source: A Tensor with at least as many elements as the mask has True ones.

    Raises:
        TypeError: If `mask` does not hold booleans.
        ValueError: If the mask does not broadcast.

    Examples:
        >>> ops.masked_scatter(Tensor([1, 2, 3]), Tensor([True, False, True]), Tensor([8, 9])).asnumpy()
        array([8, 2, 9])
    """
    full = jnp.broadcast_to(_mask(mask), input.shape)
    order = jnp.cumsum(full.ravel(), dtype=np.int32).reshape(input.shape) - 1
    return jnp.where(full, jnp.take(source.astype(input.dtype).ravel(), jnp.maximum(order, 0), mode="clip"), input)
