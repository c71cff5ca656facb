"""The functions of `ops.communication` between two processes, in place and not: run by `sporax launch`."""

from datetime import timedelta

import numpy as np

from sporax import Tensor, ops
from sporax.ops import communication as comm

try:
    ops.all_reduce(Tensor([1.0]))
except RuntimeError as error:
    assert "all_reduce: the communication group is not set up" in str(error), error
else:
    raise AssertionError("processes that had not joined exchanged something")

ops.init_process_group(init_method="tcp://127.0.0.1:1234", world_size=2, rank=ops.get_rank(), group_name="everyone")
rank, size = ops.get_rank(), ops.get_world_size("everyone")
other = 1 - rank
assert size == 2
EMPTY = [0.0, 0.0]


def mine(count: int = 2, more: float = 0) -> Tensor:
    """Return the Tensor of this process."""
    return Tensor((np.arange(count) + 10 * rank + more).astype(np.float32))


def same(found: Tensor, expected: list[float]) -> None:
    """Compare values."""
    np.testing.assert_array_equal(found.asnumpy(), np.asarray(expected, np.float32))


def reductions() -> None:
    """As MindSpore 2.10 gives them on its CPU."""
    for op, expected in {"sum": [10, 12], "max": [10, 11], "prod": [0, 11], "avg": [5, 6]}.items():
        x = mine()
        assert ops.all_reduce(x, op) is None
        same(x, expected)
    numbers = Tensor([[0, 0, 2, -1], [1, -3, 5, -2]][rank])
    ops.all_reduce(numbers, "avg")
    assert numbers.tolist() == [0, -1, 3, -1]
    x = mine()
    ops.all_reduce(x, async_op=True).wait()
    same(x, [10, 12])
    ops.reduce(x, 1)
    same(x, [20, 24] if rank == 1 else [10, 12])
    part = Tensor(EMPTY)
    ops.reduce_scatter_tensor(part, mine(4))
    same(part, [[10, 12], [14, 16]][rank])
    ops.reduce_scatter(part, [mine(), mine(more=100)])
    same(part, [[10, 12], [210, 212]][rank])
    ops.reduce_scatter_tensor_uneven(row := Tensor([0.0] * (1 + rank)), mine(3), [1, 2])
    same(row, [[10], [12, 14]][rank])


def copies() -> None:
    """What one process has, and what all have."""
    x = mine()
    ops.broadcast(x, 1)
    same(x, [10, 11])
    whole = Tensor([0.0] * 4)
    ops.all_gather_into_tensor(whole, mine())
    same(whole, [0, 1, 10, 11])
    ops.gather_into_tensor(some := Tensor([0.0] * 4), mine(), 1)
    same(some, [0, 1, 10, 11] if rank == 1 else [0] * 4)
    ops.all_gather_into_tensor_uneven(three := Tensor([0.0] * 3), mine(1 + rank), [1, 2])
    same(three, [0, 10, 11])
    ops.scatter_tensor(part := Tensor(EMPTY), mine(4), 1)
    same(part, [[10, 11], [12, 13]][rank])
    found = [Tensor(EMPTY), Tensor(EMPTY)]
    comm.all_gather(found, mine())
    same(found[0], [0, 1]), same(found[1], [10, 11])
    found = [Tensor(EMPTY), Tensor(EMPTY)]
    comm.gather(mine(), found)
    same(found[1], EMPTY if rank else [10, 11])
    comm.scatter(part, [mine(), mine(more=100)])
    same(part, [[0, 1], [100, 101]][rank])


def swaps() -> None:
    """Something else for each process."""
    found = [Tensor(EMPTY), Tensor(EMPTY)]
    ops.all_to_all(found, [mine(), mine(more=100)])
    same(found[0], [[0, 1], [100, 101]][rank]), same(found[1], [[10, 11], [110, 111]][rank])
    ops.all_to_all_single(whole := Tensor([0.0] * 4), mine(4))
    same(whole, [[0, 1, 10, 11], [2, 3, 12, 13]][rank])
    rows = mine(6).reshape(3, 2)  # process 0 keeps one row and sends two; process 1 sends three and keeps none
    ops.all_to_all_v_c(got := Tensor([[0.0, 0.0]] * (4 - 2 * rank)), rows, [1, 2, 3, 0])
    same(got, [[[0, 1], [10, 11], [12, 13], [14, 15]], [[2, 3], [4, 5]]][rank])


