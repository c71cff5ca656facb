"""Hooks of a Cell: what they see and change, and handles that remove them. `transform/test_tensor_hooks.py` has more."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax.nn.cell import register_cell_buffer_registration_hook


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


class Noted(nn.Cell):
    """Notes that it runs, and fails if it is told to."""

    def __init__(self, log: list, fails: bool = False) -> None:
        super().__init__()
        self.log, self.fails = log, fails

    def construct(self, x):
        self.log.append("construct")
        if self.fails:
            raise ValueError("no")
        return x + 1


def test_a_hook_can_be_prepended() -> None:
    log: list = []
    cell = Noted(log)
    for name, prepend in (("a", False), ("b", True)):
        cell.register_forward_pre_hook(lambda *_, name=name: log.append(f"pre {name}"), prepend=prepend)
        cell.register_forward_hook(lambda *_, name=name: log.append(name), prepend=prepend)
    cell(Tensor([1.0]))
    assert log == ["pre b", "pre a", "construct", "b", "a"]


def test_hooks_that_are_always_called() -> None:
    """As MindSpore 2.10 calls them: with None after an error in `construct`, and with its output after one in a hook."""
    log: list = []
    cell = Noted(log, fails=True)
    cell.register_forward_hook(lambda *_: log.append("not called"))
    cell.register_forward_hook(lambda cell, inputs, kwargs, out: log.append((kwargs, out)), True, always_call=True)
    cell.register_forward_hook(lambda *_: 1 / 0, always_call=True)
    with (
        pytest.raises(ValueError, match="no"),
        pytest.warns(UserWarning, match=r"always_call=True raised after another error: ZeroDivisionError"),
    ):
        cell(Tensor([1.0]))
    assert log == ["construct", ({}, None)]
    log.clear()
    cell = Noted(log)
    cell.register_forward_hook(lambda *_: 1 / 0, always_call=True)
    cell.register_forward_hook(lambda cell, inputs, out: log.append(out.asnumpy().tolist()), always_call=True)
    with pytest.raises(ZeroDivisionError):
        cell(Tensor([1.0]))
    assert log == ["construct", [2.0]]
    cell = Noted(log)
    cell.register_forward_hook(lambda cell, inputs, out: out * 10, always_call=True)
    assert cell(Tensor([1.0])).asnumpy().tolist() == [20.0]


def test_hooks_of_all_cells_see_buffers_that_are_registered():
    seen = []
    handle = register_cell_buffer_registration_hook(lambda cell, name, tensor: seen.append((type(cell), name)))
    other = register_cell_buffer_registration_hook(lambda cell, name, tensor: tensor * 2)
    cell = nn.Cell()
    cell.register_buffer("count", Tensor([1.0]))
    handle.remove()
    cell.register_buffer("more", Tensor([2.0]))
    other.remove()
    cell.register_buffer("last", Tensor([3.0]))
    assert seen == [(nn.Cell, "count")] and [b.tolist() for b in cell.buffers()] == [[2.0], [4.0], [3.0]]
    with pytest.raises(TypeError, match="register_buffer_registration_hook"):
        register_cell_buffer_registration_hook(3)
