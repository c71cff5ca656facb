"""Operators that pick elements by index or value: gather, gather_nd, index_select, take, narrow, slice, ...

An index outside of its axis is an error on the CPU and picks zero on other devices, as in MindSpore; a negative one counts
from the end.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, internal, op

REF = "references.indices."


def integers(indices: Array, name: str = "indices", least_bits: int = 8) -> Array:
    """Return an index operand; raises TypeError unless it is an integer Tensor of at least so many bits."""
    dtype = jnp.result_type(indices)
    if dtype.kind not in "iu":
        raise TypeError(f"{name} must be an integer Tensor, got {mstype.from_numpy(dtype)}.")
    if 8 * dtype.itemsize < least_bits:
        raise TypeError(f"{name} must have integers of at least {least_bits} bits, got {mstype.from_numpy(dtype)}.")
    return jnp.asarray(indices)


# --- whole slices ---------------------------------------------------------------------------------------------------


@op(
    ref=REF + "gather",
    cases=(
        "T(4, 3), D([0, 2, -1], np.int32), 0",
        "T(2, 3), I(2, 2, low=0, high=3), 1",
        "T(2, 3, 4), I(2, 2, low=0, high=3), 1, 1",
        "T(4), D(2, np.int32), 0",
    ),
    errors=(("T(3), T(2), 0", "integer"), ("T(3), I(2), 1", "[-1, 1)"), ("T(3), I(2), 0, 1", "batch_dims")),
    primitive=("Gather(batch_dims=0)", "SparseGatherV2()", "GatherV2()"),
    bounds=lambda input_params, input_indices, axis, **_: [("input_indices", input_indices, input_params.shape[axis])],
)
def gather(input_params: Array, input_indices: Array, axis: int, batch_dims: int = 0) -> Array:
    """Return the slices of `input_params` along `axis` that `input_indices` names.

    Args:
        input_params: A Tensor.
        input_indices: An integer Tensor; its shape takes the place of the axis. An index out of range gives zeros.
        axis: The axis.
        batch_dims: The number of leading axes that both operands share.

    Raises:
        TypeError: If `input_indices` holds no integers.
        ValueError: If the axis or `batch_dims` is out of range.

    Examples:
        >>> ops.gather(Tensor([[1, 2], [3, 4], [5, 6]]), Tensor([2, 0]), 0).asnumpy()
        array([[5, 6],
               [1, 2]])
    """
    indices = integers(input_indices, "input_indices")
    axis = axes.one(axis, input_params.ndim)
    if not 0 <= batch_dims <= min(axis, indices.ndim):
        raise ValueError(f"batch_dims must be in [0, {min(axis, indices.ndim)}], got {batch_dims}.")
    take = functools.partial(jnp.take, axis=axis - batch_dims, mode="fill", fill_value=0)
    for _ in range(batch_dims):
        take = jax.vmap(take)
    return take(input_params, indices)


@op(
    ref=REF + "index_select",
    cases=("T(4, 3), 0, D([0, 2, -1], np.int32)", "T(2, 3), 1, D([1], np.int64)"),
    errors=(("T(3), 0, T(2)", "integer"), ("T(3), 0, I(1, 1)", "vector")),
    bounds=lambda input, axis, index: [("index", index, input.shape[axis])],
)
def index_select(input: Array, axis: int, index: Array) -> Array:
    """Return the slices of the input along `axis` that the vector `index` names.

    Args:
        input: A Tensor.
        axis: The axis.
        index: An integer Tensor (n,), or a scalar; an index out of range gives zeros.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If `index` is not a vector or the axis out of range.

    Examples:
        >>> ops.index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1])).asnumpy()
        array([[2],
               [4]])
    """
    if jnp.ndim(index) > 1:
        raise ValueError(f"index must be a vector, got {index.ndim} axes.")
    return jnp.take(
        input, jnp.atleast_1d(integers(index, "index")), axes.one(axis, input.ndim), mode="fill", fill_value=0
    )


@op(
    ref=REF + "take",
    cases=("T(4, 3), D([0, 2, 11], np.int32)", "T(2, 3), D([[0, 1]], np.int64)"),
    errors=(("T(3), T(2)", "integer"),),
)
def take(input: Array, index: Array) -> Array:
    """Return the elements of the flattened input that `index` names.

    Args:
        input: A Tensor.
        index: An integer Tensor, whose shape the result has; an index out of range gives zero.

    Raises:
        TypeError: If `index` holds no integers.

    Examples:
        >>> ops.take(Tensor([[1, 2], [3, 4]]), Tensor([0, 3])).asnumpy()
        array([1, 4])
    """
    return jnp.take(input.ravel(), integers(index, "index"), mode="fill", fill_value=0)


@composite(
    ref=REF + "narrow",
    cases=("T(4, 3), 0, 1, 2", "T(2, 3), 1, 0, 0"),
    errors=(("T(4), 0, 3, 2", "at most 4"),),
    method="narrow",
)
def narrow(input: Tensor, axis: int, start: object, length: int) -> Tensor:
    """Return `length` elements along `axis` from `start` on.

    Args:
        input: A Tensor.
        axis: The axis.
        start: Where to start, an int or a 0-d integer Tensor.
        length: How many elements.

    Raises:
        ValueError: If they reach over the end, or the axis is out of range.

    Examples:
        >>> ops.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2).asnumpy()
        array([2, 3])
    """
    size = input.shape[axes.one(axis, input.ndim)]
    begin = start if isinstance(start, int) else 0
    if length < 0 or begin < 0 or begin + length > size:
        raise ValueError(f"ops.narrow: start + length must be at most {size}, got {start} and {length}.")
    return _narrow(input, start, axis, length)


@internal("narrow", view=True)
def _narrow(input: Array, start: Array, axis: Static, length: Static) -> Array:
    return jax.lax.dynamic_slice_in_dim(input, jnp.asarray(start).astype(np.int32), length, axes.one(axis, input.ndim))


@op(
    ref=REF + "slice_",
    cases=("T(4, 3), (1, 0), (2, -1)", "T(5), (2,), (2,)"),
    errors=(("T(4), (3,), (2,)", "begin"), ("T(4, 3), (0,), (2,)", "one element per axis")),
    name="slice",
    primitive="Slice()(input, begin, size)",
)
def slice_(input_x: Array, begin: Shape, size: Shape) -> Array:
    """Return the block that starts at `begin` and has the sizes `size` (-1: to the end).

    Args:
        input_x: A Tensor.
        begin: Where the block starts, one int per axis.
        size: Its sizes, one int per axis.

    Raises:
        ValueError: If there are not as many as axes, or the block reaches over the end.

    Examples:
        >>> ops.slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, -1)).asnumpy()
        array([[2, 3],
               [5, 6]])
    """
    begin, size = axes.sizes(begin, "begin"), axes.sizes(size, "size")
    if not len(begin) == len(size) == input_x.ndim:
        raise ValueError(f"begin and size must have one element per axis ({input_x.ndim}), got {begin} and {size}.")
    ends = tuple(n if s == -1 else b + s for b, s, n in zip(begin, size, input_x.shape, strict=True))
    if any(not 0 <= b <= e <= n for b, e, n in zip(begin, ends, input_x.shape, strict=True)):
        raise ValueError(f"begin and size must lie within the shape {input_x.shape}, got {begin} and {size}.")
    return jax.lax.slice(input_x, begin, ends)


@op(
    ref=REF + "strided_slice",
    cases=(
        "T(4, 3), (1, 0), (4, 3), (2, 1)",
        "T(4, 3), (3, 0), (0, 3), (-1, 2)",
        "T(2, 3, 4), (0, 1), (2, 2), (1, 1), shrink_axis_mask=2",
        "T(2, 3), (0, 0, 1), (0, 0, 3), (1, 1, 1), ellipsis_mask=1, new_axis_mask=2",
        "T(4, 3), (1, 1), (2, 2), (1, 1), 1, 2",
    ),
    errors=(("T(3), (0,), (2,), (0,)", "strides"), ("T(3), (0,), (2, 1), (1,)", "equal lengths")),
    primitive="StridedSlice(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)",
)
def strided_slice(
    input_x: Array,
    begin: Shape,
    end: Shape,
    strides: Shape,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Array:
    """Return `input_x[begin:end:strides]` over the leading axes.

    Args:
        input_x: A Tensor.
        begin, end, strides: One int per axis.
        begin_mask, end_mask: Bit i set: ignore begin[i], end[i].
        ellipsis_mask, new_axis_mask, shrink_axis_mask: Bit i set: position i stands for `...`, None, or the int begin[i].

    Raises:
        ValueError: If the three have different lengths or `strides` holds 0.

    Examples:
        >>> ops.strided_slice(Tensor([1, 2, 3, 4, 5]), (3,), (0,), (-1,)).asnumpy()
        array([4, 3, 2])
    """
    if not len(begin) == len(end) == len(strides):
        raise ValueError(f"begin, end and strides must have equal lengths, got {begin}, {end} and {strides}.")
    if 0 in strides:
        raise ValueError(f"strides must not hold 0, got {strides}.")

    def item(i: int) -> Any:
        bit = 1 << i
        if ellipsis_mask & bit:
            return Ellipsis
        if new_axis_mask & bit:
            return None
        if shrink_axis_mask & bit:
            return begin[i]
        return slice(None if begin_mask & bit else begin[i], None if end_mask & bit else end[i], strides[i])

    return input_x[tuple([item(i) for i in range(len(begin))])]


# --- single elements ------------------------------------------------------------------------------------------------


@op(
    ref=REF + "gather_nd",
    cases=("T(3, 4), D([[0, 1], [2, -1]], np.int32)", "T(3, 4), D([[2]], np.int64)", "T(2, 3), D([1, 2], np.int32)"),
    errors=(("T(3), T(2, 1)", "integer"), ("T(3), I(2, 2)", "last axis")),
    method="gather_nd",
    primitive="GatherNd()",
    bounds=lambda input_x, indices: [("indices", indices, input_x.shape[: indices.shape[-1]])],
)
def gather_nd(input_x: Array, indices: Array) -> Array:
    """Return the slices of the input at the index vectors along the last axis of `indices`.

    Args:
        input_x: A Tensor.
        indices: An integer Tensor (..., k); each vector names an element of the first k axes, zeros where it is out of
            range.

    Returns:
        A Tensor of the leading axes of `indices` and the axes of the input after k.

    Raises:
        TypeError: If `indices` holds no integers.
        ValueError: If k is larger than the number of axes.

    Examples:
        >>> ops.gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])).asnumpy()
        array([2, 3])
    """
    indices = integers(indices)
    if indices.ndim < 1 or indices.shape[-1] > input_x.ndim:
        raise ValueError(f"indices must hold at most {input_x.ndim} integers along the last axis, got {indices.shape}.")
    return input_x.at[tuple(jnp.moveaxis(indices, -1, 0))].get(mode="fill", fill_value=0)


def _along(x: Array, dim: int, index: Array) -> Array:
    index = integers(index, "index")
    if index.ndim != x.ndim:
        raise ValueError(f"index must have as many axes as the input, {x.ndim}, got {index.ndim}.")
    dim = axes.one(dim, x.ndim, "dim")
    if any(i > n for d, (i, n) in enumerate(zip(index.shape, x.shape, strict=True)) if d != dim):
        raise ValueError(
            f"index must not be larger than the input {x.shape} except along axis {dim}, got {index.shape}."
        )
    cut = x[tuple([slice(None) if d == dim else slice(n) for d, n in enumerate(index.shape)])]
    return jnp.take_along_axis(cut, index, dim, mode="fill", fill_value=0)


@op(
    ref=REF + "gather_elements",
    cases=(
        "T(2, 3), 1, D([[0, 2], [1, 1]], np.int64)",
        "T(3, 2), 0, D([[0, -1]], np.int32)",
        "T(4), -1, D([3, 0], np.int32)",
    ),
    errors=(("T(2), 0, T(2)", "integer"), ("T(2, 3), 0, I(2)", "as many axes"), ("T(2, 3), 0, I(2, 4)", "larger")),
    method="gather_elements",
    bounds=lambda input, dim, index: [("index", index, input.shape[dim])],
)
def gather_elements(input: Array, dim: int, index: Array) -> Array:
    """Return the elements with `out[i, j] = input[index[i, j], j]` (for dim=0, two axes).

    Args:
        input: A Tensor.
        dim: The axis.
        index: An integer Tensor of as many axes, none but `dim` larger than the input's; an index out of range gives
            zero.

    Returns:
        A Tensor of the shape of index.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> ops.gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[1], [0]])).asnumpy()
        array([[2],
               [3]])
    """
    return _along(input, dim, index)


@op(
    ref=REF + "gather_elements",
    cases=("T(2, 3), 1, D([[0, 2], [1, 1]], np.int64)",),
    errors=(("T(2), 0, T(2)", "integer"),),
    primitive="GatherD()",
    bounds=lambda x, dim, index: [("index", index, x.shape[dim])],
)
def gather_d(x: Array, dim: int, index: Array) -> Array:
    """Return the elements with `out[i, j] = x[index[i, j], j]` (for dim=0, two axes).

    Args:
        x: A Tensor.
        dim: The axis.
        index: An integer Tensor of as many axes, none but `dim` larger than those of x; an index out of range gives
            zero.

    Returns:
        A Tensor of the shape of index.

    Raises:
        TypeError: If `index` holds no integers.
        ValueError: If the axis is out of range or the shapes do not fit.

    Examples:
        >>> ops.gather_d(Tensor([[1, 2], [3, 4]]), 1, Tensor([[1], [0]])).asnumpy()
        array([[2],
               [3]])
    """
    return _along(x, dim, index)


@internal("EmbeddingLookup")
def _rows(params: Array, indices: Array, offset: Array) -> Array:
    row = integers(indices) - jnp.asarray(offset).astype(indices.dtype)
    row = jnp.where(row < 0, params.shape[0], row)
    return jnp.take(params, row, 0, mode="fill", fill_value=0)


# --- elements picked by their value -------------------------------------------------------------------------------------


def _host(x: object, name: str) -> np.ndarray:
    if not isinstance(x, Tensor):
        raise TypeError(f"ops.{name}: expected a Tensor, got {type(x).__name__}.")
    return x.asnumpy()


@composite(
    ref=REF + "nonzero",
    cases=("D([[1, 0], [0, 2]])", "D([0, 0], np.int32)"),
    errors=(("D(1.0)", "axis"),),
    jit=False,
    method="nonzero",
    primitive="NonZero()",
)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the (n, ndim) int64 indices of the elements that are not zero; with `as_tuple` one vector per axis.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor of at least 1 axis.
        as_tuple: Whether to return one vector per axis rather than one matrix.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If it is a scalar.

    Examples:
        >>> ops.nonzero(Tensor([[1, 0], [0, 2]])).asnumpy()
        array([[0, 0],
               [1, 1]])
    """
    values = _host(input, "nonzero")
    if values.ndim == 0:
        raise ValueError("ops.nonzero: input must have at least 1 axis, got a scalar.")
    indices = [Tensor(p.astype(np.int64)) for p in np.nonzero(values)]
    return tuple(indices) if as_tuple else Tensor(np.argwhere(values).astype(np.int64))


