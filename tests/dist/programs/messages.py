"""Messages, objects, lists and pieces of several lengths between four processes: run by `sporax launch`."""

import numpy as np

import sporax as ms
import sporax.dataset as ds
from sporax import ops
from sporax.communication import comm_func, create_group, get_rank, init
from sporax.mint import distributed as dist

init()
rank, size = get_rank(), 4
right, left = (rank + 1) % size, (rank - 1) % size
WORLD = "hccl_world_group"


def rows(of: int, count: int = 3) -> np.ndarray:
    """Return the data of a process."""
    return (100 * of + np.arange(2 * count).reshape(count, 2)).astype(np.float32)


def same(found: ms.Tensor, expected: np.ndarray) -> None:
    """Compare values and dtype."""
    assert found.asnumpy().dtype == expected.dtype, (found.dtype, expected.dtype)
    np.testing.assert_array_equal(found.asnumpy(), expected)


def messages() -> None:
    """Everyone sends before anyone receives, several under one tag, and to itself."""
    x = ms.Tensor(rows(rank))
    for step in range(3):
        comm_func.send(x + step, right, tag=7)
    for step in range(3):
        same(comm_func.recv(x, left, tag=7), rows(left) + step)
    dist.send(ms.Tensor([rank], ms.int64), rank)
    taken = ms.Tensor([0], ms.int64)
    assert dist.recv(taken, rank) == 0 and int(taken) == rank
    ops_ = [comm_func.P2POp("isend", x, right), comm_func.P2POp("irecv", (3, 2), left, recv_dtype=ms.float32)]
    same(comm_func.batch_isend_irecv(ops_)[1], rows(left))
    near = ops.NeighborExchange([left, right], [left, right], ([3, 2],) * 2, ([3, 2],) * 2, ms.float32)((x, -x))
    same(near[0], -rows(left)), same(near[1], rows(right))
    huge = ms.Tensor(np.full((1 << 20,), rank, np.float32))  # 4 MiB
    comm_func.send(huge, right)
    same(comm_func.recv(huge, left), np.full((1 << 20,), left, np.float32))
    for step in range(3):  # taken in another order
        comm_func.send(huge + step, right, tag=step)
    for step in (2, 0, 1):
        same(comm_func.recv(huge, left, tag=step), np.full((1 << 20,), left + step, np.float32))
    comm_func.send(ms.Tensor([1.0], ms.float16), right, tag=9)
    try:
        comm_func.recv(x, left, tag=9)
    except ValueError as error:
        assert "expected Float32[3, 2], but Float16[1] was sent" in str(error), error
    else:
        raise AssertionError("a Tensor of another shape was received")


def borders() -> None:
    """Four images of one, two by two: each grows by the rows and columns beside it, one row above and below, two columns aside."""
    whole = np.arange(2 * 8 * 12, dtype=np.float32).reshape(1, 2, 8, 12)
    down, aside = divmod(rank, 2)
    image = whole[:, :, 4 * down : 4 * down + 4, 6 * aside : 6 * aside + 6]
    over, beside, across = (rank + 2) % 4, rank ^ 1, 3 - rank
    near = [-1] * 8  # the top, then clockwise
    near[4 if down == 0 else 0], near[2 if aside == 0 else 6] = over, beside
    near[{(0, 0): 3, (0, 1): 5, (1, 0): 1, (1, 1): 7}[down, aside]] = across
    grown = ops.NeighborExchangeV2(near, [1, 1, 2, 2], near, [1, 1, 2, 2], "NCHW")(ms.Tensor(image))
    same(grown, whole[:, :, 3 * down : 3 * down + 5, 4 * aside : 4 * aside + 8])


