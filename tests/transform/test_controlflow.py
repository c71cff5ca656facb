"""Python control flow on traced Tensors: the same answers in both modes, in one graph, without a fallback."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback


@pytest.fixture(autouse=True)
def _no_fallback() -> Iterator[None]:
    """A fallback to PyNative mode fails the test, unless it expects one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        yield


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


def squares_until(x):
    while x < 10:
        x = x * x
    return x


def growth(x):
    y, n = x, 0
    while y < 1000:
        y = y * 1.05 + x
        n += 1
    return y * n


def nested_growth(x):
    t = x * 0
    while t < 10:
        u = x
        while u < 5:
            if u > 2:
                u = u * 1.5
            else:
                u = u * u
        t = t + u * 0.3
    return t


def traced_range_with_break(x):
    s = x * 0
    for i in range((x * 6).astype(ms.int32)):
        s = s + ops.sin(x) * i
        if s > 20:
            break
    return s


def many_iterations(x):
    i = 0
    while i < 200 + x * 0:  # more than the forward remembers
        x = x * 1.001 + 0.001 * ops.sin(x)
        i = i + 1
    return x


LOOPS = [squares_until, growth, nested_growth, traced_range_with_break, many_iterations]


@pytest.mark.parametrize("program", LOOPS, ids=lambda p: p.__name__)
def test_gradient_of_a_loop_of_traced_length(program) -> None:
    """The graph's reverse mode agrees with PyNative mode's tape, for one graph of any length."""
    compiled = ms.jit(ms.grad(program), fullgraph=True)
    for value in (1.5, 2.5, 1.25):
        want = ms.grad(program)(Tensor(value))
        # 1e-5: 200 iterations in float32, fused in the graph and single in PyNative mode
        np.testing.assert_allclose(compiled(Tensor(value)).asnumpy(), want.asnumpy(), rtol=1e-5)


def test_other_derivatives_of_a_loop_of_traced_length() -> None:
    """The second derivative, the forward mode, a compiled function under the tape, each against the formula."""

    def cubes(x):
        while x < 100:
            x = x * x * x
        return x  # x ** 9 for x = 2

    two = Tensor(2.0)
    assert float(ms.jit(ms.grad(ms.grad(cubes)), fullgraph=True)(two)) == 9 * 8 * 2.0**7
    assert [float(v) for v in ms.jvp(cubes, two, Tensor(1.0))] == [2.0**9, 9 * 2.0**8]
    compiled = ms.jit(cubes, fullgraph=True)
    assert float(ms.grad(lambda x: compiled(x) * 2)(two)) == 2 * 9 * 2.0**8


def test_loop_of_traced_length_over_parameters(mode) -> None:
    """Weights that a loop reads have gradients, and what it writes is written once."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")
            self.steps = Parameter(Tensor(0), name="steps", requires_grad=False)

        def construct(self, x):
            while x < 20:
                x = x * self.w
                self.steps += 1
            return x

    net = Net()
    out, (of_x, of_w) = ms.value_and_grad(net, 0, net.w)(Tensor(3.0))
    assert [float(v) for v in (out, of_x, of_w)] == [24.0, 8.0, 3 * 3 * 2.0**2]
    assert int(net.steps) == 3


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


def test_shapes_that_differ_name_the_variable() -> None:
    """Branches of different shapes cannot be one graph: the message names the variable."""

    @ms.jit
    def differing(x):
        y = x
        if x.sum() > 0:
            y = ops.concat((x, x))
        return y

    with pytest.warns(CompileFallback, match=r"'y' has shape \[4\] on one path and \[2\] on the other"):
        assert differing(Tensor([1.0, 2.0])).shape == (4,)
    assert differing(Tensor([-1.0, -2.0])).shape == (2,)


def has(item, items):
    return item in items


def lacks(item, items):
    return item not in items


def test_whole_tensors_in_a_list() -> None:
    """In a graph `in` compares Tensors of the same shape as a whole."""
    a, b = Tensor(np.ones((2, 3), np.float32)), Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    same = Tensor(np.ones((2, 3), np.float32))
    for fn, found in ((has, True), (lacks, False)):
        graph = ms.jit(fn, fullgraph=True)
        assert bool(graph(same, [b, a])) is found
        assert bool(graph(same, [b, b])) is not found


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


# --- conditions of loops that do something ------------------------------------------------------------------------------


def divides(x):
    n, count = int(x), 0
    while 6 // n > 0:
        n, count = n - 1, count + 1
    return count


def reads_what_is_gone(x):
    count, once = 0, x
    while count < x and once < 9:
        count += 1
        if count > 1:
            del once
    return count


@pytest.mark.parametrize(
    ("program", "raises", "error", "ends"),
    [(divides, 4, ZeroDivisionError, 7), (reads_what_is_gone, 4, UnboundLocalError, 0)],
)
def test_a_condition_raises_after_some_iterations(program, raises, error, ends) -> None:
    graph = ms.jit(program, fullgraph=True)
    for run in (program, graph):
        with pytest.raises(error):
            run(Tensor(raises))
        assert run(Tensor(ends)) == 0


def test_a_condition_writes_and_prints(mode, capsys) -> None:
    """Once for each time that Python would evaluate it."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.sum = Parameter(Tensor(0.0), name="sum", requires_grad=False)

        def more(self, x):
            ops.assign_add(self.sum, x)
            print("the sum is", self.sum)
            return self.sum < 5

        def construct(self, x):
            count = 0
            while self.more(x):
                count += 1
            return x * count

    net = Net()
    assert float(net(Tensor(2.0))) == 4.0 and float(net.sum) == 6.0
    assert capsys.readouterr().out.count("the sum is") == 3
    net.sum.set_data(Tensor(0.0))
    assert float(ms.grad(net)(Tensor(1.5))) == 3.0 and float(net.sum) == 6.0