def messages() -> None:
    """Tensors and objects, to the other process."""
    for send, receive in ((ops.send, ops.recv), (ops.isend, ops.irecv)):
        sent = send(mine(), other)
        assert (sent is None) == (send is ops.send)
        got = receive(x := Tensor(EMPTY), other)
        same(x, [10 * other, 10 * other + 1])
        assert got == 0 if receive is ops.recv else got.is_completed()
    x = Tensor(EMPTY)
    (handle,) = ops.batch_isend_irecv([ops.P2POp(ops.isend, mine(), other), ops.P2POp("irecv", x, other)])
    handle.wait()
    same(x, [10 * other, 10 * other + 1])
    ops.send_object_list([rank, {"a": rank}], other)
    found = [None, None]
    assert ops.recv_object_list(found, other) == 0 and found == [other, {"a": other}]
    ops.send_object_list([1, 2], other)
    try:
        ops.recv_object_list([None], other)
    except ValueError as error:
        assert "object_list must have 2 elements, what was sent, got 1" in str(error), error
    else:
        raise AssertionError("two objects fit into a list of one")
    ops.all_gather_object(found, rank)
    assert found == [0, 1]


def values() -> None:
    """What is not written in place is returned."""
    ops.set_comm_ops_inplace(False)
    same(ops.all_reduce(x := mine())[0], [10, 12]), same(x, mine().tolist())
    out, handle = ops.all_gather_into_tensor(None, mine(), async_op=True)
    handle.wait()
    same(out, [0, 1, 10, 11])
    same(ops.reduce_scatter_tensor(None, mine(4))[0], [[10, 12], [14, 16]][rank])
    same(ops.all_to_all([(2,), (2,)], [mine(), mine()])[0][1], [10, 11])
    same(ops.all_to_all_single(None, mine(4))[0], [[0, 1, 10, 11], [2, 3, 12, 13]][rank])
    same(ops.all_to_all_single((2 * (1 + rank),), mine(3), [1 + rank] * 2, [1, 2])[0], [[0, 10], [1, 2, 11, 12]][rank])
    ops.send(mine(), other)
    same(ops.recv(Tensor(EMPTY), other), [10 * other, 10 * other + 1])
    ops.isend(mine(), other).wait()
    same(ops.irecv(Tensor(EMPTY), other)[0], [10 * other, 10 * other + 1])
    ops.barrier()
    ops.set_comm_ops_inplace(True)


def groups() -> None:
    """All processes make all groups; a group is sorted, and its name is made from its processes."""
    alone = [ops.new_group([r]) for r in range(size)]
    both = ops.new_group([1, 0], backend="mccl")
    assert both == "mccl_2_30879612a0f2eb969a8b57e5bc857347e88fdf07"
    assert (ops.get_rank(both), ops.get_backend(both), ops.get_process_group_ranks(both)) == (rank, "mccl", [0, 1])
    assert (ops.get_rank(alone[other]), ops.get_world_size(alone[other])) == (-1, 1)
    assert (ops.get_rank(alone[rank]), ops.get_world_size(alone[rank])) == (0, 1)
    assert ops.get_global_rank(alone[1], 0) == 1 and ops.get_group_rank(both, 1) == 1
    x = mine()
    ops.broadcast(x, 1, both)
    same(x, [10, 11])


def counters() -> None:
    """Both processes count at once, and no step is lost."""
    store = ops.TCPStore("127.0.0.1", 1234, size, rank == 0, timedelta(seconds=60))
    seen = [store.add("steps", 1) for _ in range(50)]
    ops.barrier()
    assert store.get("steps") == b"100" and sorted(seen) == seen
    every = [None, None]
    ops.all_gather_object(every, seen)
    assert sorted(every[0] + every[1]) == list(range(1, 101))


for part in (reductions, copies, swaps, messages, values, groups, counters):
    part()
    ops.barrier()
print("all right")
