"""jit: one graph per signature, state by scope, donated buffers, fallback; nothing traced is ever left behind."""

import sys
import warnings

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture


class Counter(nn.Cell):
    """Adds its input to a Parameter and returns the sum so far."""

    def __init__(self, size: int = 2) -> None:
        super().__init__()
        self.total = Parameter(Tensor(np.zeros(size, np.float32)), name="total")

    def construct(self, x):
        ops.assign_add(self.total, x)
        return self.total * 1.0


def compiled_by(call) -> int:
    """Return how many graphs a call builds."""
    before = capture.compilations
    call()
    return capture.compilations - before


def assert_no_tracer(*cells) -> None:
    """Every Parameter of the Cells holds a real array."""
    for cell in cells:
        for p in cell.get_parameters():
            assert not isinstance(p._value, jax.core.Tracer), p.name


def test_second_call_does_not_compile() -> None:
    """The same signature reuses its graph; another shape, dtype or static value builds one."""
    fn = ms.jit(lambda x, k=1: x * k)
    x = Tensor([1.0, 2.0])
    assert compiled_by(lambda: fn(x)) == 1
    assert compiled_by(lambda: fn(x + 1)) == 0
    assert compiled_by(lambda: fn(Tensor([1.0]))) == 1
    assert compiled_by(lambda: fn(Tensor([1, 2]))) == 1
    assert compiled_by(lambda: fn(x, 2)) == 1
    assert compiled_by(lambda: fn(x, True)) == 1
    np.testing.assert_array_equal(fn(x, 2).asnumpy(), [2.0, 4.0])


def test_a_cell_can_be_compiled() -> None:
    """`jit(net)` compiles a Cell as it does a function."""
    net = Counter()
    np.testing.assert_array_equal(ms.jit(net)(Tensor([1.0, 2.0])).asnumpy(), [1.0, 2.0])
    np.testing.assert_array_equal(net.total.asnumpy(), [1.0, 2.0])


def test_training_flag_and_attributes_choose_the_graph() -> None:
    """A graph is valid for the flags and attributes it was built with, and found again when they return."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Switch(nn.Cell):
        def __init__(self):
            super().__init__()
            self.factor = 2.0

        def construct(self, x):
            return x * self.factor if self.training else x

    net, x = Switch(), Tensor([3.0])
    assert float(net(x)) == 3.0
    net.set_train()
    assert float(net(x)) == 6.0
    assert compiled_by(lambda: net.set_train(False)(x)) == 0
    net.set_train()
    net.factor = 5.0
    assert float(net(x)) == 15.0


def test_state_is_read_and_written() -> None:
    """A graph reads Parameters as they are and writes them back."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Counter()
    for n in (1.0, 2.0):
        np.testing.assert_array_equal(net(Tensor([1.0, 1.0])).asnumpy(), [n, n])
    net.total.set_data(Tensor([10.0, 10.0]))
    np.testing.assert_array_equal(net(Tensor([1.0, 1.0])).asnumpy(), [11.0, 11.0])
    assert_no_tracer(net)


def test_closed_over_parameters_are_found() -> None:
    """A free function's Parameters are state too, wherever it reaches them from."""
    hidden = {"p": Parameter(Tensor([1.0]), name="p")}
    fn = ms.jit(lambda x: ops.assign_add(hidden["p"], x))
    fn(Tensor([1.0]))
    fn(Tensor([1.0]))
    assert float(hidden["p"]) == 3.0


def test_donation_never_deletes_what_somebody_holds() -> None:
    """Values handed out before a step keep their numbers after it."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Counter()
    before, view, alias = net.total.value(), net.total.asnumpy(), net.total._value
    other = Parameter(net.total, name="other")
    net(Tensor([1.0, 1.0]))
    for kept in (before.asnumpy(), view, np.asarray(alias), other.asnumpy()):
        np.testing.assert_array_equal(kept, [0.0, 0.0])
    np.testing.assert_array_equal(net.total.asnumpy(), [1.0, 1.0])


def test_buffers_that_nobody_holds_are_donated() -> None:
    """The step reuses the memory of a Parameter it updates."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Silent(Counter):
        def construct(self, x):
            ops.assign_add(self.total, x)

    net = Silent(1000)
    x = Tensor(np.ones(1000, np.float32))
    net(x)
    where = net.total._value.unsafe_buffer_pointer()
    assert sys.getrefcount(net.total._value) <= 3
    net(x)
    assert net.total._value.unsafe_buffer_pointer() == where


