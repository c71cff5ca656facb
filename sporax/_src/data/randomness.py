"""Randomness inside operations: the draws for row `i` depend on (seed, operation, epoch, i), never on the worker."""

from __future__ import annotations

import threading

import numpy as np

Key = tuple[int, int, int]  # seed, position of the operation in the pipeline, epoch


_eager = np.random.default_rng()
_eager_lock = threading.Lock()


def seed_eager(seed: int) -> None:
    """Seed the draws of operations that are called outside a pipeline."""
    global _eager
    with _eager_lock:
        _eager = np.random.default_rng(seed)


class rows_of:
    """Let operations draw for a key in a block; `at` sets the row. It may be used again, but not within itself."""

    __slots__ = ("_generator", "_key", "_outer", "_row")

    def __init__(self, key: Key) -> None:
        self._key = key
        self._outer: rows_of | None = None
        self._generator: np.random.Generator | None = None
        self._row = 0

    def __enter__(self) -> rows_of:
        self._outer, _local.draws = _local.draws, self
        return self

    def __exit__(self, *_: object) -> None:
        _local.draws = self._outer

    def at(self, row: int) -> None:
        """Start the draws of `row`."""
        self._row, self._generator = row, None

    def generator(self) -> np.random.Generator:
        """Return the generator of the row."""
        if self._generator is None:
            seed, position, epoch = self._key
            bits = np.random.Philox(counter=[0, 0, 0, self._row], key=[(seed << 32) | position, epoch])
            self._generator = np.random.Generator(bits)
        return self._generator


class _Local(threading.local):
    draws: rows_of | None = None


_local = _Local()


def generator() -> np.random.Generator:
    """Return the generator of the current row, or the one for calls outside a pipeline."""
    return _eager if _local.draws is None else _local.draws.generator()
