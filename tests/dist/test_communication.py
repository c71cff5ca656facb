"""`ops.communication`: the functions that MindSpore 2.10 shows in `ops`, in a run of one process and between two."""

import inspect
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from launching import PROGRAMS, launched
from one_process import same, x

import sporax as ms
from sporax import Tensor, communication, mint, ops
from sporax.ops import communication as comm


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    ops.init_process_group()
    yield
    ops.set_comm_ops_inplace(True)
    ops.destroy_process_group()


def test_between_two_processes() -> None:
    run = launched(PROGRAMS / "functions.py")
    assert run.returncode == 0, run.stdout + run.stderr
    assert sorted(line for line in run.stdout.splitlines() if "all right" in line) == ["[0] all right", "[1] all right"]


def test_ops_has_the_names() -> None:
    """Of those that are also names of operators, it has the operators."""
    others = [name for name in comm.__all__ if getattr(ops, name) is not getattr(comm, name)]
    assert others == ["gather", "scatter"] and ms.ops.communication is comm
    assert ops.ReduceOp.AVG == "avg"


SIGNATURES = {  # of MindSpore 2.10.0, where they differ from those of `mint.distributed`
    "all_to_all_v_c": "output, input, send_count_matrix, group=None, async_op=False",
    "gather_into_tensor": "output_tensor, input_tensor, dst=0, group=None, async_op=False",
    "init_process_group": "backend='hccl', init_method=None, timeout=None, world_size=-1, rank=-1, store=None, "
    "group_name='', pg_options=None, device_id=None",
    "P2POp": "op, tensor, peer, group=None, tag=0",
    "scatter_tensor": "output_tensor, input_tensor, src=0, group=None, async_op=False",
    "set_comm_ops_inplace": "is_enable, func_list=None",
    "TCPStore": "host_name, port, world_size=None, is_master=False, timeout=datetime.timedelta(seconds=300), "
    "wait_for_workers=True, multi_tenant=False, master_listen_fd=None, use_libuv=True",
}


def plain(fn: Callable[..., object]) -> str:
    """Return the parameters of a function without annotations."""
    given = inspect.signature(fn).parameters.values()
    return str(inspect.Signature([p.replace(annotation=p.empty) for p in given]))[1:-1]


@pytest.mark.parametrize("name", comm.__all__)
def test_signatures(name: str) -> None:
    theirs = SIGNATURES[name] if name in SIGNATURES else plain(getattr(mint.distributed, name))
    assert plain(getattr(comm, name)) == theirs


def test_what_is_not_written_in_place() -> None:
    ops.set_comm_ops_inplace(False, ["all_reduce"])
    out, handle = ops.all_reduce(given := x(), "avg")
    same(out)
    assert out is not given and handle is None and ops.broadcast(given, 0) is None
    ops.set_comm_ops_inplace(False)
    assert ops.barrier() is None
    for name in ("broadcast", "all_gather_object", "batch_isend_irecv"):
        with pytest.raises(ValueError, match=f"{name} works in place only; call .*True, .'{name}'"):
            getattr(ops, name)(given, 0)
    ops.set_comm_ops_inplace(True, ("all_reduce",))
    assert ops.all_reduce(given) is None


def test_a_gradient_through_what_is_returned() -> None:
    ops.set_comm_ops_inplace(False)
    grad = ms.grad(lambda t: (ops.all_reduce(t)[0] * t).sum())(x())
    assert grad.tolist() == (2 * x()).tolist()


@pytest.mark.parametrize("name", [name for name in comm.__all__ if hasattr(getattr(comm, name), "__wrapped__")])
def test_processes_must_have_joined(name: str) -> None:
    """MindSpore 2.10 ends the interpreter with a segmentation fault."""
    communication.release()
    with pytest.raises(RuntimeError, match=f"^{name}: the communication group is not set up; call communication.init"):
        getattr(comm, name)()


def test_who_this_process_is() -> None:
    assert (ops.get_rank(), ops.get_world_size(), ops.get_backend()) == (0, 1, "hccl")
    assert (ops.get_rank("none"), ops.get_world_size("none"), ops.get_backend("none")) == (-1, -1, "mccl")
    assert ops.new_group() == "hccl_world_group"
    group = ops.new_group([0], backend="mccl", group_desc="a")
    assert group == "mccl_1_b6589fc6ab0dc82cf12099d1c2d40ab994e8410c" and ops.get_backend(group) == "mccl"
    assert (ops.get_global_rank(group, 0), ops.get_global_rank(None, 0), ops.get_group_rank(None, 0)) == (0, 0, 0)
    assert ops.get_process_group_ranks(group) == ops.get_process_group_ranks() == [0]
    ops.destroy_process_group(group)
    assert ops.get_rank(group) == -1
    ops.destroy_process_group()
    assert ops.is_available() and not ops.is_initialized()
    ops.init_process_group("gloo", "tcp://127.0.0.1:1234", timedelta(seconds=1), 1, 0, group_name="everyone")
    assert ops.is_initialized() and ops.get_world_size("everyone") == 1
    ops.init_process_group("mccl", store=ops.TCPStore("127.0.0.1", 1234), world_size=1, rank=0)


def store(*args: object, **kwargs: object) -> Callable[[], object]:
    """Return a call that makes a store."""
    return lambda: ops.TCPStore(*args, **kwargs)


