"""Arithmetic of sparse Tensors with each other and with dense ones.

The host computes the indices of the result; the values stay on the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, Arrays
from sporax._src.bindings.primitive import primitive
from sporax._src.core import dtype as mstype
from sporax._src.core.sparse import COOTensor, CSRTensor, SparseBase
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import TABLE, composite, internal, op
from sporax._src.ops.sparse.sparse import matrix, of_kind, pick, rows_of

_REF = "references.sparse."


@internal("sparse_sum")
def _summed(values: Array, groups: Array, count: int) -> Array:
    return jax.ops.segment_sum(values, groups, count)


def _flat(x: SparseBase) -> np.ndarray:
    """Return the flat index of each value of a matrix, row by row."""
    if isinstance(x, CSRTensor):
        rows, columns = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr.asnumpy())), x.indices.asnumpy()
    else:
        rows, columns = x.indices.asnumpy().astype(np.int64).T
    return np.asarray(rows * x._shape[1] + columns)


def _merged(values: Tensor, flat: np.ndarray) -> tuple[np.ndarray, Tensor]:
    """Return the distinct positions in ascending order, and the sum of the values at each."""
    positions, groups = np.unique(flat, return_inverse=True)
    return positions, _summed(values, Tensor(groups), len(positions))


def _added(values: Tensor, a: np.ndarray, b: np.ndarray, thresh: Tensor) -> tuple[np.ndarray, Tensor]:
    """Merge the values at positions a and b, without the positions in both whose sum is smaller than `thresh`."""
    positions, sums = _merged(values, np.concatenate([a, b]))
    small = np.abs(sums.asnumpy()) < thresh.asnumpy().reshape(())
    (retained,) = np.nonzero(~(small & np.isin(positions, np.intersect1d(a, b))))
    return (positions, sums) if len(retained) == len(positions) else (positions[retained], pick(sums, Tensor(retained)))


def _coo(positions: np.ndarray, values: Tensor, shape: tuple[int, ...], dtype: np.dtype) -> COOTensor:
    pairs = np.stack(np.divmod(positions, shape[1]), 1)
    return COOTensor.of_parts((Tensor(pairs.astype(dtype)), values, shape))


def _csr(positions: np.ndarray, values: Tensor, shape: tuple[int, ...], dtype: np.dtype) -> CSRTensor:
    starts = np.searchsorted(positions, np.arange(shape[0] + 1) * shape[1])
    return CSRTensor.of_parts(
        (Tensor(starts.astype(dtype)), Tensor((positions % shape[1]).astype(dtype)), values, shape)
    )


def same_shape(where: str, a: Any, b: Any) -> None:
    """Raise ValueError unless two Tensors have one shape."""
    if a.shape != b.shape:
        raise ValueError(f"{where}: both sides must have the same shape, got {list(a.shape)} and {list(b.shape)}.")


def _joined(a: SparseBase, b: SparseBase) -> tuple[Tensor, Any]:
    """Return the values of both in their promoted dtype, and the promoted dtype of their indices."""
    dtype = mstype.from_numpy(mstype.promote(a.values._data.dtype, b.values._data.dtype))
    values = TABLE["cat"].public((a.values.astype(dtype), b.values.astype(dtype)))
    return values, np.promote_types(a.indices._data.dtype, b.indices._data.dtype)


@composite(
    ref=_REF + "csr_add",
    cases=("CSR(T(3, 4)), CSR(T(3, 4) * (np.arange(4) > 1)), D(2.0), D(-1.0)",),
    errors=(
        ("CSR(T(3, 4)), T(3, 4), D(1.0), D(1.0)", "b must be a CSRTensor, got Tensor: float32[3, 4]"),
        ("CSR(T(3, 4)), CSR(T(3, 4)), 1, D(1.0)", "alpha must be a Tensor of one element, got 1"),
        ("CSR(T(3, 4)), CSR(T(3, 4)), D(1.0), T(2)", "beta must be a Tensor of one element, got float32[2]"),
        ("CSR(T(3, 4)), CSR(T(4, 4)), D(1.0), D(1.0)", "both sides must have the same shape, got [3, 4] and [4, 4]"),
    ),
    jit=False,
)
def csr_add(a: CSRTensor, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
    """Return alpha · a + beta · b; positions of either are stored, also where the sum is 0.

    Args:
        a, b: CSRTensors of one shape.
        alpha, beta: Tensors of one element.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes differ.

    Examples:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([2.0, 1.0]), (2, 2))
        >>> ops.csr_add(x, x, Tensor(1.0), Tensor(2.0)).values.asnumpy()
        array([6., 3.], dtype=float32)
    """
    where = "ops.csr_add"
    a, b = matrix(where, "a", a), matrix(where, "b", b)
    for name, factor in (("alpha", alpha), ("beta", beta)):
        if not isinstance(factor, Tensor) or factor.size != 1:
            raise TypeError(f"{where}: {name} must be a Tensor of one element, got {describe(factor)}.")
    same_shape(where, a, b)
    left, right = a.values * alpha.reshape(()).astype(a.dtype), b.values * beta.reshape(()).astype(b.dtype)
    values, dtype = _joined(a.with_values(left), b.with_values(right))
    return _csr(*_merged(values, np.concatenate([_flat(a), _flat(b)])), a.shape, dtype)


@composite(
    ref=_REF + "coo_add",
    cases=("COO(T(3, 4)), COO(T(3, 4) * (np.arange(4) > 1)), D(0.0)", "COO(T(3, 4)), COO(T(3, 4)), D(1.0)"),
    errors=(
        ("COO(T(3, 4)), T(3, 4), D(0.0)", "x2 must be a COOTensor, got Tensor: float32[3, 4]"),
        ("COO(T(3, 4)), COO(T(4, 4)), D(0.0)", "both sides must have the same shape, got [3, 4] and [4, 4]"),
        ("COO(T(3, 4)), COO(T(3, 4)), T(2)", "thresh must be a Tensor of one element, got float32[2]"),
    ),
    jit=False,
)
def coo_add(x1: COOTensor, x2: COOTensor, thresh: Tensor) -> COOTensor:
    """Return x1 + x2 without the positions stored in both where the absolute value of the sum is below `thresh`.

    Args:
        x1, x2: COOTensors of one shape; values of equal indices are added up.
        thresh: A Tensor of one element.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes differ.

    Examples:
        >>> x = COOTensor(Tensor([[0, 0], [1, 1]]), Tensor([2.0, 1.0]), (2, 2))
        >>> ops.coo_add(x, x, Tensor(3.0)).values.asnumpy()
        array([4.], dtype=float32)
    """
    where = "ops.coo_add"
    x1, x2 = of_kind(where, "x1", x1, COOTensor), of_kind(where, "x2", x2, COOTensor)
    if not isinstance(thresh, Tensor) or thresh.size != 1:
        raise TypeError(f"{where}: thresh must be a Tensor of one element, got {describe(thresh)}.")
    same_shape(where, x1, x2)
    values, dtype = _joined(x1, x2)
    positions, sums = _added(values, _flat(x1), _flat(x2), thresh)
    return _coo(positions, sums, x1.shape, dtype)


@primitive("SparseAdd()")
def _sparse_add(
    x1_indices: Tensor,
    x1_values: Tensor,
    x1_shape: Tensor,
    x2_indices: Tensor,
    x2_values: Tensor,
    x2_shape: Tensor,
    thresh: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sum of two sparse Tensors without the positions in both where its absolute value is below `thresh`.

    Args:
        x1_indices, x2_indices: The index of each value along each axis, int64 of shape (N, axes).
        x1_values, x2_values: The values, of shape (N,) and one dtype.
        x1_shape, x2_shape: The dense shape.
        thresh: A Tensor of one real number.

    Returns:
        Indices in ascending order, values, and the dense shape.

    Raises:
        TypeError: If the indices are not int64, or the dtypes of the values or of `thresh` do not fit.
        ValueError: If indices, values and shape do not fit together.

    Examples:
        >>> indices, shape = Tensor([[0, 1], [1, 0]]), Tensor([2, 2])
        >>> x, y = Tensor([1.0, 2.0]), Tensor([3.0, -2.0])
        >>> out = ops.SparseAdd()(indices, x, shape, indices, y, shape, Tensor(1.0))
        >>> out[0].asnumpy().tolist(), out[1].asnumpy().tolist()
        ([[0, 1]], [4.0])
    """
    where, shape = "ops.SparseAdd", tuple(x1_shape.asnumpy().tolist())
    real = mstype.from_numpy(x1_values._data.real.dtype)
    if x1_values.dtype != x2_values.dtype or thresh.dtype != real:
        got = f"{x1_values.dtype}, {x2_values.dtype} and {thresh.dtype}"
        raise TypeError(f"{where}: x1_values, x2_values and thresh must have one dtype, got {got}.")
    for indices, values in ((x1_indices, x1_values), (x2_indices, x2_values)):
        if indices.dtype != mstype.int64:
            raise TypeError(f"{where}: indices must have dtype Int64, got {indices.dtype}.")
        if indices.shape != (values.size, len(shape)):
            raise ValueError(
                f"{where}: indices must have shape {[values.size, len(shape)]}, got {list(indices.shape)}."
            )
    flat = [np.asarray(np.ravel_multi_index(tuple(x.asnumpy().T), shape)) for x in (x1_indices, x2_indices)]
    positions, sums = _added(TABLE["cat"].public((x1_values, x2_values)), flat[0], flat[1], thresh)
    return Tensor(np.stack(np.unravel_index(positions, shape), 1)), sums, x1_shape


