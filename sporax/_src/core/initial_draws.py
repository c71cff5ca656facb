"""Draws of initial values, equal to MindSpore's: each uses Philox with a seed from NumPy's global generator.

After `numpy.random.seed(s)`, and so after `set_seed(s)`, the layers of a program get the weights that MindSpore gives them, and
later draws from NumPy are equal too. Philox 4x32-10 is that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
(2011); its counter begins at the seed times 2⁶⁴.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_ROUNDS = 10
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_BLOCKS = 1 << 14  # counters at a time, so that their words fit the cache
_PI, _SMALLEST, _ROOT_TWO = (float(np.float32(value)) for value in (3.1415926, 1e-7, 1.4142135))


def uniform(low: float, high: float, shape: Sequence[int], seed: int | None = None) -> np.ndarray:
    """Return draws from U(low, high) of a seed, by default a new one, in float64."""
    low, high = _single(low, high)
    return (high - low) * _fractions(_seed(seed), math.prod(shape)).reshape(shape) + low


def normal(mean: float, sigma: float, shape: Sequence[int], seed: int | None = None) -> np.ndarray:
    """Return draws from N(mean, sigma²) of a seed, by default a new one, in float64, by Box and Muller's transform."""
    mean, sigma = _single(mean, sigma)
    size = math.prod(shape)
    words = _words(_seed(seed), size + size % 2) & np.uint32(0x7FFFFF)
    first, second = np.maximum(words * 2.0**-23, _SMALLEST).reshape(-1, 2).T
    radius, angle = np.sqrt(-2.0 * np.log(first)) * sigma, 2.0 * _PI * second
    return mean + np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1)[:size].reshape(shape)


def truncated_normal(
    mean: float, sigma: float, low: float, high: float, shape: Sequence[int], seed: int | None = None
) -> np.ndarray:
    """Return draws from N(mean, sigma²) between two values, like `normal`, by the inverse of its distribution."""
    from scipy import special  # importing it takes a tenth of a second

    mean, sigma, low, high = _single(mean, sigma, low, high)
    begin, end = (special.erfc(-(limit - mean) / sigma / _ROOT_TWO) / 2 for limit in (low, high))
    if not end - begin > 1e-9:
        raise ValueError(
            f"initializer: TruncatedNormal: nothing of N({mean:g}, {sigma:g}²) lies in [{low:g}, {high:g}]."
        )
    share = begin + _fractions(_seed(seed), math.prod(shape)).reshape(shape) * (end - begin)
    return mean - sigma * _ROOT_TWO * special.erfcinv(np.clip(2 * share, np.finfo(np.float32).smallest_subnormal, 2.0))


def _seed(value: int | None) -> int:
    return int(np.random.randint(1, 1 << 63, dtype=np.int64)) if value is None else int(value)


def _single(*numbers: float) -> list[float]:
    """Return numbers as they are after a pass through float32."""
    return [float(np.float32(number)) for number in numbers]


def _fractions(seed: int, size: int) -> np.ndarray:
    return _words(seed, size) * 2.0**-32


def _words(seed: int, size: int) -> np.ndarray:
    """Return the first words of the generator of a seed, as uint32."""
    words = np.empty((-(-size // 4), 4), np.uint32)
    for start in range(0, len(words), _BLOCKS):
        block = words[start : start + _BLOCKS]
        for column, values in zip(block.T, _philox(seed, start, len(block)), strict=True):
            column[:] = values
    return words.reshape(-1)[:size]


def _philox(seed: int, start: int, count: int) -> Sequence[Any]:
    """Return the four words of each of `count` counters."""
    key = (seed & 0xFFFFFFFF, seed >> 32)
    a = np.arange(start, start + count, dtype=np.uint64)
    return philox((a & _LOW, a >> _HALF, *(np.full(count, half, np.uint64) for half in key)), key)


def philox(counters: Sequence[Any], key: Sequence[int]) -> Sequence[Any]:
    """Return the four words of counters, of which uint64 hold the four parts, under the two parts of a key."""
    a, b, c, d = counters
    for _ in range(_ROUNDS):
        left, right = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b = (right >> _HALF) ^ b ^ np.uint64(key[0]), right & _LOW
        c, d = (left >> _HALF) ^ d ^ np.uint64(key[1]), left & _LOW
        key = [(part + step) & 0xFFFFFFFF for part, step in zip(key, _WEYL, strict=True)]
    return a, b, c, d
