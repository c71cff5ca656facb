"""Operators that make Tensors from sizes and numbers: zeros, full, arange, linspace, eye, one_hot, tril, ..."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import MOST_ELEMENTS, is_variable_size
from sporax._src.base.typing import Array, Shape, Static, number
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.conversion import converted
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, internal, op


def _dtype(dtype: mstype.TypeLike | None, default: Any = np.float32) -> np.dtype:
    return np.dtype(default) if dtype is None else mstype.to_numpy(dtype)


# --- constants ------------------------------------------------------------------------------------------------------


@op(
    ref="references.array.zeros",
    cases=("(2, 3)", "2, ms.int32", "()", "(0, 3)"),
    errors=(("(-1,)", "negative"), ("1.5", "int")),
)
def zeros(size: Shape, dtype: Static = None) -> Array:
    """Return a Tensor of zeros; float32 unless `dtype` says otherwise.

    Args:
        size: The shape, an int or a tuple of ints.
        dtype: The dtype.

    Raises:
        TypeError: If `size` holds something else.
        ValueError: If a size is negative.

    Examples:
        >>> ops.zeros((2,), ms.int32).asnumpy()
        array([0, 0], dtype=int32)
    """
    return jnp.zeros(axes.fixed_sizes(size, "size"), _dtype(dtype))


@op(
    ref="references.array.ones",
    cases=("(2, 3)", "2, ms.int32", "()"),
    errors=(("(-1,)", "negative"),),
)
def ones(shape: Shape, dtype: Static = None) -> Array:
    """Return a Tensor of ones; float32 unless `dtype` says otherwise.

    Args:
        shape: The shape, an int or a tuple of ints.
        dtype: The dtype.

    Raises:
        TypeError: If `shape` holds something else.
        ValueError: If a size is negative.

    Examples:
        >>> ops.ones((2,), ms.int32).asnumpy()
        array([1, 1], dtype=int32)
    """
    return jnp.ones(axes.fixed_sizes(shape), _dtype(dtype))


@op(
    ref="references.array.full",
    cases=("(2, 3), 7", "(2,), 1.5, dtype=ms.float32", "2, True, dtype=ms.bool_"),
    errors=(("(-1,), 0", "negative"),),
    grad=0,
)
def full(size: Shape, fill_value: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of one value; int64 unless `dtype` says otherwise (MindSpore's default, for floats too).

    Args:
        size: The shape, an int or a tuple of ints.
        fill_value: A number or a 0-d Tensor.
        dtype: The dtype.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.full((2,), 1.5).asnumpy(), ops.full((2,), 1.5, dtype=ms.float32).asnumpy()
        (array([1, 1]), array([1.5, 1.5], dtype=float32))
    """
    return jnp.broadcast_to(converted(fill_value, _dtype(dtype, np.int64)), axes.fixed_sizes(size, "size"))


