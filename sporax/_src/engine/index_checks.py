"""Indices out of range are errors on the CPU: at once in PyNative mode, before or after the run of a graph.

A row of the table that picks or puts by index says so: `bounds=` is a function of its arguments that returns, for each
index, its name, the index, and the sizes it counts along. An index must lie in [-size, size); classes, which do not count from
the end, say the least that there is in a fourth place. On other devices nothing is looked at, as in MindSpore: reading gives
zeros there and writing nothing. A row of a loss returns no index; its function warns of shapes, on every device (see
`arguments.alike`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base import config
from sporax._src.base.errors import IndexOutOfRange
from sporax._src.base.jax_compat import is_tracer
from sporax._src.base.typing import Array
from sporax._src.core.hidden_state import HiddenState
from sporax._src.core.scope import tracing

Bounds = Callable[..., list[tuple[Any, ...]]]


class Site(NamedTuple):
    """An index: what it is called, the sizes that each of its columns counts along, the least there is (None: -size)."""

    name: str
    sizes: tuple[int, ...]
    least: int | None = None

    def text(self, index: int, size: int) -> str:
        """Return what is wrong with an index."""
        least = -size if self.least is None else self.least
        return f"{self.name} should be in the range [{least}, {size}), but got {index}."


OUT_OF_RANGE = HiddenState.of(
    (3,), np.int64
)  # which site found an index out of range first (0: none), the index, the size
SITES: list[Site] = []
LOOK = "look_at_index_"  # the name of the operation that looks, before the number of its site


def check(label: str, bounds: Bounds, data: Sequence[Any]) -> None:
    """Raise an error if an index of a call is out of range; in a trace, leave that to the run of the graph.

    Raises:
        IndexOutOfRange: If a known index is out of range.
    """
    for name, index, sizes, *least in bounds(*data):
        if not config.on_cpu():
            return
        what = _what(label, name)
        if not is_tracer(index):
            _check(what, np.asarray(index), sizes, *least)
        elif tracing():
            _note(f"{label}: {what}", index, np.asarray(sizes), *least)


@functools.cache
def _what(label: str, name: str) -> str:
    """Return how MindSpore's kernels call an argument: `For 'GatherNd', the 'indices'`."""
    namespace, _, function = label.rpartition(".")
    operator = "".join(part.capitalize() for part in function.split("_")) if namespace.startswith("ops") else label
    return f"For '{operator}', " + (f"the '{name}'" if name.isidentifier() else name)


def _check(name: str, index: np.ndarray, sizes: int | tuple[int, ...], least: int | None = None) -> None:
    if isinstance(sizes, int):
        low = -sizes if least is None else least
        if index.size == 0 or (index.min() >= low and index.max() < sizes):
            return
    limits = np.broadcast_to(np.asarray(sizes), index.shape)
    outside = (index < (-limits if least is None else least)) | (index >= limits)
    if outside.any():
        at = int(outside.argmax())
        raise IndexOutOfRange(Site(name, (), least).text(index.flat[at], limits.flat[at]))


def check_at(site: Site, index: np.ndarray) -> None:
    """Raise the error of a site if an index of it is out of range."""
    _check(site.name, index, site.sizes[0] if len(site.sizes) == 1 else site.sizes, site.least)


def _note(name: str, index: Array, sizes: np.ndarray, least: int | None = None) -> None:
    """Record in the running trace whether an index is out of range, unless another one was before."""
    if not index.size:
        return
    site = Site(name, tuple(sizes.reshape(-1).tolist()), least)
    if site not in SITES:
        SITES.append(site)  # if two threads come first it is there twice, and the first of the two serves
    OUT_OF_RANGE.adopt(_looking_at(SITES.index(site))(jnp.asarray(OUT_OF_RANGE._data), index))


@functools.cache
def _looking_at(number: int) -> Callable[[Any, Any], Any]:
    """Return the operation that looks at an index: from what was found before it, to what has been found."""
    _, sizes, least = SITES[number]

    def look(first: Array, index: Array) -> Any:
        counted = index.reshape(-1, len(sizes)).astype(np.int64)  # one column for each axis that is counted along
        for low, high, size in zip(counted.min(0), counted.max(0), sizes, strict=True):
            outside = (low < (-size if least is None else least)) | (high >= size)
            here = jnp.stack([jnp.int64(number + 1), jnp.where(high >= size, high, low), jnp.int64(size)])
            first = jnp.where((first[0] == 0) & outside, here, first)
        return first

    look.__name__ = f"{LOOK}{number}"
    return jax.jit(look)


def output_index(states: Sequence[Any]) -> int | None:
    """Return which of the states that a graph writes says whether an index was out of range."""
    return next((i for i, s in enumerate(states) if s is OUT_OF_RANGE), None)


def first_of(batch: Array) -> Any:
    """Return what the runs of a batch, given along a first axis, found first."""
    return batch[jnp.argmax(batch[:, 0] != 0)]


def check_run(value: Array) -> None:
    """Raise the error that a run of a graph found, if it did.

    Raises:
        IndexOutOfRange: If an index was out of range.
    """
    if is_tracer(value):  # the graph runs within a trace of JAX's own, which nothing can be raised from
        return
    number, index, size = np.asarray(value).tolist()
    if number:
        raise IndexOutOfRange(SITES[number - 1].text(index, size))


def classes(scores: Array, target: Array, ignore_index: int) -> list[tuple[str, Any, int]]:
    """Return where the classes of the samples that count must lie; a target of floats holds probabilities."""
    if jnp.issubdtype(target.dtype, jnp.floating):
        return []
    return [("target", jnp.where(target == ignore_index, 0, target), scores.shape[min(scores.ndim - 1, 1)])]
