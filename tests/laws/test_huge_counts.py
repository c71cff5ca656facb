"""A number of sections, repetitions, elements or results that is far too large is refused at once, or Ctrl-C ends the call."""

import signal
import sys
import time

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, mint, nn, ops
from sporax.common.initializer import initializer

pytestmark = pytest.mark.filterwarnings("ignore:.*runs in PyNative mode")

N = 10**5
HUGE = 2**62


def T(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def I(*shape: int) -> Tensor:  # noqa: E743
    return Tensor(np.ones(shape, np.int64))


NAMES = {"ops": ops, "mint": mint, "nn": nn, "mnp": ms.numpy, "T": T, "I": I}
CALLS = """
ops.hsplit(T(0, 3), n)
ops.hsplit(T(4, 0), n)
ops.vsplit(T(0, 3), n)
ops.dsplit(T(2, 2, 0), n)
ops.tensor_split(T(4, 3), n, 1)
T(0, 3).tensor_split(n)
ops.chunk(T(4, 3), n)
mint.chunk(T(0, 3), n)
ops.split(T(0, 6), n)
ops.Split(0, n)(T(0, 3))
mnp.split(T(0, 3), n)
mnp.array_split(T(4, 3), n)
mnp.hsplit(T(3, 0), n)
ops.repeat_interleave(T(3), n)
ops.repeat_elements(T(0, 2), n)
ops.tile(T(3), (n,))
T(3).repeat(n)
mint.repeat_interleave(T(3), n)
mnp.repeat(T(3), n)
mnp.tile(T(0), n)
ops.combinations(T(3), n, True)
ops.one_hot(I(3), n)
nn.OneHot(depth=n)(I(3))
ops.linspace(0, 1, n)
mnp.linspace(0, 1, n)
mnp.geomspace(1, 2, n)
ops.logspace(0, 1, n)
ops.arange(n)
ops.range(0, n, 1)
mnp.arange(n)
ops.eye(n, 0)
mint.eye(n)
mnp.tri(n)
ops.tril_indices(n, n)
mnp.indices((n, n))
ops.rand(n)
ops.randint(0, 5, (n,))
ops.randperm(n)
ops.standard_normal((n,))
mint.multinomial(T(3), n, True)
ops.bartlett_window(n)
ops.kaiser_window(n)
ops.vander(T(3), n)
ops.bincount(I(3), None, n)
ops.histc(T(3), n)
ops.matrix_power(ops.eye(2), n)
ops.mvlgamma(T(2) + n, n)
ops.rot90(T(2, 2), n, (0, 1))
ops.roll(T(3), n)
ops.diff(T(0), n)
ops.pad(T(1, 3), (n, 0), 'circular')
mnp.pad(T(3), n, 'reflect')
ops.diag_embed(T(3), n)
ops.fft(T(3), n)
ops.adaptive_avg_pool1d(T(1, 1, 4), n)
ops.unsorted_segment_sum(T(3), I(3), n)
ops.sequence_mask(I(3), n)
ops.random_categorical(T(1, 3), n)
nn.SequentialCell(*[nn.ReLU()] * min(n, 10**4))
"""
ELEMENTS = ("ops.unbind(x)", "ops.unstack(x)", "ops.split(x, 1)", "ops.chunk(x, x.size)", "mint.unbind(x)", "list(x)")


@pytest.fixture
def interrupts(monkeypatch):
    """Raise KeyboardInterrupt again and again after a third of a second: Python drops one that falls into a finalizer."""
    # Where one is dropped, pytest would format it in Python, which the next one may interrupt.
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: None)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda on: signal.setitimer(signal.ITIMER_REAL, 0.33 * on, 0.2 * on)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def _seconds(call, interrupts) -> float:
    """Return the seconds that this thread computes until an interrupt ends the call; other processes do not count."""
    start = time.thread_time()
    try:
        try:
            interrupts(True)
            call()
        finally:
            interrupts(False)
    except (KeyboardInterrupt, ValueError, TypeError, RuntimeError, MemoryError, OverflowError):
        interrupts(False)  # one that came while the call ended may have left them on
    return time.thread_time() - start


@pytest.mark.parametrize("call", CALLS.split("\n")[1:-1])
def test_counts(call, mode, interrupts) -> None:
    run = eval(f"lambda n: {call}", NAMES)
    for n in (N, HUGE):
        assert (
            _seconds(lambda n=n: (ms.jit(lambda: run(n)) if mode == ms.GRAPH_MODE else lambda: run(n))(), interrupts)
            < 8
        )


@pytest.mark.parametrize("call", ELEMENTS)
def test_as_many_results_as_elements(call, mode, interrupts) -> None:
    x = T(3 * 10**5)
    run = eval(f"lambda x: {call}", NAMES)
    assert _seconds(lambda: (ms.jit(run) if mode == ms.GRAPH_MODE else run)(x), interrupts) < 8


def test_many_pieces_are_what_few_are(mode) -> None:
    """Pieces are cut one after the other where there are many: values, gradients and what is written into them."""
    x = Tensor(np.arange(600, dtype=np.float32).reshape(3, 200))
    for cut, size in (
        (lambda x: ops.unbind(x, 1), 200),
        (lambda x: ops.split(x, 2, 1), 100),
        (lambda x: ops.hsplit(x, 150), 150),
    ):
        pieces = cut(x)
        assert len(pieces) == size
        joined = ops.cat([p.reshape(3, -1) for p in pieces], 1)
        np.testing.assert_array_equal(joined.asnumpy(), x.asnumpy())
        gradient = ms.grad(lambda x, cut=cut: sum((p * i).sum() for i, p in enumerate(cut(x)[:70])))(x)
        assert gradient[0, 0] == 0 and gradient.max() == 69


def test_a_graph_refuses_more_results_than_it_can_hold() -> None:
    with pytest.raises(
        ValueError, match=r"ops\.unbind: input makes 5000 Tensors of one; at most 4096 can be made in a graph"
    ):
        ms.jit(ops.unbind, fullgraph=True)(T(5000))
    with pytest.raises(ValueError, match=r"ops\.Split: output_num makes 1125899906842624 Tensors of one"):
        ops.Split(0, 2**50)(T(0, 3))


@pytest.mark.parametrize("shape", [(2**62,), (2**31, 2**31)])
def test_parameters_that_no_memory_holds(shape) -> None:
    with pytest.raises(ValueError, match=r"Tensor: shape has more elements than can be counted, got \("):
        initializer("zeros", shape, ms.float32)
    if len(shape) == 1:
        with pytest.raises(ValueError, match="Tensor: shape has more elements than can be counted"):
            nn.BatchNorm2d(*shape)
