"""Primitives of sets: the last axis of a Tensor holds one for each index of the axes before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "a-b": np.setdiff1d,
    "b-a": lambda a, b: np.setdiff1d(b, a),
    "intersection": np.intersect1d,
    "union": np.union1d,
}


def _combined(name: str, operation: str, first: Any, second: Any, outer: tuple[int, ...], dtype: Any) -> Any:
    """Return the set of each index as a sparse Tensor: indices, values, shape."""
    if operation.lower() not in _OPERATIONS:
        raise ValueError(f"ops.{name}: set_operation must be one of {', '.join(_OPERATIONS)}, got {operation!r}.")
    combine = _OPERATIONS[operation.lower()]
    sets = [(index, combine(first(index), second(index))) for index in np.ndindex(outer)]
    indices = [(*index, i) for index, elements in sets for i in range(len(elements))]
    values = [value for _, elements in sets for value in elements]
    shape = (*outer, max((len(elements) for _, elements in sets), default=0))
    return (
        Tensor(np.array(indices, np.int64).reshape(-1, len(shape))),
        Tensor(np.array(values, dtype)),
        Tensor(np.array(shape, np.int64)),
    )


@primitive("DenseToDenseSetOperation(set_operation='a-b', validate_indices=True)")
def _dense_to_dense(x1: Tensor, x2: Tensor, set_operation: str, validate_indices: bool) -> tuple[Tensor, ...]:
    """Return difference, intersection or union of the sets of two Tensors, as (indices, values, shape) of a sparse one."""
    a, b = x1.asnumpy(), x2.asnumpy()
    if a.ndim < 2 or a.shape[:-1] != b.shape[:-1]:
        raise ValueError(
            f"ops.DenseToDenseSetOperation: x1 and x2 must agree but for the last axis, got {a.shape} and {b.shape}."
        )
    name = "DenseToDenseSetOperation"
    return _combined(name, set_operation, a.__getitem__, b.__getitem__, a.shape[:-1], a.dtype)


@primitive("DenseToSparseSetOperation(set_operation='a-b', validate_indices=True)")
def _dense_to_sparse(
    x1: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor, set_operation: str, validate_indices: bool
) -> tuple[Tensor, ...]:
    """Return the same where the second Tensor is sparse."""
    a, rows, values = x1.asnumpy(), x2_indices.asnumpy()[:, :-1], x2_values.asnumpy()
    outer = tuple(int(size) for size in x2_shape.asnumpy()[:-1])
    if a.ndim < 2 or a.shape[:-1] != outer:
        raise ValueError(
            f"ops.DenseToSparseSetOperation: x1 and x2 must agree but for the last axis, got {a.shape} and {outer}."
        )

    def second(index: tuple[int, ...]) -> Any:
        return values[(rows == index).all(axis=1)]

    return _combined("DenseToSparseSetOperation", set_operation, a.__getitem__, second, outer, a.dtype)