@composite(
    ref=_REF + "coalesce",
    cases=("D([[1, 0, 1], [1, 1, 1]], np.int64), T(3), D([2, 2], np.int64)",),
    errors=(("D([[1, 0]], np.int64), T(2), D([2, 2], np.int64)", "x_indices must have shape [2, 2], got [1, 2]"),),
    primitive="Coalesce()",
    jit=False,
)
def coalesce(x_indices: Tensor, x_values: Tensor, x_shape: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct positions in ascending order, and the sum of the values at each.

    Args:
        x_indices: The index of each value along each axis, of shape (axes, N).
        x_values: The values, of shape (N,).
        x_shape: The shape of the dense Tensor.

    Returns:
        Indices, values, and x_shape.

    Raises:
        ValueError: If the shapes do not fit together.

    Examples:
        >>> indices, values, shape = ops.coalesce(Tensor([[0, 0], [1, 1]]), Tensor([1.0, 2.0]), Tensor([2, 2]))
        >>> indices.asnumpy().tolist(), values.asnumpy().tolist()
        ([[0], [1]], [3.0])
    """
    want = [x_shape.size, x_values.size]
    if list(x_indices.shape) != want:
        raise ValueError(f"ops.coalesce: x_indices must have shape {want}, got {list(x_indices.shape)}.")
    shape = tuple(x_shape.asnumpy().tolist())
    positions = np.asarray(np.ravel_multi_index(tuple(x_indices.asnumpy()), shape))
    flat, values = _merged(x_values, positions)
    return Tensor(np.stack(np.unravel_index(flat, shape)).astype(x_indices._data.dtype)), values, x_shape


@internal("coo_concat")
def _concatenated(indices: Arrays, values: Arrays, offsets: tuple[int, ...], axis: int) -> tuple[Array, Array]:
    moved = [i.at[:, axis].add(o) for i, o in zip(mstype.unify(*indices), offsets, strict=True)]
    pairs = jnp.concatenate(moved)
    order = jnp.lexsort((pairs[:, 1], pairs[:, 0]))
    return pairs[order], jnp.concatenate(mstype.unify(*values))[order]


@composite(
    ref=_REF + "coo_concat",
    cases=("(COO(T(3, 4)), COO(T(2, 4)))", "(COO(T(3, 4)), COO(T(3, 2)), COO(T(3, 4))), -1"),
    errors=(
        ("(COO(T(3, 4)),)", "sp_input must be a sequence of at least 2 COOTensors, got 1"),
        ("COO(T(3, 4))", "sp_input must be a sequence of at least 2 COOTensors, got COOTensor"),
        ("(COO(T(3, 4)), T(3, 4))", "sp_input[1] must be a COOTensor"),
        ("(COO(T(3, 4)), COO(T(3, 4))), 2", "concat_dim must be in [-2, 2), got 2"),
        ("(COO(T(3, 4)), COO(T(3, 2)))", "sizes along the other axis must be equal, got [4, 2]"),
    ),
)
def coo_concat(sp_input: Sequence[COOTensor], concat_dim: int = 0) -> COOTensor:
    """Join COOTensors along an axis; the indices of the result are in ascending order.

    Args:
        sp_input: At least two COOTensors, equal in size along the other axis.
        concat_dim: The axis.

    Raises:
        TypeError: If `sp_input` holds something else, their values differ in dtype, or `concat_dim` is not an int.
        ValueError: If there are less than two.
        RuntimeError: If their sizes do not fit.
        IndexError: If there is no such axis.

    Examples:
        >>> x = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2))
        >>> ops.coo_concat((x, x)).shape
        (2, 2)
    """
    where = "ops.coo_concat"
    if not isinstance(sp_input, (tuple, list)) or len(sp_input) < 2:
        got = len(sp_input) if isinstance(sp_input, (tuple, list)) else type(sp_input).__name__
        raise ValueError(f"{where}: sp_input must be a sequence of at least 2 COOTensors, got {got}.")
    tensors = [of_kind(where, f"sp_input[{i}]", x, COOTensor) for i, x in enumerate(sp_input)]
    dtypes = [x.dtype for x in tensors]
    if len(set(dtypes)) > 1:
        raise TypeError(f"{where}: the values must have one dtype, got {', '.join(map(str, dtypes))}.")
    if not isinstance(concat_dim, int):
        raise TypeError(f"{where}: concat_dim must be an int, got {concat_dim!r}.")
    if concat_dim not in (-2, -1, 0, 1):
        raise IndexError(f"{where}: concat_dim must be in [-2, 2), got {concat_dim}.")
    axis = concat_dim % 2
    others = [x.shape[1 - axis] for x in tensors]
    if len(set(others)) > 1:
        raise RuntimeError(f"{where}: sizes along the other axis must be equal, got {others}.")
    ends = np.cumsum([x.shape[axis] for x in tensors]).tolist()
    indices, values = _concatenated([x.indices for x in tensors], [x.values for x in tensors], (0, *ends[:-1]), axis)
    return COOTensor.of_parts((indices, values, (ends[-1], others[0]) if axis == 0 else (others[0], ends[-1])))


@internal("csr_products")
def _products(a: Array, b: Array, left: Array, right: Array, groups: Array, count: int) -> Array:
    a, b = mstype.unify(a, b)
    return jax.ops.segment_sum(a[left] * b[right], groups, count)


def _ordered(x: CSRTensor, transposed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, columns and numbers of the values, sorted by row, of a matrix or its transpose."""
    rows, columns = np.divmod(_flat(x), x.shape[1])
    if transposed:
        rows, columns = columns, rows
    order = np.argsort(rows, kind="stable")
    return rows[order], columns[order], order


