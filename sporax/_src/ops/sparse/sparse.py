"""Sparse Tensors and dense ones: conversions, and the operators that act on each stored value."""

from __future__ import annotations

from typing import Any, TypeVar

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.sparse import COOTensor, CSRTensor, SparseBase
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import check_rank, integral
from sporax._src.engine.table import TABLE, composite, internal, op

_REF = "references.sparse."
_Kind = TypeVar("_Kind", bound=SparseBase)


def of_kind(where: str, name: str, value: object, kind: type[_Kind]) -> _Kind:
    """Return a sparse Tensor of a kind.

    Raises:
        TypeError: If `value` is something else.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: {name} must be a {kind.__name__}, got {type(value).__name__}: {describe(value)}.")
    return value


def matrix(where: str, name: str, value: object) -> CSRTensor:
    """Return a CSRTensor of two axes.

    Raises:
        TypeError: If `value` is not a CSRTensor.
        ValueError: If it has more axes.
    """
    value = of_kind(where, name, value, CSRTensor)
    if value.ndim != 2:
        raise ValueError(f"{where}: {name} must have 2 axes, got shape {list(value.shape)}.")
    return value


# --- between the forms ----------------------------------------------------------------------------------------------


def rows_of(indptr: Array, count: int) -> Array:
    """Return the row of each of `count` values."""
    return (jnp.searchsorted(indptr, jnp.arange(count, dtype=indptr.dtype), side="right") - 1).astype(indptr.dtype)


def _vector(x: Array, name: str) -> Array:
    check_rank(integral(x, name, boolean=False), (1,), name)
    return x


@op(
    ref=_REF + "csr2coo",
    cases=("D([0, 2, 2, 3], np.int32), 3", "D([0, 0], np.int64), 0"),
    errors=(
        ("T(4), 3", "indptr must have an integer dtype, got Float32"),
        ("I(2, 2), 3", "indptr must have 1 axes, got shape [2, 2]"),
        ("I(4), -1", "nnz must not be negative, got -1"),
        ("I(4), 1.5", "nnz must be an int, got float: 1.5"),
    ),
    grad=0,
)
def csr2coo(indptr: Array, nnz: int) -> Array:
    """Return the row of each value of a CSRTensor.

    Args:
        indptr: Where each row begins among the values, and where the last ends, of shape (rows + 1,).
        nnz: The number of values.

    Raises:
        TypeError: If `indptr` holds no integers, or `nnz` is not an int.
        ValueError: If `indptr` is not a vector, or `nnz` is negative.

    Examples:
        >>> ops.csr2coo(Tensor([0, 2, 2, 3]), 3).asnumpy()
        array([0, 0, 2])
    """
    return rows_of(_vector(indptr, "indptr"), axes.count(nnz, "nnz"))


@op(
    ref=_REF + "coo2csr",
    cases=("D([0, 0, 2], np.int32), 3", "D([], np.int64), 2"),
    errors=(
        ("T(3), 3", "row_indices must have an integer dtype, got Float32"),
        ("I(2, 2), 3", "row_indices must have 1 axes, got shape [2, 2]"),
        ("I(3), -2", "height must not be negative, got -2"),
    ),
    grad=0,
)
def coo2csr(row_indices: Array, height: int) -> Array:
    """Return where each row begins among values sorted by row, and where the last ends.

    Args:
        row_indices: The row of each value, in ascending order.
        height: The number of rows.

    Raises:
        TypeError: If `row_indices` holds no integers, or `height` is not an int.
        ValueError: If `row_indices` is not a vector, or `height` is negative.

    Examples:
        >>> ops.coo2csr(Tensor([0, 0, 2]), 3).asnumpy()
        array([0, 2, 2, 3])
    """
    starts = jnp.arange(axes.count(height, "height") + 1, dtype=row_indices.dtype)
    return jnp.searchsorted(_vector(row_indices, "row_indices"), starts).astype(row_indices.dtype)


@internal("coo_to_dense")
def scatter(indices: Array, values: Array, shape: tuple[int, ...]) -> Array:
    """Return zeros of a shape with the values added at their indices (N, axes)."""
    return jnp.zeros(shape, values.dtype).at[tuple(indices.T)].add(values, mode="drop")


@internal("coo_to_csr")
def by_rows(indices: Array, values: Array, height: int) -> tuple[Array, Array, Array]:
    """Return row starts, columns and values, sorted by row, of a matrix of `height` rows."""
    order = jnp.argsort(indices[:, 0], stable=True)
    return coo2csr.raw(indices[order, 0], height), indices[order, 1], values[order]


@internal("csr_to_coo")
def _pairs(indptr: Array, indices: Array) -> Array:
    return jnp.stack([rows_of(indptr, indices.shape[0]).astype(indices.dtype), indices], 1)


@internal("sparse_pick")
def pick(values: Array, index: Array) -> Array:
    """Return the values at some indices of the first axis."""
    return values[index]


@composite(ref=_REF + "csr_to_coo", cases=("CSR(T(3, 4))",), errors=(("T(2, 3)", "tensor must be a CSRTensor"),))
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Return a CSRTensor of two axes as a COOTensor with the same values.

    Args:
        tensor: A CSRTensor of two axes.

    Raises:
        TypeError: If `tensor` is not a CSRTensor.
        ValueError: If it has more than two axes.

    Examples:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 4))
        >>> ops.csr_to_coo(x).indices.asnumpy()
        array([[0, 0],
               [1, 1]])
    """
    x = matrix("ops.csr_to_coo", "tensor", tensor)
    return COOTensor.of_parts((_pairs(x.indptr, x.indices), x.values, x.shape))


