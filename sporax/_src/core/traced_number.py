"""A Python number as an operand of a graph, so that another value of it needs no other graph."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")
_UNARY = ("neg", "pos", "abs")


class TracedNumber(Tensor):
    """A number whose value is known only when the graph runs; in arithmetic it yields to the dtypes of Tensors.

    To Python it is the float or int that it stands for; whatever needs its value, its text or its hash cannot be traced.

    Args:
        value: The number, or the weakly typed value that stands for it in a trace.
        kind: `int` or `float`.
    """

    _kind: type

    def __init__(self, value: Array, kind: type) -> None:
        self._data = value
        self._kind = kind

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return self._kind

    def _unknown(self, *_: Any) -> Any:
        raise TypeError("the value of a number is asked for while a graph is built for any value")

    __hash__ = __str__ = __repr__ = __format__ = __reduce_ex__ = __deepcopy__ = _unknown  # type: ignore[assignment]


def is_number(value: Any) -> bool:
    """Tell whether a value is an int or a float, and nothing more special (a bool, a NumPy scalar, a `TracedNumber`)."""
    return type(value) is int or type(value) is float


def _kept(name: str, reverse: bool = False) -> Callable[..., Any]:
    """Return an operation that keeps numbers among themselves numbers, and does with Tensors what Tensors do."""
    apply, method = getattr(operator, name), f"__{'r' * reverse}{name}__"

    def run(self: TracedNumber, *others: Any) -> Any:
        if not all(is_number(o) or type(o) is TracedNumber for o in others):
            return getattr(Tensor, method)(self, *others)
        values = [self._data, *[o._data if type(o) is TracedNumber else o for o in others]]
        out = apply(*(reversed(values) if reverse else values))
        return TracedNumber(out, float if out.dtype.kind == "f" else int)

    return run


for _name in (*_BINARY, *_UNARY):
    setattr(TracedNumber, f"__{_name}__", _kept(_name))
for _name in _BINARY:
    setattr(TracedNumber, f"__r{_name}__", _kept(_name, reverse=True))
