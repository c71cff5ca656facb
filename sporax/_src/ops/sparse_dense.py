"""Arithmetic of sparse Tensors with dense ones, and along their rows."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.sparse import CSRTensor
from sporax._src.core.tensor import Tensor
from sporax._src.ops.sparse import matrix, of_kind, rows_of
from sporax._src.ops.table import TABLE, composite, internal, op

_REF = "sporax._src.testing.sparse_references."


@op(
    ref=_REF + "csr_gather",
    cases=(
        "D([0, 1, 3], np.int32), D([1, 0, 2], np.int32), T(2, 3), (2, 3)",
        "D([0, 1], np.int32), D([1], np.int32), T(3), (1, 3)",
    ),
    errors=(("D([0, 1], np.int32), D([1], np.int32), T(2, 3), (1, 3)", "dense must broadcast to shape (1, 3)"),),
)
def csr_gather(indptr: Array, indices: Array, dense: Array, sparse_shape: tuple[int, ...]) -> Array:
    """Return the elements of a dense Tensor at the places of a sparse one.

    Args:
        indptr, indices: The places, as CSRTensor has them.
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


def _with_dense(where: str, symbol: str, x: Any, y: Any) -> Any:
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
def csr_mul(x: CSRTensor, y: Any) -> Any:
    """Return x · y at the places of x: a CSRTensor; with a number, the Tensor of the products alone.

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
def csr_div(x: CSRTensor, y: Any) -> Any:
    """Return x / y at the places of x: a CSRTensor; with a number, the Tensor of the quotients alone.

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


def by_dense(where: str, a: Any, dense: Any, columns: int | None = None) -> Tensor:
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
def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return exp(x) / Σ exp(x) over the values held in each row; empty places stay empty.

    Args:
        logits: A CSRTensor of floats; the result has its dtype.
        dtype: float32 or float64; accepted for MindSpore programs.

    Raises:
        TypeError: If `logits` is no CSRTensor of floats, or `dtype` another one.

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
