"""Operators on the diagonals of matrices: diag, diagonal, diag_embed, trace, matrix_diag, matrix_band_part, ..."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import shaped
from sporax._src.engine.lenses import Lens
from sporax._src.engine.table import composite, internal, op

_REF = "references.array."


@op(ref=_REF + "diag", cases=("T(3)", "T(2, 2)"), errors=(("T()", "at least 1"),), method="diag", primitive="Diag()")
def diag(input: Array) -> Array:
    """Return the Tensor whose element (*i, *i) is input[i], zero elsewhere: of shape (*s, *s) for shape s.

    Args:
        input: A Tensor of at least 1 axis.

    Raises:
        ValueError: If `input` is a scalar.

    Examples:
        >>> ops.diag(Tensor([1, 2])).asnumpy()
        array([[1, 0],
               [0, 2]])
    """
    if input.ndim < 1:
        raise ValueError("input must have at least 1 axis, got a scalar.")
    return jnp.diag(input.ravel()).reshape(*input.shape, *input.shape)


@op(
    ref=_REF + "diag_part",
    cases=("T(3, 3)", "T(2, 3, 2, 3)"),
    errors=(("T(2, 3)", "(*s, *s)"),),
    name="diag_part",
    primitive="DiagPart()",
)
def diag_part(x: Array) -> Array:
    """Return the elements (*i, *i) of a Tensor of shape (*s, *s): the inverse of `diag`.

    Args:
        x: A Tensor of shape (*s, *s).

    Raises:
        ValueError: If it has another shape.

    Examples:
        >>> ops.diag_part(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([1, 4])
    """
    half = x.shape[: x.ndim // 2]
    if x.shape != (*half, *half) or not half:
        raise ValueError(f"x must have a shape (*s, *s), got {x.shape}.")
    n = int(np.prod(half))
    return jnp.diagonal(x.reshape(n, n)).reshape(half)


@op(ref="numpy.diagflat", cases=("T(2, 2)", "T(3), 1", "T(2), -2"), errors=(("None", "operands"),), method="diagflat")
def diagflat(input: Array, offset: int = 0) -> Array:
    """Return the matrix with the input's elements on its diagonal number `offset`.

    Args:
        input: A Tensor; it is flattened.
        offset: The diagonal: 0 the main one, positive above it.

    Examples:
        >>> ops.diagflat(Tensor([1, 2])).asnumpy()
        array([[1, 0],
               [0, 2]])
    """
    return jnp.diagflat(input, offset)


def _diagonal_of_memory(memory: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    return np.diagonal(memory, offset, dim1, dim2)


@op(
    ref="numpy.diagonal",
    cases=("T(3, 3)", "T(2, 3, 4), 1, 0, 2", "T(2, 3), -1"),
    errors=(("T(3)", "at least 2"),),
    view=Lens(lambda value, input, **where: diagonal_scatter.raw(input, value, **where), _diagonal_of_memory),
)
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Return the diagonal number `offset` of the matrices along two axes, as the last axis.

    Args:
        input: A Tensor of at least 2 axes.
        offset: The diagonal: 0 the main one, positive above it.
        dim1, dim2: The axes of the rows and columns.

    Raises:
        ValueError: If `input` has fewer than 2 axes or an axis is out of range.

    Examples:
        >>> ops.diagonal(Tensor([[1, 2], [3, 4]])).asnumpy()
        array([1, 4])
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {input.ndim}.")
    return jnp.diagonal(input, offset, axes.one(dim1, input.ndim, "dim1"), axes.one(dim2, input.ndim, "dim2"))


@op(
    ref="torch.diag_embed",
    cases=("T(2, 3)", "T(3), 1", "T(2, 3), -1, 0, 2"),
    errors=(("T(2), 0, 0, 0", "different"),),
    method="diag_embed",
)
def diag_embed(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """Return Tensors whose matrices along `dim1` and `dim2` have the input's last axis on diagonal number `offset`.

    Args:
        input: A Tensor.
        offset: The diagonal: 0 the main one, positive above it.
        dim1, dim2: The axes of the rows and columns in the result.

    Raises:
        ValueError: If `dim1` and `dim2` are the same axis, or out of range.

    Examples:
        >>> ops.diag_embed(Tensor([1, 2]), 1).asnumpy()
        array([[0, 1, 0],
               [0, 0, 2],
               [0, 0, 0]])
    """
    first, second = axes.one(dim1, input.ndim + 1, "dim1"), axes.one(dim2, input.ndim + 1, "dim2")
    if first == second:
        raise ValueError(f"dim1 and dim2 must be different axes, got {dim1} and {dim2}.")
    n = input.shape[-1] + abs(offset)
    index = jnp.arange(input.shape[-1])
    rows, columns = index + max(-offset, 0), index + max(offset, 0)
    full = jnp.zeros((*input.shape[:-1], n, n), input.dtype).at[..., rows, columns].set(input)
    return jnp.moveaxis(full, (-2, -1), (first, second))


@op(
    ref="torch.diagonal_scatter",
    cases=("T(3, 3), T(3)", "T(3, 3), T(2), 1"),
    errors=(("T(3, 3), T(2)", "shape"),),
    method="diagonal_scatter",
)
def diagonal_scatter(input: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """Return the input with `src` on the diagonal number `offset` of its matrices along two axes.

    Args:
        input: A Tensor of at least 2 axes.
        src: The new diagonal, of the shape of the result of `diagonal`.
        offset: The diagonal: 0 the main one, positive above it.
        dim1, dim2: The axes of the rows and columns.

    Raises:
        ValueError: If `src` has another shape or an axis is out of range.

    Examples:
        >>> ops.diagonal_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0])).asnumpy()
        array([[1., 0.],
               [0., 2.]], dtype=float32)
    """
    first, second = axes.one(dim1, input.ndim, "dim1"), axes.one(dim2, input.ndim, "dim2")
    x = jnp.moveaxis(input, (first, second), (-2, -1))
    count = jnp.diagonal(x, offset, -2, -1).shape[-1]
    if src.shape != (*x.shape[:-2], count):
        raise ValueError(f"src must have the shape {(*x.shape[:-2], count)} of the diagonal, got {src.shape}.")
    index = jnp.arange(count)
    x = x.at[..., index + max(-offset, 0), index + max(offset, 0)].set(src.astype(input.dtype))
    return jnp.moveaxis(x, (-2, -1), (first, second))


@op(
    ref="numpy.trace",
    cases=("T(3, 3)", "T(2, 3)", "D([[1, 2], [3, 4]], np.int32)"),
    errors=(("T(3)", "matrix"),),
    primitive="Trace()",
)
def trace(input: Array) -> Array:
    """Return the sum of the diagonal of a matrix.

    Args:
        input: A Tensor of 2 axes.

    Returns:
        A 0-d Tensor of the dtype of input.

    Raises:
        ValueError: If `input` is not a matrix.

    Examples:
        >>> ops.trace(Tensor([[1, 2], [3, 4]])).asnumpy()
        array(5)
    """
    if input.ndim != 2:
        raise ValueError(f"input must be a matrix, got {input.ndim} axes.")
    return jnp.trace(input, dtype=input.dtype)


@op(
    ref=_REF + "fill_diagonal",
    cases=("T(3, 3), 5.0", "T(5, 2), 5.0", "T(5, 2), 5.0, True"),
    errors=(("T(3), 1.0", "at least 2"),),
    method="fill_diagonal",
    primitive="FillDiagonal(fill_value, wrap=False)",
    name="fill_diagonal",
)
def fill_diagonal(input: Array, fill_value: Array, wrap: bool = False) -> Array:
    """Return the input with its main diagonal filled; of a tall matrix again after every square if `wrap`.

    Args:
        input: A Tensor of at least 2 axes.
        fill_value: A number or a 0-d Tensor.
        wrap: Whether the diagonal of a tall matrix begins again after each square.

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> ops.fill_diagonal(ops.zeros((2, 3)), 5).asnumpy()
        array([[5., 0., 0.],
               [0., 5., 0.]], dtype=float32)
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got {input.ndim}.")
    if input.ndim > 2:
        index = jnp.arange(min(input.shape))
        return input.at[(index,) * input.ndim].set(jnp.asarray(fill_value).astype(input.dtype))
    rows, columns = input.shape
    end = rows * columns if wrap else min(rows, columns) * (columns + 1)
    flat = input.ravel().at[: min(end, rows * columns) : columns + 1].set(jnp.asarray(fill_value).astype(input.dtype))
    return flat.reshape(rows, columns)


