"""Checked execution: each operation is waited for, and the first that makes a NaN or Inf is an error."""

from collections.abc import Callable, Iterator

import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.engine.dispatch import Kernel, debugging
from sporax._src.transform import capture
from sporax._src.transform.capture import Graph
from sporax._src.transform.debug.checked import AwaitedGraph, CheckedGraph, CheckedKernel, watch


@pytest.fixture(autouse=True)
def _on() -> Iterator[None]:
    ms.set_context(debug_nans=True)
    yield
    ms.set_context(debug_nans=False)


X = Tensor(np.ones((2, 4), np.float32))


def message(call: Callable[[], object]) -> str:
    with pytest.raises(FloatingPointError) as error:
        call()
    return str(error.value)


def compiled(fn: Callable[..., Tensor], mode: int) -> Callable[..., Tensor]:
    return ms.jit(fn, fullgraph=True) if mode == ms.GRAPH_MODE else fn


def test_the_context_chooses_the_kinds_of_graphs_and_kernels() -> None:
    assert capture.graph_class is CheckedGraph and debugging.check is watch
    ms.set_context(debug_nans=False)
    assert capture.graph_class is Graph and debugging.check is None
    ms.set_context(pynative_synchronize=True)
    try:
        assert capture.graph_class is AwaitedGraph and debugging.check is watch
    finally:
        ms.set_context(pynative_synchronize=False)


def test_a_checked_kernel_computes_the_same_and_names_itself() -> None:
    kernel = watch(Kernel(jnp.log, "ops.log"))
    assert isinstance(kernel, CheckedKernel) and watch(kernel) is kernel
    assert kernel.run(jnp.ones(2)).tolist() == [0.0, 0.0]
    assert "log(float32[1]) made -Inf in 1 of 1 elements" in message(lambda: kernel.run(jnp.zeros(1, np.float32)))
    out, pulled = kernel.record((0,), (jnp.full(1, 2.0),))
    assert out.tolist() == jnp.log(jnp.full(1, 2.0)).tolist()
    assert [g.tolist() for g in kernel.pull(pulled, (jnp.ones(1),))] == [[0.5]]


def test_states_are_not_written_by_a_step_that_failed() -> None:
    """After the error Parameters hold their last finite values, and training goes on."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Loss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(4, 3)

        def construct(self, x):
            return ops.log(ops.square(self.fc(x)).sum())

    net = Loss()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    step(X)
    before = net.fc.weight.asnumpy()
    text = message(lambda: step(X * 1e30))
    assert "ops.square" in text and "in the Cell TrainOneStepCell.network" in text
    np.testing.assert_array_equal(net.fc.weight.asnumpy(), before)
    assert np.isfinite(float(step(X)))


def test_switching_at_run_time(mode: int) -> None:
    """Graphs that exist are replaced, and come back when the switch is off."""
    run = compiled(lambda x: ops.log(x), mode)
    ms.set_context(debug_nans=False)
    assert np.isinf(run(X * 0).asnumpy()).all()
    ms.set_context(debug_nans=True)
    message(lambda: run(X * 0))
    ms.set_context(debug_nans=False)
    assert np.isinf(run(X * 0).asnumpy()).all()


def test_random_state_advances_once(mode: int) -> None:
    """Draws are the same with and without the switch."""
    run = compiled(lambda x: ops.dropout(x, 0.5), mode)
    ms.set_seed(3)
    got = [run(X).asnumpy() for _ in range(3)]
    ms.set_context(debug_nans=False)
    ms.set_seed(3)
    for row in got:
        np.testing.assert_array_equal(run(X).asnumpy(), row)


def test_synchronous_pynative_mode(mode: int) -> None:
    """With `pynative_synchronize` every result is there when a call returns; values are unchanged."""
    ms.set_context(debug_nans=False, pynative_synchronize=True)
    try:
        cell = nn.Dense(4, 3)
        out, (grads,) = ms.value_and_grad(lambda x: cell(x).sum(), None, [cell.weight])(X)
        assert out._data.is_ready() and grads._data.is_ready()
        np.testing.assert_allclose(grads.asnumpy(), np.full((3, 4), 2.0))
        assert np.isinf(ops.log(X * 0).asnumpy()).all()
    finally:
        ms.set_context(pynative_synchronize=False)
