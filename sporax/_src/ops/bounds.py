"""Indices out of range are errors on the CPU: at once in PyNative mode, and after the run of a graph.

A row of the table that picks or puts by index says so: `bounds=` is a function of its arguments that returns, for each
index, its name, the index, and the sizes it counts along. An index must lie in [-size, size). On other devices nothing is
looked at, as in MindSpore: reading gives zeros there and writing nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import IndexOutOfRange
from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.pending import Pending
from sporax._src.core.scope import current

Bounds = Callable[..., list[tuple[str, Any, Any]]]

FOUND = Pending.of((3,), np.int64)  # which site found an index out of range first (0: none), the index, the size
_sites: list[str] = []


def check(label: str, bounds: Bounds, data: Sequence[Any]) -> None:
    """Raise an error if an index of a call is out of range; in a trace, leave that to the run of the graph.

    Raises:
        IndexOutOfRange: If a known index is out of range.
    """
    if jax.default_backend() != "cpu":
        return
    for name, index, sizes in bounds(*data):
        if not is_tracer(index):
            _check(name, np.asarray(index), sizes)
        elif current.get() is not None:
            _note(f"{label}: {name}", index, np.asarray(sizes))


def _check(name: str, index: np.ndarray, sizes: int | tuple[int, ...]) -> None:
    if isinstance(sizes, int) and (index.size == 0 or (index.min() >= -sizes and index.max() < sizes)):
        return
    limits = np.broadcast_to(np.asarray(sizes), index.shape)
    outside = (index < -limits) | (index >= limits)
    if outside.any():
        at = int(outside.argmax())
        raise IndexOutOfRange(_text(name, index.flat[at], limits.flat[at]))


def _text(name: str, index: Any, size: Any) -> str:
    return f"{name} must lie in [{-size}, {size}), got {index}."


def _note(name: str, index: Any, sizes: np.ndarray) -> None:
    """Record in the running trace whether an index is out of range, unless another one was before."""
    if not index.size:
        return
    if name not in _sites:
        _sites.append(name)
    counted = index.reshape(-1, sizes.size).astype(np.int64)  # one column for each axis that is counted along
    least, largest = counted.min(0), counted.max(0)
    found = jnp.asarray(FOUND._data)
    for low, high, size in zip(least, largest, sizes.flat, strict=True):
        outside = (low < -size) | (high >= size)
        here = jnp.stack([jnp.int64(_sites.index(name) + 1), jnp.where(high >= size, high, low), jnp.int64(size)])
        found = jnp.where((found[0] == 0) & outside, here, found)
    FOUND.adopt(found)


def place_in(states: Sequence[Any]) -> int | None:
    """Return which of the states that a graph writes says whether an index was out of range."""
    return next((i for i, s in enumerate(states) if s is FOUND), None)


def first_of(batch: Any) -> Any:
    """Return what the runs of a batch, given along a first axis, found first."""
    return batch[jnp.argmax(batch[:, 0] != 0)]


def check_run(value: Any) -> None:
    """Raise the error that a run of a graph found, if it did.

    Raises:
        IndexOutOfRange: If an index was out of range.
    """
    number, index, size = np.asarray(value).tolist()
    if number:
        FOUND.commit(np.zeros(3, np.int64))
        raise IndexOutOfRange(_text(_sites[number - 1], index, size))


def classes(scores: Any, target: Any, ignore_index: int) -> list[tuple[str, Any, int]]:
    """Return where the classes of the samples that count must lie; a target of floats holds probabilities."""
    if jnp.issubdtype(target.dtype, jnp.floating):
        return []
    return [("target", jnp.where(target == ignore_index, 0, target), scores.shape[min(scores.ndim - 1, 1)])]