@op(ref=_REF + "matrix_band_part", cases=("T(3, 3), 1, 0", "T(2, 3, 4), -1, 1"), errors=(("T(3), 0, 0", "at least 2"),))
def matrix_band_part(x: Array, lower: Array, upper: Array) -> Array:
    """Return the matrices with zeros outside of `lower` diagonals below and `upper` above the main one (-1: all).

    Args:
        x: A Tensor of at least 2 axes.
        lower, upper: Numbers of diagonals, ints or integer Tensors that broadcast against the leading axes.

    Raises:
        ValueError: If `x` has fewer than 2 axes.

    Examples:
        >>> ops.matrix_band_part(ops.ones((3, 3)), 1, 0).asnumpy()
        array([[1., 0., 0.],
               [1., 1., 0.],
               [0., 1., 1.]], dtype=float32)
    """
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 axes, got {x.ndim}.")
    away = jnp.arange(x.shape[-1]) - jnp.arange(x.shape[-2])[:, None]
    lower, upper = (jnp.asarray(count).astype(away.dtype)[..., None, None] for count in (lower, upper))
    keep = ((lower < 0) | (-away <= lower)) & ((upper < 0) | (away <= upper))
    return jnp.where(keep, x, jnp.zeros((), x.dtype))


# --- several diagonals at once (MatrixDiagV3 and its kin) ------------------------------------------------------------

