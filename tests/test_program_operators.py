"""Operators about the program: summaries, dumps, the overflow flag, collective Primitives, derivatives of any order."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.api.primitives.summary import collecting

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


@pytest.fixture(params=["pynative", "graph"])
def run(request):
    return (lambda f, *a: f(*a)) if request.param == "pynative" else (lambda f, *a: ms.jit(f, fullgraph=True)(*a))


# --- summaries and dumps ---------------------------------------------------------------------------------------------


def test_summaries(run):
    def net(x):
        ops.ScalarSummary()("loss", x.sum())
        ops.TensorSummary()("x", x)
        ops.HistogramSummary()("x", x * 2)
        ops.ImageSummary()("image", x.reshape(1, 1, 2, 2))
        return x + 1

    with collecting() as entries:
        np.testing.assert_array_equal(run(net, Tensor(X)).asnumpy(), X + 1)
    found = {(tag, kind): value for tag, kind, value in entries}
    assert sorted(found) == [("image", "Image"), ("loss", "Scalar"), ("x", "Histogram"), ("x", "Tensor")]
    assert found["loss", "Scalar"] == 6.0
    np.testing.assert_array_equal(found["x", "Histogram"], 2 * X)
    run(net, Tensor(X))
    assert len(entries) == 4, "nothing is collected when nobody asks"


SUMMARY_ERRORS = [
    (lambda: ops.ScalarSummary()(3, Tensor(1.0)), TypeError, "name must be a str"),
    (lambda: ops.ScalarSummary()("", Tensor(1.0)), ValueError, "name must not be empty"),
    (lambda: ops.ScalarSummary()("a", 1.0), TypeError, "value must be a Tensor"),
    (lambda: ops.ScalarSummary()("a", Tensor(X)), ValueError, "must have one element"),
    (lambda: ops.TensorSummary()("a", Tensor(1.0)), ValueError, "at least one axis"),
    (lambda: ops.ImageSummary()("a", Tensor(X)), ValueError, "must have 4 axes"),
    (lambda: ops.HistogramSummary()("a", Tensor(1.0)), ValueError, "at least one axis"),
    (lambda: ops.tensordump(3, Tensor(X)), TypeError, "file_name must be a str"),
    (lambda: ops.tensordump("a", 3), TypeError, "tensor must be a Tensor"),
    (lambda: ops.tensordump("a", Tensor(X), "all"), ValueError, "mode must be 'in' or 'out'"),
]


@pytest.mark.parametrize(("call", "kind", "match"), SUMMARY_ERRORS)
def test_summary_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_dumps(run, tmp_path):
    def net(x):
        ops.TensorDump()(str(tmp_path / "deep" / "first"), x)
        ops.tensordump(str(tmp_path / "second.npy"), x.astype(ms.bfloat16), "in")
        return x

    run(net, Tensor(X)).asnumpy()
    ops.tensordump(str(tmp_path / "last"), Tensor([1, 2]))
    first, second = next(tmp_path.glob("deep/first_float32_*.npy")), next(tmp_path.glob("second_in_bfloat16_*.npy"))
    np.testing.assert_array_equal(np.load(first), X)
    assert np.load(second).dtype == np.float32
    numbers = [int(p.stem.rsplit("_", 1)[1]) for p in (first, second, next(tmp_path.glob("last_int64_*.npy")))]
    assert len(set(numbers)) == 3 and max(numbers) == numbers[2]


# --- the overflow flag -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "over"), [(1.0, False), (1e30, True)])
def test_overflow_flag(run, factor, over):
    def step(x):
        status = ops.NPUAllocFloatStatus()()
        status = ops.depend(status, x)
        cleared = ops.NPUClearFloatStatus()(status)
        x = ops.depend(x, cleared)
        grads = (x * factor * factor, x)
        status = ops.depend(status, grads)
        read = ops.NPUGetFloatStatus()(status)
        status = ops.depend(status, read)
        return ops.ReduceSum()(status, (0,)) >= 1

    assert bool(run(step, Tensor(X)).asnumpy()) is over


def test_overflow_flag_errors():
    with pytest.raises(TypeError, match="input must be a Tensor"):
        ops.NPUGetFloatStatus()(3)
    with pytest.raises(TypeError, match="float16 or float32, got Int64"):
        ops.NPUClearFloatStatus()(Tensor([1]))


# --- collective Primitives of one process ----------------------------------------------------------------------------

ALONE = [
    ops.AllReduce(), ops.AllReduce(ops.ReduceOp.MAX), ops.AllGather(), ops.ReduceScatter(), ops.Reduce(0),
    ops.CollectiveGather(0), ops.CollectiveScatter(0), ops.AlltoAll(1, 0, 1), ops.Reshard(None, None, None),
    lambda x: ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW")(x.reshape(1, 1, 2, 2)).reshape(2, 2),
    lambda x: ops.Broadcast(0)((x,))[0],
    lambda x: ops.NeighborExchange([0], [0], ([2, 2],), ([2, 2],), ms.float32)((x,))[0],
    lambda x: ops.BatchISendIRecv(("isend", "irecv"), (0, 0), ((2, 2),), (ms.float32,))((x,))[1],
    lambda x: ops.AlltoAllV(block_size=2)(x.reshape(-1), [2], [2]).reshape(2, 2),
    lambda x: ops.AllGatherV()(x.reshape(-1), [4]).reshape(2, 2),
    lambda x: ops.ReduceScatterV()(x.reshape(-1), (4,)).reshape(2, 2),
    lambda x: (ops.Send(3, 0)(x), ops.Receive(3, 0, [2, 2], ms.float32)())[1],
]  # fmt: skip


@pytest.mark.parametrize("op", ALONE)
def test_one_process_has_what_all_have(run, op):
    np.testing.assert_array_equal(run(op, Tensor(X)).asnumpy(), X)


def test_gradient_by_a_collective(run):
    np.testing.assert_array_equal(run(ms.grad(lambda x: (ops.AllReduce()(x) * x).sum()), Tensor(X)).asnumpy(), 2 * X)


def test_products_with_an_exchange(run):
    group = "hccl_world_group"
    out, gathered = run(lambda x: ops.all_gather_matmul(x, x, group, 1, trans_x2=True), Tensor(X))
    np.testing.assert_array_equal(out.asnumpy(), X @ X.T)
    np.testing.assert_array_equal(gathered.asnumpy(), X)
    assert ops.all_gather_matmul(Tensor(X), Tensor(X), group, 1, gather_output=False)[1].shape == (0,)
    np.testing.assert_array_equal(ops.matmul_reduce_scatter(Tensor(X), Tensor(X), group, 1).asnumpy(), X @ X)
    assert ops.Barrier()() is None


COLLECTIVE_ERRORS = [
    (lambda x: ops.AllReduce("mean")(x), ValueError, "op must be one of sum, max, min, prod, got 'mean'"),
    (lambda x: ops.AllReduce(3)(x), TypeError, "op must be a str"),
    (lambda x: ops.AllReduce(group=3)(x), TypeError, "group must be a str"),
    (lambda x: ops.AllGather("server")(x), ValueError, "group must be the group of all processes"),
    (lambda x: ops.AllGather()(3), TypeError, "input must be a Tensor"),
    (lambda x: ops.AllGather()(Tensor(1.0)), ValueError, "at least one axis"),
    (lambda x: ops.Broadcast(1)((x,)), ValueError, "root_rank must be 0"),
    (lambda x: ops.Broadcast("0")((x,)), TypeError, "root_rank must be an int"),
    (lambda x: ops.Broadcast(0)(x), TypeError, "input must be a tuple of Tensors"),
    (lambda x: ops.AlltoAll(2, 0, 1)(x), ValueError, "split_count must be 1"),
    (lambda x: ops.AlltoAll(1, 2, 1)(x), IndexError, r"split_dim must be in \[0, 2\)"),
    (lambda x: ops.AlltoAll(1, 1, (1,))(x), TypeError, r"concat_dim must be an int, got \(1,\)"),
    (lambda x: ops.AllGatherV()(x, [3]), ValueError, r"output_split_sizes must be \[4\]"),
    (lambda x: ops.Receive(9, 0, [2], ms.float32)(), RuntimeError, "nothing was sent under the tag 9"),
    (lambda x: (ops.Send(4, 0)(x), ops.Receive(4, 0, [3], ms.float32)()), ValueError, r"expected Float32\[3\]"),
    (lambda x: ops.BatchISendIRecv(("isend",), (0, 0))((x,)), ValueError, "must have one length, got 1 and 2"),
    (lambda x: ops.BatchISendIRecv(("isend",), (0,))((x, x)), RuntimeError, "1 messages are sent, but 2 Tensors"),
    (lambda x: ops.NeighborExchange([0], [], (), ([2, 2],), ms.float32)((x,)), ValueError, "receives what it sends"),
    (
        lambda x: ops.NeighborExchange((0,), [], (), (), ms.float32)((x,)),
        TypeError,
        "send_rank_ids must be a list of ints",
    ),
    (
        lambda x: ops.NeighborExchange([0], [0], [[2]], (), ms.float32)((x,)),
        TypeError,
        "recv_shapes must be a tuple of",
    ),
    (lambda x: ops.NeighborExchange([0], [0], ([2],), ([2],), "f")((x,)), TypeError, "recv_type must be a dtype"),
    (lambda x: ops.NeighborExchange([0], [0], ([2],), (), ms.float32)((x,)), ValueError, "send_shapes must be 1, one"),
    (
        lambda x: ops.NeighborExchange([0], [0], ([2],), ([2],), ms.float32)((x,)),
        ValueError,
        r"must have the shape \[2\]",
    ),
    (lambda x: ops.NeighborExchangeV2([0], [0] * 4, [-1] * 8, [0] * 4, "NCHW")(x), ValueError, "must have 8 numbers"),
    (lambda x: ops.NeighborExchangeV2([0] * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW")(x), ValueError, "eight times -1"),
    (lambda x: ops.NeighborExchangeV2([0] * 8, [0] * 4, [-1] * 8, [0] * 4, "NHWC")(x), ValueError, "data_format"),
    (lambda x: ops.all_gather_matmul(x, x, "hccl_world_group", 2), ValueError, "world_size must be 1"),
    (lambda x: ops.all_gather_matmul(x, x, "hccl_world_group", 1, gather_index=1), ValueError, "None, 0 and False"),
    (lambda x: ops.all_gather_matmul(x[0], x, "hccl_world_group", 1), ValueError, "must be matrices"),
    (lambda x: ops.matmul_reduce_scatter(x, x, "hccl_world_group", 1, reduce_op="max"), ValueError, "must be 'sum'"),
]


@pytest.mark.parametrize(("call", "kind", "match"), COLLECTIVE_ERRORS)
def test_collective_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call(Tensor(X))


# --- functions as operators, expressions, copies ---------------------------------------------------------------------


class Scaled(nn.Cell):
    """The example of a function of a weight within a Morph."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(X), name="weight")
        self.twice = ops.Morph(lambda x: x * 2, lambda s: s, lambda t: t)

    def construct(self, x):
        return self.twice(x * self.weight).sum()