@composite(
    ref=_REF + "csr_mm",
    cases=(
        "CSR(T(3, 4)), CSR(T(4, 2))",
        "CSR(T(3, 4)), CSR(T(3, 2)), True",
        "CSR(T(3, 4)), CSR(T(2, 4)), trans_b=True",
        "CSR(C(3, 4)), CSR(C(2, 3)), adjoint_a=True, adjoint_b=True",
    ),
    errors=(
        ("CSR(T(3, 4)), T(4, 2)", "b must be a CSRTensor, got Tensor: float32[4, 2]"),
        ("CSR(T(3, 4)), CSR(T(3, 4))", "columns of the left side must be the rows of the right side, got 4 and 3"),
    ),
    jit=False,
)
def csr_mm(
    a: CSRTensor,
    b: CSRTensor,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> CSRTensor:
    """Return the product of two sparse matrices.

    Args:
        a, b: CSRTensors.
        trans_a, trans_b: Whether to transpose each first.
        adjoint_a, adjoint_b: Whether to transpose and conjugate each first.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes do not fit.

    Examples:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([2.0, 1.0]), (2, 2))
        >>> ops.csr_mm(x, x).values.asnumpy()
        array([4., 1.], dtype=float32)
    """
    where = "ops.csr_mm"
    a, b = matrix(where, "a", a), matrix(where, "b", b)
    (height, inner), (rows, width) = (
        x.shape[::-1] if turned else x.shape for x, turned in ((a, trans_a or adjoint_a), (b, trans_b or adjoint_b))
    )
    if inner != rows:
        raise ValueError(
            f"{where}: the columns of the left side must be the rows of the right side, got {inner} and {rows}."
        )
    a_rows, a_columns, a_order = _ordered(a, trans_a or adjoint_a)
    b_rows, b_columns, b_order = _ordered(b, trans_b or adjoint_b)
    starts = np.searchsorted(b_rows, np.arange(inner + 1))
    counts = np.diff(starts)[a_columns]  # how many values of b each value of a is multiplied with
    left = np.repeat(np.arange(len(a_rows)), counts)
    right = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts) + starts[a_columns[left]]
    positions, groups = np.unique(a_rows[left] * width + b_columns[right], return_inverse=True)
    x, y = [v.values.conj() if turned else v.values for v, turned in ((a, adjoint_a), (b, adjoint_b))]
    products = _products(x, y, Tensor(a_order[left]), Tensor(b_order[right]), Tensor(groups), len(positions))
    dtype = np.promote_types(a.indices._data.dtype, b.indices._data.dtype)
    return _csr(positions, products, (height, width), dtype)


