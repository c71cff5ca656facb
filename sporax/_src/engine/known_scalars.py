"""Single numbers that a graph computes from constants alone: a branch on one is chosen while the graph is built.

A Tensor that is no Parameter and that nothing assigns is a constant of the graph (`if self.keep_prob < 1.0`). What is computed
from it is a value of the trace all the same; here it is remembered how, and computed when a branch asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.tensor import Tensor


class Known(NamedTuple):
    """How a number came to be.

    Args:
        fn: The function over arrays.
        inputs: What it was given: arrays, numbers and other Known.
        out: What it returned in the trace.
    """

    fn: Callable[..., Any]
    inputs: tuple[Any, ...]
    out: Any

    def value(self) -> Any:
        """Compute it."""
        return self.fn(*[x.value() if isinstance(x, Known) else x for x in self.inputs])


def remember(tensor: Tensor, fn: Callable[..., Any], operands: Sequence[Any], data: Sequence[Any]) -> None:
    """Note of a result how it came to be, if it and all operands are single numbers known while the graph is built."""
    if getattr(tensor._data, "size", 0) != 1:
        return
    inputs = []
    for operand, array in zip(operands, data, strict=True):
        known = _of(operand)
        if known is None and (is_tracer(array) or getattr(array, "size", 1) != 1):
            return
        inputs.append(array if known is None else known)
    tensor._known_scalar = Known(fn, tuple(inputs), tensor._data)


def _of(operand: Any) -> Known | None:
    known = operand._known_scalar if isinstance(operand, Tensor) else None
    return known if known is not None and known.out is operand._data else None


def settled(value: Any) -> Any:
    """Return a condition as a bool, if it is known while the graph is built; or as it is."""
    known = _of(value)
    if known is None or not is_tracer(value._data):
        return value
    with jax.ensure_compile_time_eval():
        return bool(known.value())
