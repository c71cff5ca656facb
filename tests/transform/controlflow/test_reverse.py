"""Loops whose length a run decides, and their derivatives."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

pytestmark = pytest.mark.usefixtures("no_fallback")


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