# --- with dense operands, and along rows --------------------------------------------------------------------------------


@op(
    ref=_REF + "csr_gather",
    cases=(
        "D([0, 1, 3], np.int32), D([1, 0, 2], np.int32), T(2, 3), (2, 3)",
        "D([0, 1], np.int32), D([1], np.int32), T(3), (1, 3)",
    ),
    errors=(("D([0, 1], np.int32), D([1], np.int32), T(2, 3), (1, 3)", "dense must broadcast to shape (1, 3)"),),
)
def csr_gather(indptr: Array, indices: Array, dense: Array, sparse_shape: tuple[int, ...]) -> Array:
    """Return the elements of a dense Tensor at the indices of a sparse one.

    Args:
        indptr, indices: The row pointers and column indices, as in a CSRTensor.
        dense: A Tensor that broadcasts to `sparse_shape`.
        sparse_shape: The shape of the sparse Tensor.

    Raises:
        ValueError: If `dense` does not broadcast to `sparse_shape`.

    Examples:
        >>> ops.csr_gather(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 2)).asnumpy()
        array([1., 4.], dtype=float32)
    """
    try:
        full = jnp.broadcast_to(dense, sparse_shape)
    except ValueError:
        raise ValueError(f"dense must broadcast to shape {sparse_shape}, got shape {list(dense.shape)}.") from None
    return full[rows_of(indptr, indices.shape[0]), indices]


