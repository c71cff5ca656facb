"""Tensors made of numbers that form matrices: identity, one-hot, triangles, powers, masks."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static, number
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.creation import _dtype
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, internal, op


@op(
    ref="sporax._src.testing.array_references.eye",
    cases=("3", "2, 3, ms.int32", "3, 2"),
    errors=(("-1", "negative"), ("1.5", "int")),
    primitive="Eye()",
)
def eye(n: Static, m: Static = None, dtype: Static = None) -> Array:
    """Return the (n, m) matrix with ones on its diagonal; float32 unless `dtype` says otherwise.

    Args:
        n: The number of rows.
        m: The number of columns; as many as rows if None.
        dtype: The dtype.

    Raises:
        TypeError: If a size is no int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.eye(2, 3).asnumpy()
        array([[1., 0., 0.],
               [0., 1., 0.]], dtype=float32)
    """
    rows, columns = axes.fixed_sizes((n, n if m is None else m), "n and m")
    return jnp.eye(rows, columns, dtype=_dtype(dtype))


@op(
    ref="sporax._src.testing.array_references.one_hot",
    cases=("D([0, 2, -1, 5], np.int32), 3", "I(2, 3, low=0, high=4), 4, 1.5, 0.5", "I(2, 3, low=0), 5, 1, 0, 1"),
    errors=(("T(2), 3", "integer"), ("I(2), -1", "depth"), ("I(2), 3, 1, 0, 5", "[-2, 2)")),
    grad=0,
)
def one_hot(
    indices: Array, depth: Static, on_value: Array = number(1), off_value: Array = number(0), axis: int = -1
) -> Array:
    """Return `on_value` where the place along a new axis is the index, `off_value` elsewhere.

    Args:
        indices: An integer Tensor.
        depth: The size of the new axis; indices outside of [0, depth) mark nothing.
        on_value, off_value: Numbers or 0-d Tensors; their dtype is the result's (int64 or float32 for Python numbers).
        axis: The place of the new axis.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If `depth` is negative or the axis out of range.

    Examples:
        >>> ops.one_hot(Tensor([0, 2]), 3).asnumpy()
        array([[1, 0, 0],
               [0, 0, 1]])
    """
    if jnp.result_type(indices).kind not in "iu":
        raise TypeError(f"indices must be an integer Tensor, got {mstype.from_numpy(indices.dtype)}.")
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise ValueError(f"depth must be a non-negative int, got {depth!r}.")
    axis = axes.one(axis, indices.ndim + 1)
    on, off = unify(on_value, off_value)
    place = jax.lax.broadcasted_iota(indices.dtype, (*indices.shape[:axis], depth, *indices.shape[axis:]), axis)
    return jnp.where(place == jnp.expand_dims(indices, axis), on, off)


@primitive("OneHot(axis=-1)")
def _one_hot(indices: Tensor, depth: int, on_value: Any, off_value: Any, axis: int = -1) -> Tensor:
    """Return `on_value` where the place along a new axis is the index, `off_value` elsewhere."""
    return one_hot(indices, depth, on_value, off_value, axis)


def _matrices(x: Array) -> Array:
    if x.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {x.ndim}.")
    return x


@op(
    ref="numpy.tril",
    cases=("T(3, 3)", "T(2, 3, 4), 1", "T(3, 2), -1"),
    errors=(("T(3)", "at least 2"),),
    method="tril",
    primitive="Tril(diagonal=0)",
)
def tril(input: Array, diagonal: int = 0) -> Array:
    """Return the matrices with zeros above their diagonal number `diagonal`.

    Args:
        input: A Tensor of at least 2 axes, matrices along the last two.
        diagonal: The highest diagonal that stays: 0 the main one, positive above it.

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> ops.tril(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[1, 0],
               [3, 4]])
    """
    return jnp.tril(_matrices(input), diagonal)


@op(
    ref="numpy.triu",
    cases=("T(3, 3)", "T(2, 3, 4), 1", "T(3, 2), -1"),
    errors=(("T(3)", "at least 2"),),
    method="triu",
    primitive="Triu(diagonal=0)",
)
def triu(input: Array, diagonal: int = 0) -> Array:
    """Return the matrices with zeros below their diagonal number `diagonal`.

    Args:
        input: A Tensor of at least 2 axes, matrices along the last two.
        diagonal: The lowest diagonal that stays: 0 the main one, positive above it.

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> ops.triu(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([[1, 2],
               [0, 4]])
    """
    return jnp.triu(_matrices(input), diagonal)


_BAD_SIZES = (
    ("-1, 2", "row must not be negative, got -1"),
    ("1.5, 2", "row must be an int, got float: 1.5"),
    ("2, -3", "col must not be negative, got -3"),
    ("2, 2, 1.5", "offset must be an int, got float: 1.5"),
)


@op(
    ref="sporax._src.testing.array_references.tril_indices",
    cases=("2, 3", "3, 3, 1"),
    errors=_BAD_SIZES,
    primitive="TrilIndices(row, col, offset=0, dtype='int32')",
)
def tril_indices(row: Static, col: Static, offset: int = 0, *, dtype: Static = None) -> Array:
    """Return the (2, n) row and column indices of a matrix's lower triangle.

    Args:
        row, col: The sizes of the matrix.
        offset: The highest diagonal that counts: 0 the main one, positive above it.
        dtype: The dtype; int64 if None.

    Raises:
        TypeError: If a size or the offset is no int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.tril_indices(2, 2).asnumpy()
        array([[0, 1, 1],
               [0, 0, 1]])
    """
    rows, columns = axes.count(row, "row"), axes.count(col, "col")
    return jnp.asarray(
        np.stack(np.tril_indices(rows, axes.whole(offset, "offset"), columns)).astype(_dtype(dtype, np.int64))
    )


@op(
    ref="sporax._src.testing.array_references.triu_indices",
    cases=("2, 3", "3, 3, 1"),
    errors=_BAD_SIZES,
    primitive="TriuIndices(row, col, offset=0, dtype='int32')",
)
def triu_indices(row: Static, col: Static, offset: int = 0, *, dtype: Static = None) -> Array:
    """Return the (2, n) row and column indices of a matrix's upper triangle.

    Args:
        row, col: The sizes of the matrix.
        offset: The lowest diagonal that counts: 0 the main one, positive above it.
        dtype: The dtype; int64 if None.

    Raises:
        TypeError: If a size or the offset is no int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.triu_indices(2, 2).asnumpy()
        array([[0, 0, 1],
               [0, 1, 1]])
    """
    rows, columns = axes.count(row, "row"), axes.count(col, "col")
    return jnp.asarray(
        np.stack(np.triu_indices(rows, axes.whole(offset, "offset"), columns)).astype(_dtype(dtype, np.int64))
    )


@op(
    ref="sporax._src.testing.array_references.vander",
    cases=("T(3)", "T(3), 4"),
    errors=(("T(2, 2)", "vector"),),
    grad=0,
)
def vander(x: Array, N: Static = None) -> Array:
    """Return the matrix of descending powers x^(N-1), ..., x, 1 of a vector.

    Args:
        x: A Tensor (n,); integers become int64.
        N: The number of columns; n if None.

    Raises:
        ValueError: If `x` is no vector.

    Examples:
        >>> ops.vander(Tensor([1, 2, 3])).asnumpy()
        array([[1, 1, 1],
               [4, 2, 1],
               [9, 3, 1]])
    """
    if x.ndim != 1:
        raise ValueError(f"x must be a vector, got {x.ndim} axes.")
    return jnp.vander(x.astype(np.int64) if x.dtype.kind in "biu" else x, N)


@internal("sequence_mask")
def _sequence_mask(lengths: Array, maxlen: Static) -> Array:
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be an integer Tensor, got {mstype.from_numpy(lengths.dtype)}.")
    return jax.lax.iota(lengths.dtype, maxlen) < lengths[..., None]


@composite(
    ref="sporax._src.testing.array_references.sequence_mask",
    cases=("D([1, 3], np.int64), 3", "D([[0], [2]], np.int32), 4"),
    errors=(("T(2), 3", "integer"),),
    grad=0,
)
def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """Return a bool Tensor whose last axis is True at the first `lengths` of its `maxlen` places.

    Args:
        lengths: An integer Tensor.
        maxlen: The size of the new axis; the largest length if None.

    Raises:
        TypeError: If `lengths` holds no integers.

    Examples:
        >>> ops.sequence_mask(Tensor([1, 3])).asnumpy()
        array([[ True, False, False],
               [ True,  True,  True]])
    """
    return _sequence_mask(lengths, int(lengths.asnumpy().max()) if maxlen is None else maxlen)