@op(
    ref="references.array.fill",
    cases=("ms.float32, (2, 3), 7", "ms.int32, (2,), 1.5"),
    errors=(("'x', (2, 3), 7", "expected a dtype such as mindspore.float32"),),
    grad=0,
    primitive="Fill()(dtype, dims, x)",
)
def fill(type: Static, shape: Shape, value: Array) -> Array:
    """Return a Tensor of the given dtype and shape filled with one value.

    Args:
        type: The dtype.
        shape: The shape, an int or a tuple of ints.
        value: A number or a 0-d Tensor.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.fill(ms.float32, (2,), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return full.raw(shape, value, dtype=type)


@op(
    ref="numpy.full_like",
    cases=("T(2, 3), 7.5", "I(3), 2"),
    errors=(("None, 7.5", "operands must be Tensors or numbers"),),
    grad=0,
    method="fills",
    primitive="Fills()",
)
def fills(x: Array, value: Array) -> Array:
    """Return a Tensor of the shape and dtype of x filled with one value.

    Args:
        x: A Tensor.
        value: A number or a 0-d Tensor.

    Examples:
        >>> ops.fills(Tensor([1.0, 2.0]), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return jnp.broadcast_to(converted(value, x.dtype), x.shape)


@op(
    ref="references.array.full_like",
    cases=("T(2, 3), 7.5", "I(3), 2", "I(3), 1.5, dtype=ms.float32"),
    errors=(("None, 7.5", "operands must be Tensors or numbers"),),
    grad=0,
)
def full_like(input: Array, fill_value: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of the input's shape filled with one value.

    Args:
        input: A Tensor.
        fill_value: A number or a 0-d Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.full_like(Tensor([1.0, 2.0]), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    return jnp.broadcast_to(converted(fill_value, _dtype(dtype, input.dtype)), input.shape)


@op(
    ref="references.array.zeros_like",
    cases=("T(2, 3)", "I(3)", "T(2), dtype=ms.int32"),
    errors=(("None", "operands must be Tensors or numbers"),),
    grad=0,
    primitive="ZerosLike()(x)",
)
def zeros_like(input: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of zeros of the input's shape and, unless given, dtype.

    Args:
        input: A Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.zeros_like(Tensor([1, 2])).asnumpy()
        array([0, 0])
    """
    return jnp.zeros(jnp.shape(input), _dtype(dtype, input.dtype))


@op(
    ref="references.array.ones_like",
    cases=("T(2, 3)", "I(3)", "T(2), dtype=ms.int32"),
    errors=(("None", "operands must be Tensors or numbers"),),
    grad=0,
    primitive="OnesLike()(x)",
)
def ones_like(input: Array, *, dtype: Static = None) -> Array:
    """Return a Tensor of ones of the input's shape and, unless given, dtype.

    Args:
        input: A Tensor.
        dtype: The dtype; None: that of the input.

    Examples:
        >>> ops.ones_like(Tensor([1, 2])).asnumpy()
        array([1, 1])
    """
    return jnp.ones(jnp.shape(input), _dtype(dtype, input.dtype))


# --- sequences of numbers -------------------------------------------------------------------------------------------


def _number(value: object, name: str) -> Any:
    if isinstance(value, (Tensor, np.generic)):
        value = value.item()
    if isinstance(value, bool) or not (isinstance(value, (int, float)) or is_variable_size(value)):
        raise TypeError(f"{name} must be an int or a float, got {type(value).__name__}: {value!r}.")
    return value


@internal("arange")
def _arange(start: Array, step: Array, count: Static, dtype: Static) -> Array:
    position = jax.lax.iota(np.int64, count)
    if jnp.result_type(start).kind == "f" or jnp.result_type(step).kind == "f":
        return converted(jnp.float64(start) + position.astype(np.float64) * jnp.float64(step), dtype)
    return (jnp.int64(start) + position * jnp.int64(step)).astype(dtype)


def _steps(name: str, start: Any, end: Any, step: object, dtype: mstype.TypeLike | None) -> Tensor:
    start, end, step = (_number(v, n) for v, n in ((start, "start"), (end, "end"), (step, "step")))
    if step == 0:
        raise ValueError(f"ops.{name}: step must not be 0.")
    if (end - start) * step < 0:
        raise ValueError(f"ops.{name}: steps of {step} do not lead from {start} to {end}.")
    whole = not any(isinstance(v, float) for v in (start, end, step))
    count = max(-(-(end - start) // step) if whole else math.ceil((end - start) / step), 0)
    return _arange(start, step, count, _dtype(dtype, np.int64 if whole else np.float32))


@composite(
    ref="numpy.arange",
    cases=("3", "1, 5, 2", "0, 1, 0.25", "5, 0, -2"),
    errors=(("0, 3, 0", "step"), ("'a'", "end"), ("10, 1", "do not lead")),
)
def arange(start: object = 0, end: object = None, step: object = 1, *, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return the numbers from `start` up to, not including, `end` in steps of `step`.

    Args:
        start, end, step: Numbers; with one number it is `end`, and `start` is 0.
        dtype: The dtype; int64 if all numbers are integers, else float32.

    Raises:
        TypeError: If one is not a number.
        ValueError: If `step` is 0, or leads away from `end`.

    Examples:
        >>> ops.arange(3).asnumpy()
        array([0, 1, 2])
    """
    return _steps("arange", 0, start, step, dtype) if end is None else _steps("arange", start, end, step, dtype)


@composite(
    name="range",
    ref="references.array.arange",
    cases=("0, 4, 1", "5, 0, -2"),
    errors=(("0, 3, 0", "step"),),
    primitive="Range(maxlen=1000000)(start, end, step)",
    aliases="tensor_range(start, end, step)",
)
def range_(start: object, end: object, step: object = 1, maxlen: int = 1000000) -> Tensor:
    """Return the numbers from `start` up to, not including, `end` in steps of `step`; `maxlen` has no effect.

    Args:
        start, end, step: Numbers.
        maxlen: Accepted for MindSpore programs.

    Returns:
        A Tensor, int64 if all numbers are integers, else float32.

    Raises:
        TypeError: If one is not a number.
        ValueError: If `step` is 0, or leads away from `end`.

    Examples:
        >>> ops.range(1, 6, 2).asnumpy()
        array([1, 3, 5])
    """
    return _steps("range", start, end, step, None)


@op(
    ref="references.array.linspace",
    cases=("0, 1, 5", "2.0, -3.0, 4", "0, 1, 1"),
    errors=(("0, 1, 0", "steps"),),
    primitive="LinSpace()(start, stop, num)",
)
def linspace(start: Array, end: Array, steps: Static) -> Array:
    """Return `steps` numbers at equal distances from `start` to `end`, both included.

    Args:
        start, end: Numbers or 0-d Tensors.
        steps: How many.

    Returns:
        A Tensor (steps,), float32, or float64 if `start` or `end` is a float64 Tensor.

    Raises:
        ValueError: If `steps` is not a positive int.

    Examples:
        >>> ops.linspace(0, 1, 5).asnumpy()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"steps must be a positive int, got {steps!r}.")
    dtype = next(
        (x.dtype for x in (start, end) if hasattr(x, "dtype") and x.dtype == np.float64 and not x.aval.weak_type),
        np.float32,
    )
    return jnp.linspace(jnp.asarray(start).astype(dtype), jnp.asarray(end).astype(dtype), steps, dtype=dtype)


@op(
    ref="references.array.logspace",
    cases=("0.0, 1.0, 3", "D(0.0), D(2.0), 3, 2"),
    errors=(("0.0, 1.0, -1", "steps"),),
    grad=0,
    tol=1e-5,
)
def logspace(start: Array, end: Array, steps: Static, base: int = 10, *, dtype: Static = mstype.float32) -> Array:
    """Return base**x for `steps` numbers x at equal distances from `start` to `end`.

    Args:
        start, end: The first and the last x, numbers or 0-d Tensors.
        steps: How many.
        base: The base.
        dtype: The dtype of the result.

    Raises:
        ValueError: If `steps` is negative or no int.

    Examples:
        >>> ops.logspace(0.0, 2.0, 3).asnumpy()
        array([  1.,  10., 100.], dtype=float32)
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        raise ValueError(f"steps must be a non-negative int, got {steps!r}.")
    powers = jnp.linspace(
        jnp.asarray(start).astype(np.float64), jnp.asarray(end).astype(np.float64), steps, dtype=np.float64
    )
    return converted(jnp.power(np.float64(base), powers), mstype.to_numpy(dtype))


# --- numbers that form matrices -----------------------------------------------------------------------------------------


@op(
    ref="references.array.eye",
    cases=("3", "2, 3, ms.int32", "3, 2"),
    errors=(("-1", "negative"), ("1.5", "int"), ("2**62, 0", "n and m must be less than 2**60")),
    primitive="Eye()(n, m, dtype)",
)
def eye(n: Static, m: Static = None, dtype: Static = None) -> Array:
    """Return the (n, m) matrix with ones on its diagonal; float32 unless `dtype` says otherwise.

    Args:
        n: The number of rows.
        m: The number of columns; as many as rows if None.
        dtype: The dtype.

    Raises:
        TypeError: If a size is not an int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.eye(2, 3).asnumpy()
        array([[1., 0., 0.],
               [0., 1., 0.]], dtype=float32)
    """
    rows, columns = axes.fixed_sizes((n, n if m is None else m), "n and m")
    if max(rows, columns) >= MOST_ELEMENTS:
        raise ValueError(f"n and m must be less than 2**60, got {(rows, columns)}.")
    return jnp.eye(rows, columns, dtype=_dtype(dtype))


@op(
    ref="references.array.one_hot",
    cases=("D([0, 2, -1, 5], np.int32), 3", "I(2, 3, low=0, high=4), 4, 1.5, 0.5", "I(2, 3, low=0), 5, 1, 0, 1"),
    errors=(("T(2), 3", "integer"), ("I(2), -1", "depth"), ("I(2), 3, 1, 0, 5", "[-2, 2)")),
    grad=0,
)
def one_hot(
    indices: Array, depth: Static, on_value: Array = number(1), off_value: Array = number(0), axis: int = -1
) -> Array:
    """Return `on_value` where the position along a new axis is the index, `off_value` elsewhere.

    Args:
        indices: An integer Tensor.
        depth: The size of the new axis; indices outside of [0, depth) mark nothing.
        on_value, off_value: Numbers or 0-d Tensors; their dtype is the result's (int64 or float32 for Python numbers).
        axis: The position of the new axis.

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
    position = jax.lax.broadcasted_iota(indices.dtype, (*indices.shape[:axis], depth, *indices.shape[axis:]), axis)
    return jnp.where(position == jnp.expand_dims(indices, axis), on, off)


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
    ("2**40, 1", "row and col make more than 268435456 indices, got 1099511627776 and 1"),
    ("10**5, 10**5", "row and col make more than 268435456 indices, got 100000 and 100000"),
    ("2, 2, 1.5", "offset must be an int, got float: 1.5"),
)


_MOST_INDICES = 2**28  # of a triangle: 4 GiB of indices


def triangle(names: str, rows: int, columns: int, offset: int, is_lower: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and column indices of a matrix's lower or upper triangle; `names` are those of the sizes.

    Raises:
        ValueError: If there are too many.
    """
    rows, columns, offset = int(rows), int(columns), math.floor(offset)  # NumPy takes floats
    if rows <= _MOST_INDICES and columns < MOST_ELEMENTS:
        edge = np.clip(np.arange(rows) + np.clip(offset, -rows, columns) + is_lower, 0, columns)  # of each row
        counts = edge if is_lower else columns - edge
        total = int(counts.sum(dtype=np.float64))
        if total <= _MOST_INDICES:
            first = np.repeat(np.cumsum(counts) - counts - (0 if is_lower else edge), counts)
            return np.repeat(np.arange(rows), counts), np.arange(total) - first
    raise ValueError(f"{names} make more than {_MOST_INDICES} indices, got {rows} and {columns}.")


@op(
    ref="references.array.tril_indices",
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
        TypeError: If a size or the offset is not an int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.tril_indices(2, 2).asnumpy()
        array([[0, 1, 1],
               [0, 0, 1]])
    """
    rows, columns = axes.count(row, "row"), axes.count(col, "col")
    indices = triangle("row and col", rows, columns, axes.whole(offset, "offset"), is_lower=True)
    return jnp.asarray(np.stack(indices).astype(_dtype(dtype, np.int64)))


@op(
    ref="references.array.triu_indices",
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
        TypeError: If a size or the offset is not an int.
        ValueError: If a size is negative.

    Examples:
        >>> ops.triu_indices(2, 2).asnumpy()
        array([[0, 0, 1],
               [0, 1, 1]])
    """
    rows, columns = axes.count(row, "row"), axes.count(col, "col")
    indices = triangle("row and col", rows, columns, axes.whole(offset, "offset"), is_lower=False)
    return jnp.asarray(np.stack(indices).astype(_dtype(dtype, np.int64)))


@op(
    ref="references.array.vander",
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
        ValueError: If `x` is not a vector.

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
    ref="references.array.sequence_mask",
    cases=("D([1, 3], np.int64), 3", "D([[0], [2]], np.int32), 4"),
    errors=(("T(2), 3", "integer"),),
    grad=0,
)
def sequence_mask(lengths: Tensor, maxlen: int | None = None) -> Tensor:
    """Return a bool Tensor whose last axis is True at the first `lengths` of its `maxlen` positions.

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


primitives(
    """\
FillV2()(shape, value) -> full(shape, value, dtype=value.dtype)
    Return a Tensor of one value, of its dtype.
    shape: The shape, an int or a tuple of ints.
    value: A 0-d Tensor.
    >>> ops.FillV2()((2,), Tensor(1.5)).asnumpy()
    array([1.5, 1.5], dtype=float32)
Zeros()(size, type=None) -> zeros(size, type)
Ones()(size, type=None) -> ones(size, type)
LogSpace(steps: int = 10, base=10, dtype=None)(start, end) -> logspace(start, end, steps, base, dtype=dtype or float32)
    dtype: The dtype of the result; float32 if None.
OneHot(axis=-1)(indices, depth: int, on_value, off_value) -> one_hot(indices, depth, on_value, off_value, axis)
""",
    globals() | {"float32": mstype.float32},
)
