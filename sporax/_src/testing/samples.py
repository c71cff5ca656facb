"""The little language in which op rows state their sample calls, e.g. `"T(2, 3), axis=1"`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor


class Sampler:
    """Makes the arrays a case asks for: the same ones for the same case, every time."""

    def __init__(self, case: str) -> None:
        self._rng = np.random.default_rng(list(case.encode()))

    def names(self) -> dict[str, Any]:
        """Return what a case may use: T (float32), P (positive), U (in (0, 1)), I (int32), B (bool), C (complex64), D (given)."""
        rng = self._rng
        return {
            "T": lambda *s: rng.standard_normal(s).astype(np.float32),
            "P": lambda *s: (rng.random(s) + 0.5).astype(np.float32),
            "U": lambda *s: (rng.random(s) * 0.8 + 0.1).astype(np.float32),
            "I": lambda *s, low=-5, high=5, dtype=np.int32: rng.integers(low, high, s).astype(dtype),
            "B": lambda *s: rng.random(s) < 0.5,
            "C": lambda *s: (rng.standard_normal(s) + 1j * rng.standard_normal(s)).astype(np.complex64),
            "D": lambda values, dtype=np.float32: np.asarray(values, dtype),
            "np": np,
            "ms": mstype,
        }


def parse(case: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a case."""
    names = Sampler(case).names()
    return eval(f"(lambda *a, **k: (a, k))({case})", names)


def to_tensors(value: Any) -> Any:
    """Return the nested value with NumPy arrays replaced by Tensors."""
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, (tuple, list)):
        return type(value)(to_tensors(v) for v in value)
    if isinstance(value, dict):
        return {k: to_tensors(v) for k, v in value.items()}
    return value
