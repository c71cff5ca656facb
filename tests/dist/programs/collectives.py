"""Every collective operator with any group, in both modes, against NumPy: run by `sporax launch`."""

import os

import numpy as np

import sporax as ms
from sporax import ops
from sporax.communication import create_group, get_group_size, get_rank, init

made_before = ms.Tensor([1.0])  # programs make Tensors before they call init
init()
if hasattr(os, "sched_getscheduler"):  # a thread that hears of a message takes no core from the one that sends
    assert os.sched_getscheduler(0) == os.SCHED_BATCH
rank, size = get_rank(), get_group_size()
rng = np.random.default_rng(0)
ALL = rng.standard_normal((size, 4, 6)).astype(np.float32)


def check(group: str, ranks: list[int], graph: bool) -> None:
    """Compare what the operators give in a group with what NumPy gives."""
    n, here = len(ranks), ranks.index(rank)
    given = ALL[ranks]
    if n == 3:
        given = given[:, :3]
    x = ms.Tensor(given[here])
    reduced = {"sum": given.sum(0), "max": given.max(0), "min": given.min(0), "prod": given.prod(0)}
    reduced["avg"] = given.mean(0)
    joined = given.reshape(-1, 6)
    rows = given.shape[1] // n
    blocks = given.reshape(n, n, rows, 6)[:, here].reshape(-1, 6) if rows else None

    def run(x):
        outs = [ops.AllReduce(op, group)(x) for op in reduced]
        outs += [ops.AllGather(group)(x), ops.Broadcast(n - 1, group)((x,))[0], ops.Broadcast(0, group)((x > 0,))[0]]
        outs += [ops.ReduceScatter("sum", group)(x), ops.ReduceScatter("max", group)(x)]
        outs += [ops.CollectiveScatter(1, group)(x), ops.AlltoAll(n, 0, 0, group)(x)]
        return tuple(outs)

    expected = [*reduced.values(), joined, given[n - 1], given[0] > 0]
    expected += [reduced[op].reshape(n, rows, 6)[here] for op in ("sum", "max")]
    expected += [given[1].reshape(n, rows, 6)[here], blocks]
    for found, right in zip((ms.jit(run) if graph else run)(x), expected, strict=True):
        np.testing.assert_allclose(found.asnumpy(), right, rtol=1e-5, atol=1e-6)

    def loss(x):
        return (
            (ops.AllReduce("sum", group)(x) ** 2).sum()
            + (ops.AllReduce("max", group)(x) * x).sum()
            + (ops.Broadcast(0, group)((x,))[0] * x).sum()
            + (ops.AllGather(group)(x) ** 2).sum()
        )

    def gradient(x):
        return ms.grad(loss)(x)

    s, m = reduced["sum"], reduced["max"]
    by_sum = n * 2 * s
    by_max = m + s * (x.asnumpy() == m)
    by_broadcast = given[0] + x.asnumpy()
    by_gather = n * 2 * x.asnumpy()
    found = (ms.jit(gradient) if graph else gradient)(x).asnumpy()
    np.testing.assert_allclose(found, by_sum + by_max + by_broadcast + by_gather, rtol=1e-4, atol=1e-5)


def main() -> None:
    """Check the group of all, one of two processes, and one of three in another order that leaves one out."""
    create_group("pair", [0, 2])
    create_group("three", [2, 0, 1])
    for graph in (False, True):
        check("hccl_world_group", [0, 1, 2, 3], graph)
        if rank in (0, 2):
            check("pair", [0, 2], graph)
        if rank != 3:
            check("three", [2, 0, 1], graph)
        ops.Barrier()()
    if rank == 3:
        try:
            ops.AllReduce("sum", "pair")(made_before)
        except ValueError as error:
            assert "this process is 3, and 'pair' has the processes [0, 2]" in str(error), error
        else:
            raise AssertionError("a process that is not of the group took part")
    told = ms.Tensor([float(rank)])
    ms.mint.distributed.reduce(told, 1)
    assert float(told) == (sum(range(size)) if rank == 1 else rank)
    try:
        ops.all_gather_matmul(told.reshape(1, 1), told.reshape(1, 1), "hccl_world_group", 4)
    except RuntimeError as error:
        assert "has 4 processes; it works in a group of one" in str(error), error
    else:
        raise AssertionError("what exchanges nothing between processes answered")
    print("all right")


main()
