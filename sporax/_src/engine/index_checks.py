"""Indices out of range are errors on the CPU: at once in PyNative mode, before or after the run of a graph.

A row that gathers or scatters has `bounds=`, a function of its arguments. For each index it returns a name, the index, and the
sizes of the indexed axes. An index must lie in [-size, size); for classes, which do not count from the end, a fourth element is
the least valid index. As in MindSpore, other devices check nothing: reads out of range give zeros there, writes are
    dropped. For a loss the function returns no index; it warns of shapes that differ, on every device (see
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
    """An index: its name, the size of the indexed axis for each of its columns, and the least valid index (None: -size)."""

    name: str
    sizes: tuple[int, ...]
    least: int | None = None

    def text(self, index: int, size: int) -> str:
        """Return the error message for an index."""
        least = -size if self.least is None else self.least
        return f"{self.name} should be in the range [{least}, {size}), but got {index}."


OUT_OF_RANGE = HiddenState.of(
    (3,), np.int64
)  # the first site with an index out of range (0: none), the index, the size
SITES: list[Site] = []
LOOK = "look_at_index_"  # the prefix of the operation's name, before the number of its site


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
    """Return the name of an argument in MindSpore's errors: `For 'GatherNd', the 'indices'`."""
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
    """Record in the running trace whether an index is out of range, unless an earlier one is recorded."""
    if not index.size:
        return
    site = Site(name, tuple(sizes.reshape(-1).tolist()), least)
    if site not in SITES:
        SITES.append(site)  # two threads may add it twice; the first entry is used
    OUT_OF_RANGE.adopt(_looking_at(SITES.index(site))(jnp.asarray(OUT_OF_RANGE._data), index))


@functools.cache
def _looking_at(number: int) -> Callable[[Any, Any], Any]:
    """Return the operation that checks an index and records an error, unless an earlier error is recorded."""
    _, sizes, least = SITES[number]

    def look(first: Array, index: Array) -> Any:
        counted = index.reshape(-1, len(sizes)).astype(np.int64)  # one column for each indexed axis
        for low, high, size in zip(counted.min(0), counted.max(0), sizes, strict=True):
            outside = (low < (-size if least is None else least)) | (high >= size)
            here = jnp.stack([jnp.int64(number + 1), jnp.where(high >= size, high, low), jnp.int64(size)])
            first = jnp.where((first[0] == 0) & outside, here, first)
        return first

    look.__name__ = f"{LOOK}{number}"
    return jax.jit(look)


def output_index(states: Sequence[Any]) -> int | None:
    """Return the position of the out-of-range state among the states that a graph writes."""
    return next((i for i, s in enumerate(states) if s is OUT_OF_RANGE), None)


def first_of(batch: Array) -> Any:
    """Return the first error of a batch of runs, which are stacked along the first axis."""
    return batch[jnp.argmax(batch[:, 0] != 0)]


def check_run(value: Array) -> None:
    """Raise the error that a run of a graph has recorded, if any.

    Raises:
        IndexOutOfRange: If an index was out of range.
    """
    if is_tracer(value):  # the graph runs within a trace of JAX's own, which nothing can be raised from
        return
    number, index, size = np.asarray(value).tolist()
    if number:
        raise IndexOutOfRange(SITES[number - 1].text(index, size))


def classes(scores: Array, target: Array, ignore_index: int) -> list[tuple[str, Any, int]]:
    """Return the bounds of the classes of samples that are not ignored; a target of floats holds probabilities."""
    if target.dtype.kind not in "iub":
        return []
    if not is_tracer(target):
        target = np.asarray(target)  # JAX would compile the selection for each shape
    where = jnp.where if is_tracer(target) else np.where
    return [("target", where(is_ignored(target, ignore_index), 0, target), scores.shape[min(scores.ndim - 1, 1)])]


def is_ignored(target: Array, ignore_index: int) -> Array:
    """Return which targets are `ignore_index`. Where their dtype cannot hold it, as -100 in uint8, it is none of them."""
    if target.dtype.kind == "b" or jnp.iinfo(target.dtype).min <= ignore_index <= jnp.iinfo(target.dtype).max:
        return target == ignore_index
    return np.zeros(target.shape, bool)
