"""Marks on functions and values: `no_grad`, `recompute`, `no_inline`, `enable_dynamic`, `set_recursion_limit`."""

import sys

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn

X, Y, V = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 10.0])


class Cube(nn.Cell):
    def construct(self, x):
        return x**3


def check(got, want) -> None:
    """Compare nested results; the values were recorded from MindSpore 2.7.0."""
    assert isinstance(got, tuple) == isinstance(want, tuple)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            check(g, w)
    else:
        np.testing.assert_array_equal(got.asnumpy(), np.array(want, np.float32))


REFUSED = "In no_grad context, you can not calculate gradient"


def test_no_gradient_in_an_outer_gradient() -> None:
    inner = ms.grad(Cube())

    def outer(x):
        with ms.no_grad():
            return inner(x)

    with pytest.raises(RuntimeError, match=REFUSED):
        ms.grad(outer)(X)


def test_what_no_grad_allows() -> None:
    with ms.no_grad():
        check(ms.jvp(Cube(), X, V), ([1, 8], [3, 120]))
        check(ms.jacrev(Cube())(X), [[3, 0], [0, 12]])
        check(ms.jit(lambda x: ms.grad(Cube())(x))(X), [3, 12])
        ms.set_context(mode=ms.GRAPH_MODE)
        check(ms.grad(Cube())(X), [3, 12])


def test_no_grad_on_a_function_that_calls_itself() -> None:
    @ms.no_grad()
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    assert ms.grad(lambda x: x * power(x, 3))(Tensor(2.0)).item() == 8.0
    assert ms.grad(lambda x: x * x)(Tensor(2.0)).item() == 4.0


def test_no_grad() -> None:
    """Nothing is recorded in the context, or in a decorated function."""

    def fn(x):
        with ms.no_grad():
            y = x * x
        return x * y

    assert float(ms.grad(fn)(Tensor(3.0))) == 9.0
    constant = ms.no_grad()(lambda x: x * x)
    assert float(ms.grad(lambda x: x * constant(x))(Tensor(3.0))) == 9.0


def test_recompute_changes_no_gradient(mode) -> None:
    """Recomputation is a matter of memory only."""
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))
    x = Tensor(np.ones((2, 3), np.float32))
    want = ms.grad(net, None, net.trainable_params())(x)
    net[0].recompute()
    got = ms.grad(net, None, net.trainable_params())(x)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-6)


def test_a_recomputed_block_has_the_results_of_the_block(mode) -> None:
    def block(x: Tensor, scale: float = 1.0) -> Tensor:
        return ms.ops.sin(x) * x * scale

    x = Tensor([1.0, 2.0])
    again = ms.ops.recompute_block(block, True)
    np.testing.assert_allclose(again(x, scale=2.0).asnumpy(), block(x, 2.0).asnumpy(), rtol=1e-6)
    for run in (lambda f: f, ms.jit):
        np.testing.assert_allclose(run(ms.grad(again))(x).asnumpy(), ms.grad(block)(x).asnumpy(), rtol=1e-6)
    with pytest.raises(TypeError, match="recompute_block: block must be a Cell or a function, got 3"):
        ms.ops.recompute_block(3)


def test_marks() -> None:
    def add(x: Tensor) -> Tensor:
        return x + 1

    assert (
        ms.no_inline(add)
        is ms.no_inline()(add)
        is ms.enable_dynamic(x=Tensor(shape=None, dtype=ms.float32))(add)
        is add
    )
    with pytest.raises(ValueError, match="name at least one argument"):
        ms.enable_dynamic()
    before = sys.getrecursionlimit()
    try:
        ms.set_recursion_limit(before + 10)
        assert sys.getrecursionlimit() == before + 10
    finally:
        sys.setrecursionlimit(before)
    ms.set_recursion_limit(1)
    assert sys.getrecursionlimit() == before
    with pytest.raises(ValueError, match="must be int and must > 0, got 0"):
        ms.set_recursion_limit(0)
    with pytest.raises(TypeError, match=r"must be int, got 1\.5"):
        ms.set_recursion_limit(1.5)


def test_options_of_recompute(mode) -> None:
    entered = []

    class Noting:
        def __enter__(self) -> None:
            entered.append("in")

        def __exit__(self, *error: object) -> None:
            entered.append("out")

    def block(x, **options):
        return ms.recompute(lambda y: y * y, x, **options) * x

    x = ms.Tensor([3.0])
    for options in ({"use_reentrant": False}, {"output_recompute": True}, {"early_stop": False}):
        assert ms.grad(lambda x, options=options: block(x, **options))(x).asnumpy().tolist() == [27.0]
    managed = {"use_reentrant": False, "context_fn": lambda: (Noting(), Noting())}
    assert ms.grad(lambda x: block(x, **managed))(x).asnumpy().tolist() == [27.0]
    assert entered[:2] == ["in", "out"]
    with pytest.raises(ValueError, match=r"recompute: context_fn needs use_reentrant=False\."):
        ms.recompute(lambda y: y, x, context_fn=lambda: (Noting(), Noting()))
    with pytest.raises(TypeError, match=r"recompute: block must be a Cell or a function, got 3"):
        ms.recompute(3)
