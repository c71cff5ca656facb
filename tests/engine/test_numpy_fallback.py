"""Operators that meet new shapes without end are computed by NumPy, as XLA computes them, and compiled no more."""

import contextlib

import numpy as np
import pytest
from executables import executables

import sporax as ms
from sporax import nn, ops
from sporax._src.engine import numpy_fallback

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")


@pytest.fixture
def usual(monkeypatch):
    """Let operators be compiled for so many signatures, counted anew."""
    monkeypatch.setattr(numpy_fallback, "_sites", {})
    monkeypatch.setattr(numpy_fallback, "_growing", set())
    monkeypatch.setattr(numpy_fallback, "USUAL", 2)
    return 2


def ones(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, np.float32))


def count_executables(run, sizes, usual):
    """Run for many sizes at one line; return how many executables the first ones made, and how many all made."""
    counts = []
    for n in sizes:
        run(n)
        counts.append(executables())
    return counts[usual - 1], counts[-1]


def test_new_shapes_compile_nothing_after_the_usual_ones(usual):
    wanted = np.exp(-np.arange(2) * 7.0)[::-1] / np.exp(-np.arange(2) * 7.0).sum()

    def run(n):
        x = ones(n, 7)
        y = ops.softmax(ops.cat((x, x * 2), 0) @ ones(7, 3), 0).reshape(2, n, 3).sum(0)
        np.testing.assert_allclose(y.asnumpy(), np.full((n, 3), wanted.sum() / n), rtol=1e-5)

    first, last = count_executables(run, range(600, 620), usual)
    assert last <= first


def test_a_signature_that_comes_often_is_compiled(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "_OFTEN", 3)
    counts = []
    for n in (*range(700, 700 + usual), 750, 750, 750, 750):
        np.testing.assert_allclose(ops.exp(ones(n)).asnumpy(), np.full(n, np.e), rtol=1e-6)
        counts.append(executables())
    assert counts[-1] - 1 == counts[-2] == counts[usual - 1]


def test_the_layers_of_a_network_are_compiled(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)  # nothing can be made of it
    net = nn.SequentialCell(*[nn.Dense(n, n + 1) for n in range(1, 8)])
    gradient = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())
    for batch in (8, 8, 5, 8):
        assert net(ones(batch, 1)).shape == (batch, 8)
        assert len(gradient(ones(batch, 1))) == 14


def test_layers_that_one_line_calls_are_compiled_in_training(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)
    weights = [ms.Parameter(ones(n, n + 1), name=f"w{n}") for n in range(1, 8)]

    def loss(x):
        for w in weights:
            x = ops.tanh(ops.matmul(x, w))
        return x.sum()

    for _ in range(3):
        assert len(ms.grad(loss, None, weights)(ones(4, 1))) == 7


def test_static_arguments_without_end_compile_nothing(usual):
    first, last = count_executables(lambda n: ops.ones((n, 3)), range(900, 910), usual)
    assert last == first
    assert ops.ones((911, 3)).asnumpy().sum() == 3 * 911


def test_gradients_compile_nothing_either(usual):
    def loss(x, k):
        y = ops.layer_norm(ops.gather(x, k, 0), (4,), ops.ones(4), ops.zeros(4))
        return (ops.gelu(y) * ops.softmax(y, 0)).sum()

    gradient = ms.grad(loss)
    rows = np.random.default_rng(0).standard_normal((20, 4)).astype(np.float32)

    def run(n):
        k = ms.Tensor(np.arange(n, dtype=np.int32) % 20)
        results.append(gradient(ms.Tensor(rows), k).asnumpy())

    results: list[np.ndarray] = []
    first, last = count_executables(run, range(30, 40), usual)
    assert last <= first
    ms.set_deterministic(True)
    try:
        run(39)
    finally:
        ms.set_deterministic(False)
    np.testing.assert_allclose(results[-2], results[-1], rtol=1e-4, atol=1e-5)


def test_all_is_compiled_when_results_are_to_repeat(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "Program", None)
    ms.set_deterministic(True)
    try:
        for n in range(900, 900 + 2 * usual):
            assert ops.cosh(ones(n)).shape == (n,)
    finally:
        ms.set_deterministic(False)


def test_a_result_has_memory_of_its_own(usual):
    weight = ms.Parameter(ones(2000, 2), name="weight")
    for x in [*(ones(n, 2) for n in range(1000, 1000 + usual)), weight]:
        view, copy = ops.reshape(x, (2, -1)), ops.positive(x).copy()
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
    for n in range(1100, 1105):
        last = n - 1 if n < 1104 else n
        error = pytest.raises(IndexError, match="1104") if n == 1104 else contextlib.nullcontext()
        with error:
            ops.gather(ones(n), ms.Tensor([last]), 0)
    for n in range(1200, 1205):
        error = pytest.raises(ValueError, match=r"ops.add.*1204") if n == 1204 else contextlib.nullcontext()
        with error:
            ops.add(ones(n), ones(n + (n == 1204)))


def test_programs_are_forgotten(usual, monkeypatch):
    monkeypatch.setattr(numpy_fallback, "_MOST_PROGRAMS", 3)
    for n in range(1300, 1320):
        assert float(ops.tanh(ones(n))[0].asnumpy()) == pytest.approx(np.tanh(1))