def _with_dense(where: str, symbol: str, x: object, y: object) -> Any:
    """Return x ∘ y by value; a number y gives the Tensor of values, as MindSpore has it."""
    x = of_kind(where, "x", x, CSRTensor)
    apply = TABLE[symbol].public
    if not isinstance(y, (Tensor, int, float)):
        raise TypeError(f"{where}: y must be a Tensor or a number, got {type(y).__name__}: {describe(y)}.")
    if not isinstance(y, Tensor) or (y.size == 1 and y.ndim <= x.ndim):
        return apply(x.values, y.reshape(()) if isinstance(y, Tensor) else y)
    return x.with_values(apply(x.values, csr_gather(x.indptr, x.indices, y, x.shape)))


_SCALED = ("CSR(T(3, 4)), P(3, 4)", "CSR(T(3, 4)), P(4)", "CSR(T(3, 4)), 2.0")
_UNFIT = (
    ("T(2, 3), 2.0", "x must be a CSRTensor"),
    ("CSR(T(2, 3)), 'a'", "y must be a Tensor or a number, got str: 'a'"),
)


@composite(ref=_REF + "csr_mul", cases=_SCALED, errors=_UNFIT)
def csr_mul(x: CSRTensor, y: object) -> Any:
    """Return x · y at the indices of x: a CSRTensor; with a number, the Tensor of the products alone.

    Args:
        x: A CSRTensor.
        y: A Tensor that broadcasts to the shape of x, or a number.

    Raises:
        TypeError: If an argument is something else.
        ValueError: If y does not broadcast to the shape of x.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 2))
        >>> ops.csr_mul(x, Tensor([[2.0, 2.0], [3.0, 3.0]])).values.asnumpy()
        array([2., 6.], dtype=float32)
    """
    return _with_dense("ops.csr_mul", "mul", x, y)


