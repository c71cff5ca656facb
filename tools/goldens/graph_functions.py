"""Operators as plain source, which graph mode needs to compile them."""

from typing import Any

import mindspore as ms
from mindspore import nn

NAMES = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "lt", "and", "or", "xor")


def arithmetic(name: str, x: Any, y: Any) -> Any:
    """Return an arithmetic operator of x and y; the name is known when the graph is compiled."""
    if name == "add":
        return x + y
    if name == "sub":
        return x - y
    if name == "mul":
        return x * y
    if name == "truediv":
        return x / y
    if name == "floordiv":
        return x // y
    if name == "mod":
        return x % y
    return x**y


def logical(name: str, x: Any, y: Any) -> Any:
    """Return a comparison or a bitwise operator of x and y."""
    if name == "eq":
        return x == y
    if name == "lt":
        return x < y
    if name == "and":
        return x & y
    if name == "or":
        return x | y
    return x ^ y


class Binary(nn.Cell):
    """Apply an operator to two tensors, or to a tensor and a fixed scalar on either side."""

    def __init__(self, name: str, scalar: Any = None, *, scalar_first: bool = False) -> None:
        super().__init__()
        self.name = name
        self.function = logical if name in ("eq", "lt", "and", "or", "xor") else arithmetic
        self.scalar = scalar
        self.scalar_first = scalar_first

    @ms.jit
    def construct(self, x, y=None):
        """Return the operator's value."""
        if self.scalar is None:
            return self.function(self.name, x, y)
        if self.scalar_first:
            return self.function(self.name, self.scalar, x)
        return self.function(self.name, x, self.scalar)
