"""Operators that meet new shapes without end are computed by NumPy, as XLA computes them, and compiled no more."""

import gc

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.engine import numpy_fallback

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")


@pytest.fixture
def usual(monkeypatch):
    """Let operators be compiled for so many signatures, counted anew."""
    monkeypatch.setattr(numpy_fallback, "_compiled", type(numpy_fallback._compiled)())
    monkeypatch.setattr(numpy_fallback, "_growing", set())
    monkeypatch.setattr(numpy_fallback, "USUAL", 4)
    return 4


def executables() -> int:
    gc.collect()  # those of tests before may hang in circles
    return len(jax.devices()[0].client.live_executables())


def ones(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, np.float32))


def test_new_shapes_compile_nothing_after_the_usual_ones(usual):
    def run(n):
        x = ones(n, 7)
        return ops.softmax(ops.cat((x, x * 2), 0) @ ones(7, 3), 0).reshape(2, n, 3).sum(0)

    wanted = np.exp(-np.arange(2) * 7.0)[::-1] / np.exp(-np.arange(2) * 7.0).sum()
    for n in range(500, 500 + usual):
        run(n)
    before = executables()
    for n in range(600, 620):
        np.testing.assert_allclose(run(n).asnumpy(), np.full((n, 3), wanted.sum() / n), rtol=1e-5)
    assert executables() <= before


def test_a_signature_that_comes_often_is_compiled(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "_OFTEN", 3)
    for n in range(700, 700 + usual):
        ops.exp(ones(n))
    before = executables()
    for calls, compiled in ((3, 0), (2, 1)):
        for _ in range(calls):
            np.testing.assert_allclose(ops.exp(ones(750)).asnumpy(), np.full(750, np.e), rtol=1e-6)
        assert executables() - before == compiled


def test_shapes_that_differ_in_more_than_one_size_are_those_of_layers(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)  # nothing can be made of it
    for n in range(1, 3 * usual):
        assert ops.tan(ones(n, 2000 - n, 2)).shape == (n, 2000 - n, 2)


def test_static_arguments_without_end_compile_nothing(usual):
    for n in range(800, 800 + usual):
        ops.ones((n, 3))
    before = executables()
    for n in range(900, 910):
        assert ops.ones((n, 3)).asnumpy().sum() == 3 * n
    assert executables() == before


def test_what_a_gradient_depends_on_is_compiled(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)  # nothing can be made of it
    gradient = ms.grad(lambda x: (ops.sinh(x) * ops.floor(ones(x.shape[0]))).sum())
    for n in range(800, 800 + 2 * usual):
        np.testing.assert_allclose(gradient(ones(n)).asnumpy(), np.full(n, np.cosh(1)), rtol=1e-6)


def test_all_is_compiled_when_results_are_to_repeat(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)
    ms.set_deterministic(True)
    try:
        for n in range(900, 900 + 2 * usual):
            assert ops.cosh(ones(n)).shape == (n,)
    finally:
        ms.set_deterministic(False)


def test_a_result_has_memory_of_its_own(usual):
    for n in range(1000, 1000 + usual):
        ops.reshape(ones(n, 2), (2, n)), ops.positive(ones(n, 2)).copy()
    weight = ms.Parameter(ones(2000, 2), name="weight")
    view, copy = ops.reshape(weight, (2, 2000)), ops.positive(weight).copy()
    step = nn.TrainOneStepCell(nn.WithLossCell(_Scaled(weight), nn.MSELoss()), nn.SGD([weight], 0.1))
    step(ones(2000, 2), ones(2000, 2) * 3)
    np.testing.assert_array_equal(copy.asnumpy(), 1)
    np.testing.assert_array_equal(view.asnumpy(), weight.asnumpy().reshape(2, 2000))
    assert (weight.asnumpy() != 1).all()


class _Scaled(nn.Cell):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def construct(self, x):
        return self.weight * x


def test_errors_are_those_of_compiled_calls(usual):
    for n in range(1100, 1100 + usual):
        ops.add(ones(n), ones(n)), ops.gather(ones(n), ms.Tensor([0]), 0)
    with pytest.raises(ValueError, match=r"ops.add.*1204"):
        ops.add(ones(1204), ones(1205))
    with pytest.raises(IndexError, match="1206"):
        ops.gather(ones(1206), ms.Tensor([1206]), 0)


def test_programs_are_forgotten(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "_MOST_PROGRAMS", 3)
    for n in range(1300, 1320):
        assert float(ops.tanh(ones(n))[0].asnumpy()) == pytest.approx(np.tanh(1))