def test_functions_as_operators(run):
    net = Scaled()
    np.testing.assert_array_equal(run(ms.grad(net), Tensor(X)).asnumpy(), 2 * X)
    assert ops.Reusing()(net) is net
    assert ops.PyExecute()("a + b", ("a", "b"), (1, 2)) == 3


def test_copy_with_slice():
    p = Parameter(Tensor(np.zeros((2, 2), np.float32)), name="p")
    np.testing.assert_array_equal(ops.CopyWithSlice()(p, Tensor(X)).asnumpy(), X)
    np.testing.assert_array_equal(p.asnumpy(), X)


# --- derivatives of any order ----------------------------------------------------------------------------------------


def test_derivatives_along_a_path(run):
    """f = x·sin(x) along x + t: f' = sin + x·cos, f'' = 2·cos - x·sin, f''' = -3·sin - x·cos."""
    s, c = np.sin(X), np.cos(X)
    want = np.stack([s + X * c, 2 * c - X * s, -3 * s - X * c])
    series = np.stack([np.ones_like(X), np.zeros_like(X), np.zeros_like(X)])
    value, found = run(lambda x: ops.jet(lambda y: ops.sin(y) * y, x, Tensor(series)), Tensor(X))
    np.testing.assert_allclose(value.asnumpy(), X * s, rtol=1e-6)
    np.testing.assert_allclose(found.asnumpy(), want, rtol=1e-5, atol=1e-5)
    _, third = run(lambda x: ops.derivative(lambda y: ops.sin(y) * y, x, 3), Tensor(X))
    np.testing.assert_allclose(third.asnumpy(), want[2], rtol=1e-5, atol=1e-5)