def messages_in_a_graph() -> None:
    """A Cell in graph mode sends and receives, too: it runs in PyNative mode."""

    class Ring(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.send = ops.Send(sr_tag=1, dest_rank=right)
            self.receive = ops.Receive(sr_tag=1, src_rank=left, shape=[3, 2], dtype=ms.float32)

        def construct(self, x):
            self.send(2 * x)
            return self.receive()

    ms.set_context(mode=ms.GRAPH_MODE)
    same(Ring()(ms.Tensor(rows(rank))), 2 * rows(left))
    ms.set_context(mode=ms.PYNATIVE_MODE)


def pieces() -> None:
    """Vectors of lengths 1 to 4, in both modes."""
    sizes = [1, 2, 3, 4]
    mine = np.full(rank + 1, rank, np.float32)
    whole = np.concatenate([np.full(r + 1, r, np.float32) for r in range(size)])

    def gather(x):
        return ops.AllGatherV(WORLD)(x, sizes)

    def reduce(x):
        return ops.ReduceScatterV("sum", WORLD)(x, sizes)

    def gradient(x):
        return ms.grad(lambda x: (gather(x) * ms.Tensor(whole)).sum())(x)

    start = sum(sizes[:rank])
    for wrap in (lambda fn: fn, ms.jit):
        same(wrap(gather)(ms.Tensor(mine)), whole)
        same(wrap(reduce)(ms.Tensor(whole * (rank + 1))), 10 * whole[start : start + rank + 1])
        same(wrap(gradient)(ms.Tensor(mine)), size * mine)
    sent = np.concatenate([np.full(2 * (to + 1), 10 * rank + to, np.float32) for to in range(size)])
    got = ops.AlltoAllV(block_size=2)(ms.Tensor(sent), sizes, [rank + 1] * size)
    same(got, np.concatenate([np.full(2 * (rank + 1), 10 * r + rank, np.float32) for r in range(size)]))
    counts = np.array([sizes] * size)
    same(ops.AlltoAllVC(block_size=2)(ms.Tensor(sent), ms.Tensor(counts)), got.asnumpy())
    same(ops.AlltoAllVC(block_size=2, transpose=True)(ms.Tensor(sent), counts.T.reshape(-1).tolist()), got.asnumpy())
    out = ms.Tensor(np.zeros((10, 2), np.float32))
    dist.all_gather_into_tensor_uneven(out, ms.Tensor(rows(rank, rank + 1)), sizes)
    same(out, np.concatenate([rows(r, r + 1) for r in range(size)]))
    part = ms.Tensor(np.zeros((rank + 1, 2), np.float32))
    dist.reduce_scatter_tensor_uneven(part, out, sizes)
    same(part, size * out.asnumpy()[start : start + rank + 1])
    to_each = [right + 1 if to == right else 0 for to in range(size)]
    from_each = [rank + 1 if of == left else 0 for of in range(size)]
    received = ms.Tensor(np.zeros((rank + 1, 2), np.float32))
    dist.all_to_all_single(received, ms.Tensor(rows(rank, right + 1)), from_each, to_each)
    same(received, rows(left, rank + 1))
    for sizes, text in (([1, 2, 3], "4 lengths that add up to 6"), ([4, 3, 2, 1], f"[{rank}] must be {rank + 1}")):
        try:
            ops.AllGatherV(WORLD)(ms.Tensor(mine), sizes)
        except ValueError as error:
            assert text in str(error) or 2 * rank == 3, error
        else:
            raise AssertionError("lengths that are not those of the vectors")


def lists() -> None:
    """A list has a Tensor for each process."""
    x, empty = ms.Tensor(rows(rank)), lambda: [ms.Tensor(np.zeros((3, 2), np.float32)) for _ in range(size)]
    found = empty()
    dist.all_gather(found, x)
    for i in range(size):
        same(found[i], rows(i))
    found = empty()
    dist.gather(x, found if rank == 2 else None, 2)
    same(found[3], rows(3) if rank == 2 else np.zeros((3, 2), np.float32))
    target = ms.Tensor(np.zeros((3, 2), np.float32))
    dist.scatter(target, [ms.Tensor(rows(i) - 1) for i in range(size)] if rank == 1 else None, 1)
    same(target, rows(rank) - 1)
    dist.reduce_scatter(target, [ms.Tensor(rows(i)) for i in range(size)])
    same(target, size * rows(rank))
    found = [ms.Tensor(np.zeros((of + rank + 1, 2), np.float32)) for of in range(size)]
    dist.all_to_all(found, [ms.Tensor(rows(rank, rank + to + 1)) for to in range(size)])
    for of in range(size):
        same(found[of], rows(of, of + rank + 1))
    single = ms.Tensor(np.zeros((4, 2), np.float32))
    dist.all_to_all_single(single, ms.Tensor(rows(rank, 4)))
    same(single, np.stack([rows(of, 4)[rank] for of in range(size)]))
    try:
        dist.all_gather([x], x)
    except TypeError as error:
        assert "must have 4 elements, one for each process, got 1" in str(error), error
    else:
        raise AssertionError("a list of one for four processes")


def objects() -> None:
    """Anything that can be pickled, among all and in a group."""
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank})
    assert found == [{"rank": r} for r in range(size)], found
    told = ["a", rank] if rank == 3 else [None, None]
    dist.broadcast_object_list(told, 3)
    assert told == ["a", 3], told
    found = [None] * size
    dist.gather_object(rank, found if rank == 1 else None, 1)
    assert found == ([0, 1, 2, 3] if rank == 1 else [None] * size), found
    got = [None]
    dist.scatter_object_list(got, [str(r) for r in range(size)] if rank == 2 else None, 2)
    assert got == [str(rank)], got
    create_group("pair", [1, 3])
    if rank in (1, 3):
        pair = [None, None]
        dist.all_gather_object(pair, rank, "pair")
        assert pair == [1, 3], pair

    store = dist.TCPStore("127.0.0.1", 1234, size, rank == 0)
    store.set(f"from {rank}", str(rank))
    assert store.get(f"from {left}") == str(left).encode()
    dist.barrier()
    if rank == 0:
        assert store.delete_key("from 1") and not store.delete_key("from 1")
        try:
            dist.TCPStore("127.0.0.1", 1234, timeout=1).get("from 1")
        except RuntimeError as error:
            assert "nothing was put under 'from 1'" in str(error), error
        else:
            raise AssertionError("a value that was deleted")


