"""Branches on traced conditions: the same answers in both modes, in one graph, without a fallback."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("no_fallback")


def branches(x):
    if x > 0:
        y = x * 2
    elif x > -5:
        y = -x
    else:
        y = x * 0
    return y


def early_return(x):
    if x > 10:
        return x
    if x > 5:
        return x + 100
    return -x


def logic(x):
    if (x > 0 and x < 5) or not x > -5:
        return x + 1
    return x


def conditional_expression(x):
    return x + 1 if x > 0 else x - 1


def chained(x):
    y = x = ops.abs(x) + 1
    while x < 20:
        x = x * 2
        if x > 15:
            break
        y = y + x
    return x + y


def skipping(x):
    s = x * 0
    for i in range(6):
        if i == 3:
            continue
        if x > i:
            s = s + i
    return s


def nested_loops(x):
    n = 0
    while x > 0:
        x = x - 1
        y = x
        while y > 0:
            y = y - 2
            n = n + 1
    return x + n


def numbers_become_tensors(x):
    k = 0
    if x > 0:
        k = 3
    return x + k


def undefined_before(x):
    if x > 0:
        z = x + 1
    else:
        z = x - 1
    return z


def undefined_before_a_branch_in_a_loop(x):
    total = x * 0
    for k in (1, 2):
        if x > 0:
            z = x + k
        else:
            z = x - k
        z = z * 2
        total = total + z
    return total


def list_in_loop(x):
    out = []
    for i in range(3):
        out.append(x * i)
    return out[0] + out[1] + out[2]


def comprehension(x):
    return sum([x * i for i in range(4)]) + max([1, 2])


def traced_range(x):
    total = x * 0
    for i in range(ops.abs(x).astype(ms.int32)):
        total = total + i
    return total


def inner_function(x):
    def square(v):
        return v * v if v > 0 else v

    add = lambda v, k=2: v + k
    return add(square(x))


def item_assignment(x):
    y = ops.zeros((3,), ms.float32)
    if x > 0:
        y[1] = x
    return y.sum()


PROGRAMS = [branches, early_return, logic, conditional_expression, chained, skipping, nested_loops, numbers_become_tensors,
            undefined_before, undefined_before_a_branch_in_a_loop, list_in_loop, comprehension, traced_range, inner_function,
            item_assignment]  # fmt: skip


@pytest.mark.parametrize("value", [3.0, -3.0, 7.0, -7.0, 12.0])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_programs(program, value) -> None:
    """The graph's answer is that of plain Python; another value needs no other graph."""
    want = program(Tensor(value))
    got = ms.jit(program, fullgraph=True)(Tensor(value))
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "program", [branches, early_return, logic, conditional_expression, undefined_before, inner_function]
)
def test_gradients_through_branches(program) -> None:
    """The gradient of the branch taken, in a graph as in PyNative mode."""
    for value in (3.0, -3.0, 7.0, 12.0):
        want = ms.grad(program)(Tensor(value))
        got = ms.jit(ms.grad(program), fullgraph=True)(Tensor(value))
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)


def test_parameters_written_in_a_branch(mode) -> None:
    """A branch that is not taken leaves Parameters alone."""

    class Gate(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)
            self.w = Parameter(Tensor(2.0), name="w")

        def bump(self):
            ops.assign_add(self.count, Tensor(1.0))

        def construct(self, x):
            if x > 0:
                self.bump()
            return x * self.w

    net = Gate()
    for value in (1.0, -1.0, 2.0):
        net(Tensor(value))
    assert float(net.count) == 2.0
    assert float(ms.grad(net, None, net.w)(Tensor(3.0))) == 3.0
    assert float(net.count) == 3.0


def test_overflow_guard_of_the_guide(mode) -> None:
    """`if all_finite(grads): optimizer(grads)` inside a compiled step leaves out an overflowing update."""
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([w], 0.1)

    @ms.jit
    def step(grad):
        if ms.amp.all_finite(grad):
            optimizer((grad,))
        return grad

    step(Tensor([1.0]))
    assert abs(float(w) - 0.9) < 1e-6
    step(Tensor([float("inf")]))
    assert abs(float(w) - 0.9) < 1e-6


def test_conditions_that_a_comment_states() -> None:
    """`# @jit.cond: True` or `False` behind an `if` stands for its condition when the graph is built."""

    @ms.jit(fullgraph=True)
    def stated(x):
        if x == 2:  # @jit.cond: False
            return x * 0
        elif x == 3:  # @jit.cond: True
            return x * 10
        return x

    assert [int(stated(Tensor(n))) for n in (2, 3, 4)] == [20, 30, 40]


@pytest.mark.parametrize(
    ("kind", "match"), [(bool, "truth value"), (int, "Only one element"), (float, "Only one element")]
)
def test_numbers_of_several_elements(kind, match: str) -> None:
    """In a graph as in PyNative mode `bool`, `int` and `float` take Tensors of one element."""
    fn = ms.jit(lambda x: kind(x) + 0)
    assert float(fn(Tensor([[2.0]]))) == kind(2.0)
    with pytest.raises(ValueError, match=match):
        fn(Tensor([1.0, 2.0]))
