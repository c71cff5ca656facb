"""Indices that come from a graph's arguments are looked at before it runs."""

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.base.errors import IndexOutOfRange
from sporax._src.engine import index_checks

pytestmark = pytest.mark.of_cpus("other devices do not look at indices")


X = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))


def indices(value):
    return Tensor(np.array(value, np.int32))


# Indices that are arguments, at most cast and reshaped, and indices that are computed.
EARLY = {
    "as they are": (lambda i: ops.gather(X, i, 0), [1, 3]),
    "cast": (lambda i: ops.gather(X, i.astype(ms.int64), 0), [1, 3]),
    "reshaped": (lambda i: ops.gather(X, i.reshape(2, 1), 0), [1, 3]),
    "transposed": (lambda i: ops.gather(X, i.swapaxes(0, 1), 0), [[1], [3]]),
    "squeezed": (lambda i: ops.gather(X, i.squeeze(1), 0), [[1], [3]]),
    "broadcast": (lambda i: ops.gather_elements(X, 0, ops.broadcast_to(i.reshape(1, 1), (3, 2))), [3]),
    "masked": (lambda i: ops.cross_entropy(X, i), [1, 0, 3]),
    "twice": (lambda i: ops.gather(X, i, 0) + ops.gather(ops.gather(X, i * 0, 0), i, 0), None),
    "of floats": (lambda i: ops.gather(X, (i * 1.0).astype(ms.int32), 0), None),
    "computed": (lambda i: ops.gather(X, i + 1, 0), None),
    "of another argument's values": (lambda i: ops.gather(X, ops.argmax(i, 0), 0), None),
}


@pytest.mark.parametrize("name", EARLY)
def test_what_comes_from_arguments_is_looked_at_before_the_run(name):
    call, wrong = EARLY[name]
    step = ms.jit(call, fullgraph=True)
    graph = step.graph(indices(wrong if wrong is not None else [1, 0]))
    assert any(s is index_checks.OUT_OF_RANGE for s in graph.written) == (wrong is None)
    if wrong is not None:
        with pytest.raises(IndexOutOfRange, match=r"should be in the range \[-\d, \d\), but got 3"):
            step(indices(wrong))
        assert step(indices(np.minimum(wrong, 1))).shape == step.graph(indices(wrong)).jaxpr.out_avals[0].shape


@pytest.mark.parametrize("computed", [False, True])
def test_an_index_behind_many_paths_is_left_to_the_graph(computed):
    """Looking for where an index comes from, and looking at it, do not follow each path through the graph."""

    def doubled(x, i):
        for _ in range(60):
            x, i = x + x * 0, ops.where(i == 1, i, i)
        return ops.gather(X, ops.argmax(x, 0).reshape(1), 0) if computed else ops.gather(X, i, 0)

    step = ms.jit(doubled, fullgraph=True)
    assert step(Tensor([0.0, 1.0]), indices([1])).asnumpy().tolist() == [[2, 3]]
    assert any(s is index_checks.OUT_OF_RANGE for s in step.graph(Tensor([0.0, 1.0]), indices([1])).written)


def test_an_error_of_the_program_comes_before_that_of_an_index():
    @ms.jit(fullgraph=True)
    def guarded(i):
        if i.max() > 2:
            raise KeyError("no such row")
        return ops.gather(X, i, 0)

    assert guarded(indices([2])).shape == (1, 2)
    with pytest.raises(KeyError, match="no such row"):
        guarded(indices([3]))


def test_graphs_within_a_trace_of_jax():
    for call in (lambda i: ops.gather(X, i, 0), lambda i: ops.gather(X, i + 0, 0)):
        step = ms.jit(call, fullgraph=True)
        step(indices([1]))
        traced = jax.jit(lambda i, step=step: step(Tensor(i))._data)
        np.testing.assert_array_equal(traced(np.array([1], np.int32)), [[2, 3]])


def test_checked_graphs():
    ms.set_context(debug_nans=True)
    try:
        with pytest.raises(IndexOutOfRange, match="got 3"):
            ms.jit(lambda i: ops.gather(X, i, 0), fullgraph=True)(indices([3]))
    finally:
        ms.set_context(debug_nans=False)


@pytest.mark.parametrize("wrong", [False, True])
def test_control_flow(wrong):
    """A find in a branch that is not taken does not count; one in a loop does."""

    @ms.jit(fullgraph=True)
    def branch(c, i):
        y = ops.gather(X, i, 0) if c > 0 else ops.gather(X, i * 0, 0)
        return y.sum()

    @ms.jit(fullgraph=True)
    def loop(n):
        total, i = Tensor(0.0), Tensor(0, ms.int32)
        while i < n:
            total, i = total + X[i, 0], i + 1
        return total

    if wrong:
        with pytest.raises(IndexOutOfRange, match="got 9"):
            branch(Tensor(1), indices([9]))
        with pytest.raises(IndexOutOfRange, match="got 3"):
            loop(Tensor(4, ms.int32))
    else:
        assert float(branch(Tensor(0), indices([9]))) == 1
        assert float(loop(Tensor(3, ms.int32))) == 6


def test_vmap():
    rows = ms.vmap(lambda i: ops.gather(X, i, 0))
    assert rows(indices([0, 2])).shape == (2, 2)
    with pytest.raises(IndexOutOfRange, match="got 5"):
        rows(indices([0, 5]))
    assert rows(indices([0, 2])).shape == (2, 2)


def test_nothing_to_look_at():
    """Empty indices, traces of JAX's own, and other devices pass."""
    assert ops.gather(X, indices(np.zeros(0)), 0).shape == (0, 2)
    assert ms.jit(lambda i: ops.gather(X, i, 0))(indices(np.zeros(0))).shape == (0, 2)
    traced = jax.jit(lambda i: ops.gather(X, Tensor(i), 0)._data)
    np.testing.assert_array_equal(traced(np.array([1, 9], np.int32)), [[2, 3], [0, 0]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_checks.jax, "default_backend", lambda: "gpu")
        assert ops.gather(X, indices([9]), 0).asnumpy().tolist() == [[0, 0]]
