"""Numbers that a graph computes are Python's numbers, in the graph and when it returns them."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
from programs.python_laws import same

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture

LOW, HIGH = [-3.0, 1.0], [1.0, 2.0]


def counted_in_while(x):
    n = 0
    while ops.abs(x).sum() < 9:
        x = x * 2
        n = n + 1
    return n


def counted_in_for(x):
    n = 0
    for i in range(4):
        if x.sum() < i:
            break
        n += i
    return n


def flag_and_place(x):
    found = False
    for i in range(3):
        if x.sum() > i:
            found = True
            break
    return found, i


def early_return(x):
    for i in range(3):
        if x.sum() > i:
            return i
    return -1


def early_float(x):
    if x.sum() > 1:
        return 0.1
    return 2.5


def conditional_expression(x):
    return 7 if x.sum() > 1 else 9


def nested_results(x):
    n, f, b = 0, 1.5, True
    if x.sum() > 1:
        n, f, b = 3, 0.25, False
    return {"n": n, "all": (f, [b, n])}, x.sum()


def of_tensors(x):
    return int(x.sum()), float(x.sum()), bool(x.sum() > 1), x.sum(), x.sum() > 1


def not_a_tensor(x):
    return not x.sum() > 1


def arithmetic(x):
    n = 5
    if x.sum() > 1:
        n = 7
    return n / 2, n // 2, -n % 4, n**2, 0.5**n, abs(-n), n & 3, ~n, n * 0.1 + 0.2, 2 - n, 9 % n


def comparisons(x):
    n = 5
    if x.sum() > 1:
        n = 7
    return n > 6, n == 7, n != 7.0, 6 < n < 8, n in (5, 6), n == "7", max(n, 6)


def precise_floats(x):
    f = 0.1
    while ops.abs(x).sum() < 30:
        x = x * 2
        f = f + 0.2
    return f


def kinds(x):
    n = counted_in_while(x)
    return isinstance(n, int), isinstance(n, Tensor), isinstance(n, (float, str)), type(n) is int, type(n / 2) is float


def texts(x):
    n = counted_in_while(x)
    return f"{n} {n / 3:.3f}", "%s rounds" % n, str(n)  # noqa: UP031


def with_tensors(x):
    n = counted_in_while(x) + 0.5
    return x * n, n - x.astype(ms.float16), x.astype(ms.int32) * counted_in_while(x), Tensor(n)


def range_over_a_tensor(x):
    last = 0
    for i in range(ops.abs(x).max().astype(ms.int32)):
        last = i
    return last


def divided(x):
    n = 0
    if x.sum() > 1:
        n = 2
    return 10 / n


def modulo(x):
    n = 0
    if x.sum() > 1:
        n = 2
    return 10 % n


def auxiliary_results_of_gradients(x):
    n = 1
    if x.sum() > 1:
        n = 2
    return ms.value_and_grad(lambda v: ((v * n).sum(), n), has_aux=True)(x)


PROGRAMS = [f for f in list(globals().values()) if inspect.isfunction(f) and f.__module__ == __name__]


def came_of(call, x):
    try:
        return call(Tensor(x, ms.float32))
    except ZeroDivisionError as error:
        return error


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_types_are_pythons(function):
    compiled = ms.jit(function, fullgraph=True)
    for x in (LOW, HIGH):
        plain, graph = came_of(function, x), came_of(compiled, x)
        assert same(graph, plain), (graph, plain)


@pytest.mark.parametrize("function", [counted_in_while, nested_results, early_return], ids=lambda f: f.__name__)
def test_cells_in_graph_mode(function):
    class Net(nn.Cell):
        def construct(self, x):
            return function(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    for x in (LOW, HIGH):
        assert same(net(Tensor(x)), came_of(function, x))


def test_what_programs_do_with_a_number():
    n = ms.jit(counted_in_while)(Tensor(HIGH))
    assert ([7] * n, "ab" * n, json.dumps({"n": n}), {2: "two"}[n]) == ([7, 7], "abab", '{"n": 2}', "two")


def test_the_text_of_a_division_by_zero_and_its_line():
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        ms.jit(divided)(Tensor(LOW))
    line = inspect.getsourcelines(divided)[1] + 4
    assert caught.value.__notes__ == [f"The program was at {__file__}:{line}."]


def repeated(x):
    return [7] * counted_in_while(x)


def key_of_a_dict(x):
    return {counted_in_while(x): x.sum()}[2]


def power_of_unknown_kind(x):
    return 2 ** counted_in_while(x)


def rounded(x):
    return round(counted_in_while(x) / 7, 2)


def method_of_ints(x):
    return counted_in_while(x).bit_length()


def with_numpy(x):
    return np.ones(2) * counted_in_while(x)


def range_as_a_result(x):
    return range(counted_in_while(x))


def int_or_float(x):
    n = 1
    if x.sum() > 1:
        n = 0.5
    return n


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (repeated, "needs the value of a Tensor"),
        (key_of_a_dict, "the value of a number that the graph computes is needed"),
        (power_of_unknown_kind, "whether a power is an int, a float or complex depends on values that the graph"),
        (int_or_float, "'n' is of type float on one path and int on the other"),
        (method_of_ints, "the value of a number that the graph computes is needed"),
        (with_numpy, "the value of a number that the graph computes is needed"),
        (range_as_a_result, r"range\(\) of a Tensor is used other than in a for statement"),
        (rounded, "the value of a number that the graph computes is needed"),
    ],
)
def test_what_needs_the_value_runs_uncompiled(function, why):
    with pytest.warns(CompileFallback, match=why):
        got, want = ms.jit(function)(Tensor(HIGH)), function(Tensor(HIGH))
    assert type(got) is type(want)
    assert str(got) == str(want)


def test_an_attribute_is_not_given_a_computed_number():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rounds = 0

        def construct(self, x):
            self.rounds = counted_in_while(x)
            return x

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    with pytest.warns(
        CompileFallback, match="attribute 'rounds' of a Net is assigned a number that the graph computes"
    ):
        net(Tensor(HIGH))
    assert same(net.rounds, 2)


def test_only_a_returned_number_is_waited_for(monkeypatch):
    """A training step that returns Tensors reads none of them."""
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")

    @ms.jit(fullgraph=True)
    def step(x):
        n = counted_in_while(x)
        ops.assign(weight, weight + n)
        return weight.sum() * n

    kinds = [leaf.kind for leaf in [step.graph(Tensor(HIGH)).structure]]
    assert kinds == [Tensor]
    assert step(Tensor(HIGH)).item() == 14.0


def test_no_gradient_passes_through_a_conversion():
    """As in PyNative mode and in MindSpore's graphs: a number of Python is a constant."""

    def f(x):
        return (x * float(x.sum())).sum()

    for gradient in (ms.grad(f), ms.jit(ms.grad(f), fullgraph=True), ms.grad(ms.jit(f, fullgraph=True))):
        np.testing.assert_array_equal(gradient(Tensor(HIGH)).asnumpy(), [3.0, 3.0])


