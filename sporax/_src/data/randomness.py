"""Randomness inside operations: the draws for row `i` depend on (seed, operation, epoch, i), never on the worker."""

from __future__ import annotations

import threading

import numpy as np

Key = tuple[int, int, int]  # seed, position of the operation in the pipeline, epoch


class _Local(threading.local):
    key: Key | None = None
    row: int = 0
    generator: np.random.Generator | None = None


_local = _Local()
_eager = np.random.default_rng()
_eager_lock = threading.Lock()


def seed_eager(seed: int) -> None:
    """Seed the draws of operations that are called outside a pipeline."""
    global _eager
    with _eager_lock:
        _eager = np.random.default_rng(seed)


class rows_of:
    """Let operations draw for a key in a block; `at_row` sets the row. It may be used again, but not within itself."""

    __slots__ = ("_key", "_saved")

    def __init__(self, key: Key) -> None:
        self._key = key

    def __enter__(self) -> None:
        self._saved = _local.key, _local.row, _local.generator
        _local.key, _local.row, _local.generator = self._key, 0, None

    def __exit__(self, *_: object) -> None:
        _local.key, _local.row, _local.generator = self._saved


def at_row(row: int) -> None:
    """Start the draws of `row`."""
    _local.row, _local.generator = row, None


def generator() -> np.random.Generator:
    """Return the generator of the current row, or the one for calls outside a pipeline."""
    if _local.key is None:
        return _eager
    if _local.generator is None:
        seed, position, epoch = _local.key
        bits = np.random.Philox(counter=[0, 0, 0, _local.row], key=[(seed << 32) | position, epoch])
        _local.generator = np.random.Generator(bits)
    return _local.generator
