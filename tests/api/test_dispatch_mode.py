"""Operators of PyNative mode are handed to a method of the program."""

import threading

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops


class Log(ms.MsDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __ms_dispatch__(self, func, args, kwargs=None):
        self.names.append(func.name)
        return func(*args)


class Doubled(ms.MsDispatchMode):
    def __ms_dispatch__(self, func, args, kwargs=None):
        return func(*args) * 2


X, Y = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])


def test_operators_are_named_and_run() -> None:
    with Log() as log:
        z = ops.relu(X - Y * 2) + ops.matmul(X, Y)
        ops.ReduceSum()(z)
    assert log.names == ["Mul", "Sub", "ReLU", "MatMul", "Add", "ReduceSum"]
    np.testing.assert_allclose(z.asnumpy(), [32, 32, 32])
    X + Y
    assert len(log.names) == 6


def test_the_innermost_block_counts_and_blocks_may_be_entered_again() -> None:
    log = Log()
    with log:
        with Doubled():
            assert (X + Y).tolist() == [10.0, 14.0, 18.0]
        with log:
            X * Y
        X - Y
    assert log.names == ["Mul", "Sub"]


def test_a_block_is_a_decorator() -> None:
    log = Log()

    @log
    def add(a: Tensor, b: Tensor) -> Tensor:
        return a + b

    assert add(X, Y).tolist() == add(X, Y).tolist() == [5.0, 7.0, 9.0]
    assert log.names == ["Add", "Add"]


def test_gradients_go_through_what_the_method_returns() -> None:
    def square(x: Tensor) -> Tensor:
        with Doubled():
            y = x * x
        return y.sum()

    value, gradient = ms.value_and_grad(square)(X)
    assert (float(value), gradient.tolist()) == (28.0, [4.0, 8.0, 12.0])


def test_views_stay_views() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    with Log() as log:
        row = ops.reshape(x, (4,))
    row[0] = 9.0
    assert log.names == ["Reshape"] and x.tolist() == [[9.0, 2.0], [3.0, 4.0]]


def test_graphs_and_other_threads_are_left_alone() -> None:
    graph = ms.jit(lambda x: x * x + 1)
    with Log() as log:
        assert graph(X).tolist() == [2.0, 5.0, 10.0]
        thread = threading.Thread(target=lambda: X + Y)
        thread.start()
        thread.join()
    assert log.names == []


def test_an_error_of_the_method_is_raised_as_it_is() -> None:
    class Wrong(ms.MsDispatchMode):
        def __ms_dispatch__(self, func):
            return func

    with (
        pytest.raises(
            TypeError, match=r"^[^:]*Wrong.__ms_dispatch__\(\) takes 2 positional arguments but 4 were given"
        ),
        Wrong(),
    ):
        X + Y
    assert (X + Y).tolist() == [5.0, 7.0, 9.0]
    with pytest.raises(ValueError, match=r"^ops\.add\(float32\[3\], float32\[2\]\)"), ms.MsDispatchMode():
        X + Tensor([1.0, 2.0])
