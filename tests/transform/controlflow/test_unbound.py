"""Names that no path has bound which ran: a graph raises what Python raises, and the call has changed nothing."""

# ruff: noqa: F821, F841 (names without values are what is tested)

from __future__ import annotations

import inspect
import traceback
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback

LOW, MIDDLE, HIGH = [-5.0, 1.0], [0.5, 0.25], [3.0, 4.0]


def if_without_else(x):
    if x.max() > 1:
        scale = x.max()
    return x / scale


def if_and_elif(x):
    if x.max() > 2:
        y = x
    elif x.min() > 0:
        y = x + 1
    return y * 2


def a_number(x):
    if x.sum() > 1:
        n = 7
    return x * n


def a_text(x):
    if x.sum() > 1:
        text = "many"
    return x * len(text)


def a_tuple(x):
    if x.sum() > 1:
        pair = (x, 2)
    return pair[0] * pair[1]


def a_function(x):
    if x.sum() > 1:
        f = ops.sin
    return f(x)


def while_without_a_round(x):
    while ops.abs(x).sum() < 4:
        y = x * 10
        x = x * 2
    return y


def read_before_it_is_bound_in_a_loop(x):
    total = x * 0
    while total.max() < 4:
        if x.max() > 1:
            total = total + before
        before = ops.abs(x) + 1
        total = total + before
    return total


def for_broken_before(x):
    for i in range(3):
        if x.sum() > i:
            break
        y = x + i
    return y


def for_over_a_traced_range(x):
    for i in range(x.max().astype(ms.int32)):
        y = x * i
    return y + i


def nested(x):
    if x.max() > 0:
        if x.max() > 2:
            y = x
        else:
            z = x
    if x.min() > 0:
        return z * 2
    return x


def in_a_branch_in_a_loop(x):
    total = x * 0
    for i in range(3):
        if x.min() > i:
            if i > 0:
                total = total + z
            z = x
    return total + z


def deleted_on_a_path(x):
    y = x
    if x.sum() < 1:
        del y
    return y


def deleted_twice(x):
    y = x
    if x.sum() < 1:
        del y
    del y
    return x


def bound_again(x):
    if x.sum() > 1:
        y = x
    if x.sum() < 0:
        y = x * 2
    return y


def augmented(x):
    if x.sum() > 1:
        n = x
    n += 1
    return n


def in_maths(x):
    if x.sum() > 1:
        n = 3
    return ops.sin(x * (n + 1.5)).sum()


def in_a_conditional_expression(x):
    if x.sum() > 1:
        n = x
    return n if x.min() > 0.2 else x


def in_a_helper(x):
    def helper(v):
        if v.sum() > 1:
            k = v
        return k

    return helper(x) * 2


def in_a_lambda(x):
    if x.sum() > 1:
        n = x
    return (lambda v: v * n)(x)


def in_a_text(x):
    if x.sum() > 1:
        n = x
    if x.sum() < 0:
        raise ValueError(f"{n}")
    return x


def of_a_gradient(x):
    def inner(v):
        if v.sum() > 1:
            scale = v.max()
        return (v * v * scale).sum()

    return ms.grad(inner)(x)


PROGRAMS = [f for f in list(globals().values()) if inspect.isfunction(f) and f.__module__ == __name__]


def came_of(call: Any, x: list[float]) -> Any:
    try:
        return call(Tensor(x, ms.float32))
    except NameError as error:
        return error


def same(one: Any, other: Any) -> bool:
    if isinstance(one, NameError) or isinstance(other, NameError):
        return type(one) is type(other) and str(one) == str(other)
    return np.allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)


def cell_of(function: Any) -> nn.Cell:
    class Net(nn.Cell):
        def construct(self, x):
            return function(x)

    return Net()


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_graph_raises_what_python_raises(function):
    compiled = ms.jit(function, fullgraph=True)
    results = [(came_of(function, x), came_of(compiled, x)) for x in (LOW, MIDDLE, HIGH)]
    assert all(same(plain, graph) for plain, graph in results), results
    errors = [graph for _, graph in results if isinstance(graph, NameError)]
    assert 0 < len(errors) < 3
    for plain, graph in results:
        if isinstance(graph, NameError):
            line = traceback.extract_tb(plain.__traceback__)[-1].lineno
            assert graph.__notes__ == [f"The program was at {__file__}:{line}."]