@composite(ref=_REF + "to_dense", cases=("CSR(T(3, 4))",), errors=(("T(2, 3)", "csr_tensor must be a CSRTensor"),))
def csr_to_dense(csr_tensor: CSRTensor) -> Tensor:
    """Return the dense matrix of a CSRTensor; values of equal indices are added up.

    Args:
        csr_tensor: A CSRTensor of two axes.

    Raises:
        TypeError: If `csr_tensor` is not a CSRTensor.
        ValueError: If it has more than two axes.

    Examples:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 2))
        >>> ops.csr_to_dense(x).asnumpy()
        array([[1., 0.],
               [0., 2.]], dtype=float32)
    """
    x = matrix("ops.csr_to_dense", "csr_tensor", csr_tensor)
    return scatter(_pairs(x.indptr, x.indices), x.values, x.shape)


@composite(
    ref=_REF + "dense_to_coo",
    cases=("D([[1, 0], [0, 2]])", "D([[0, 0]])", "CSR(T(3, 4)).toarray()"),
    errors=(("D([1, 0])", "tensor must have 2 axes"), ("3", "tensor must be a Tensor")),
    method="to_coo",
    jit=False,
)
def dense_to_sparse_coo(tensor: Tensor) -> COOTensor:
    """Return the COOTensor of the nonzero elements of a matrix.

    Args:
        tensor: A Tensor of two axes.

    Raises:
        TypeError: If `tensor` is not a Tensor.
        ValueError: If it has not two axes.

    Examples:
        >>> ops.dense_to_sparse_coo(Tensor([[1.0, 0.0], [0.0, 2.0]])).values.asnumpy()
        array([1., 2.], dtype=float32)
    """
    rows, columns = _nonzero("ops.dense_to_sparse_coo", tensor)
    indices = Tensor(np.stack([rows, columns], 1).astype(np.int32))
    return COOTensor.of_parts((indices, _values_at(tensor, rows, columns), tensor.shape))


@composite(
    ref=_REF + "dense_to_csr",
    cases=("D([[1, 0], [0, 2]])", "D([[0, 0]])", "CSR(T(3, 4)).toarray()"),
    errors=(("D([1, 0])", "tensor must have 2 axes"), ("3", "tensor must be a Tensor")),
    method="to_csr",
    jit=False,
)
def dense_to_sparse_csr(tensor: Tensor) -> CSRTensor:
    """Return the CSRTensor of the nonzero elements of a matrix.

    Args:
        tensor: A Tensor of two axes.

    Raises:
        TypeError: If `tensor` is not a Tensor.
        ValueError: If it has not two axes.

    Examples:
        >>> ops.dense_to_sparse_csr(Tensor([[1.0, 0.0], [0.0, 2.0]])).indptr.asnumpy()
        array([0, 1, 2], dtype=int32)
    """
    rows, columns = _nonzero("ops.dense_to_sparse_csr", tensor)
    starts = np.searchsorted(rows, np.arange(tensor.shape[0] + 1)).astype(np.int32)
    pointers = Tensor(starts), Tensor(columns.astype(np.int32))
    return CSRTensor.of_parts((*pointers, _values_at(tensor, rows, columns), tensor.shape))


def _nonzero(where: str, tensor: object) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{where}: tensor must be a Tensor, got {type(tensor).__name__}: {describe(tensor)}.")
    if tensor.ndim != 2:
        raise ValueError(f"{where}: tensor must have 2 axes, got shape {list(tensor.shape)}.")
    rows, columns = np.nonzero(tensor.asnumpy())
    return rows, columns


def _values_at(tensor: Tensor, rows: np.ndarray, columns: np.ndarray) -> Tensor:
    return pick(tensor.reshape(-1), Tensor(rows * tensor.shape[1] + columns))


# --- value by value -------------------------------------------------------------------------------------------------

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6 "
    "round sigmoid sin sinh softsign sqrt square tan tanh"
).split()
"""The operators that have a form for sparse Tensors: they act on the stored values, and empty positions stay empty."""

_DOC = """Return `ops.{name}` of each value that a {kind} stores; empty positions stay empty, even if {name}(0) is not 0.

    Args:
        x: A {kind}.

    Raises:
        TypeError: If x is something else.

    Examples:
        >>> x = ops.dense_to_sparse_{short}(Tensor([[0.0, 0.5]]))
        >>> ops.{short}_{name}(x).shape
        (1, 2)
    """


def _register(name: str, prefix: str, kind: type[SparseBase]) -> None:
    dense, label = TABLE[name], f"{prefix}_{name}"

    def fn(x: object) -> Any:
        x = of_kind(f"ops.{label}", "x", x, kind)
        return x.with_values(dense.public(x.values))

    fn.__name__ = fn.__qualname__ = label
    fn.__doc__ = _DOC.format(name=name, kind=kind.__name__, short=prefix)
    cases = [f"{prefix.upper()}({case})" for case in dense.cases[:1]]
    errors = (("T(2, 3)", f"ops.{label}: x must be a {kind.__name__}, got Tensor: float32[2, 3]"),)
    composite(ref=_REF + label, cases=cases, errors=errors, grad=dense.grad, tol=dense.tol)(fn)


for _name in UNARY:
    _register(_name, "csr", CSRTensor)
    _register(_name, "coo", COOTensor)
