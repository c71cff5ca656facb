"""Large constants of a graph are given to each run; what XLA compiles does not hold them."""

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.transform import capture
from sporax._src.transform.graph import constants

ROWS = 256
MASK = np.triu(np.full((ROWS, ROWS), -1e9, np.float32), 1)


class Masked(nn.Cell):
    """A layer with a mask, a table that NumPy holds, and a constant that is small."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(ROWS, ROWS)
        self.mask = Tensor(MASK)
        self.table = np.arange(ROWS * ROWS, dtype=np.float32).reshape(ROWS, ROWS) / ROWS**2
        self.small = Tensor([1.0, 2.0])

    def construct(self, x):
        return ops.softmax(self.dense(x) + self.mask, -1) @ Tensor(self.table) + self.small.sum()


def test_the_compiled_text_does_not_hold_them() -> None:
    net = Masked()
    x = Tensor(np.random.default_rng(0).standard_normal((ROWS, ROWS)).astype(np.float32))
    compiled = ms.jit(net.construct)
    np.testing.assert_allclose(compiled(x).asnumpy(), net(x).asnumpy(), rtol=1e-5)
    graph = compiled.graph(x)
    assert sum(np.size(c) for c in graph.jaxpr.consts) >= 2 * ROWS**2
    text = graph.lower().as_text()
    assert len(text) < constants.LARGE and text.count(f"tensor<{ROWS}x{ROWS}xf32>") > 2


def test_they_lie_in_memory_once() -> None:
    net = Masked()
    compiled = ms.jit(lambda x: x + net.mask)
    graph = compiled.graph(Tensor(MASK))
    assert graph._step._constants[0] is net.mask._data


def test_steps_compile_once_and_follow_a_new_constant(mode: int) -> None:
    """A mask that is set anew is another constant: the step is captured again, and uses it."""
    net = Masked()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.0))
    x = Tensor(np.ones((ROWS, ROWS), np.float32))
    losses, before = [], capture.compilations
    for mask in (MASK, MASK.T):
        net.mask = Tensor(mask)
        losses.append([float(step(x, x)) for _ in range(2)])
    assert losses[0][0] == losses[0][1] and losses[1][0] == losses[1][1]
    assert abs(losses[0][0] - losses[1][0]) > 1e-6
    if mode == ms.GRAPH_MODE:
        assert capture.compilations - before == 2


def test_a_gradient_around_a_graph_is_given_them() -> None:
    """A compiled network within a gradient of PyNative mode: what is compiled forward and backward holds no mask."""
    net = Masked()
    x = Tensor(np.random.default_rng(1).standard_normal((ROWS, ROWS)).astype(np.float32))
    compiled = ms.jit(net.construct)
    graph = compiled.graph(x)
    states = [*graph.donated, *graph.retained]
    for _ in range(2):
        gradient = ms.grad(lambda x: graph([x]).sum())(x)
        np.testing.assert_allclose(gradient.asnumpy(), ms.grad(lambda x: net(x).sum())(x).asnumpy(), atol=1e-6)
    kernel = graph._kernel
    traced = jax.make_jaxpr(kernel.fn)(*(t._data for t in (*states, x, *kernel.constants)))
    assert len(kernel.constants) == 2 and max(map(np.size, traced.consts), default=0) < ROWS


def test_integers_behind_a_graph_that_is_given_constants() -> None:
    """A gradient by an integer traces the function once more, without the operands that are constants."""
    net = Masked()
    n = Tensor(np.arange(3))
    compiled = ms.jit(lambda n: (net.mask[:3, :3].sum() * 0 + n * n).sum())
    assert ms.grad(compiled)(n).asnumpy().tolist() == [0, 2, 4]
