"""Randomness inside operations: the draws for row `i` depend on (seed, operation, epoch, i), never on the worker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def rows_of(key: Key) -> Iterator[None]:
    """Let operations draw for `key` in this block; `at_row` sets the row."""
    saved = _local.key, _local.row, _local.generator
    _local.key, _local.row, _local.generator = key, 0, None
    try:
        yield
    finally:
        _local.key, _local.row, _local.generator = saved


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
