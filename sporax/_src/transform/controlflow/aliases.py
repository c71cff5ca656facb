"""Tensors that may be views, which only a run can decide: a branch selects them, or a loop carries them.

A graph may read them. When one is written in place, or its possible base is written before it is read, the changed
Tensors are unknown in the graph, and the program runs in PyNative mode.
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
    """The lens of a view of which only the shape is known."""

    def read(self, operands: Sequence[Any], index: int) -> Tensor:
        raise NeedsValue(
            "a Tensor that a branch or a loop selected is read after a write to its possible base; copy() it first"
        )

    def put_back(self, operands: Sequence[Any], index: int, value: Tensor) -> Tensor:
        raise NeedsValue(
            "a Tensor that a branch or a loop selected is written in place; it may be a view of another one; copy() it first"
        )

    def put_at(self, target: Tensor, indices: Tensor, value: Tensor) -> Tensor:
        return self.put_back((target,), 0, value)

    def strided(self, operands: Sequence[Any], index: int, memory: np.ndarray) -> np.ndarray | None:
        return np.empty(operands[1], np.int8)


_UNKNOWN = _Unknown()


def shared(leaves: Iterable[Tensor]) -> list[Tensor | None]:
    """Return for each Tensor the root it shares elements with: its base if it is a view, itself if it has views, else None."""
    return [root_of(t) if t._view is not None or has_views(t) else None for t in leaves]


def shared_by_branch(leaves: Sequence[Tensor]) -> list[Tensor | None]:
    """Like `shared`, for the results of a branch; a Tensor from before the branch is shared as well."""
    before = [t if is_tracer(t._data) and not is_of_current_trace(t._data) else None for t in leaves]
    return [b if s is None else s for s, b in zip(shared(leaves), before, strict=True)]


def mark(tensors: Sequence[Tensor], sources: Sequence[Tensor | None]) -> None:
    """Mark Tensors whose originals share elements with `sources`."""
    for tensor, source in zip(tensors, sources, strict=True):
        if source is not None and tensor is not source and not isinstance(tensor, ComputedNumber):
            link(tensor, _UNKNOWN, (source, tensor._data.shape))
