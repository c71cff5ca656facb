"""The arrays of sample calls, as pure NumPy: tools that record what other frameworks compute read this file too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

SPARSE = (sparse.csr_array, sparse.coo_array)


class ArraySampler:
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
        }


def _thinned(matrix: np.ndarray) -> np.ndarray:
    rows, columns = np.indices(matrix.shape)
    return np.where((rows + columns) % 3, matrix, 0).astype(matrix.dtype)


def arguments(case: str, **names: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a case, which may also use the further names."""
    return eval(f"(lambda *a, **k: (a, k))({case})", ArraySampler(case).names() | names)


def walk(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the nested arguments with `change` of each item that is no list, tuple or dict."""
    if isinstance(value, (tuple, list)):
        return type(value)(walk(v, change) for v in value)
    if isinstance(value, dict):
        return {k: walk(v, change) for k, v in value.items()}
    return change(value)


def emptied(args: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the arguments with nothing left of the first axis: of the first array, and of those whose first axis is as long.

    None where the first array has no axis, or is empty already.
    """
    found: list[np.ndarray] = []
    walk(tuple(args), lambda v: found.append(v) if isinstance(v, np.ndarray) else None)
    if not found or not found[0].ndim or not found[0].size:
        return None
    length, rank = found[0].shape[0], found[0].ndim

    def change(value: Any) -> Any:
        same = isinstance(value, np.ndarray) and value.ndim == rank and value.shape[0] == length
        return value[:0] if same else value

    return walk(tuple(args), change)


def taken(cls: type, params: Sequence[str]) -> list[str]:
    """Return which of a function's parameters a Primitive class of it takes at construction."""
    return [name for name in inspect.signature(cls).parameters if name in params]


def construction(
    params: Sequence[str], built: Sequence[str], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Divide the arguments of a function among its Primitive class: what is given at construction, and what at the call.

    Args:
        params: The names of the function's parameters.
        built: Those that the class takes at construction.
        args: The positional arguments of the function.
        kwargs: The others.

    Returns:
        Keyword arguments of the construction, and positional arguments of the call.
    """
    bound = dict(zip(params, args, strict=False)) | kwargs
    given = {k: v for k, v in bound.items() if k in built}
    return given, tuple(bound[name] for name in params if name in bound and name not in built)
