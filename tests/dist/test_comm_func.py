"""Collectives of a run of one process leave values as they are."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from one_process import same, x

import sporax as ms
from sporax import Tensor, communication
from sporax.communication import comm_func
from sporax.mint import distributed as dist


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


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


BAD_CALLS: list[tuple[Callable[[], object], type, str]] = [
    (lambda: comm_func.all_reduce(3), TypeError, "all_reduce: expected a Tensor, got int"),
    (lambda: comm_func.all_reduce(x(), "mean"), ValueError, "op must be one of sum, max, min, prod, avg, got 'mean'"),
    (lambda: comm_func.all_reduce(x(), group="g"), ValueError, "group must be the group of all processes"),
    (lambda: comm_func.all_reduce(x(), async_op=1), TypeError, "async_op must be a bool, got 1"),
    (lambda: comm_func.broadcast(x(), 1), ValueError, "broadcast: src must be a process of the group, got 1"),
    (lambda: comm_func.reduce(x(), 1.0), TypeError, "reduce: dst must be an int, got float"),
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
    (
        lambda: comm_func.all_to_all_v_c(x(), x(), (3,)),
        TypeError,
        r"send_count_matrix must be a list of ints, got \(3,\)",
    ),
    (
        lambda: comm_func.all_to_all_v_c(x(), x(), [3, 0]),
        TypeError,
        "send_count_matrix must have 1 x 1 elements, one for each pair of processes, got 2",
    ),
    (
        lambda: comm_func.all_to_all_v_c(Tensor([1.0]), x(), [3]),
        ValueError,
        r"the rows of output must have the size of those of input, got shapes \[1\] and \[3, 2\]",
    ),
    (lambda: comm_func.P2POp("push", x(), 0), TypeError, "op must be 'isend' or 'irecv', got 'push'"),
    (lambda: comm_func.P2POp("irecv", (3,), 0), TypeError, r"needs a Tensor, or a shape with recv_dtype, got \(3,\)"),
    (lambda: comm_func.batch_isend_irecv([]), TypeError, "expected a list of P2POp"),
    (lambda: dist.init_process_group(world_size=2), ValueError, "world_size is 1 in this run, got 2"),
    (lambda: dist.all_gather(x(), x()), TypeError, "tensor_list must be a list, got Tensor"),
    (lambda: dist.all_gather([x(), x()], x()), TypeError, "must have 1 element, one for each process, got 2"),
    (
        lambda: dist.all_gather([Tensor([1.0])], x()),
        TypeError,
        r"element 0 of tensor_list must be like this process's Tensor, Float32\[3, 2\], got Float32\[1\]",
    ),
    (lambda: dist.gather(x(), [Tensor([1])]), TypeError, "element 0 of gather_list must be like"),
    (lambda: dist.scatter(x(), [Tensor([1])]), TypeError, "element 0 of scatter_list must be like"),
    (lambda: dist.reduce_scatter(x(), [Tensor([1])]), TypeError, "element 0 of input_list must be like"),
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