@composite(ref=_REF + "csr_div", cases=_SCALED, errors=_UNFIT)
def csr_div(x: CSRTensor, y: object) -> Any:
    """Return x / y at the indices of x: a CSRTensor; with a number, the Tensor of the quotients alone.

    Args:
        x: A CSRTensor.
        y: A Tensor that broadcasts to the shape of x, or a number.

    Raises:
        TypeError: If an argument is something else.
        ValueError: If y does not broadcast to the shape of x.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([4.0, 6.0]), (2, 2))
        >>> ops.csr_div(x, Tensor([[2.0, 2.0], [3.0, 3.0]])).values.asnumpy()
        array([2., 2.], dtype=float32)
    """
    return _with_dense("ops.csr_div", "div", x, y)


@internal("csr_matmul")
def _matmul(indptr: Array, indices: Array, values: Array, dense: Array) -> Array:
    values, dense = mstype.unify(values, dense)
    products = values[:, None] * dense[indices]
    return jax.ops.segment_sum(
        products, rows_of(indptr, indices.shape[0]), indptr.shape[0] - 1, indices_are_sorted=True
    )


def by_dense(where: str, a: object, dense: object, columns: int | None = None) -> Tensor:
    """Return the product of a CSRTensor and a matrix, which has some number of columns.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes do not fit.
    """
    a = matrix(where, "the left side", a)
    if not isinstance(dense, Tensor):
        raise TypeError(f"{where}: the right side must be a Tensor, got {type(dense).__name__}: {describe(dense)}.")
    if dense.ndim != 2 or dense.shape[0] != a.shape[1] or dense.shape[1] != (columns or dense.shape[1]):
        want = f"({a.shape[1]}, {columns or 'any'})"
        raise ValueError(f"{where}: the right side must have shape {want}, got {list(dense.shape)}.")
    return _matmul(a.indptr, a.indices, a.values, dense)


@composite(
    ref=_REF + "product",
    cases=("CSR(T(3, 4)), T(4, 1)",),
    errors=(
        ("CSR(T(3, 4)), T(4, 2)", "the right side must have shape (4, 1), got [4, 2]"),
        ("CSR(T(3, 4)), 1", "the right side must be a Tensor"),
    ),
)
def csr_mv(csr_tensor: CSRTensor, dense: Tensor) -> Tensor:
    """Return the product of a CSRTensor, of shape (M, N), and a vector, of shape (N, 1): shape (M, 1).

    Args:
        csr_tensor: A CSRTensor of two axes.
        dense: A Tensor.

    Raises:
        TypeError: If an argument is not of its kind.
        ValueError: If the shapes do not fit.

    Examples:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([2.0, 1.0]), (2, 2))
        >>> ops.csr_mv(x, Tensor([[1.0], [3.0]])).asnumpy()
        array([[2.],
               [3.]], dtype=float32)
    """
    return by_dense("ops.csr_mv", csr_tensor, dense, 1)


