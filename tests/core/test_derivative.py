"""A write into a Parameter is not differentiated, and the Parameter stays the variable of the gradient, as in MindSpore 2.7."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.core.derivative import instead, written

X = np.arange(3, dtype=np.float32)


def copied(p, x):
    with ms._no_grad():
        p.copy_(x + 5)


def with_setitem(p, x):
    p[0] = x[2]


def with_all_items(p, x):
    p[:] = x


WRITES = {  # how the Parameter is written, and its value after it
    "assign": (lambda p, x: ops.assign(p, x + 5), X + 5),
    "assign_add": (lambda p, x: ops.assign_add(p, x + 5), X + 6),
    "assign_sub": (lambda p, x: ops.assign_sub(p, x + 5), -X - 4),
    "add_": (lambda p, x: p.add_(x), X + 1),
    "set_data": (lambda p, x: p.set_data(x + 5), X + 5),
    "assign_value": (lambda p, x: p.assign_value(x + 5), X + 5),
    "copy_ within no_grad": (copied, X + 5),
    "an item": (with_setitem, np.array([2, 1, 1], np.float32)),
    "all items": (with_all_items, X),
}


class Net(nn.Cell):
    def __init__(self, write, requires_grad=True):
        super().__init__()
        self.p = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="p", requires_grad=requires_grad)
        self.write = write

    def construct(self, x):
        self.write(self.p, x)
        return (self.p * x).sum()


@pytest.mark.parametrize("name", WRITES)
def test_a_written_parameter_stays_the_variable(mode: int, name: str) -> None:
    write, after = WRITES[name]
    net = Net(write)
    by_x, (by_p,) = ms.grad(net, 0, ms.ParameterTuple([net.p]))(ms.Tensor(X))
    np.testing.assert_array_equal(net.p.asnumpy(), after)
    np.testing.assert_array_equal(by_x.asnumpy(), after)
    np.testing.assert_array_equal(by_p.asnumpy(), X)


@pytest.mark.parametrize("name", WRITES)
def test_no_gradient_passes_through_a_parameter_that_needs_none(mode: int, name: str) -> None:
    write, after = WRITES[name]
    net = Net(write, requires_grad=False)
    np.testing.assert_array_equal(ms.grad(net)(ms.Tensor(X)).asnumpy(), after)


def test_uses_before_and_after_a_write_are_added(mode: int) -> None:
    p = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="p")

    def fn(x):
        before = (p * x).sum()
        ops.assign(p, x + 5)
        return before + (p * x * 10).sum()

    by_x, (by_p,) = ms.grad(fn, 0, ms.ParameterTuple([p]))(ms.Tensor(X))
    np.testing.assert_array_equal(by_x.asnumpy(), 1 + 10 * (X + 5))
    np.testing.assert_array_equal(by_p.asnumpy(), 11 * X)


def test_a_write_in_a_loop_of_a_graph() -> None:
    p = ms.Parameter(ms.Tensor(np.float32(1)), name="p")

    def fn(x, n):
        while n > 0:
            ops.assign(p, p + x)
            n = n - 1
        return p * x

    by_x, (by_p,) = ms.jit(ms.grad(fn, 0, ms.ParameterTuple([p])))(ms.Tensor(2.0), ms.Tensor(3))
    assert (by_x.item(), by_p.item()) == (7.0, 2.0)


def test_the_derivative_of_another_value() -> None:
    out, pullback = jax.vjp(lambda x: instead(jnp.cos(x), x * 3), 2.0)
    assert (float(out), float(pullback(1.0)[0])) == (float(jnp.cos(2.0)), 3.0)


def test_a_value_of_another_dtype_or_shape_has_no_derivative() -> None:
    for value in (np.ones(3, np.float16), np.ones(2, np.float32)):
        out, pullback = jax.vjp(lambda x, value=value: written(value * x.astype(value.dtype)[0], x).sum(), X)
        assert not pullback(jnp.ones((), out.dtype))[0].any()


THROUGH = {  # writes through `detach()`, in PyTorch and here
    "a product": lambda y, x: y.mul_(3.0),
    "a product with the input": lambda y, x: y.mul_(x),
    "a sum with the input": lambda y, x: y.add_(x),
    "an item of it": lambda y, x: y[0].mul_(3.0),
    "a number for an item": lambda y, x: y.__setitem__(0, 5.0),
    "the input for an item": lambda y, x: y.__setitem__(0, x[1]),
    "a transpose": lambda y, x: y.T.mul_(x),
}


@pytest.mark.parametrize("name", THROUGH)
def test_a_write_through_detach_is_not_differentiated(mode: int, name: str) -> None:
    torch = pytest.importorskip("torch")
    values, write = np.array([[1, 2], [3, 4]], np.float32), THROUGH[name]

    def loss(x, detached):
        y = x * 2
        write(detached(y), x)
        return (y * x).sum()

    x = torch.tensor(values, requires_grad=True)
    loss(x, lambda y: y.detach()).backward()
    gradient = ms.grad(lambda x: loss(x, ops.stop_gradient))(ms.Tensor(values))
    np.testing.assert_allclose(gradient.asnumpy(), x.grad.numpy())
