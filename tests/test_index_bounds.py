"""Indices out of range are errors on the CPU: at once in PyNative mode, after the run of a graph."""

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops
from sporax._src.base.errors import IndexOutOfRange
from sporax._src.engine import index_checks
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
    assert any(s is index_checks.FOUND for s in graph.written) == (wrong is None)
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
    assert any(s is index_checks.FOUND for s in step.graph(Tensor([0.0, 1.0]), indices([1])).written)


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


LABELS = {
    "SoftmaxCrossEntropyWithLogits": lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
    "CrossEntropyLoss": nn.CrossEntropyLoss,
    "NLLLoss": nn.NLLLoss,
    "MultiMarginLoss": nn.MultiMarginLoss,
    "SparseSoftmaxCrossEntropyWithLogits": ops.SparseSoftmaxCrossEntropyWithLogits,
}


@pytest.mark.parametrize("label", [3, 7])
@pytest.mark.parametrize("name", LABELS)
def test_labels_above_the_last_class(name, label, mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=rf", 3\), but got {label}"):
        LABELS[name]()(scores, Tensor([0, label], ms.int32))


@pytest.mark.parametrize(
    "name", ["SoftmaxCrossEntropyWithLogits", "MultiMarginLoss", "SparseSoftmaxCrossEntropyWithLogits"]
)
def test_labels_do_not_count_from_the_end(name, mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=r"should be in the range \[0, 3\), but got -1"):
        LABELS[name]()(scores, Tensor([0, -1], ms.int32))


def test_labels_of_other_losses(mode):
    scores = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(IndexError, match=r"\[-3, 3\), but got 5"):
        nn.FocalLoss()(scores, Tensor([[0], [5]], ms.int32))
    with pytest.raises(IndexError, match=r"\[-1, 3\), but got 4"):
        nn.MultilabelMarginLoss()(scores, Tensor([[0, 4, -1], [0, 1, -1]], ms.int32))
    with pytest.raises(IndexError, match=r"\[0, 3\), but got -1"):
        ops.NLLLoss()(scores, Tensor([0, -1], ms.int32), ops.ones(3))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="sum")  # here such a label has no class, as there
    assert loss(scores, Tensor([0, 7], ms.int32)).asnumpy() == loss(scores[:1], Tensor([0], ms.int32)).asnumpy()
