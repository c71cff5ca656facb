"""Operators that order elements: sort, argsort, topk, searchsorted, bucketize, kthvalue, ... Indices are int32."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, internal, op

REF = "references.array."


def _order(x: Array, axis: int, descending: bool) -> Array:
    return jnp.argsort(x, axis, stable=True, descending=descending).astype(np.int32)


@op(
    ref=REF + "sort",
    cases=("T(2, 3)", "D([3, 1, 2, 1], np.int32)", "T(3, 2), 0, True", "I(4)", "T(0)"),
    errors=(("T(2), 1", "[-1, 1)"),),
    primitive="Sort(axis=-1, descending=False)",
)
def sort(input_x: Array, axis: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """Return the elements in order along an axis, equal ones in their order, and their int32 indices.

    Args:
        input_x: A Tensor.
        axis: The axis.
        descending: Whether the largest come first.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> values, indices = ops.sort(Tensor([3.0, 1.0, 2.0]))
        >>> values.asnumpy(), indices.asnumpy()
        (array([1., 2., 3.], dtype=float32), array([1, 2, 0], dtype=int32))
    """
    axis = axes.one(axis, input_x.ndim)
    order = _order(input_x, axis, descending)
    return jnp.take_along_axis(input_x, order, axis), order


@op(
    ref=REF + "argsort",
    cases=("T(2, 3)", "D([3.0, 1.0, 2.0, 1.0]), -1, True", "T(3, 2), 0"),
    errors=(("T(2), 1", "[-1, 1)"),),
)
def argsort(input: Array, axis: int = -1, descending: bool = False) -> Array:
    """Return the int32 indices that put the elements in order along an axis, equal ones in their order.

    Args:
        input: A Tensor.
        axis: The axis, counted from the end where it is negative.
        descending: Whether the largest come first.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.argsort(Tensor([3.0, 1.0, 2.0])).asnumpy()
        array([1, 2, 0], dtype=int32)
    """
    return _order(input, axes.one(axis, input.ndim), descending)


@internal("msort")
def _msort(input: Array) -> Array:
    return jnp.sort(input, 0)


@composite(
    ref=REF + "msort",
    cases=("T(3, 2)",),
    errors=(("T()", "axis 0 is out of bounds for array of dimension 0"),),
    method="msort",
)
def msort(input: Tensor) -> Tensor:
    """Return the elements in order along axis 0.

    Args:
        input: A Tensor with at least one axis.

    Examples:
        >>> ops.msort(Tensor([[3, 1], [2, 4]])).asnumpy()
        array([[2, 1],
               [3, 4]])
    """
    return _msort(input)


def _reversed(x: Array) -> Array:
    """Return values whose descending order is the ascending order of x."""
    return -x if jnp.issubdtype(x.dtype, np.inexact) else ~x


@op(
    ref=REF + "topk",
    cases=("T(2, 5), 2", "D([3, 1, 2, 1], np.int32), 2, None, False", "T(4, 2), 3, 0", "I(5), 2"),
    errors=(("T(2), 3", "k must"), ("T(2), 1, 4", "[-1, 1)")),
)
def topk(
    input: Array, k: Static, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Array, Array]:
    """Return the k largest (or smallest) elements along an axis, in order, and their int32 indices.

    Args:
        input: A Tensor.
        k: How many: an int, or a Tensor of one.
        dim: The axis; None: the last.
        largest: Whether the largest or the smallest.
        sorted: Whether all elements of the axis, where k is its size, come in order or where they are; fewer
            always come in order.

    Raises:
        ValueError: If the axis is out of range, or `k` is not in [0, its size].

    Examples:
        >>> values, indices = ops.topk(Tensor([3.0, 1.0, 2.0]), 2)
        >>> values.asnumpy(), indices.asnumpy()
        (array([3., 2.], dtype=float32), array([0, 2], dtype=int32))
    """
    axis = axes.one(-1 if dim is None else dim, input.ndim, "dim")
    k = k[0] if isinstance(k, tuple) and len(k) == 1 else k
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= input.shape[axis]:
        raise ValueError(f"k must be an int in [0, {input.shape[axis]}], got {k!r}.")
    if not sorted and k == input.shape[axis]:
        return input, jax.lax.broadcasted_iota(np.int32, input.shape, axis)
    x = jnp.moveaxis(input, axis, -1)
    _, index = jax.lax.top_k(x if largest else _reversed(x), k)
    values = jnp.take_along_axis(x, index, -1)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(index.astype(np.int32), -1, axis)


@composite(
    ref=REF + "topk",
    cases=("T(2, 5), 2",),
    errors=(("T(2, 5), 99", "k must be an int in [0, 5]"),),
    method="top_k",
)
def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest elements along the last axis, in order, and their int32 indices.

    Args:
        input_x: A Tensor.
        k: How many.
        sorted: Whether all elements, where k is the size of the axis, come in order or where they are.

    Returns:
        Two Tensors with k elements along the last axis.

    Raises:
        ValueError: If `k` is not in [0, the size of the axis].

    Examples:
        >>> ops.top_k(Tensor([3.0, 1.0, 2.0]), 2)[1].asnumpy()
        array([0, 2], dtype=int32)
    """
    return topk(input_x, k, sorted=sorted)


