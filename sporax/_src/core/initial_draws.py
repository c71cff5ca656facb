"""Draws of initial values, equal to MindSpore's: each uses Philox with a seed from NumPy's global generator.

After `numpy.random.seed(s)`, and so after `set_seed(s)`, the layers of a program get the weights that MindSpore gives them, and
later draws from NumPy are equal too. Philox 4x32-10 is that of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
(2011); its counter begins at the seed times 2⁶⁴.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_ROUNDS = 10
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_COUNTERS = 1 << 14  # at a time, so that their words fit the cache
_PI, _SMALLEST, _ROOT_TWO = (float(np.float32(value)) for value in (3.1415926, 1e-7, 1.4142135))


class _Fixed(threading.local):
    seed: int | None = None


_fixed = _Fixed()


def uniform(arr: np.ndarray, low: float, high: float, seed: int | None = None) -> None:
    """Fill an array with draws from U(low, high) of a seed, by default a new one."""
    low, high = _single(low, high)
    _fill(arr, seed, lambda words: (high - low) * (words * 2.0**-32) + low)


def normal(arr: np.ndarray, mean: float, sigma: float, seed: int | None = None) -> None:
    """Fill an array with draws from N(mean, sigma²) of a seed, by default a new one, by Box and Muller's transform."""
    mean, sigma = _single(mean, sigma)

    def draws(words: np.ndarray) -> np.ndarray:
        first, second = np.maximum((words & np.uint32(0x7FFFFF)) * 2.0**-23, _SMALLEST).reshape(-1, 2).T
        radius, angle = np.sqrt(-2.0 * np.log(first)) * sigma, 2.0 * _PI * second
        return mean + np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1)

    _fill(arr, seed, draws)


def truncated_normal(
    arr: np.ndarray, mean: float, sigma: float, low: float, high: float, seed: int | None = None
) -> None:
    """Fill an array with draws from N(mean, sigma²) between two values, like `normal`, by the inverse of its distribution."""
    from scipy import special  # importing it takes a tenth of a second

    mean, sigma, low, high = _single(mean, sigma, low, high)
    begin, end = (special.erfc(-(limit - mean) / sigma / _ROOT_TWO) / 2 for limit in (low, high))
    if not end - begin > 1e-9:
        raise ValueError(
            f"initializer: TruncatedNormal: nothing of N({mean:g}, {sigma:g}²) lies in [{low:g}, {high:g}]."
        )
    smallest = np.finfo(np.float32).smallest_subnormal

    def draws(words: np.ndarray) -> np.ndarray:
        share = begin + words * 2.0**-32 * (end - begin)
        return mean - sigma * _ROOT_TWO * special.erfcinv(np.clip(2 * share, smallest, 2.0))

    _fill(arr, seed, draws)


def _fill(arr: np.ndarray, seed: int | None, draws: Callable[[np.ndarray], np.ndarray]) -> None:
    """Fill an array with what `draws` makes of the words of a seed, of which it gets an even number at a time."""
    seed = new_seed() if seed is None else int(seed)
    flat = arr.reshape(-1)
    for start in range(0, flat.size, 4 * _COUNTERS):
        part = flat[start : start + 4 * _COUNTERS]
        words = np.stack(_philox(seed, start // 4, -(-part.size // 4)), -1).astype(np.uint32).reshape(-1)
        part[:] = draws(words)[: part.size]
    if not np.shares_memory(flat, arr):
        arr[...] = flat.reshape(arr.shape)


class seeded:
    """A block in which all draws use one seed; with None, each takes a new one."""

    def __init__(self, seed: int | None) -> None:
        self._seed = seed

    def __enter__(self) -> None:
        self._before, _fixed.seed = _fixed.seed, self._seed

    def __exit__(self, *_: object) -> None:
        _fixed.seed = self._before


def new_seed() -> int:
    """Return a seed from NumPy's generator, or that of the block (see `seeded`)."""
    if _fixed.seed is not None:
        return _fixed.seed
    return int(np.random.randint(1, 1 << 63, dtype=np.int64))


def _single(*numbers: float) -> list[float]:
    """Return numbers as they are after a pass through float32."""
    return [float(np.float32(number)) for number in numbers]


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
