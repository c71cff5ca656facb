"""What a graph cannot hold runs in PyNative mode: one warning, the right answer (`docs/graph_mode.md`)."""

import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.base.errors import CompileFallback


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
    comprehension_that_selects: r"comprehension_that_selects runs in PyNative mode: .*test_graph_fallbacks\.py:\d+",
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


def tensor_or_number(x):
    if x > 0:
        return ops.stack((x, x))
    return 0


def assigned(x):
    if x > 0:
        y = ops.stack((x, x))
    else:
        y = 0
    return y


def result_of_a_loop(x):
    while x < 10:
        return ops.stack((x, x))
    return 0


def sum_of_a_loop(x):
    y = 0
    while x < 10:
        y, x = y + ops.stack((x, x)), x + 1
    return y


def number_or_text(x):
    if x > 0:
        return 1
    return "1"


def tuple_or_list(x):
    if x > 0:
        return x, x
    return [x, x]


UNLIKE = {
    tensor_or_number: (r"'the result' has shape \[2\] on one path and \[\] on the other", "return 0"),
    assigned: (r"'y' has shape \[2\] on one path and \[\] on the other", "y = 0"),
    result_of_a_loop: (r"'the result' has shape \[\] on one path and \[2\] on the other", "return 0"),
    sum_of_a_loop: (r"'y' has shape \[\] on one path and \[2\] on the other", "while x < 10:"),
    number_or_text: (r"'the result' is 1 on one path and '1' on the other", "return 1"),
    tuple_or_list: (r"'the result' has another structure on each path", r"return \[x, x\]"),
}


@pytest.mark.parametrize("program", UNLIKE, ids=lambda p: p.__name__)
def test_values_of_different_kinds_cannot_be_joined(program) -> None:
    """The error shows the lines; what is told apart by more than the kind (None, shapes, lengths) runs uncompiled."""
    what, line = UNLIKE[program]
    text = (
        rf"(?s)Cannot join the return values of different branches.*{what}.*\n.*test_graph_fallbacks\.py:\d+\n.*{line}"
    )
    for x in (1.0, -1.0):
        with pytest.raises(TypeError, match=text):
            ms.jit(program)(Tensor(x))