@op(
    ref=REF + "kthvalue",
    cases=("T(2, 5), 2", "T(4, 2), 1, 0, True"),
    errors=(("T(3), 0", "k must"),),
    method="kthvalue",
)
def kthvalue(input: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """Return the k-th smallest element (from 1) along an axis and its int64 index.

    Args:
        input: A Tensor.
        k: Which element, from 1.
        dim: The axis, counted from the end where it is negative.
        keepdim: Whether the axis stays with size 1.

    Raises:
        ValueError: If the axis is out of range, or `k` is not in [1, its size].

    Examples:
        >>> value, index = ops.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)
        >>> float(value), int(index)
        (2.0, 2)
    """
    axis = axes.one(dim, input.ndim, "dim")
    if not isinstance(k, int) or not 1 <= k <= input.shape[axis]:
        raise ValueError(f"k must be an int in [1, {input.shape[axis]}], got {k!r}.")
    index = jax.lax.slice_in_dim(jnp.argsort(input, axis, stable=True), k - 1, k, axis=axis)
    value = jnp.take_along_axis(input, index, axis)
    return (value, index) if keepdim else (jnp.squeeze(value, axis), jnp.squeeze(index, axis))


@primitive("NthElement(reverse=False)")
def _nth_element(input: Tensor, n: Any, reverse: bool = False) -> Tensor:
    """Return the n-th smallest (or, with `reverse`, largest) element (from 0) along the last axis.

    Args:
        input: A Tensor.
        n: Which element, from 0; an int or a Tensor of it.
        reverse: Whether to count from the largest.

    Examples:
        >>> ops.NthElement()(Tensor([3.0, 1.0, 2.0]), 1).asnumpy()
        array(2., dtype=float32)
    """
    n = int(n)
    return kthvalue(input, input.shape[-1] - n if reverse else n + 1)[0]


# --- positions in sorted sequences ----------------------------------------------------------------------------------


def _insertion_indices(sequence: Array, values: Array, side: str) -> Array:
    find = lambda s, v: jnp.searchsorted(s, v, side=side)
    for _ in range(sequence.ndim - 1):
        find = jax.vmap(find)
    return find(*unify(sequence, values))


@op(
    ref=REF + "searchsorted",
    cases=(
        "D([1.0, 3.0, 5.0]), D([3.0, 6.0])",
        "D([1.0, 3.0, 5.0]), D([[3.0], [0.0]]), out_int32=True, right=True",
        "D([[1.0, 2.0], [3.0, 4.0]]), D([[1.5], [1.5]])",
    ),
    errors=(
        ("T(3), T(2), side='x'", "side"),
        ("T(3), T(2), right=True, side='left'", "right"),
        ("T(2, 3), T(3, 1)", "leading"),
    ),
)
def searchsorted(
    sorted_sequence: Array,
    values: Array,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: OptArray = None,
) -> Array:
    """Return the indices at which values would have to be inserted to keep sequences sorted.

    Args:
        sorted_sequence: Sequences in ascending order along the last axis.
        values: The values to insert; unless the sequence is a vector, with the same leading axes.
        out_int32: Return int32 (otherwise int64) indices.
        right: Insert after equal elements (otherwise before).
        side: `"right"` or `"left"`: another way of saying it.
        sorter: The indices that sort the sequences, where they are not sorted.

    Raises:
        ValueError: If `side` is unknown or contradicts `right`, or the leading axes differ.

    Examples:
        >>> ops.searchsorted(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 6.0])).asnumpy()
        array([0, 1, 3])
    """
    if side not in (None, "left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}.")
    if right and side == "left":
        raise ValueError("right=True contradicts side='left'.")
    if sorted_sequence.ndim > 1 and jnp.shape(values)[:-1] != sorted_sequence.shape[:-1]:
        raise ValueError(f"values must have the leading axes {sorted_sequence.shape[:-1]}, got {jnp.shape(values)}.")
    if sorter is not None:
        sorted_sequence = jnp.take_along_axis(sorted_sequence, sorter, -1)
    positions = _insertion_indices(sorted_sequence, values, "right" if right else side or "left")
    return positions.astype(np.int32 if out_int32 else np.int64)


@op(
    ref=REF + "bucketize",
    cases=("D([3.0, 6.0]), [1.0, 3.0, 5.0]", "I(2, 3), [0.0, 2.0], right=True"),
    errors=(("T(2), 3", "boundaries"),),
)
def bucketize(input: Array, boundaries: Static, *, right: bool = False) -> Array:
    """Return the int32 number of the bucket between ascending `boundaries` that each element falls into.

    Args:
        input: A Tensor.
        boundaries: A list of numbers.
        right: An element equal to a boundary belongs to the bucket above it.

    Raises:
        TypeError: If `boundaries` is not a list.

    Examples:
        >>> ops.bucketize(Tensor([0.5, 1.0, 3.0]), [1.0, 2.0]).asnumpy()
        array([0, 0, 2], dtype=int32)
    """
    if not isinstance(boundaries, (tuple, list)):
        raise TypeError(f"boundaries must be a list of numbers, got {type(boundaries).__name__}.")
    edges = jnp.asarray(np.asarray(boundaries, np.float32))
    return jnp.searchsorted(edges, input.astype(np.float32), side="right" if right else "left").astype(np.int32)


primitives(
    """\
TopK(sorted=True)(input_x, k) -> topk(input_x, k, sorted=sorted)
    Return the k largest elements along the last axis, in order, and their int32 indices.
    sorted: Whether all elements, where k is the size of the axis, come in order or where they are.
    ValueError: If `k` is not in [0, the size of the axis].
    >>> ops.TopK()(Tensor([3.0, 1.0, 2.0]), 2)[0].asnumpy()
    array([3., 2.], dtype=float32)
SearchSorted(dtype=None, right=False)(sorted_sequence, values, sorter=None) -> \
searchsorted(sorted_sequence, values, out_int32=dtype == int32, right=right, sorter=sorter)
    dtype: int32 or int64; None means int64.
    ValueError: If the leading axes differ.
    >>> ops.SearchSorted()(Tensor([1.0, 3.0, 5.0]), Tensor([0.0, 3.0, 6.0])).asnumpy()
    array([0, 1, 3])
Bucketize(boundaries)(input) -> bucketize(input, boundaries, right=True)
    Return the int32 number of the bucket, closed on the left, that each element falls into.
    boundaries: A list of numbers in ascending order.
    >>> ops.Bucketize([1.0, 2.0])(Tensor([0.5, 1.0, 3.0])).asnumpy()
    array([0, 1, 2], dtype=int32)
LowerBound(out_type=None)(sorted_x, values) -> searchsorted(sorted_x, values, out_int32=out_type in (None, int32))
    Return the first index at which values could be inserted into sorted rows.
    sorted_x: Rows in ascending order.
    values: Rows of what is looked up.
    out_type: int32 or int64; None means int32.
    ValueError: If the leading axes differ.
    >>> ops.LowerBound()(Tensor([[1.0, 3.0, 3.0]]), Tensor([[3.0]])).asnumpy()
    array([[1]], dtype=int32)
UpperBound(out_type=None)(sorted_x, values) -> \
searchsorted(sorted_x, values, out_int32=out_type in (None, int32), right=True)
    Return the last index at which values could be inserted into sorted rows.
    sorted_x: Rows in ascending order.
    values: Rows of what is looked up.
    out_type: int32 or int64; None means int32.
    ValueError: If the leading axes differ.
    >>> ops.UpperBound()(Tensor([[1.0, 3.0, 3.0]]), Tensor([[3.0]])).asnumpy()
    array([[3]], dtype=int32)
""",
    globals() | {"int32": mstype.int32},
)
