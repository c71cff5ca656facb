"""The little language in which op rows state their sample calls, e.g. `"T(2, 3), axis=1"`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from sporax._src.core import dtype as mstype
from sporax._src.core.sparse import COOTensor, CSRTensor
from sporax._src.core.tensor import Tensor

SPARSE = (sparse.csr_array, sparse.coo_array)


class Sampler:
    """Makes the arrays a case asks for: the same ones for the same case, every time."""

    def __init__(self, case: str) -> None:
        self._rng = np.random.default_rng(list(case.encode()))

    def names(self) -> dict[str, Any]:
        """Return what a case may use.

        T (float32), P (positive), U (in (0, 1)), I (int32), B (bool), C (complex64), D (given); CSR and COO of a matrix:
        two of three elements of it, as a sparse matrix.
        """
        rng = self._rng
        return {
            "T": lambda *s: rng.standard_normal(s).astype(np.float32),
            "P": lambda *s: (rng.random(s) + 0.5).astype(np.float32),
            "U": lambda *s: (rng.random(s) * 0.8 + 0.1).astype(np.float32),
            "I": lambda *s, low=-5, high=5, dtype=np.int32: rng.integers(low, high, s).astype(dtype),
            "B": lambda *s: rng.random(s) < 0.5,
            "C": lambda *s: (rng.standard_normal(s) + 1j * rng.standard_normal(s)).astype(np.complex64),
            "D": lambda values, dtype=np.float32: np.asarray(values, dtype),
            "CSR": lambda matrix: sparse.csr_array(_thinned(matrix)),
            "COO": lambda matrix: sparse.csr_array(_thinned(matrix)).tocoo(),
            "np": np,
            "ms": mstype,
        }


def _thinned(matrix: np.ndarray) -> np.ndarray:
    rows, columns = np.indices(matrix.shape)
    return np.where((rows + columns) % 3, matrix, 0).astype(matrix.dtype)


def parse(case: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a case."""
    names = Sampler(case).names()
    return eval(f"(lambda *a, **k: (a, k))({case})", names)


def values_of(array: Any) -> np.ndarray:
    """Return an array, or the values that a sparse matrix holds."""
    return array.data if isinstance(array, SPARSE) else array


def moved(array: Any, step: np.ndarray) -> Any:
    """Return an array, or a sparse matrix, with `step` added to its values."""
    if isinstance(array, sparse.csr_array):
        return sparse.csr_array((array.data + step, array.indices, array.indptr), array.shape)
    if isinstance(array, sparse.coo_array):
        return sparse.coo_array((array.data + step, array.coords), array.shape)
    return array + step


def to_tensors(value: Any) -> Any:
    """Return the nested value with NumPy arrays, and sparse matrices, replaced by Tensors."""
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, sparse.csr_array):
        return CSRTensor(Tensor(value.indptr), Tensor(value.indices), Tensor(value.data), value.shape)
    if isinstance(value, sparse.coo_array):
        return COOTensor(Tensor(np.stack(value.coords, 1)), Tensor(value.data), value.shape)
    if isinstance(value, (tuple, list)):
        return type(value)(to_tensors(v) for v in value)
    if isinstance(value, dict):
        return {k: to_tensors(v) for k, v in value.items()}
    return value
