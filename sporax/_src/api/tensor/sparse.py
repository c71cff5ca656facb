"""Methods and operators of sparse Tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.bindings.adapters import adapt
from sporax._src.core.sparse import COOTensor, CSRTensor, SparseBase
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import TABLE
from sporax._src.ops.sparse.arithmetic import (
    by_dense,
    coalesce,
    coo_add,
    csr_add,
    csr_mm,
    same_shape,
)
from sporax._src.ops.sparse.sparse import by_rows, scatter


def _method(name: str, *kinds: type[SparseBase]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of a sparse Tensor as the method `name`."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        for kind in kinds:
            setattr(kind, name, fn)
        return fn

    return register


def _methods(kind: type[SparseBase], lines: str) -> None:
    """Register lines of a table (see `adapters`) as methods of a kind of sparse Tensor."""
    rows = {name: row.public for name, row in TABLE.items()}
    for name, fn in adapt(lines, rows, kind.__name__, operand="self").items():
        setattr(kind, name, fn)


_methods(
    CSRTensor,
    """
to_coo() -> csr_to_coo(self)
    Return the COOTensor with the same values.
to_dense() -> csr_to_dense(self)
    Return the dense matrix; indices that occur twice are added up.
sum(axis) -> csr_reduce_sum(self, axis)
    Return the sums of the rows, of shape (rows, 1, ...).
add(b, alpha, beta) -> csr_add(self, b, alpha, beta)
    Return alpha · self + beta · b, which has a value wherever one of them has, also where the sum is 0.
    b: A CSRTensor of the same shape.
__mul__(other) -> csr_mul(self, other)
__truediv__(other) -> csr_div(self, other)
""",
)
_methods(
    COOTensor,
    """
add(other, thresh) -> coo_add(self, other, thresh)
    Return self + other without the sums of two values that are below `thresh`.
    other: A COOTensor of the same shape.
""",
)


def _refusal(symbol: str, x: SparseBase, other: object) -> TypeError:
    kind = type(x).__name__
    wanted = {"CSRTensor+": "a CSRTensor", "COOTensor+": "a COOTensor or a Tensor"}.get(kind + symbol, "a Tensor")
    return TypeError(f"{kind} {symbol} other: other must be {wanted}, got {type(other).__name__}: {describe(other)}.")


# --- both kinds -----------------------------------------------------------------------------------------------------


@_method("astype", COOTensor, CSRTensor)
def _astype(self: Any, dtype: object) -> Any:
    """Return the sparse Tensor with its values in another dtype."""
    return self.with_values(self.values.astype(dtype))


@_method("abs", COOTensor, CSRTensor)
def _abs(self: Any) -> Any:
    """Return the sparse Tensor of absolute values."""
    return self.with_values(self.values.abs())


@_method("__neg__", COOTensor, CSRTensor)
def _neg(self: Any) -> Any:
    return self.with_values(-self.values)


@_method("__sub__", COOTensor, CSRTensor)
def _sub(self: Any, other: Any) -> Any:
    return self + -other if isinstance(other, (Tensor, type(self))) else self + other


# --- CSRTensor ------------------------------------------------------------------------------------------------------


@_method("mv", CSRTensor)
def _mv(self: CSRTensor, dense_vector: Tensor) -> Tensor:
    """Return the product with a vector of shape (columns, 1)."""
    return by_dense("CSRTensor.mv", self, dense_vector, 1)


@_method("mm", CSRTensor)
def _mm(self: CSRTensor, matrix: object) -> Any:
    """Return the product with a dense matrix (a Tensor) or another CSRTensor (a CSRTensor)."""
    return csr_mm(self, matrix) if isinstance(matrix, CSRTensor) else by_dense("CSRTensor.mm", self, matrix)


@_method("__add__", CSRTensor)
def _csr_plus(self: CSRTensor, other: object) -> CSRTensor:
    if not isinstance(other, CSRTensor):
        raise _refusal("+", self, other)
    return csr_add(self, other, Tensor(1, self.dtype), Tensor(1, other.dtype))


# --- COOTensor ------------------------------------------------------------------------------------------------------


@_method("to_csr", COOTensor)
def _to_csr(self: COOTensor) -> CSRTensor:
    """Return the CSRTensor with the same values, sorted by row."""
    return CSRTensor.of_parts((*by_rows(self.indices, self.values, self.shape[0]), self.shape))


@_method("to_dense", COOTensor)
def _coo_to_dense(self: COOTensor) -> Tensor:
    """Return the dense matrix; indices that occur twice are added up."""
    return scatter(self.indices, self.values, self.shape)


@_method("coalesce", COOTensor)
def _coalesce(self: COOTensor) -> COOTensor:
    """Return the COOTensor whose indices are in ascending order, each once, with the sums of the values that share one."""
    indices, values, _ = coalesce(self.indices.transpose(), self.values, Tensor(self.shape))
    return COOTensor.of_parts((indices.transpose(), values, self.shape))


@_method("__add__", COOTensor)
def _coo_plus(self: COOTensor, other: object) -> Any:
    if isinstance(other, COOTensor):
        return coo_add(self, other, Tensor(0, self.dtype))
    if not isinstance(other, Tensor):
        raise _refusal("+", self, other)
    same_shape("COOTensor + Tensor", self, other)
    return scatter(self.indices, self.values, self.shape) + other


@_method("__mul__", COOTensor)
def _coo_times(self: COOTensor, other: object) -> COOTensor:
    return self.with_values(self.values * _at_indices("*", self, other))


@_method("__truediv__", COOTensor)
def _coo_by(self: COOTensor, other: object) -> COOTensor:
    return self.with_values(self.values / _at_indices("/", self, other))


def _at_indices(symbol: str, x: COOTensor, other: object) -> Tensor:
    if not isinstance(other, Tensor):
        raise _refusal(symbol, x, other)
    same_shape(f"COOTensor {symbol} Tensor", x, other)
    return TABLE["gather_nd"].public(other, x.indices)
