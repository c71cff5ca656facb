"""The differentiated statements, and the function that is made of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Region:
    """Statements of a block whose result is differentiated.

    Args:
        block: The statements of the block.
        first: The index of the first.
        ends: The indices of the `backward` statements; the last of them ends the region.
        apart: The indices of statements that stand before the function: they make an optimizer.
    """

    block: Sequence[ast.stmt]
    first: int
    ends: list[int]
    apart: list[int]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements that move into the function."""
        left_out = {*self.ends, *self.apart}
        return [s for i, s in enumerate(self.block) if self.first <= i <= self.ends[-1] and i not in left_out]


@dataclass
class Function:
    """The function that is differentiated.

    Args:
        name: Its name.
        inputs: The names of its parameters.
        data: Further arguments, which it would otherwise read from outside.
        leaves: Those with respect to which it is differentiated.
        outer: The line that declares assigned names of the outer scope (`nonlocal` or `global`); "" if there are none.
        weights: The expression of the Parameters with respect to which it is differentiated; "" if there are none.
        results: The expressions that it returns; the first is differentiated.
    """

    name: str
    inputs: list[str]
    data: list[str]
    leaves: list[str]
    outer: str
    weights: str
    results: list[str]

    def definition(self, indentation: str, level: str, body: str) -> str:
        """Return the lines that define it, with those of its body, which are a level deeper."""
        head = f"{indentation}def {self.name}({', '.join([*self.inputs, *(['*_'] if self.data else [])])}):\n"
        outer = f"{indentation}{level}{self.outer}\n" if self.outer else ""
        return f"{head}{outer}{body}{indentation}{level}return {', '.join(self.results)}\n"

    def gradient(self, value_and_grad: str) -> str:
        """Return the call that computes its results and the gradient of the first."""
        indices = [str(self.inputs.index(name)) for name in self.leaves]
        position = f"({', '.join(indices)})" if len(indices) > 1 else "".join(indices) or "None"
        has_aux = ", has_aux=True" if len(self.results) > 1 else ""
        function = f"{value_and_grad}({self.name}, {position}, {self.weights or 'None'}{has_aux})"
        return f"{function}({', '.join([*self.inputs, *self.data])})"