_ALIGN = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _band(k: Any, align: str) -> tuple[int, int]:
    low, high = (k[0], k[-1]) if isinstance(k, tuple) else (k, k)
    if align not in _ALIGN:
        raise ValueError(f"align must be one of {_ALIGN}, got {align!r}.")
    if low > high:
        raise ValueError(f"k must not decrease, got {k}.")
    return low, high


def _packed_indices(
    low: int, high: int, rows: int, columns: int, align: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each (diagonal, index) of the packed form the row, the column and whether it exists."""
    lengths = {d: max(min(rows + min(d, 0), columns - max(d, 0)), 0) for d in range(low, high + 1)}
    longest = max(lengths.values())
    upper, lower = align.split("_")
    row, column, valid = [], [], []
    for d in range(high, low - 1, -1):
        to_right = (upper if d >= 0 else lower) == "RIGHT"
        index = np.arange(longest) - (longest - lengths[d] if to_right else 0)
        row.append(index + max(-d, 0))
        column.append(index + max(d, 0))
        valid.append((index >= 0) & (index < lengths[d]))
    return np.array(row), np.array(column), np.array(valid)


def _within(x: Array, k: object, align: str) -> tuple[Any, ...]:
    """Return the lowest and the highest diagonal of k, and their indices in the matrices x (see `_packed_indices`)."""
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 axes, got {x.ndim}.")
    low, high = _band(k, align)
    return low, high, *_packed_indices(low, high, x.shape[-2], x.shape[-1], align)


def _packed(diagonal: Array, low: int, high: int) -> Array:
    return diagonal[..., None, :] if low == high else diagonal


@internal("matrix_diag")
def _matrix_diag(x: Array, padding: Array, k: Static, rows: Static, columns: Static, align: Static) -> Array:
    low, high = _band(k, align)
    x = _packed(x, low, high)
    if x.shape[-2] != high - low + 1:
        raise ValueError(f"x must hold {high - low + 1} diagonals along axis -2, got {x.shape[-2]}.")
    least_rows, least_columns = x.shape[-1] - min(high, 0), x.shape[-1] + max(low, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = (least_rows if rows == -1 else rows), (least_columns if columns == -1 else columns)
    row, column, valid = _packed_indices(low, high, rows, columns, align)
    full = jnp.broadcast_to(jnp.asarray(padding).astype(x.dtype), (*x.shape[:-2], rows, columns))
    return full.at[..., row[valid], column[valid]].set(x[..., valid])


@composite(
    ref=_REF + "matrix_diag", cases=("T(2, 3)", "T(3)"), errors=(("None", "operands must be Tensors or numbers"),)
)
def matrix_diag(
    x: Tensor,
    k: object = 0,
    num_rows: object = -1,
    num_cols: object = -1,
    padding_value: object = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with given diagonals.

    Args:
        x: The diagonals, the highest first: (..., M), or (..., K, M) for K diagonals, padded as `align` says.
        k: The number of the diagonal, or the lowest and the highest.
        num_rows, num_cols: The sizes of the matrices; -1 infers the least.
        padding_value: The value elsewhere.
        align: Whether diagonals above and below the main one stand `"RIGHT"` or `"LEFT"` in their row of x.

    Raises:
        ValueError: If k decreases, `align` is another, or x holds another number of diagonals.

    Examples:
        >>> ops.matrix_diag(Tensor([1, 2]), k=1).asnumpy()
        array([[0, 1, 0],
               [0, 0, 2],
               [0, 0, 0]])
    """
    return _matrix_diag(x, padding_value, k, num_rows, num_cols, align)


@internal("matrix_diag_part")
def _matrix_diag_part(x: Array, padding: Array, k: Static, align: Static) -> Array:
    low, high, row, column, valid = _within(x, k, align)
    picked = x[..., np.where(valid, row, 0), np.where(valid, column, 0)]
    out = jnp.where(valid, picked, jnp.asarray(padding).astype(x.dtype))
    return out[..., 0, :] if low == high else out


@composite(
    ref=_REF + "matrix_diag_part", cases=("T(2, 3, 3), 0, 0.0", "T(3, 4), 1, 0.0"),
    errors=(("None, 0, 0.0", "operands must be Tensors or numbers"), ("T(3), 0, 0.0", "at least 2 axes")),
)  # fmt: skip
def matrix_diag_part(x: Tensor, k: object, padding_value: object, align: str = "RIGHT_LEFT") -> Tensor:
    """Return the diagonals number `k` (or the lowest to the highest of k) of matrices, as `matrix_diag` takes them.

    Args:
        x: A Tensor of at least 2 axes, matrices along the last two.
        k: The number of the diagonal, or the lowest and the highest.
        padding_value: What fills up the shorter diagonals.
        align: As in `matrix_diag`.

    Raises:
        ValueError: If x has fewer than 2 axes, k decreases or `align` is another.

    Examples:
        >>> ops.matrix_diag_part(Tensor([[1, 2], [3, 4]]), (-1, 0), 9).asnumpy()
        array([[1, 4],
               [3, 9]])
    """
    return _matrix_diag_part(x, padding_value, k, align)


@internal("matrix_set_diag")
def _matrix_set_diag(x: Array, diagonal: Array, k: Static, align: Static) -> Array:
    low, high, row, column, valid = _within(x, k, align)
    count = () if low == high else valid.shape[:1]
    diagonal = shaped(diagonal, (*x.shape[:-2], *count, valid.shape[1]), "diagonal")
    return x.at[..., row[valid], column[valid]].set(_packed(diagonal, low, high)[..., valid].astype(x.dtype))


@composite(
    ref=_REF + "matrix_set_diag", cases=("T(2, 3, 3), T(2, 3)", "T(3, 4), T(3), 1"),
    errors=(("T(2, 3, 3), T(2, 4)", "diagonal must have shape [2, 3], got [2, 4]"), ("T(3), T(3)", "at least 2 axes")),
)  # fmt: skip
def matrix_set_diag(x: Tensor, diagonal: Tensor, k: object = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Return matrices with the given diagonals (see `matrix_diag`) in place of their own.

    Args:
        x: A Tensor of at least 2 axes, matrices along the last two.
        diagonal: The diagonals, as in `matrix_diag`.
        k: The number of the diagonal, or the lowest and the highest.
        align: As in `matrix_diag`.

    Raises:
        ValueError: If x has fewer than 2 axes, k decreases, `align` is another, or the diagonals do not fit.

    Examples:
        >>> ops.matrix_set_diag(Tensor([[1, 2], [3, 4]]), Tensor([8, 9])).asnumpy()
        array([[8, 2],
               [3, 9]])
    """
    return _matrix_set_diag(x, diagonal, k, align)


@op(
    ref="references.encoding.tridiagonal",
    cases=("T(2, 1, 4), T(2, 1, 4), T(2, 1, 4), T(2, 4, 3)", "T(1, 3), T(1, 3), T(1, 3), T(3, 2)"),
    errors=(("T(1, 3), T(1, 4), T(1, 3), T(3, 2)", "diagonals"), ("T(1, 3), T(1, 3), T(1, 3), T(4, 2)", "rhs")),
    name="_tridiagonal_matmul",
    primitive="TridiagonalMatMul()",
)
def tridiagonal_matmul(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    """Return the product of a matrix of three diagonals with another.

    Args:
        superdiag, maindiag, subdiag: Diagonals (..., 1, M); the last of the first and the first of the last do not
            count.
        rhs: A Tensor (..., M, N).

    Returns:
        A Tensor (..., M, N).

    Raises:
        ValueError: If the shapes do not fit.

    Examples:
        >>> ones = ops.ones((1, 3))
        >>> ops.TridiagonalMatMul()(ones, ones, ones, ops.ones((3, 1))).asnumpy()[:, 0]
        array([2., 3., 2.], dtype=float32)
    """
    if not superdiag.shape == maindiag.shape == subdiag.shape:
        raise ValueError(
            f"the diagonals must have one shape, got {list(superdiag.shape)}, {list(maindiag.shape)}, {list(subdiag.shape)}."
        )
    if rhs.ndim != maindiag.ndim or rhs.shape[-2] != maindiag.shape[-1]:
        raise ValueError(f"rhs must have shape [..., {maindiag.shape[-1]}, N], got {list(rhs.shape)}.")
    up, main, low = (jnp.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    pad = [(0, 0)] * (rhs.ndim - 2)
    after = jnp.pad(rhs[..., 1:, :], [*pad, (0, 1), (0, 0)])
    before = jnp.pad(rhs[..., :-1, :], [*pad, (1, 0), (0, 0)])
    return main * rhs + up * after + low * before


@internal("set_diagonal")
def set_diagonal(x: Array, diagonal: Array) -> Array:
    """Return the matrices x with `diagonal` in their main diagonals."""
    shape = (*x.shape[:-2], min(x.shape[-2:])) if x.ndim >= 2 else None
    if diagonal.shape != shape:
        raise ValueError(f"diagonal must have shape {list(shape or ())}, got {list(diagonal.shape)}.")
    index = jnp.arange(diagonal.shape[-1])
    return x.at[..., index, index].set(diagonal.astype(x.dtype))