def test_derivatives_of_two_inputs():
    """(x + a₁t + a₂t²/2)·(y + b₁t): f' = a₁y + b₁x, f'' = a₂y + 2·a₁b₁."""
    x, y, a, b = (Tensor(v) for v in (2.0, 3.0, [5.0, 7.0], [11.0, 0.0]))
    value, (found, product) = ops.jet(lambda p, q: [p * q, p * q * 2], (x, y), (a, b))
    assert value[0].item() == 6.0
    np.testing.assert_allclose(found.asnumpy(), [5 * 3 + 11 * 2, 7 * 3 + 2 * 5 * 11])
    np.testing.assert_allclose(product.asnumpy(), 2 * found.asnumpy())
    assert ops.derivative(lambda p: p * p, Tensor(3), 2)[1].dtype == ms.float32


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda x: ops.derivative(ops.sin, x, 0), ValueError, "order must be at least 1, got 0"),
        (lambda x: ops.derivative(ops.sin, x, 1.0), TypeError, "order must be an int"),
        (lambda x: ops.jet(ops.sin, x, (x,)), TypeError, "primals and series must both be Tensors"),
        (lambda x: ops.jet(ops.sin, 3.0, x), TypeError, "primals and series must both be Tensors"),
    ],
)
def test_derivative_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call(Tensor(X))


