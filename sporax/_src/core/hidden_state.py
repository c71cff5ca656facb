"""What a run of a graph leaves behind for the checks that follow it."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor


class Pending(Tensor):
    """A state that graphs write and programs never see; between runs it is zero."""

    @classmethod
    def of(cls, shape: tuple[int, ...], dtype: Any) -> Pending:
        """Return a state of zeros."""
        new = object.__new__(cls)
        new._data = np.zeros(shape, dtype)
        return new
