"""Collective Primitives in a run of one process."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


ALONE = [
    ops.AllReduce(), ops.AllReduce(ops.ReduceOp.MAX), ops.AllGather(), ops.ReduceScatter(), ops.Reduce(0),
    ops.CollectiveGather(0), ops.CollectiveScatter(0), ops.AlltoAll(1, 0, 1), ops.Reshard(None, None, None),
    lambda x: ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [0] * 4, "NCHW")(x.reshape(1, 1, 2, 2)).reshape(2, 2),
    lambda x: ops.Broadcast(0)((x,))[0],
    lambda x: ops.NeighborExchange([0], [0], ([2, 2],), ([2, 2],), ms.float32)((x,))[0],
    lambda x: ops.BatchISendIRecv(("isend", "irecv"), (0, 0), ((2, 2),), (ms.float32,))((x,))[1],
    lambda x: ops.AlltoAllV(block_size=2)(x.reshape(-1), [2], [2]).reshape(2, 2),
    lambda x: ops.AlltoAllVC(block_size=2)(x.reshape(-1), [2]).reshape(2, 2),
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
    (lambda x: ops.AllReduce("mean")(x), ValueError, "op must be one of sum, max, min, prod, avg, got 'mean'"),
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
