"""Tensors of which only a run knows whether they are views, and of what: a branch has chosen them, or a loop carries them.

A graph reads them as they are. When one is written in place, or is read after what it may be a view of was written, the graph
cannot tell what changes with it, and the program runs uncompiled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import is_of_current_trace, is_tracer
from sporax._src.core.tensor import Tensor
from sporax._src.core.views import has_views, link, root_of
from sporax._src.transform.controlflow.failures import NeedsValue
from sporax._src.transform.controlflow.numbers import ComputedNumber


class _Unknown:
    """What makes a view of which nothing is known but its shape."""

    def read(self, operands: Sequence[Any], index: int) -> Tensor:
        raise NeedsValue(
            "a Tensor is read that a branch or a loop has chosen, after a write into what it may be a view of; copy() it first"
        )

    def put_back(self, operands: Sequence[Any], index: int, value: Tensor) -> Tensor:
        raise NeedsValue(
            "a Tensor is written in place that a branch or a loop has chosen; it may be a view of another one; copy() it first"
        )

    def put_at(self, target: Tensor, indices: Tensor, value: Tensor) -> Tensor:
        return self.put_back((target,), 0, value)

    def strided(self, operands: Sequence[Any], index: int, memory: np.ndarray) -> np.ndarray | None:
        return np.empty(operands[1], np.int8)


_UNKNOWN = _Unknown()


def shared(leaves: Iterable[Tensor]) -> list[Tensor | None]:
    """Return for each Tensor what it shares elements with: its root if it is a view, itself if it has views, or else None."""
    return [root_of(t) if t._view is not None or has_views(t) else None for t in leaves]


def shared_by_branch(leaves: Sequence[Tensor]) -> list[Tensor | None]:
    """Return the same for the Tensors that a branch ends with; one that was there before is shared, too."""
    before = [t if is_tracer(t._data) and not is_of_current_trace(t._data) else None for t in leaves]
    return [b if s is None else s for s, b in zip(shared(leaves), before, strict=True)]


def mark(tensors: Sequence[Tensor], sources: Sequence[Tensor | None]) -> None:
    """Mark Tensors that have taken the place of others which share elements with `sources`."""
    for tensor, source in zip(tensors, sources, strict=True):
        if source is not None and tensor is not source and not isinstance(tensor, ComputedNumber):
            link(tensor, _UNKNOWN, (source, tensor._data.shape))
