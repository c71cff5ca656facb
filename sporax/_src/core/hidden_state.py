"""Hidden outputs of a graph, which the checks after its run read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor

if TYPE_CHECKING:
    from numpy.typing import DTypeLike


class HiddenState(Tensor):
    """A state that graphs write and programs never see: it starts as zeros, and only the call that runs the graph reads it."""

    @classmethod
    def of(cls, shape: tuple[int, ...], dtype: DTypeLike) -> HiddenState:
        """Return a state of zeros."""
        new = object.__new__(cls)
        new._zeros = np.zeros(shape, dtype)
        return new

    _zeros: np.ndarray

    @property
    def _data(self) -> Any:
        scope = current.get().scope
        while scope is not None:
            if id(self) in scope.values:
                return scope.values[id(self)]
            scope = scope.parent
        return self._zeros

    def concrete(self) -> Any:
        """Return the zeros that a run starts with."""
        return self._zeros

    def commit(self, value: Array) -> None:
        """Ignore the value of a run, which belongs to the call that ran it."""

    def adopt(self, value: Array) -> None:
        """Set the value within the running trace; without a trace it is dropped."""
        scope = current.get().scope
        if scope is not None:
            scope.write(self, value)