def test_a_batch_of_numbers_is_a_tensor():
    def f(x):
        return 1 if x.sum() > 1 else 2

    out = ms.jit(ms.vmap(f), fullgraph=True)(Tensor([LOW, HIGH]))
    np.testing.assert_array_equal(out.asnumpy(), [2, 1])


def test_division_by_an_argument_that_is_zero():
    """One graph serves all numbers, and looks at what it divides by."""

    @ms.jit(fullgraph=True)
    def f(x, n):
        return x * (12 / n), x + 12 % n

    before = capture.compilations
    for n in (4, 3, 2, 1):
        got = f(Tensor(HIGH), n)
        np.testing.assert_array_equal(got[0].asnumpy(), np.asarray(HIGH, np.float32) * (12 / n))
    assert capture.compilations == before + 2
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        f(Tensor(HIGH), 0)
    assert capture.compilations == before + 2


def test_comparisons_of_arguments_are_bools():
    @ms.jit(fullgraph=True)
    def f(x, n):
        return x * n, n > 2, n == 3

    for n in (4, 3, 2, 1):
        assert same(f(Tensor(HIGH), n), (Tensor(HIGH) * n, n > 2, n == 3))


@pytest.mark.parametrize(
    "use", [lambda n: {1: 10, 2: 20, 3: 30}[n], lambda n: sum([10] * n), lambda n: sum(map(int, "55" * n))]
)
def test_the_value_of_an_argument_is_asked_for_after_a_division(use):
    graph = ms.jit(lambda x, n: (6 // n, x * use(n)))
    for n in (1, 2, 3, 1):
        assert same(graph(Tensor(1.0), n), (6 // n, Tensor(10.0 * n)))
    with pytest.raises(ZeroDivisionError):
        graph(Tensor(1.0), 0)


def test_bits_of_arguments_and_arithmetic_with_bools_are_ints():
    def bits(n):
        return 6 & n, n | 1, n ^ 5, ~n, n & True, n + True, True * n, n - True, n // True, n & n

    graph = ms.jit(bits)
    for n in (1, 3, 0, 6, -5):
        got, want = graph(n), bits(n)
        assert got == want and list(map(type, got)) == list(map(type, want))
    with pytest.raises(TypeError, match="unsupported operand"):
        ms.jit(lambda n: n & 1.5)(3)
