"""Gradients as programs ask for them: Jvp and Vjp Cells, sens=, gradients of other shapes than their inputs."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.nn.grad import Jvp, Vjp

X, Y, V = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 10.0])


class Cube(nn.Cell):
    def construct(self, x):
        return x**3


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


class Two(nn.Cell):
    def construct(self, x, y):
        return x**2 * y, x + y


def check(got, want) -> None:
    """Compare nested results; the values were recorded from MindSpore 2.7.0."""
    assert isinstance(got, tuple) == isinstance(want, tuple)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            check(g, w)
    else:
        np.testing.assert_array_equal(got.asnumpy(), np.array(want, np.float32))


@pytest.mark.parametrize(
    ("cell", "net", "args", "want"),
    [
        (nn.Jvp, Cube, (X, V), ([1, 8], [3, 120])),
        (nn.Jvp, Product, (X, Y, (V, V)), ([3, 8], [4, 60])),
        (nn.Jvp, Two, (X, Y, (V, V)), (([3, 16], [4, 6]), ([7, 200], [2, 20]))),
        (nn.Vjp, Cube, (X, V), ([1, 8], [3, 120])),
        (nn.Vjp, Product, (X, Y, V), ([3, 8], ([3, 40], [1, 20]))),
        (nn.Vjp, Two, (X, Y, (V, V)), (([3, 16], [4, 6]), ([7, 170], [2, 50]))),
    ],
)
def test_derivatives_along(mode: int, cell, net, args, want) -> None:
    derivative = cell(net())
    for _ in range(2):
        check(derivative(*args), tuple(want))


def test_derivative_cells_are_one() -> None:
    assert Jvp is nn.Jvp is nn.grad.cell_grad.Jvp and Vjp is nn.Vjp
    dense = nn.Dense(2, 1)
    assert [p.name for p in nn.Vjp(dense).trainable_params()] == [p.name for p in nn.Jvp(dense).trainable_params()]
    for cell in (Jvp, Vjp):
        with pytest.raises(TypeError, match=f"{cell.__name__}: fn must be a Cell or a function, got 3"):
            cell(3)
        with pytest.raises(ValueError, match=f"{cell.__name__}: expected the inputs and then v, got 1 arguments"):
            cell(Cube())(X)


REFUSED = "In no_grad context, you can not calculate gradient"


@pytest.mark.parametrize(
    "take",
    [
        lambda: ms.grad(Cube())(X),
        lambda: ms.value_and_grad(Cube())(X),
        lambda: ops.GradOperation()(Cube())(X),
        lambda: ms.vjp(Cube(), X)[1](V),
    ],
)
def test_no_gradient_within_no_grad(take) -> None:
    with ms.no_grad(), pytest.raises(RuntimeError, match=REFUSED):
        take()
    take()  # the context is over


def test_sens_by_name(mode: int) -> None:
    sens = Tensor([3.0, 4.0])
    check(ops.GradOperation(sens_param=True)(lambda x: x * x)(X, sens=sens), [6, 16])
    both = ops.GradOperation(get_all=True, sens_param=True)(Product())
    check(both(X, Tensor([1.0, 5.0]), sens=sens), ([3, 20], [3, 8]))
    check(both(X, Tensor([1.0, 5.0]), sens), ([3, 20], [3, 8]))
    with pytest.raises(ValueError, match="the sensitivity is missing"):
        ops.GradOperation(sens_param=True)(lambda: X)()


def ramp(*shape: int) -> Tensor:
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


def with_bprop(gradient):
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (gradient(),)

    return Net()


def with_function(gradient):
    class Double(ms._Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dout):
            return gradient()

    return Double.apply


@pytest.mark.parametrize("make", [with_bprop, with_function])
@pytest.mark.parametrize(
    ("given", "shape"),
    [((2, 3), (3,)), ((5, 2, 3), (2, 3)), ((2, 3), (2, 1)), ((4, 3), (1, 1)), ((3,), ()), ((3,), (3,))],
)
def test_gradients_are_summed_to_the_input(make, given, shape) -> None:
    got = ms.grad(make(lambda: ramp(*given).astype(ms.float16)))(Tensor(np.ones(shape, np.float32)))
    lead = len(given) - len(shape)
    kept = tuple(lead + d for d, n in enumerate(shape) if n == 1 and given[lead + d] != 1)
    want = ramp(*given).asnumpy().sum((*range(lead), *kept)).reshape(shape)
    assert got.dtype == ms.float32
    np.testing.assert_array_equal(got.asnumpy(), want)


def test_summed_gradients_in_a_graph() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    check(ms.grad(with_bprop(lambda: ramp(2, 3)))(Tensor(np.ones(3, np.float32))), [3, 5, 7])


@pytest.mark.parametrize("make", [with_bprop, with_function])
@pytest.mark.parametrize("given", [(3,), (4,), (2, 4)])
def test_gradients_that_do_not_fit(make, given) -> None:
    text = r"For custom function, grad tensor should be broadcast to input shape, but got .* vs \[2, 3\]: .*input 0"
    with pytest.raises(RuntimeError, match=text):
        ms.grad(make(lambda: ramp(*given)))(Tensor(np.ones((2, 3), np.float32)))


def test_gradients_of_a_function_are_counted() -> None:
    with pytest.raises(RuntimeError, match="Function backward return a wrong number of gradients, expect: 1, but: 0"):
        ms.grad(with_function(lambda: ()))(X)
    with pytest.raises(RuntimeError, match=r"Gradient should be none or tensor, position: 0 type: <class 'float'>"):
        ms.grad(with_function(lambda: 2.0))(X)
    check(ms.grad(with_function(lambda: None))(X), [0, 0])


def test_gradient_of_a_compiled_loop_from_outside() -> None:
    """How often the loop runs is known only when the graph does: x becomes x⁸."""

    @ms.jit
    def grow(x):
        while x.sum() < 100:
            x = x * x
        return x

    check(ms.grad(grow)(Tensor([2.0, 3.0])), [8 * 2.0**7, 8 * 3.0**7])
    check(ms.grad(lambda x: grow(x) * 2)(Tensor([20.0, 90.0])), [2, 2])