def test_a_class_with_the_name_of_an_operator_runs_it():
    """MindSpore finds a kernel by its name: a class of one's own may give its constructor other defaults."""

    class Shift(ops.Primitive):
        @ops.prim_attr_register
        def __init__(self, periods=2, axis=0, note="unknown to the operator"):
            pass

    x = Tensor([1, 2, 3])
    for run in (Shift(), ms.jit(Shift(), fullgraph=True)):
        assert run(x, 9).asnumpy().tolist() == [9, 9, 1]
    assert Shift(-1)(x, 0).asnumpy().tolist() == [2, 3, 0]
    with pytest.raises(RuntimeError, match="Primitive 'Mine' has no kernel here"):
        ops.Primitive("Mine")(x)


def test_in_place_operators_write_their_operand(run):
    def step(x, y):
        ops.InplaceAddExt()(x, y)
        ops.InplaceSubExt()(x, 1.0, 2)
        return x

    np.testing.assert_array_equal(run(step, Tensor(X), Tensor(X)).asnumpy(), 2 * X - 2)


@pytest.mark.parametrize(
    ("order", "want"), [(None, 3.0), (1, 3.0), (0, 1.0), (3, 3.0), (float("inf"), 3.0), (float("-inf"), 3.0)]
)
@pytest.mark.parametrize("dim", [0, -1, (0,)])
def test_norm_of_a_number_along_its_only_axis(order, want, dim) -> None:
    """As in MindSpore 2.7.0: `while ops.norm(b, dim=0) < 1000` doubles a number."""
    for keepdim in (False, True):
        got = ops.norm(Tensor(-3.0), order, dim, keepdim)
        assert got.shape == () and abs(float(got) - want) < 1e-6
    with pytest.raises(ValueError, match="dim must be in"):
        ops.norm(Tensor(-3.0), order, 1)
