"""The executor of PyNative mode, which programs ask whether a gradient is taken."""

import pytest

import sporax as ms
from sporax import Tensor
from sporax.common.api import _pynative_executor


def test_executor() -> None:
    seen = []

    def square(x: Tensor) -> Tensor:
        seen.append(
            (_pynative_executor.grad_flag(), _pynative_executor.requires_grad(), _pynative_executor.high_order())
        )
        return x * x

    square(Tensor(3.0))
    ms.grad(square)(Tensor(3.0))
    ms.grad(ms.grad(square))(Tensor(3.0))
    assert seen == [(False, False, False), (True, True, False), (True, True, True)]
    with ms.no_grad():
        assert not _pynative_executor.enable_grad()
        _pynative_executor.set_enable_grad(True)
        assert ms.grad(square)(Tensor(3.0)).item() == 6.0
    assert _pynative_executor.enable_grad()
    for name in ("set_async_for_graph", "set_grad_flag", "set_enable_grad"):
        assert getattr(_pynative_executor, name)(True) is None
        with pytest.raises(TypeError, match=f"{name}: the flag must be a bool, got 1"):
            getattr(_pynative_executor, name)(1)


def test_what_runs_without_gradients_within_a_gradient() -> None:
    def stopped(x: Tensor) -> Tensor:
        _pynative_executor.set_enable_grad(False)
        inner = x * 5
        _pynative_executor.set_enable_grad(True)
        return x * inner

    assert ms.grad(stopped)(Tensor(1.0)).item() == 5.0
    assert ms.grad(ms.grad(stopped))(Tensor(1.0)).item() == 0.0
