"""One graph for all shapes: after some shapes nothing is traced or compiled, and the numbers are those of XLA's graphs."""

import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.engine.any_size import Comparisons, Traced
from sporax._src.engine.numpy_programs import NotInNumPy
from sporax._src.transform import capture
from sporax._src.transform.any_size_graphs import AnySizeGraphs, InNumpy
from sporax._src.transform.jit import Jit

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")

SIZES = (5, 9, 7, 12, 6, 11, 8, 10, 4)
FIRST = 5  # shapes that are traced one by one, and once more for all


def rows(n, width=4):
    return ms.Tensor(np.random.default_rng(n).standard_normal((2, n, width)).astype(np.float32))


@pytest.fixture
def traced():
    """Return how many graphs were traced since the test began."""
    start = capture.compilations
    return lambda: capture.compilations - start


@pytest.fixture
def served(monkeypatch):
    """Return how many calls one graph has served; a cache of JAX may have compared its sizes with the size of a call."""
    found, find = [], AnySizeGraphs.find

    def noted(self, *call):
        entry = find(self, *call)
        found.extend([entry] * (entry is not None))
        return entry

    monkeypatch.setattr(AnySizeGraphs, "find", noted)
    return lambda: len(found)


WEIGHT = ms.Tensor(np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32))
TABLE = ms.Tensor(np.random.default_rng(1).standard_normal((1, 99, 4)).astype(np.float32))


def masked_attention(x):
    length = x.shape[1]
    mask = ops.arange(length) > ops.arange(length)[:, None]
    scores = ops.matmul(x, x.swapaxes(1, 2)) / x.shape[2] ** 0.5
    return ops.matmul(ops.softmax(scores.masked_fill(mask, -1e9), -1), x)