def groups() -> None:
    """Processes are named by their ranks among all, in a group as well."""
    create_group("odd", [3, 1])
    if rank % 2 == 0:
        return
    other = 4 - rank
    told = ms.Tensor([float(rank)])
    dist.broadcast(told, 3, "odd")
    same(told, np.array([3.0], np.float32))
    told = ms.Tensor([float(rank)])
    dist.reduce(told, 1, group="odd")
    same(told, np.array([4.0 if rank == 1 else 3.0], np.float32))
    dist.isend(ms.Tensor([float(rank)]), other, "odd").wait()
    dist.recv(told, other, "odd")
    same(told, np.array([other], np.float32))
    pair = [comm_func.P2POp(kind, told, other, "odd") for kind in ("isend", "irecv")]
    same(comm_func.batch_isend_irecv(pair)[1], np.array([rank], np.float32))
    gathered = comm_func.gather_into_tensor(told, 3, "odd")
    same(gathered, np.array([1.0, 3.0] if rank == 3 else [0.0], np.float32))
    part = comm_func.scatter_tensor(ms.Tensor([10.0 * rank, 20.0 * rank]), 1, "odd")
    same(part, np.array([10.0 if rank == 3 else 20.0], np.float32))
    try:
        dist.broadcast(told, 0, "odd")
    except ValueError as error:
        assert "src must be a process of the group, got 0" in str(error), error
    else:
        raise AssertionError("a process that is not of the group was the source")


def rows_of_datasets() -> None:
    """Each process sends rows of its dataset to the next one and to rank 0, and Tensors of any shape."""
    data = ds.GeneratorDataset([(rows(rank), rank), (-rows(rank), rank)], ["x", "y"], shuffle=False)
    data.send(dst=right)
    x, y = data.recv(left)
    same(x, rows(left)), same(y, np.array(left))
    if rank:
        data.send()
    else:
        found = data.recv([1, 2, 3, 0])
        for of, row in zip((1, 2, 3, 0), found, strict=True):
            same(row[0], -rows(of))
    if rank == 2:
        data.send([ms.Tensor([1.5], ms.bfloat16)], [1, 3])
        data.send(ms.Tensor(rows(2, 0)), [1, 3], group="hccl_world_group")
    elif rank in (1, 3):
        assert data.recv(2).dtype == ms.bfloat16
        same(data.recv(2), rows(2, 0))


for part in (messages, borders, messages_in_a_graph, pieces, lists, objects, groups, rows_of_datasets):
    part()
    dist.barrier()
print("all right")
