"""Single numbers of constants are known while a graph is built."""

import pytest

import sporax as ms
from sporax import Tensor, ops

RATE = Tensor(0.25)


def test_a_branch_on_a_constant_is_chosen_while_the_graph_is_built() -> None:
    """So its two sides may differ in ways that those of a graph cannot."""

    def program(x):
        if RATE * 2 + 0.1 < 1.0:
            return x + 1
        return ops.concat([x, x])

    assert ms.jit(program, fullgraph=True)(Tensor([1.0])).tolist() == [2.0]


def test_a_branch_on_an_argument_is_not() -> None:
    def program(x):
        if x.sum() * RATE < 1.0:
            return x + 1
        return ops.concat([x, x])

    with pytest.raises(RuntimeError, match="cannot be compiled as one graph"):
        ms.jit(program, fullgraph=True)(Tensor([1.0]))
