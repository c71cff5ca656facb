"""`mint.distributed` in a run of one process: what is written, and where."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from one_process import same, x

from sporax import Tensor, communication
from sporax.mint import distributed as dist


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


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