@composite(
    ref="numpy.argwhere",
    cases=("D([[1, 0], [0, 2]])",),
    errors=(("T()", "input must have at least 1 axis"),),
    jit=False,
    method="argwhere",
)
def argwhere(input: Tensor) -> Tensor:
    """Return the (n, ndim) int64 indices of the elements that are not zero.

    Args:
        input: A Tensor of at least 1 axis.

    Raises:
        TypeError: If `input` is not a Tensor.
        ValueError: If it is a scalar.

    Examples:
        >>> ops.argwhere(Tensor([3, 0, 4])).asnumpy()
        array([[0],
               [2]])
    """
    return nonzero(input)


@composite(
    ref=REF + "masked_select",
    cases=("T(3), D([1, 0, 1], bool)", "T(2, 3), D([[1], [0]], bool)"),
    errors=(("T(3), T(3)", "bool"),),
    jit=False,
    method="masked_select",
    primitive="MaskedSelect()",
)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements of the input where the mask is True, as a vector; shapes broadcast.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor.
        mask: A bool Tensor.

    Raises:
        TypeError: If `mask` holds no booleans.
        ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])).asnumpy()
        array([1, 3])
    """
    chosen = _host(mask, "masked_select")
    if chosen.dtype != np.bool_:
        raise TypeError(f"ops.masked_select: mask must be a bool Tensor, got {mask.dtype}.")
    shape = np.broadcast_shapes(input.shape, mask.shape)
    indices = np.flatnonzero(np.broadcast_to(chosen, shape))
    return _pick_flat(input, Tensor(indices), shape)


@internal("masked_select")
def _pick_flat(x: Array, indices: Array, shape: Static) -> Array:
    return jnp.broadcast_to(x, shape).ravel()[indices]


def _first_seen(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first position of each distinct value, in order, and the index of each element's value among them."""
    _, first, inverse = np.unique(values.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    return first[order], number[inverse.reshape(values.shape)].astype(np.int32)


@composite(
    ref=REF + "unique",
    cases=("D([3, 1, 2, 1], np.int32)", "D([[3.0, 1.0], [1.0, 3.0]])"),
    errors=(("None", "expected a Tensor"),),
    jit=False,
    primitive="Unique()",
)
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct elements in order of first appearance, and the index of each element among them.

    The shape depends on the values: in a graph this falls back to PyNative mode.

    Args:
        input: A Tensor; its elements are taken in row-major order.

    Returns:
        A vector of the different elements, and the numbers in the shape of input, int64 for int64 elements, else int32.

    Raises:
        TypeError: If `input` is not a Tensor.

    Examples:
        >>> values, number = ops.unique(Tensor([3, 1, 3]))
        >>> values.asnumpy(), number.asnumpy()
        (array([3, 1]), array([0, 1, 0]))
    """
    indices, number = _first_seen(_host(input, "unique"))
    wide = input.dtype == mstype.int64
    return _pick_flat(input, Tensor(indices), input.shape), Tensor(number.astype(np.int64) if wide else number)


@composite(
    ref=REF + "unique_with_pad",
    cases=("D([1, 1, 2, 5], np.int32), 0",),
    errors=(
        ("None, 0", "ops.unique_with_pad: expected a Tensor"),
        ("T(2, 2), 0", "x must be a vector, got shape [2, 2]"),
        ("T(2), 'x'", "pad_num must be a number, got 'x'"),
    ),
    jit=False,
    method="unique_with_pad",
    primitive="UniqueWithPad()",
)
def unique_with_pad(x: Tensor, pad_num: object) -> tuple[Tensor, Tensor]:
    """Return what `unique` does, the values padded with `pad_num` to the length of the vector x.

    Args:
        x: A Tensor (n,).
        pad_num: What fills up the values, a number.

    Raises:
        TypeError: If `x` is not a Tensor, or `pad_num` not a number.
        ValueError: If `x` is not a vector.

    Examples:
        >>> values, number = ops.unique_with_pad(Tensor([3, 1, 3]), 0)
        >>> values.asnumpy(), number.asnumpy()
        (array([3, 1, 0]), array([0, 1, 0]))
    """
    if _host(x, "unique_with_pad").ndim != 1:
        raise ValueError(f"ops.unique_with_pad: x must be a vector, got shape {list(x.shape)}.")
    filling = pad_num.item() if isinstance(pad_num, Tensor) else pad_num
    if not isinstance(filling, (bool, int, float, np.generic)):
        raise TypeError(f"ops.unique_with_pad: pad_num must be a number, got {pad_num!r}.")
    values, number = unique(x)
    padded = np.full(x.shape, filling, values.asnumpy().dtype)
    padded[: values.size] = values.asnumpy()
    return Tensor(padded), number


@composite(
    ref=REF + "unique_consecutive",
    cases=(
        "D([1, 1, 2, 2, 1], np.int32)",
        "D([1, 1, 2, 2, 1], np.int32), True, True",
        "D([[1, 2], [1, 2], [3, 4]]), False, False, 0",
    ),
    errors=(("None", "expected a Tensor"),),
    jit=False,
    method="unique_consecutive",
    primitive="UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)",
)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the input without elements (or slices along `dim`) equal to their predecessor.

    Args:
        input: A Tensor; flattened if `dim` is None.
        return_inverse: Also return the int64 number of the result that each element became.
        return_counts: Also return how many elements each result stands for.
        dim: The axis.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.unique_consecutive(Tensor([1, 1, 2, 1])).asnumpy()
        array([1, 2, 1])
    """
    values = _host(input, "unique_consecutive")
    axis = 0 if dim is None else axes.one(dim, values.ndim, "dim")
    rows = values.ravel() if dim is None else np.moveaxis(values, axis, 0)
    rows = rows.reshape(rows.shape[0], -1)
    starts = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)]) if len(rows) else np.zeros(0, bool)
    indices = np.flatnonzero(starts)
    elements = (
        _pick_flat(input, Tensor(indices), input.shape) if dim is None else index_select(input, axis, Tensor(indices))
    )
    number = np.cumsum(starts) - 1
    out = [elements]
    if return_inverse:
        out.append(Tensor((number.reshape(values.shape) if dim is None else number).astype(np.int64)))
    if return_counts:
        out.append(Tensor(np.diff(np.append(indices, len(rows))).astype(np.int64)))
    return out[0] if len(out) == 1 else tuple(out)


primitives(
    """\
EmbeddingLookup()(input_params, input_indices, offset=0) -> _rows(input_params, input_indices, offset)
    Return the rows `input_indices - offset` of a table; zeros where that is out of range.
""",
    globals(),
)
