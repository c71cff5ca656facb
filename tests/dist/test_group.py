"""Groups of processes in a run of one: who it is, and which groups cannot be."""

from collections.abc import Callable, Iterator

import pytest
from one_process import same, x

import sporax as ms
from sporax import communication
from sporax.communication import comm_func


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


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
