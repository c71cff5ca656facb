"""Constant folding of scalars: a branch on a number computed from constants alone is chosen while the graph is built.

A Tensor that is not a Parameter and is never assigned is a constant of the graph (`if self.keep_prob < 1.0`). Results
computed from it are traced values. This module records how they were computed, and evaluates them when a branch needs
one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from sporax._src.base.jax_compat import is_tracer
from sporax._src.core.tensor import Tensor


class Known(NamedTuple):
    """How a number was computed.

    Args:
        fn: The function over arrays.
        inputs: Its arguments: arrays, numbers and other Known.
        out: Its result in the trace.
    """

    fn: Callable[..., Any]
    inputs: tuple[Any, ...]
    out: Any

    def value(self) -> Any:
        """Compute the number."""
        return self.fn(*[x.value() if isinstance(x, Known) else x for x in self.inputs])


def remember(tensor: Tensor, fn: Callable[..., Any], operands: Sequence[Any], data: Sequence[Any]) -> None:
    """Record how a result was computed, if it and all operands are scalars known while the graph is built."""
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
    """Return a condition as a bool if it is known while the graph is built, otherwise unchanged."""
    known = _of(value)
    if known is None or not is_tracer(value._data):
        return value
    with jax.ensure_compile_time_eval():
        return bool(known.value())
