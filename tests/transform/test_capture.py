"""Captured graphs: which are kept, and what cannot be held by one."""

import pytest
from executables import ones

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture


@pytest.fixture
def few():
    ms.set_context(max_graphs=4)
    yield
    ms.set_context(max_graphs=64)


@pytest.mark.usefixtures("few", "graphs_of_xla")
@pytest.mark.filterwarnings("ignore:.*has been compiled")
def test_a_function_keeps_the_graphs_used_last():
    f = ms.jit(lambda x: (x * 2).sum())
    for n in (1, 2, 3, 4):
        f(ones(n))
    f(ones(1))
    f(ones(5))
    keys = f.keys()
    assert sorted(shape[0] for *_, (shape, _) in keys) == [1, 3, 4, 5]
    count = capture.compilations
    f(ones(1)), f(ones(5))
    assert capture.compilations == count
    assert float(f(ones(2)).asnumpy()) == 12.0 and capture.compilations == count + 1


@pytest.mark.usefixtures("few", "graphs_of_xla")
@pytest.mark.filterwarnings("ignore:.*has been compiled")
def test_a_program_that_goes_round_more_shapes_than_are_kept_compiles_them_once_more():
    net = nn.Dense(3, 2)
    f = ms.jit(lambda x: net(x).sum())
    for _ in range(3):
        for n in range(1, 7):
            f(ones(n))
    count = capture.compilations
    for n in range(1, 7):
        f(ones(n))
    assert capture.compilations == count and len(f.keys()) == 6


def none_on_one_path(x):
    if x > 0:
        return x
    return None


def list_of_unknown_length(x):
    out = []
    while x > 0:
        x = x - 4
        out.append(x)
    return sum(out, x)


def comprehension_that_selects(x):
    return sum([i * x for i in range(4) if x > i])


def shapes_differ(x):
    y = x
    if x > 0:
        y = ops.stack((x, x))
    return y.sum()


def handled_error(x):
    try:
        if x > 0:
            raise ValueError("handled")
        y = x
    except ValueError:
        y = x * 100
    return y


def value_within_try(x):
    try:
        y = x.asnumpy() * 2
    except Exception:
        y = 0.0
    return x + float(y)


def recursion_until_a_value(x):
    return x if x > 10 else recursion_until_a_value(x * x + 1)


class Vector:
    """A class whose operator has a condition."""

    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return self.v + other if other > 0 else self.v


def operator_of_a_class(x):
    return Vector(x) + x


def generator(x):
    def values():
        for i in range(3):
            if x > i:
                yield x * i

    return sum(values(), x)


FALLBACKS = {
    none_on_one_path: r"'the result' is a Tensor on one path and None on the other",
    list_of_unknown_length: r"'a list' has another structure on each path",
    comprehension_that_selects: r"comprehension_that_selects runs in PyNative mode: .*test_capture\.py:\d+",
    shapes_differ: r"'y' has shape \[2\] on one path and \[\] on the other",
    handled_error: r"a branch raised ValueError: handled, within a try statement",
    value_within_try: r"value_within_try runs in PyNative mode",
    recursion_until_a_value: r"a function calls itself until a Tensor has some value",
    operator_of_a_class: r"operator_of_a_class runs in PyNative mode",
    generator: r"generator runs in PyNative mode",
}


@pytest.mark.parametrize("program", FALLBACKS, ids=lambda p: p.__name__)
def test_what_a_graph_cannot_hold_runs_in_pynative_mode(program) -> None:
    """One warning that says what and where; the answer is PyNative mode's; `fullgraph=True` raises."""
    graph = ms.jit(program)
    with pytest.warns(CompileFallback, match=FALLBACKS[program]) as found:
        got = [graph(Tensor(v)) for v in (3.0, -1.0)]
    assert len(found) == 1
    for v, value in zip((3.0, -1.0), got, strict=True):
        want = program(Tensor(v))
        assert value is None if want is None else float(value) == float(want)
    with pytest.raises(RuntimeError, match="cannot be compiled as one graph"):
        ms.jit(program, fullgraph=True)(Tensor(3.0))