@pytest.mark.parametrize("function", [if_without_else, while_without_a_round, a_tuple], ids=lambda f: f.__name__)
def test_cells_in_graph_mode(function):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell_of(function)
    for x in (LOW, MIDDLE, HIGH):
        assert same(came_of(function, x), came_of(net, x))


def test_the_message_is_pythons():
    with pytest.raises(
        UnboundLocalError, match="cannot access local variable 'scale' where it is not associated with a"
    ):
        ms.jit(if_without_else)(Tensor(MIDDLE))
    with pytest.raises(
        NameError, match="cannot access free variable 'n' where it is not associated with a value in encl"
    ):
        ms.jit(in_a_lambda)(Tensor(MIDDLE))


def test_a_name_without_a_value_on_any_path():
    @ms.jit
    def f(x):
        y = x
        del y
        if x.sum() > 0:
            x = x + 1
        return x + y

    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y' where it is not associated"):
        f(Tensor(HIGH))


def test_a_call_that_raises_has_changed_nothing():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")
            self.last = Tensor([0.0, 0.0])
            self.table = Tensor([5.0, 5.0])

        def construct(self, x):
            self.weight += x
            self.last = x
            self.table[0] = x[0]
            if x.sum() > 1:
                n = x
            return n * self.weight

    net = Net()
    ms.set_context(mode=ms.GRAPH_MODE)

    def state():
        return [t.asnumpy().tolist() for t in (net.weight, net.last, net.table)]

    net(Tensor(HIGH))
    before = state()
    assert before == [[4.0, 6.0], [3.0, 4.0], [3.0, 5.0]]
    with pytest.raises(UnboundLocalError, match="'n'"):
        net(Tensor(LOW))
    assert state() == before
    net(Tensor(HIGH))
    assert state()[0] == [7.0, 10.0]


def test_a_training_step_that_raises_has_changed_nothing():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    optimizer = nn.SGD([weight], 0.1)

    def loss(x):
        if x.sum() > 1:
            scale = x.max()
        return (weight * x / scale).sum()

    @ms.jit
    def step(x):
        value, grads = ms.value_and_grad(loss, None, [weight])(x)
        optimizer([grads] if isinstance(grads, Tensor) else grads)
        return value

    step(Tensor(HIGH))
    before = weight.asnumpy()
    with pytest.raises(UnboundLocalError, match="'scale'"):
        step(Tensor(LOW))
    np.testing.assert_array_equal(weight.asnumpy(), before)


def test_who_handles_the_error_gets_it():
    @ms.jit
    def f(x):
        try:
            if x.sum() > 1:
                n = x
            return n + 1
        except NameError:
            return x * 100

    with pytest.warns(CompileFallback, match="UnboundLocalError may be raised within a try statement: cannot access"):
        np.testing.assert_array_equal(f(Tensor(MIDDLE)).asnumpy(), [50.0, 25.0])


def test_an_attribute_that_one_path_makes():
    class Holder:
        pass

    def f(x):
        holder = Holder()
        if x.sum() > 1:
            holder.value = x
        return holder.value

    with pytest.warns(CompileFallback, match="attribute 'value' of a Holder has a value on one path only"):
        compiled = ms.jit(f)
        with pytest.raises(AttributeError, match="value"):
            compiled(Tensor(MIDDLE))


def test_what_nobody_reads_costs_nothing():
    def f(x):
        for i in range(2):
            if x.sum() > i:
                y = x + i
            y = x * 2
        return y

    graph = ms.jit(f, fullgraph=True).graph(Tensor(HIGH))
    assert not graph.written
    np.testing.assert_array_equal(ms.jit(f)(Tensor(LOW)).asnumpy(), [-10.0, 2.0])


@pytest.mark.parametrize("function", [in_maths, a_tuple], ids=lambda f: f.__name__)
def test_only_reads_that_may_fail_are_looked_at(function):
    def bound(x):
        n, pair = 1, (x, 1)
        if x.sum() > 1:
            n = 3
            pair = (x, 2)
        return ops.sin(x * n).sum() + pair[0] * pair[1]

    assert ms.jit(function, fullgraph=True).graph(Tensor(HIGH)).written
    assert not ms.jit(bound, fullgraph=True).graph(Tensor(HIGH)).written