ADDRESS = "tcp://127.0.0.1:1234"
REFUSED: list[tuple[Callable[[], object], type, str]] = [
    (lambda: ops.all_reduce(x(), "mean"), TypeError, "all_reduce: op must be one of sum, .*, avg, got 'mean'"),
    (lambda: ops.all_gather_into_tensor(1, x()), TypeError, "output_tensor must be a Tensor, got int"),
    (lambda: ops.reduce_scatter_tensor(x(), 1), TypeError, "reduce_scatter_tensor: input must be a Tensor, got int"),
    (lambda: ops.all_to_all([x()], None), TypeError, "all_to_all: input_tensor_list must be a list, got NoneType"),
    (lambda: ops.all_to_all_single(None, x()), TypeError, "all_to_all_single: output must be a Tensor, got NoneType"),
    (lambda: ops.broadcast(x(), 1), ValueError, "broadcast: src must be a process of the group, got 1"),
    (lambda: ops.reduce(x(), 0, group=1), TypeError, "reduce: group must be the name of a group or None, got 1"),
    (lambda: ops.send(x(), 0), ValueError, "send: dst must be another process, got 0, this one"),
    (lambda: ops.isend(x(), 0), ValueError, "isend: dst must be another process, got 0, this one"),
    (lambda: ops.recv(x(), 1.0), TypeError, "recv: src must be an int, got 1.0"),
    (lambda: ops.irecv(1), TypeError, "irecv: tensor must be a Tensor, got int"),
    (lambda: ops.recv(x()), RuntimeError, "the only process would wait for ever"),
    (lambda: ops.P2POp(ops.send, x(), 0), TypeError, "P2POp: op must be 'isend' or 'irecv', got 'send'"),
    (lambda: ops.P2POp("irecv", (3, 2), 0), TypeError, "P2POp: tensor must be a Tensor, got tuple"),
    (lambda: ops.P2POp("irecv", x(), 0.0), TypeError, "P2POp: peer must be an int, got 0.0"),
    (lambda: ops.P2POp("irecv", x(), 0, tag=1), NotImplementedError, "P2POp: tag must be 0, got 1"),
    (lambda: ops.batch_isend_irecv([]), TypeError, "expected a list of P2POp"),
    (
        lambda: ops.batch_isend_irecv([ops.P2POp("isend", x(), 0), ops.P2POp("irecv", x(), 0, "a")]),
        TypeError,
        "all messages must be in one group",
    ),
    (lambda: ops.set_comm_ops_inplace(1), TypeError, "is_enable must be a bool, got 1"),
    (lambda: ops.set_comm_ops_inplace(True, "send"), TypeError, "func_list must be a list, got 'send'"),
    (lambda: ops.set_comm_ops_inplace(True, ["sent"]), ValueError, "'sent' is none of the functions all_gather, "),
    (lambda: ops.new_group((0,)), TypeError, r"new_group: ranks must be a list, got \(0,\)"),
    (lambda: ops.new_group([0], backend="a"), TypeError, "backend must be one of hccl, nccl, mccl, gloo, got 'a'"),
    (lambda: ops.new_group([7]), ValueError, r"rank_ids must be different numbers below 1, got \[7\]"),
    (lambda: ops.get_rank(1), TypeError, "get_rank: group must be the name of a group or None, got 1"),
    (lambda: ops.get_global_rank(None, 1.0), TypeError, "get_global_rank: group_rank must be an int, got 1.0"),
    (lambda: ops.destroy_process_group(1), TypeError, "destroy_process_group: group must be the name"),
    (lambda: ops.init_process_group("a"), ValueError, "backend_name must be 'hccl', 'nccl', 'mccl' or None, got 'a'"),
    (lambda: ops.init_process_group(init_method=1), TypeError, "init_method must be a str, got 1"),
    (lambda: ops.init_process_group(timeout=3), TypeError, "timeout must be a timedelta, got 3"),
    (lambda: ops.init_process_group(group_name=3), TypeError, "group_name must be a str, got 3"),
    (
        lambda: ops.init_process_group(init_method=ADDRESS, store=store("127.0.0.1", 1)()),
        ValueError,
        "only one of init_method and store may be given, got both",
    ),
    (
        lambda: ops.init_process_group(init_method=ADDRESS, world_size=1),
        ValueError,
        "world_size and rank must be given with init_method or store, got 1 and -1",
    ),
    (
        lambda: ops.init_process_group(init_method="http://a", world_size=1, rank=0),
        RuntimeError,
        "init_method must be like tcp://127.0.0.1:1234, got 'http://a'",
    ),
    (lambda: ops.init_process_group(world_size=2), ValueError, "world_size is 1 in this run, got 2"),
    (store(1, 2), TypeError, "TCPStore: host_name must be of type str, got 1"),
    (store("a", "2"), TypeError, "TCPStore: port must be of type int, got '2'"),
    (store("a", 65536), ValueError, "TCPStore: port must be 0 to 65535, got 65536"),
    (store("a", 2, 1.0), TypeError, "TCPStore: world_size must be of type int, got 1.0"),
    (store("a", 2, 2), ValueError, "TCPStore: this run has 1 processes, got world_size=2"),
    (store("a", 2, timeout=3), TypeError, "TCPStore: timeout must be of type timedelta, got 3"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "said"), REFUSED)
def test_what_is_refused(call: Callable[[], object], error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_a_batch_of_messages() -> None:
    out = Tensor([[0.0] * 2] * 3)
    (handle,) = ops.batch_isend_irecv([ops.P2POp("isend", x(), 0), ops.P2POp(ops.irecv, out, 0)])
    handle.wait()
    same(out)
