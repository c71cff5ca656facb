"""Hooks of a Cell: what they see and change, and handles that remove them. `transform/test_tensor_hooks.py` has more."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn


class Twice(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return 2 * x


X = Tensor([1.0, 3.0])


def test_hooks_change_inputs_outputs_and_gradients(mode: int) -> None:
    net = Twice()
    net.register_forward_pre_hook(lambda cell, args: (args[0] + 1,))
    net.register_forward_hook(lambda cell, args, out: out * 10)
    assert net(X).asnumpy().tolist() == [40, 80]
    net.register_backward_hook(lambda cell, grad_input, grad_output: (grad_input[0] + 1,))
    assert ms.grad(lambda x: net(x).sum())(X).asnumpy().tolist() == [21, 21]


def test_a_handle_removes_its_hook_once() -> None:
    net = Twice()
    first = net.register_forward_hook(lambda cell, args, out: out + 1)
    second = net.register_forward_hook(lambda cell, args, out: out * 3)
    first.remove()
    first.remove()
    assert net(X).asnumpy().tolist() == [6, 18]
    second.remove()
    assert net(X).asnumpy().tolist() == [2, 6]


def test_a_backward_of_its_own() -> None:
    class Own(Twice):
        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
            return (dout * 7,)

    np.testing.assert_array_equal(ms.grad(lambda x: Own()(x).sum())(X).asnumpy(), [7, 7])
    Own.bprop = lambda self, x, out, dout: None  # type: ignore[assignment, method-assign]
    with pytest.raises(TypeError, match=r"Own\.bprop must return a gradient for each of the 1 inputs, got None"):
        ms.grad(lambda x: Own()(x).sum())(X)


def test_hooks_that_return_something_else() -> None:
    net = Twice()
    net.register_forward_pre_hook(lambda cell, args, kwargs: args, with_kwargs=True)
    with pytest.raises(RuntimeError, match="hook with kwargs must return None or a tuple of"):
        net(X)
    net = Twice()
    net.register_backward_hook(lambda cell, grad_input, grad_output: (X, X))
    with pytest.raises(TypeError, match="return value size is 2 not equal to expect grad input size 1"):
        ms.grad(lambda x: net(x).sum())(X)
    net = Twice()
    net.register_backward_pre_hook(lambda cell, grad_output: (3,))
    with pytest.raises(TypeError, match="should be a tensor but got int"):
        ms.grad(lambda x: net(x).sum())(X)


def test_hooks_are_called_in_the_order_asked_for(run):
    net = nn.ReLU()
    net.register_forward_pre_hook(lambda cell, inputs: inputs[0] + 1)
    net.register_forward_pre_hook(lambda cell, inputs: inputs[0] * 10, prepend=True)
    net.register_forward_hook(lambda cell, inputs, out: out + 1)
    first = net.register_forward_hook(lambda cell, inputs, out: out * 10, prepend=True)
    assert float(run(net, Tensor(1.0))) == 111.0
    first.remove()
    assert float(run(net, Tensor(1.0))) == 12.0


class Failing(nn.Cell):
    def construct(self, x):
        raise KeyError("no result")


def test_hooks_that_are_always_called_see_errors_too():
    seen = []
    for net in (Failing(), nn.ReLU()):
        net.register_forward_hook(lambda cell, inputs, out: seen.append(out), always_call=True)
        net.register_forward_hook(lambda cell, inputs, out: 1 / 0)
        net.register_forward_hook(lambda cell, inputs, kwargs, out: seen.append(kwargs), True, always_call=True)
        with pytest.raises((KeyError, ZeroDivisionError)):
            net(Tensor(1.0))
    assert seen[:2] == [None, {}] and seen[2].shape == () and seen[3] == {}
    net = Failing()
    net.register_forward_hook(lambda cell, inputs, out: 1 / 0, always_call=True)
    text = r"a forward hook with always_call=True raised ZeroDivisionError after another error: division by zero"
    with pytest.warns(UserWarning, match=text), pytest.raises(KeyError):
        net(Tensor(1.0))
