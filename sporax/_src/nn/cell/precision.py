"""The precision of a Cell: the casts of `to_float` and of mixed precision by operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.core import tree
from sporax._src.core.dtype import Type, from_numpy
from sporax._src.core.execution import current, running
from sporax._src.core.tensor import is_tensor
from sporax._src.engine.amp import ByOperator
from sporax._src.transform.jit import Jit


def in_dtype(inputs: object, to: Type) -> Any:
    """Return inputs, nested in any way, with the floats among them in a dtype."""
    return tree.map_leaves(
        lambda t: t.astype(to) if t.dtype.is_floating_point and t.dtype != to else t, inputs, is_tensor
    )


def entering(construct: Callable[..., Any], inputs: object, dtype: np.dtype | ByOperator) -> Any:
    """Return the inputs of `construct`: in a graph, floats are cast to the dtype of `to_float`."""
    is_graph = current.get().scope is not None or isinstance(getattr(construct, "__func__", None), Jit)
    return in_dtype(inputs, from_numpy(dtype)) if is_graph and isinstance(dtype, np.dtype) else inputs


def casting(dtype: np.dtype | ByOperator | None) -> running:
    """Make operators cast their float operands to `dtype`, or to the dtype it names for each operator."""
    return running(compute_dtype=dtype)