@internal("csr_reduce_sum")
def _row_sums(indptr: Array, values: Array) -> Array:
    rows = rows_of(indptr, values.shape[0])
    return jax.ops.segment_sum(values, rows, indptr.shape[0] - 1, indices_are_sorted=True)[:, None]


@composite(
    ref=_REF + "csr_reduce_sum",
    cases=("CSR(T(3, 4)), 1", "CSR(T(3, 4)), -1"),
    errors=(("CSR(T(3, 4)), 0", "axis must be 1 or -1, got 0"), ("T(2, 3), 1", "csr_tensor must be a CSRTensor")),
)
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Tensor:
    """Return the sums of the rows of a CSRTensor, of shape (rows, 1, ...).

    Args:
        csr_tensor: A CSRTensor.
        axis: The axis of columns: 1, or that counted from the end.

    Raises:
        TypeError: If `csr_tensor` is something else.
        ValueError: If `axis` is another one.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 2, 3]), Tensor([0, 1, 1]), Tensor([1.0, 2.0, 4.0]), (2, 2))
        >>> ops.csr_reduce_sum(x, 1).asnumpy()
        array([[3.],
               [4.]], dtype=float32)
    """
    x = of_kind("ops.csr_reduce_sum", "csr_tensor", csr_tensor, CSRTensor)
    if axis not in (1, 1 - x.ndim):
        raise ValueError(f"ops.csr_reduce_sum: axis must be 1 or {1 - x.ndim}, got {axis}.")
    return _row_sums(x.indptr, x.values)


@internal("csr_softmax")
def _row_softmax(indptr: Array, values: Array) -> Array:
    rows, count = rows_of(indptr, values.shape[0]), indptr.shape[0] - 1
    largest = jax.lax.stop_gradient(jax.ops.segment_max(values, rows, count, indices_are_sorted=True))
    raised = jnp.exp(values - largest[rows])
    return raised / jax.ops.segment_sum(raised, rows, count, indices_are_sorted=True)[rows]


@composite(
    ref=_REF + "csr_softmax",
    cases=("CSR(T(3, 4)), ms.float32",),
    errors=(
        ("T(2, 3), ms.float32", "logits must be a CSRTensor"),
        ("CSR(T(2, 3)), ms.int32", "dtype must be float32 or float64, got Int32"),
        ("CSR(I(2, 3)), ms.float32", "logits must hold floats, got Int32"),
    ),
)
def csr_softmax(logits: CSRTensor, dtype: mstype.TypeLike) -> CSRTensor:
    """Return exp(x) / Σ exp(x) over the values stored in each row; empty positions stay empty.

    Args:
        logits: A CSRTensor of floats; the result has its dtype.
        dtype: float32 or float64; accepted for MindSpore programs.

    Raises:
        TypeError: If `logits` is not a CSRTensor of floats, or `dtype` another one.

    Examples:
        >>> x = ms.CSRTensor(Tensor([0, 2, 3]), Tensor([0, 1, 1]), Tensor([1.0, 1.0, 4.0]), (2, 2))
        >>> ops.csr_softmax(x, ms.float32).values.asnumpy()
        array([0.5, 0.5, 1. ], dtype=float32)
    """
    x = matrix("ops.csr_softmax", "logits", logits)
    if dtype not in (mstype.float32, mstype.float64):
        raise TypeError(f"ops.csr_softmax: dtype must be float32 or float64, got {dtype}.")
    if x.values._data.dtype.kind not in "fV":
        raise TypeError(f"ops.csr_softmax: logits must hold floats, got {x.dtype}.")
    return x.with_values(_row_softmax(x.indptr, x.values))
