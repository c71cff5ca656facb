"""Communication in a run of one process: who it is, groups, and collectives that leave values as they are."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, communication
from sporax._src.dist import messages
from sporax.communication import comm_func
from sporax.mint import distributed as dist


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


def x() -> Tensor:
    return Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))


def same(got: Tensor) -> None:
    np.testing.assert_array_equal(got.asnumpy(), x().asnumpy())


# --- groups ---------------------------------------------------------------------------------------------------------


def test_who_this_process_is() -> None:
    communication.release()
    numbers = (communication.get_rank(), communication.get_group_size(), communication.get_local_rank())
    assert (*numbers, communication.get_local_rank_size()) == (0, 1, 0, 1)
    with pytest.raises(
        RuntimeError, match=r"create_group: the communication group is not set up; call .*init\(\) first"
    ):
        communication.create_group("g", [0])
    with pytest.raises(RuntimeError, match="get_process_group_ranks: the communication group is not set up"):
        communication.get_process_group_ranks()


def test_groups() -> None:
    communication.create_group("g", [0])
    communication.create_group("g", [0])
    assert communication.get_rank("g") == 0 and communication.get_group_size("g") == 1
    assert communication.get_process_group_ranks("g") == communication.get_process_group_ranks() == [0]
    assert communication.get_world_rank_from_group_rank("g", 0) == 0
    assert communication.get_group_rank_from_world_rank(0, "g") == 0
    assert communication.get_comm_name(communication.NCCL_WORLD_COMM_GROUP) == "nccl_world_group"
    same(comm_func.all_reduce(x(), group="g")[0])
    same(ms.ops.AllReduce(group="g")(x()))
    communication.destroy_group("g")
    with pytest.raises(ValueError, match="get_rank: there is no group 'g'; known are hccl_world_group"):
        communication.get_rank("g")


BAD_GROUPS: list[tuple[Callable[[], object], type, str]] = [
    (lambda: communication.create_group(3, [0]), TypeError, "group must be a string, got 3"),
    (lambda: communication.create_group("g", 0), TypeError, "rank_ids must be a list of ints, got 0"),
    (lambda: communication.create_group("g", []), ValueError, r"different numbers below 1, got \[\]"),
    (lambda: communication.create_group("g", [0, 0]), ValueError, r"different numbers below 1, got \[0, 0\]"),
    (lambda: communication.create_group("g", [1]), ValueError, r"different numbers below 1, got \[1\]"),
    (lambda: communication.get_rank(3), TypeError, "get_rank: group must be a string, got 3"),
    (lambda: communication.destroy_group("hccl_world_group"), ValueError, "is the group of all processes"),
    (lambda: communication.get_world_rank_from_group_rank("hccl_world_group", 1), ValueError, "has 1 processes, got 1"),
    (
        lambda: communication.get_group_rank_from_world_rank(1, "hccl_world_group"),
        ValueError,
        r"processes \[0\], got 1",
    ),
    (
        lambda: communication.init("smoke"),
        ValueError,
        "backend_name must be 'hccl', 'nccl', 'mccl' or None, got 'smoke'",
    ),
]


@pytest.mark.parametrize(("call", "kind", "match"), BAD_GROUPS)
def test_groups_that_cannot_be(call: Callable[[], object], kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        call()


# --- functions that return what is received ------------------------------------------------------------------------


def test_comm_func(mode: int) -> None:
    for pair in (
        comm_func.all_reduce(x(), "max"),
        comm_func.all_gather_into_tensor(x()),
        comm_func.reduce_scatter_tensor(x()),
        comm_func.all_to_all_single_with_output_shape((3, 2), x()),
    ):
        same(pair[0])
        assert pair[1] is None
    for out in (
        comm_func.reduce(x(), 0),
        comm_func.gather_into_tensor(x()),
        comm_func.scatter_tensor(x()),
        comm_func.broadcast(x()),
        comm_func.all_to_all_with_output_shape([x()], [x()])[0][0],
    ):
        same(out)
    assert comm_func.barrier() is None
    handle = comm_func.all_reduce(x(), async_op=True)[1]
    handle.wait()
    assert handle.is_completed()


def test_gradient_through_all_reduce() -> None:
    grad = ms.grad(lambda t: (comm_func.all_reduce(t)[0] * t).sum())(x())
    np.testing.assert_array_equal(grad.asnumpy(), 2 * x().asnumpy())


def test_messages_to_oneself() -> None:
    comm_func.send(x(), tag=3)
    same(comm_func.recv(x(), tag=3))
    assert comm_func.isend(x()).is_completed()
    same(comm_func.irecv(x())[0])
    ops = [comm_func.P2POp("isend", x(), 0), comm_func.P2POp(comm_func.irecv, (3, 2), 0, recv_dtype=ms.float32)]
    sent, received = comm_func.batch_isend_irecv(ops)
    assert sent.item() == 0
    same(received)


BAD_CALLS: list[tuple[Callable[[], object], type, str]] = [
    (lambda: comm_func.all_reduce(3), TypeError, "all_reduce: expected a Tensor, got int"),
    (lambda: comm_func.all_reduce(x(), "mean"), ValueError, "op must be one of sum, max, min, prod, got 'mean'"),
    (lambda: comm_func.all_reduce(x(), group="g"), ValueError, "group must be the group of all processes"),
    (lambda: comm_func.all_reduce(x(), async_op=1), TypeError, "async_op must be a bool, got 1"),
    (lambda: comm_func.broadcast(x(), 1), ValueError, "root_rank must be 0, the only rank of this run, got 1"),
    (lambda: comm_func.recv(x()), RuntimeError, "the only process would wait for ever"),
    (lambda: comm_func.all_to_all_with_output_shape([], []), ValueError, "both lists must have one entry"),
    (
        lambda: comm_func.all_to_all_with_output_shape([(2,)], [x()]),
        ValueError,
        r"must be \[3, 2\], what is sent, got \[2\]",
    ),
    (
        lambda: comm_func.all_to_all_single_with_output_shape((3, 2), x(), [1, 2]),
        ValueError,
        r"output_split_sizes must be \[3\], what the only process has, got \[1, 2\]",
    ),
    (lambda: comm_func.P2POp("push", x(), 0), TypeError, "op must be 'isend' or 'irecv', got 'push'"),
    (lambda: comm_func.P2POp("irecv", (3,), 0), TypeError, r"needs a Tensor, or a shape with recv_dtype, got \(3,\)"),
    (lambda: comm_func.batch_isend_irecv([]), TypeError, "expected a list of P2POp"),
    (lambda: dist.init_process_group(world_size=2), ValueError, "world_size is 1 in this run, got 2"),
    (lambda: dist.all_gather(x(), x()), TypeError, "tensor_list must be a list, got Tensor"),
    (lambda: dist.all_gather([x(), x()], x()), ValueError, "must have 1 element, one for each process, got 2"),
    (lambda: dist.all_gather([Tensor([1.0])], x()), ValueError, r"variable's shape \[1\], got \[3, 2\]"),
    (lambda: dist.all_reduce(x(), async_op=1), TypeError, "async_op must be a bool, got 1"),
    (
        lambda: dist.all_gather_into_tensor_uneven(x(), x(), [2]),
        ValueError,
        r"output_split_sizes must be \[3\], what the only process has, got \[2\]",
    ),
    (lambda: dist.broadcast_object_list([]), TypeError, r"must be a list that is not empty, got \[\]"),
    (lambda: dist.gather(x(), [x()], dst=1), ValueError, "gather: dst must be a process of the group, got 1"),
    (lambda: dist.scatter(x(), [x()], src=1), ValueError, "scatter: src must be a process of the group, got 1"),
    (lambda: dist.broadcast_object_list([1], src=1), ValueError, "src must be a process of the group, got 1"),
    (lambda: dist.scatter_object_list([], [1]), TypeError, "output_list must be a list that is not empty"),
    (lambda: dist.TCPStore(world_size=2), ValueError, "this run has 1 processes, got world_size=2"),
    (lambda: dist.TCPStore().get("a"), RuntimeError, "nothing was put under 'a'"),
    (lambda: dist.TCPStore().set("a", 1), TypeError, "expected a name and a string or bytes, got 'a' and 1"),
]


@pytest.mark.parametrize(("call", "kind", "match"), BAD_CALLS)
def test_calls_that_cannot_be(call: Callable[[], object], kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        call()


# --- functions that write what is received ---------------------------------------------------------------------------


def zeros() -> Tensor:
    return Tensor(np.zeros((3, 2), np.float32))


WRITES: dict[str, Callable[[Tensor], object]] = {
    "all_gather": lambda out: dist.all_gather([out], x()),
    "all_gather_into_tensor": lambda out: dist.all_gather_into_tensor(out, x()),
    "all_gather_into_tensor_uneven": lambda out: dist.all_gather_into_tensor_uneven(out, x(), [3]),
    "all_to_all": lambda out: dist.all_to_all([out], [x()]),
    "all_to_all_single": lambda out: dist.all_to_all_single(out, x()),
    "gather": lambda out: dist.gather(x(), [out]),
    "reduce_scatter": lambda out: dist.reduce_scatter(out, [x()]),
    "reduce_scatter_tensor": lambda out: dist.reduce_scatter_tensor(out, x()),
    "reduce_scatter_tensor_uneven": lambda out: dist.reduce_scatter_tensor_uneven(out, x(), [3]),
    "scatter": lambda out: dist.scatter(out, [x()]),
    "send and recv": lambda out: (dist.send(x()), dist.recv(out)),
    "isend and irecv": lambda out: (dist.isend(x()).wait(), dist.irecv(out).wait()),
    "batch": lambda out: dist.batch_isend_irecv([dist.P2POp(dist.isend, x(), 0), dist.P2POp(dist.irecv, out, 0)]),
}


@pytest.mark.parametrize("name", WRITES)
def test_distributed_writes(name: str) -> None:
    out = zeros()
    WRITES[name](out)
    same(out)


def test_distributed_in_place() -> None:
    for call in (dist.all_reduce, lambda t: dist.reduce(t, 0), lambda t: dist.broadcast(t, 0)):
        tensor = x()
        assert call(tensor) is None
        same(tensor)
    assert dist.all_reduce(x(), async_op=True).is_completed()
    assert dist.barrier() is None


def test_distributed_groups() -> None:
    dist.destroy_process_group()
    assert dist.is_available() and not dist.is_initialized()
    dist.init_process_group(world_size=1, rank=0)
    assert dist.is_initialized() and (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "mccl")
    assert dist.new_group() == "hccl_world_group"
    group = dist.new_group([0])
    assert dist.get_process_group_ranks(group) == [0] and dist.get_world_size(group) == 1
    assert dist.get_global_rank(group, 0) == dist.get_group_rank(group, 0) == 0
    dist.destroy_process_group(group)
    with pytest.raises(ValueError, match="there is no group 'group_0'"):
        dist.get_rank(group)


def test_a_message_that_nobody_sends() -> None:
    messages.post_object([1], 0, "tag")
    assert messages.take_object("recv", 0, "tag") == [1]
    messages.post([np.zeros((0, 2)), np.float32(3)], 0, "tag")
    empty, three = messages.take("recv", 0, "tag")
    assert (empty.shape, three.shape, three.dtype, three.item()) == ((0, 2), (), np.float32, 3)
    with pytest.raises(
        RuntimeError, match="recv: nothing was sent under the tag 3 by the only process, which would wait"
    ):
        messages.take("recv", 0, 3)


def test_objects() -> None:
    given, gathered, collected, scattered, shared = {"a": [1]}, [None], [None], [None], [{"b": 2}]
    dist.all_gather_object(gathered, given)
    dist.gather_object(given, collected)
    dist.scatter_object_list(scattered, [given])
    dist.broadcast_object_list(shared)
    assert gathered == collected == scattered == [given] and gathered[0] is not given and shared == [{"b": 2}]


def test_store() -> None:
    store = dist.TCPStore("127.0.0.1", 0, 1, True)
    store.set("a", "text")
    assert store.get("a") == b"text" and store.delete_key("a") and not store.delete_key("a")
