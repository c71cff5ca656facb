"""Chains of elementwise operations over many groups of arrays, as one operation of JAX.

An optimizer's update of all Parameters is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.operation import Operation

# The operations, in the order of the kernel's `Operator`.
OPERATORS: dict[str, Callable[..., Array]] = {
    "add": lax.add, "sub": lax.sub, "mul": lax.mul, "div": lax.div, "max": lax.max, "min": lax.min, "neg": lax.neg,
    "abs": lax.abs, "sign": lax.sign, "sqrt": lax.sqrt, "rsqrt": lax.rsqrt, "gt": lax.gt, "ge": lax.ge, "lt": lax.lt,
    "le": lax.le, "eq": lax.eq, "ne": lax.ne, "select_n": lax.select_n,
}  # fmt: skip


class Program(NamedTuple):
    """A chain of elementwise operations.

    Its values have numbers: first the inputs, then the constants, then the results of the steps.

    Attributes:
        inputs: How many inputs there are.
        constants: Numbers.
        steps: For each step the name of its operation and the numbers of its operands.
        outputs: The numbers of the values that it returns.
    """

    inputs: int
    constants: tuple[float, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[int, ...]

    def groups(self, arrays: Sequence[Any]) -> list[Sequence[Any]]:
        """Return the inputs of each group."""
        return [arrays[i : i + self.inputs] for i in range(0, len(arrays), self.inputs)]


def _computed(*arrays: Array, program: Program, reused: tuple[tuple[int, int], ...]) -> tuple[Array, ...]:
    return tuple(out for group in program.groups(arrays) for out in _of_group(program, group))


def results(*avals: Any, program: Program, reused: object) -> list[Any]:
    """Return for each result an operand of its shape and dtype."""
    return [next(x for x in group if x.ndim) for group in program.groups(avals) for _ in program.outputs]


def _of_group(program: Program, arrays: Sequence[Array]) -> list[Array]:
    shape = next(x.shape for x in arrays if x.ndim)
    values = [lax.broadcast(x, shape) if x.ndim == 0 else x for x in arrays]
    values += [lax.full_like(values[0], number) for number in program.constants]
    for name, operands in program.steps:
        values.append(OPERATORS[name](*(values[i] for i in operands)))
    return [values[i] for i in program.outputs]


# `(*arrays, program, reused) -> results`: the arrays are float32, the inputs of one group after the other, numbers or of the shape
# of the group. `reused` has positions of inputs and of the results that may take their memory.
elementwise = Operation("elementwise", _computed, results)
