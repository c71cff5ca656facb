"""The little language in which op rows state their sample calls, e.g. `"T(2, 3), axis=1"`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from laws.arrays import SPARSE, ArraySampler, arguments, walk
from sporax._src.core import dtype as mstype
from sporax._src.core.sparse import COOTensor, CSRTensor
from sporax._src.core.tensor import Tensor


class Sampler(ArraySampler):
    """Makes the arrays a case asks for: the same ones for the same case, every time."""

    def names(self) -> dict[str, Any]:
        """Return what a case may use: the arrays of `ArraySampler`, NumPy as `np`, and the dtypes as `ms`."""
        return super().names() | {"ms": mstype}


def parse(case: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a case."""
    return arguments(case, ms=mstype)


def values_of(array: Any) -> np.ndarray:
    """Return an array, or the values that a sparse matrix holds."""
    return array.data if isinstance(array, SPARSE) else array


def moved(array: Any, step: np.ndarray) -> Any:
    """Return an array, or a sparse matrix, with `step` added to its values."""
    if isinstance(array, sparse.csr_array):
        return sparse.csr_array((array.data + step, array.indices, array.indptr), array.shape)
    if isinstance(array, sparse.coo_array):
        return sparse.coo_array((array.data + step, array.coords), array.shape)
    return np.asarray(array + step)  # that of no axes would be a scalar


def to_tensors(value: Any) -> Any:
    """Return the nested value with NumPy arrays, and sparse matrices, replaced by Tensors."""
    return walk(value, to_tensor)


def to_tensor(value: Any) -> Any:
    """Return the Tensor of an array or sparse matrix, anything else as it is."""
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, sparse.csr_array):
        return CSRTensor(Tensor(value.indptr), Tensor(value.indices), Tensor(value.data), value.shape)
    if isinstance(value, sparse.coo_array):
        return COOTensor(Tensor(np.stack(value.coords, 1)), Tensor(value.data), value.shape)
    return value