FUNCTIONS = {
    "sums": lambda x: (x.sum(1), x.mean((0, 1)), x.amax(1)),
    "merged axes": lambda x: ops.matmul(x.view(-1, 4), WEIGHT).reshape(x.shape),
    "attention": masked_attention,
    "positions": lambda x: x + TABLE[:, : x.shape[1]],
    "the last": lambda x: x[:, -1] * x[:, x.shape[1] // 2],
    "zeros": lambda x: ops.cat([x, ops.zeros((2, 1, x.shape[2]), ms.float32)], 1),
    "the size itself": lambda x: x * x.shape[1] + x.size,
    "repeated": lambda x: ops.tile(x, (1, 2, 1)),
    "chosen": lambda x: ops.gather(x, ops.arange(2), 1),
    "largest": lambda x: ops.topk(x.swapaxes(1, 2), 3)[0],
}


def tensors(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_graph_serves_all_sizes(name, served):
    fn = FUNCTIONS[name]
    compiled = ms.jit(fn)
    for n in SIZES:
        for got, want in zip(tensors(compiled(rows(n))), tensors(fn(rows(n))), strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-5, atol=1e-5, strict=True)
    assert 1 <= served() <= len(SIZES) - FIRST


class Classifier(nn.Cell):
    def __init__(self, recurrent):
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.layer = (nn.LSTM if recurrent else nn.Dense)(8, 8)
        self.head = nn.Dense(8, 3)
        self.recurrent = recurrent

    def construct(self, ids):
        x = self.layer(self.words(ids))
        return self.head((x[0] if self.recurrent else x).mean(1))


def trained(recurrent, compiles=True, lengths=(7, 9, 12, 5, 8, 14, 6, 13)):
    ms.set_seed(3)
    net = Classifier(recurrent).set_train()
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    gradients = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, grads = gradients(x, y)
        optimizer(grads)
        return loss

    run, random = ms.jit(step) if compiles else step, np.random.default_rng(0)
    pairs = [(random.integers(0, 50, (4, n)), random.integers(0, 3, 4)) for n in lengths]
    losses = [float(run(*(ms.Tensor(a, ms.int32) for a in pair)).asnumpy()) for pair in pairs]
    return losses, [p.asnumpy() for p in net.get_parameters()]


@pytest.mark.parametrize("recurrent", [False, True], ids=["dense", "LSTM"])
def test_training_on_many_lengths(recurrent, served):
    losses, weights = trained(recurrent)
    assert served() >= 1
    wanted, others = trained(recurrent, compiles=False)
    np.testing.assert_allclose(losses, wanted, rtol=1e-4)
    for weight, other in zip(weights, others, strict=True):
        np.testing.assert_allclose(weight, other, rtol=1e-3, atol=1e-4)


def test_dropout_draws_what_compiled_graphs_draw():
    def outputs(deterministic):
        ms.set_deterministic(deterministic)
        ms.set_seed(5)
        drop = nn.Dropout(p=0.5).set_train()
        run = ms.jit(lambda x: drop(x))
        try:
            return [run(ms.Tensor(np.ones((3, n), np.float32))).asnumpy() for n in SIZES]
        finally:
            ms.set_deterministic(False)

    for one, other in zip(outputs(False), outputs(True), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_branch_on_a_size_is_taken_for_each_size():
    fn = ms.jit(lambda x: x * 2 if x.shape[1] > 7 else x if x.shape[1] == 6 else -x)
    for n in (5, 9, 3, 12, 4, 6, 11, 7, 8, 6, 20):
        want = rows(n).asnumpy() * (2 if n > 7 else 1 if n == 6 else -1)
        np.testing.assert_array_equal(fn(rows(n)).asnumpy(), want)


def test_a_function_that_asks_for_the_type_of_a_size_is_traced_for_each():
    fn = ms.jit(lambda x: x * 2 if isinstance(x.shape[1], int) else x * 3)
    for n in SIZES:
        np.testing.assert_array_equal(fn(rows(n)).asnumpy(), rows(n).asnumpy() * 2)


def test_a_size_among_the_results_is_a_number():
    fn = ms.jit(lambda x: (x + 1, x.shape[1]))
    assert [fn(rows(n))[1] for n in SIZES] == list(SIZES)
    assert all(type(fn(rows(n))[1]) is int for n in SIZES)


def test_a_loop_over_a_size_is_traced_for_each_size_and_compiled_for_none(monkeypatch, traced):
    fn, compiled = ms.jit(lambda x: sum(x[:, i] * i for i in range(x.shape[1]))), []
    compile_step = capture.Graph._compile
    monkeypatch.setattr(
        capture.Graph, "_compile", lambda self, arrays: compiled.append(self) or compile_step(self, arrays)
    )
    for n in SIZES:
        want = (rows(n).asnumpy() * np.arange(n)[:, None]).sum(1)
        np.testing.assert_allclose(fn(rows(n)).asnumpy(), want, rtol=1e-4, atol=1e-5)
    assert traced() == len(SIZES)


def test_two_axes_change():
    fn = ms.jit(lambda x: ops.softmax(x, 1).sum((1, 2)))
    for batch, n in ((2, 5), (2, 6), (3, 5), (4, 9), (5, 8), (1, 7), (6, 3), (7, 11)):
        x = ms.Tensor(np.random.default_rng(n).standard_normal((batch, n, 4)).astype(np.float32))
        np.testing.assert_allclose(fn(x).asnumpy(), np.full(batch, 4.0), rtol=1e-5)


def test_an_index_out_of_range_is_an_error_at_every_size():
    table = ms.Parameter(np.arange(6, dtype=np.float32), name="table")

    @ms.jit
    def fn(ids):
        return ops.gather(table, ids, 0) * 2

    for n in SIZES:
        assert fn(ms.Tensor(np.arange(n) % 6, ms.int32)).shape == (n,)
    with pytest.raises(IndexError, match="should be in the range"):
        fn(ms.Tensor(np.full(20, 6), ms.int32))


def test_a_gradient_through_the_graph_is_right():
    fn = ms.jit(lambda x: (x * x).sum() * x.shape[1])
    for n in SIZES:
        fn(rows(n))
    for n in (17, 18):
        np.testing.assert_allclose(ms.grad(fn)(rows(n)).asnumpy(), 2 * n * rows(n).asnumpy(), rtol=1e-6)


def test_a_changed_attribute_and_parameter_are_seen():
    net = nn.Dense(4, 4)
    net.factor = 1.0
    fn = ms.jit(lambda x: net(x) * net.factor)
    for n in SIZES:
        fn(rows(n))
    net.factor = 3.0
    net.weight.set_data(ms.Tensor(np.eye(4, dtype=np.float32)))
    net.bias.set_data(ms.Tensor(np.zeros(4, np.float32)))
    np.testing.assert_allclose(fn(rows(20)).asnumpy(), 3 * rows(20).asnumpy(), rtol=1e-6)


def test_a_frequent_shape_is_compiled(monkeypatch, traced):
    monkeypatch.setattr(capture, "OFTEN", 3)
    fn = ms.jit(lambda x: ops.tanh(x).sum(1))
    for n in SIZES:
        fn(rows(n))
    before = traced()
    outs = [fn(rows(30)).asnumpy() for _ in range(6)]
    keys = fn.keys()
    assert traced() == before + 1 and any(shape == (2, 30, 4) for *_, (shape, _) in keys)
    np.testing.assert_allclose(outs, [np.tanh(rows(30).asnumpy()).sum(1)] * 6, rtol=1e-5, atol=1e-6)


def test_large_arrays_are_left_to_xla():
    fn = ms.jit(lambda x: x * 2)
    for n in (*SIZES, 2**19):
        assert fn(rows(n)).shape == (2, n, 4)
    keys = fn.keys()
    assert any(shape == (2, 2**19, 4) for *_, (shape, _) in keys)


def test_results_that_must_repeat_are_those_of_xla(monkeypatch):
    monkeypatch.setattr(AnySizeGraphs, "_traced", lambda *_: pytest.fail("traced for all sizes"))
    fn = ms.jit(lambda x: ops.exp(x))
    ms.set_deterministic(True)
    try:
        for n in SIZES:
            fn(rows(n))
    finally:
        ms.set_deterministic(False)


@pytest.mark.parametrize("declare", ["set_inputs", "dynamic"])
def test_open_sizes_are_expected_from_the_second_shape_on(declare, served):
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU())
    run = ms.jit(lambda x: net(x), dynamic=1)
    if declare == "set_inputs":
        net.set_inputs(ms.Tensor(shape=[2, None, 4], dtype=ms.float32))
        ms.set_context(mode=ms.GRAPH_MODE)
        run = net
    for n in SIZES:
        assert run(rows(n)).shape == (2, n, 8)
    assert served() > len(SIZES) - FIRST


# --- one graph ------------------------------------------------------------------------------------------------------------

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def in_numpy(graph):
    return InNumpy(graph.plan, Traced(graph.jaxpr, Comparisons()), ((2, 3),))


def test_outputs_are_in_the_order_of_the_compiled_function():
    count = ms.Parameter(np.float32(1), name="count")

    def fn(x):
        ms.ops.assign_add(count, x.sum())
        return x * count

    graph = Jit(fn).graph(X)
    operands = [s.concrete() for s in graph.donated], [s.concrete() for s in graph.retained], [X._data]
    step = in_numpy(graph)
    got, want = graph.plan.restored(step(*operands)), graph.plan.restored(graph._step(*operands))
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_graph_without_variables_has_one_program():
    graph = Jit(lambda x: x + 1).graph(X)
    with pytest.raises(NotInNumPy):
        in_numpy(graph).program_for(((5, 3),))


def test_a_graph_that_numpy_cannot_compute():
    graph = Jit(lambda x: x.astype(ms.float16) + 1).graph(X)
    with pytest.raises(NotInNumPy):
        in_numpy(graph).program_for(((2, 3),))
