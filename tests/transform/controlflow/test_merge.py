"""Variables of two branches are brought to one structure."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.base.errors import CompileFallback

pytestmark = pytest.mark.usefixtures("no_fallback")


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
    text = rf"(?s)Cannot join the return values of different branches.*{what}.*\n.*test_merge\.py:\d+\n.*{line}"
    for x in (1.0, -1.0):
        with pytest.raises(TypeError, match=text):
            ms.jit(program)(Tensor(x))