def test_each_state_keeps_its_own_buffer() -> None:
    """A step of Parameters and moments of one shape copies none of them, whatever else of that shape it writes or returns."""
    ms.set_context(mode=ms.GRAPH_MODE)
    params = [Parameter(ms.ops.ones((4, 4)), name=f"p{i}") for i in range(3)]
    last = Parameter(ms.ops.ones((4, 4)), name="last")
    optimizer = nn.Adam(params, 0.1)

    @ms.jit
    def step(x):
        optimizer((x, x, x))
        ops.assign(last, x + 1)
        return params[0] * x

    x = ms.ops.ones((4, 4))
    step(x)
    states = [*params, *optimizer.moment1, *optimizer.moment2]
    where = [state._value.unsafe_buffer_pointer() for state in states]
    step(x)
    assert [state._value.unsafe_buffer_pointer() for state in states] == where
    graph = next(iter(step._entries.values()))[0].graph
    module = graph.lower().compile().as_text()
    copied = [line for line in module.splitlines() if " copy(" in line and "[4,4]" in line]
    assert not copied, copied


def test_exception_inside_a_trace_changes_nothing() -> None:
    """After an error Parameters hold their old values and the next call works."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Failing(Counter):
        fail = True

        def construct(self, x):
            out = super().construct(x)
            if self.fail:
                raise KeyError("broken")
            return out

    net = Failing()
    with pytest.raises(KeyError, match="broken"):
        net(Tensor([1.0, 1.0]))
    assert_no_tracer(net)
    np.testing.assert_array_equal(net.total.asnumpy(), [0.0, 0.0])
    net.fail = False
    np.testing.assert_array_equal(net(Tensor([1.0, 1.0])).asnumpy(), [1.0, 1.0])


def test_fallback_runs_in_pynative_and_says_so_once() -> None:
    """What needs values while the graph is built still gives the answer, with one warning naming the line."""

    @ms.jit
    def through_numpy(x):
        return Tensor(np.sort(x.asnumpy()))

    with pytest.warns(CompileFallback, match=r"through_numpy.*test_jit\.py:\d+") as seen:
        np.testing.assert_array_equal(through_numpy(Tensor([2.0, 1.0])).asnumpy(), [1.0, 2.0])
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        through_numpy(Tensor([5.0, 4.0]))


def test_fullgraph_makes_the_fallback_an_error() -> None:
    """`fullgraph=True` raises instead."""
    with pytest.raises(
        RuntimeError, match=r"cannot be compiled as one graph: .*test_jit.py.*needs the value of a Tensor"
    ):
        ms.jit(lambda x: Tensor(x.asnumpy()), fullgraph=True)(Tensor([1.0]))


def test_jit_inside_jit_inside_grad(mode) -> None:
    """A compiled function is inlined in a trace and one recorded operation in PyNative mode."""
    inner = ms.jit(lambda x: x * x)
    outer = ms.jit(lambda x: inner(x) * x)
    assert float(ms.grad(outer)(Tensor(2.0))) == 12.0
    assert float(ms.grad(ms.grad(outer))(Tensor(2.0))) == 12.0


def test_gradient_of_a_compiled_cell_reaches_its_parameters() -> None:
    """PyNative gradients flow through the Parameters of a compiled call."""

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(3.0), name="w")

        @ms.jit
        def construct(self, x):
            return x * self.w

    net = Scaled()
    by_input, by_weight = ms.grad(net, 0, net.trainable_params())(Tensor(2.0))
    assert float(by_input) == 3.0 and float(by_weight[0]) == 2.0


def test_results_keep_their_structure() -> None:
    """Tuples, dicts, None and Python values come back as they were built."""
    out = ms.jit(lambda x: {"a": (x, None), "b": [x + 1, "text", 3]})(Tensor(1.0))
    assert (
        float(out["a"][0]) == 1.0 and out["a"][1] is None and out["b"][1:] == ["text", 3] and float(out["b"][0]) == 2.0
    )


def test_randomness_is_state() -> None:
    """A compiled function draws anew at every call, without compiling, and repeats after set_seed."""
    draw = ms.jit(lambda: ops.randn(4))
    ms.set_seed(3)
    first = [draw().asnumpy() for _ in range(3)]
    assert not np.array_equal(first[0], first[1])
    ms.set_seed(3)
    assert compiled_by(lambda: np.testing.assert_array_equal(draw().asnumpy(), first[0])) == 0
    np.testing.assert_array_equal(draw().asnumpy(), first[1])


def test_in_place_assignment_of_a_local_tensor(mode) -> None:
    """`y[i] = v` inside a graph changes the local Tensor only."""

    @ms.jit
    def filled(x):
        y = x * 1
        y[0] = 7.0
        return y

    x = Tensor([1.0, 2.0])
    np.testing.assert_array_equal(filled(x).asnumpy(), [7.0, 2.0])
    np.testing.assert_array_equal(x.asnumpy(), [1.0, 2.0])


def test_stages_can_be_read() -> None:
    """The captured graph and what XLA makes of it are text."""
    graph = ms.jit(lambda x: ops.sin(x)).graph(Tensor([1.0]))
    assert "sin" in str(graph.jaxpr)
    assert "stablehlo.sine" in graph.lower().as_text()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: ms.jit(3), TypeError),
        (lambda: ms.jit(print, capture_mode="x"), ValueError),
        (lambda: ms.jit(jit_level="O9"), ValueError),
    ],
)
def test_errors(call, error) -> None:
    """Options are checked."""
    with pytest.raises(error, match="jit: "):
        call()


def _graphs_for(fn, *values) -> int:
    """Compare a compiled function with the function itself for each value, and return how many graphs that took."""
    x, compiled, before = Tensor(np.array([1.5, -2.0], np.float32)), ms.jit(fn), capture.compilations
    for value in values:
        got, want = compiled(x, value), fn(x, value)
        for g, w in zip(got, want, strict=True) if isinstance(want, (tuple, list)) else [(got, want)]:
            assert type(g) is type(w)
            if isinstance(w, Tensor):
                assert g.dtype == w.dtype
                np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6)
            else:
                assert g == w
    return capture.compilations - before


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, k: x * k + 1,
        lambda x, k: (x * (2 * k - 1) / k - k, x.sum() ** k),
        lambda x, k: ops.softmax(x * k, -1) if isinstance(k, (int, float)) else x,
        lambda x, k: ms.grad(lambda x, k: x * x * k, (0, 1))(x, k),
        lambda x, k: (x.astype(ms.float16) * k, x.astype(ms.int32) - k),
    ],
)
def test_numbers_that_feed_arithmetic_are_operands(fn) -> None:
    """From its second value on a number needs no other graph; dtypes are those of a plain number."""
    assert _graphs_for(fn, 1.0, 2.0, 3.0, 4.0) == 2
    assert _graphs_for(fn, 1, 2, 3, 4) == 2


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, k: x.sum() if k > 2 else x,
        lambda x, k: ops.ones((k,), ms.float32),
        lambda x, k: (x, k),
        lambda x, k: [x] * k,
        lambda x, k: x * len(f"{k}"),
        lambda x, k: x * {1: 5.0, 2: 6.0, 3: 7.0}[k],
    ],
)
def test_numbers_that_decide_more_are_constants(fn) -> None:
    """A number whose value Python asks for has one graph for each value."""
    assert _graphs_for(fn, 1, 2, 3) == 3


def test_a_generator_is_a_list_of_results() -> None:
    """What a compiled function would compute later is computed now."""
    got = ms.jit(lambda x: (x * i for i in range(3)))(Tensor([2.0]))
    assert [float(g) for g in got] == [0.0, 2.0, 4.0] and type(got) is list


def test_parameters_are_returned_as_a_tuple_of_tensors() -> None:
    """What a graph returns in the place of a ParameterTuple are values: a plain tuple, as in MindSpore."""
    parameters = ms.ParameterTuple([ms.Parameter(ms.Tensor([float(n)]), name=f"p{n}") for n in range(2)])

    @ms.jit
    def assigned(x):
        ms.ops.assign(parameters[0], x)
        return parameters

    got = assigned(ms.Tensor([3.0]))
    assert type(got) is tuple and [t.asnumpy() for t in got] == [3.0, 1.0]
    assert parameters[0].asnumpy() == [3.0]


class Named(nn.Cell):
    """Returns a dictionary in a list, which its caller reads."""

    def construct(self, x):
        return {"a": x, "b": [{"c": x + 1}]}


def test_the_strict_level_returns_no_dictionaries(monkeypatch) -> None:
    """Within the graph they are dictionaries; the level counts when a graph is compiled."""
    x = Tensor(1.0)
    read = lambda x: {"sum": Named()(x)["a"] + Named()(x)["b"][0]["c"]}
    assert ms.jit(Named().construct)(x) == {"a": Tensor(1.0), "b": [{"c": Tensor(2.0)}]}
    ms.set_context(jit_syntax_level=ms.STRICT)
    try:
        assert ms.jit(Named().construct)(x) == (Tensor(1.0), [(Tensor(2.0),)])
        assert ms.jit(read)(x) == (Tensor(3.0),)
        monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "2")
        assert ms.jit(read)(x) == {"sum": Tensor(3.0)}
    finally:
        ms.set_context(jit_syntax_level=ms.LAX)
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    assert ms.jit(read)(x) == (Tensor(3.0),)


@pytest.mark.parametrize("write", [False, True])
def test_one_graph_serves_all_positions(write):
    """A whole number that is an index: the place of a token in a cache."""
    start = np.arange(24.0).reshape(4, 6)
    cache = Parameter(Tensor(start), name="cache")

    @ms.jit
    def step(place):
        if write:
            cache[place, 1] = 9.0
        return cache[:, place], cache[place][2]

    before = capture.compilations
    for place in (0, 1, 3, 2, -1, -4):
        column, element = step(place)
        if write:
            start[place, 1] = 9.0
        np.testing.assert_array_equal(column.asnumpy(), start[:, place])
        assert float(element) == start[place][2]
        np.testing.assert_array_equal(cache.asnumpy(), start)
    assert capture.compilations - before == 2  # for the first number, and for any
    with pytest.raises(IndexError, match=r"the index of axis 0 should be in the range \[-4, 4\), but got 5"):
        step(5)
    np.testing.assert_array_equal(cache.asnumpy(), start)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    ("span", "places", "graphs"),
    [
        (lambda at: slice(at, at + 2), (0, 1, 2, 4, 3), 2),
        (lambda at: slice(at - 1, 2 + at), (1, 2, 3, 4), 2),
        (lambda at: slice(at, at + 3, 2), (0, 3, 1), 2),
        (lambda at: slice(at, at + 2), (0, 1, 2, 5, -2, -1, 3, 7), 6),
        (lambda at: slice(at, None), (0, 1, 2), 3),
        (lambda at: slice(at, 2 * at), (1, 2, 3), 3),
        (lambda at: slice(at + 2, at, -1), (1, 2, 3), 3),
    ],
    ids=["two", "of a sum", "steps", "past the ends", "to the end", "of any length", "reversed"],
)
def test_one_graph_serves_all_slices_of_one_length(span, places, graphs: int, write: bool) -> None:
    """Where a slice would reach past an end of its axis, as Python allows, the number has a graph of its own."""
    start = np.arange(24.0).reshape(4, 6)
    cache = Parameter(Tensor(start), name="cache")

    @ms.jit
    def step(at):
        if write:
            cache[1:3, span(at)] = -1.0
        return cache[:, span(at)]

    before = capture.compilations
    for at in places:
        if write:
            start[1:3, span(at)] = -1.0
        np.testing.assert_array_equal(step(at).asnumpy(), start[:, span(at)])
        np.testing.assert_array_equal(cache.asnumpy(), start)
    assert capture.compilations - before == graphs


def test_a_loop_of_a_graph_counts_positions() -> None:
    """An int that the graph itself computes is an index, too."""

    @ms.jit(fullgraph=True)
    def doubled(x, n):
        at, y = 0, ops.zeros((4,))
        while n > at:
            y[at] = x[at] * 2
            at = at + 1
        return y

    for n in (3, 1):
        assert doubled(Tensor([1.0, 2.0, 3.0, 4.0]), Tensor(n)).asnumpy().tolist() == [2, 4, 6, 8][:n] + [0] * (4 - n)
