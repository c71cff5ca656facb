"""The distance of two arrays, and the tolerance for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The largest difference of two arrays of float32 that agree, relative to their largest value.
TOLERANCES = {
    "parameters": 1e-6,
    "forward": 1e-5,
    "training": 1e-5,
    "loss": 1e-5,
    "gradients": 2e-4,
    "updates": 2e-3,
    "metric": 1e-3,
}
# Of shorter floats, in all stages.
SHORT = {"float16": 2e-2, "bfloat16": 1e-1}


@dataclass(frozen=True)
class Distance:
    """The distance of two arrays of the same shape.

    Args:
        max: The largest difference of two elements.
        mean: The mean difference.
        relative: The largest difference over the largest value of either array.
        cosine: The cosine of the angle between both as vectors; 1 if both are zero.
        finite: Whether NaN and infinities are at the same places.
    """

    max: float = 0.0
    mean: float = 0.0
    relative: float = 0.0
    cosine: float = 1.0
    finite: bool = True


def distance(reference: np.ndarray, got: np.ndarray, where: np.ndarray | None = None) -> Distance:
    """Return the distance of two arrays of the same shape, over the elements that `where` selects."""
    a, b = flat(reference), flat(got)
    if where is not None:
        a, b = a[where.ravel()], b[where.ravel()]
    odd = ~np.isfinite(a) | ~np.isfinite(b)
    finite = bool(np.array_equal(a[odd], b[odd], equal_nan=True))
    a, b = a[~odd], b[~odd]
    if not a.size:
        return Distance(finite=finite)
    difference = np.abs(a - b)
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    cosine = float(a @ b) / lengths if lengths else float(not largest)
    top = float(difference.max())
    return Distance(top, float(difference.mean()), top / largest if largest else 0.0, min(cosine, 1.0), finite)


def flat(array: np.ndarray) -> np.ndarray:
    """Return the elements as float64, those of complex numbers as two."""
    array = np.ravel(array)
    parts = array.astype(np.complex128).view(np.float64) if array.dtype.kind == "c" else array
    return parts.astype(np.float64)


def tolerance(stage: str, *dtypes: str) -> float:
    """Return the tolerance for arrays of a stage, relative to the largest value."""
    return max([TOLERANCES[stage], *(SHORT[dtype] for dtype in dtypes if dtype in SHORT)])


def same_but_ones(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether the shapes are equal but for axes of length 1."""
    return [n for n in a.shape if n != 1] == [n for n in b.shape if n != 1]


def close(a: np.ndarray, b: np.ndarray, within: float = 1e-4) -> bool:
    """Return whether two arrays have the same shape and are equal except for rounding."""
    if a.shape != b.shape or not a.size:
        return False
    apart = distance(a, b)
    return apart.finite and apart.relative <= within


def judged(apart: Distance, allowed: float, least: float = 0.0) -> str:
    """Return the status of a distance."""
    if not apart.finite:
        return "not a number"
    return "same" if apart.relative <= allowed else "rounding" if apart.max <= least else "different"


def error(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float | None:
    """Return the largest relative error of several arrays, None where they cannot be compared."""
    if len(ours) != len(theirs) or any(a.shape != b.shape for a, b in zip(ours, theirs, strict=True)):
        return None
    apart = [distance(a, b) for a, b in zip(ours, theirs, strict=True)]
    return max((d.relative if d.finite else math.inf for d in apart), default=0.0)
