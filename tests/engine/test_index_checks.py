"""Indices out of range are errors on the CPU: at once in PyNative mode, after the run of a graph."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops
from sporax._src.base.errors import IndexOutOfRange
from sporax._src.transform import capture

pytestmark = pytest.mark.of_cpus("other devices do not look at indices")


X = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))


ROW = Tensor(np.ones((1, 2), np.float32))


def indices(value):
    return Tensor(np.array(value, np.int32))


def parameter():
    return Parameter(Tensor(np.zeros((3, 2), np.float32)), name="p")


# What is called with an index into 3 elements, and what its error says.
CALLS = {
    "gather": (lambda i: ops.gather(X, i, 0), "ops.gather", "the 'input_indices'"),
    "index_select": (lambda i: ops.index_select(X, 0, i), "ops.index_select", "the 'index'"),
    "gather_nd": (lambda i: ops.gather_nd(X, i.reshape(-1, 1)), "ops.gather_nd", "the 'indices'"),
    "gather_elements": (lambda i: ops.gather_elements(X, 0, i.reshape(1, 1)), "ops.gather_elements", "the 'index'"),
    "gather_d": (lambda i: ops.gather_d(X, 0, i.reshape(1, 1)), "ops.gather_d", "the 'index'"),
    "embedding": (lambda i: mint.nn.functional.embedding(i, X), "ops.embedding", "the 'input'"),
    "read": (lambda i: X[i], "Tensor.__getitem__", "the index of axis 0"),
    "read of an element": (lambda i: X[1:, i[0] - 1], "Tensor.__getitem__", "the index of axis 1"),
    "write": (lambda i: put(i), "Tensor.__setitem__", "the index of axis 0"),
    "index_fill": (lambda i: ops.index_fill(X, 0, i, 1.0), "ops.index_fill", "the 'index'"),
    "index_add": (lambda i: ops.index_add(parameter(), i, ROW, 0), "ops.index_add_ext", "the 'index'"),
    "mint.index_add": (lambda i: mint.index_add(X, 0, i, ROW), "ops.mint.index_add", "the 'index'"),
    "scatter_add": (lambda i: ops.scatter_add(parameter(), i, ROW), "ops.scatter", "the 'indices'"),
    "scatter_nd": (lambda i: ops.scatter_nd(i.reshape(1, 1), ROW, (3, 2)), "ops.scatter_nd", "the 'indices'"),
    "tensor_scatter_max": (
        lambda i: ops.tensor_scatter_max(X, i.reshape(1, 1), ROW), "ops.tensor_scatter_max", "the 'indices'",
    ),
    "scatter_nd_sub": (
        lambda i: ops.scatter_nd_sub(parameter(), i.reshape(1, 1), ROW), "ops.tensor_scatter_sub", "the 'indices'",
    ),
    "nll_loss": (lambda i: ops.nll_loss(Tensor([[-1.0, -2.0, -3.0]]), i), "ops.nll_loss", "the 'target'"),
    "cross_entropy": (lambda i: ops.cross_entropy(Tensor([[-1.0, -2.0, -3.0]]), i), "ops.cross_entropy", "the 'target'"),
}  # fmt: skip


def put(i):
    new = ops.identity(X)
    new[i] = 1.0
    return new


@pytest.mark.parametrize("name", CALLS)
def test_pynative(name):
    call, op, what = CALLS[name]
    call(indices([2]))
    call(indices([-1]))
    size = 2 if name == "read of an element" else 3
    for wrong in (3, -4):
        got = wrong - 1 if size == 2 else wrong
        with pytest.raises(IndexOutOfRange) as error:
            call(indices([wrong]))
        assert str(error.value).startswith(op)
        assert str(error.value).endswith(f"{what} should be in the range [-{size}, {size}), but got {got}.")


@pytest.mark.parametrize("name", CALLS)
def test_graph(name):
    """The same error after the run; the next call is right again, and nothing is compiled for it."""
    call, op, what = CALLS[name]
    step = ms.jit(call, fullgraph=True)
    want = step(indices([1])).asnumpy()
    before = capture.compilations
    for wrong in (3, -4):
        with pytest.raises(IndexOutOfRange, match=rf"(?s){op}.*: For '\w.*', {what} should be in the range \[-"):
            step(indices([wrong]))
        np.testing.assert_array_equal(step(indices([1])).asnumpy(), want)
    assert capture.compilations == before


def test_the_error_is_what_mindspore_raises():
    """MindSpore raises a RuntimeError, or for some operators a ValueError; Python calls it an IndexError."""
    for kind in (RuntimeError, ValueError, IndexError):
        with pytest.raises(kind, match=r"the 'input_indices' should be in the range \[-3, 3\), but got 7\."):
            ops.gather(X, indices([0, 7]), 0)


def test_vectors_of_indices_count_along_their_axes():
    for call in (lambda i: ops.gather_nd(X, i), ms.jit(lambda i: ops.gather_nd(X, i), fullgraph=True)):
        assert call(indices([[2, 1], [0, 0]])).asnumpy().tolist() == [5, 0]
        with pytest.raises(
            IndexOutOfRange, match=r"For 'GatherNd', the 'indices' should be in the range \[-2, 2\), but got 2"
        ):
            call(indices([[2, 1], [0, 2]]))


@pytest.mark.parametrize("how", ["sum", "max", "min", "prod"])
def test_a_negative_segment_counts_nowhere_and_one_too_large_is_an_error(how):
    call = lambda i: getattr(ops, f"unsorted_segment_{how}")(X, i, 2)
    for run in (call, ms.jit(call, fullgraph=True)):
        assert run(indices([1, -5, 1])).shape == (2, 2)
        with pytest.raises(IndexOutOfRange, match=r"the 'segment_ids' should be in the range \[-2, 2\), but got 2"):
            run(indices([0, 1, 2]))


def test_gradients():
    for grad in (ms.grad(lambda w, i: w[i].sum()), ms.jit(ms.grad(lambda w, i: w[i].sum()), fullgraph=True)):
        assert grad(X, indices([1])).asnumpy().tolist() == [[0, 0], [1, 1], [0, 0]]
        with pytest.raises(IndexOutOfRange, match="got 3"):
            grad(X, indices([3]))


def test_a_training_step():
    """An index found in a step leaves a net that goes on training."""
    ms.set_seed(1)
    embedding, dense = nn.Embedding(4, 3), nn.Dense(3, 2)
    net = nn.SequentialCell(embedding, dense)
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    forward = ms.value_and_grad(lambda i, y: ops.cross_entropy(net(i), y), None, opt.parameters)

    @ms.jit(fullgraph=True)
    def step(i, y):
        loss, grads = forward(i, y)
        opt(grads)
        return loss

    ids, labels = indices([0, 3]), indices([0, 1])
    first = float(step(ids, labels))
    before = [p.asnumpy() for p in opt.parameters]
    with pytest.raises(
        IndexOutOfRange,
        match=r"ops.gather: For 'Gather', the 'input_indices' should be in the range \[-4, 4\), but got 4\.",
    ):
        step(indices([0, 4]), labels)
    with pytest.raises(
        IndexOutOfRange,
        match=r"ops.cross_entropy: For 'CrossEntropy', the 'target' should be in the range \[-2, 2\), but got 2\.",
    ):
        step(ids, indices([0, 2]))
    for was, parameter in zip(before, opt.parameters, strict=True):  # found before anything was written
        np.testing.assert_array_equal(parameter.asnumpy(), was)
    assert float(step(ids, indices([0, -100]))) > 0  # what is ignored may be anything
    assert float(step(ids, labels)) < first
    assert step.graph(ids, labels).donated  # Parameters are still updated in place
