"""Operators that send Tensors to single processes and receive from them.

Between several processes, messages go from host to host, so a graph with a message runs in PyNative mode. The only process of a
group receives its own messages, in graphs as well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import to_device
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist import messages
from sporax._src.dist.checks import check_ints, check_rank, check_shapes, members
from sporax._src.dist.exchange import Ranks
from sporax._src.ops.array.assign import identity
from sporax._src.ops.array.creation import zeros

_sent: defaultdict[Any, deque[Tensor]] = defaultdict(deque)  # messages of the only process to itself, by tag


def send(x: Tensor, *, sr_tag: int, dest_rank: int, group: str, group_back: str) -> Tensor:
    """Send a Tensor to a process, which receives it by `Receive` with the same tag."""
    ranks = members("Send", group)
    check_rank("Send", "dest_rank", dest_rank, len(ranks))
    _post("Send", x, ranks, dest_rank, sr_tag)
    return identity(x)


def receive(
    _: object = None, *, sr_tag: int, src_rank: int, shape: object, dtype: mstype.TypeLike, group: str, group_back: str
) -> Tensor:
    """Return the Tensor of a shape and dtype that a process sent under a tag."""
    ranks = members("Receive", group)
    check_rank("Receive", "src_rank", src_rank, len(ranks))
    return _take("Receive", ranks, src_rank, sr_tag, shape, dtype)


def _post(name: str, x: Tensor, ranks: Ranks, to: int, tag: object) -> None:
    if len(ranks) == 1:
        _sent[tag].append(identity(x))
        return
    messages.check_untraced(f"ops.{name}")
    messages.post([np.asarray(x._data)], ranks[to], tag)


def _take(name: str, ranks: Ranks, source: int, tag: object, shape: Any, dtype: mstype.TypeLike) -> Tensor:
    if len(ranks) > 1:
        messages.check_untraced(f"ops.{name}")
        got = wrap(to_device(messages.take(f"ops.{name}", ranks[source], tag)[0]))
    elif _sent[tag]:
        got = _sent[tag].popleft()
    else:
        raise RuntimeError(f"ops.{name}: nothing was sent under the tag {tag}; the only process would wait for ever.")
    if tuple(got.shape) != tuple(shape) or got.dtype != dtype:
        raise ValueError(f"ops.{name}: expected {dtype}{list(shape)}, but {got.dtype}{list(got.shape)} was sent.")
    return got


def batch(
    input_x: Sequence[Tensor], *, op_types: Any, remote_ranks: Any, receive_shapes: Any, receive_dtypes: Any, group: str
) -> tuple[Tensor, ...]:
    """Send and receive a batch of Tensors; the result for each is the received Tensor, or 0 for a sent one.

    Args:
        input_x: The Tensors to send.
        op_types: "isend" or "irecv", for each message.
        remote_ranks: The other process, for each message.
        receive_shapes, receive_dtypes: The shape and dtype of each received Tensor.
    """
    name, tag = "BatchISendIRecv", "batch"
    ranks = members(name, group)
    if len(op_types) != len(remote_ranks):
        raise ValueError(
            f"ops.{name}: op_types and remote_ranks must have one length, got {len(op_types)} and {len(remote_ranks)}."
        )
    for rank in remote_ranks:
        check_rank(name, "a remote rank", rank, len(ranks))
    sends = [kind == "isend" for kind in op_types]
    if sum(sends) != len(input_x):
        raise RuntimeError(f"ops.{name}: {sum(sends)} messages are sent, but {len(input_x)} Tensors are given.")
    tensors = iter(input_x)
    for is_sent, rank in zip(sends, remote_ranks, strict=True):
        if is_sent:
            _post(name, next(tensors), ranks, rank, tag)
    wanted = iter(zip(receive_shapes or (), receive_dtypes or (), strict=True))
    try:
        return tuple(
            zeros((), mstype.float32) if is_sent else _take(name, ranks, rank, tag, *next(wanted))
            for is_sent, rank in zip(sends, remote_ranks, strict=True)
        )
    finally:
        _sent[tag].clear()


def neighbours(
    input_x: Sequence[Tensor],
    *,
    send_rank_ids: Any,
    recv_rank_ids: Any,
    recv_shapes: Any,
    send_shapes: Any,
    recv_type: object,
    group: str,
) -> tuple[Tensor, ...]:
    """Send a Tensor to each rank of `send_rank_ids`, and return one from each rank of `recv_rank_ids`."""
    name, tag = "NeighborExchange", "neighbours"
    ranks = members(name, group)
    for what, numbers in (("send_rank_ids", send_rank_ids), ("recv_rank_ids", recv_rank_ids)):
        check_ints(name, what, numbers)
    for what, shapes in (("send_shapes", send_shapes), ("recv_shapes", recv_shapes)):
        check_shapes(name, what, shapes)
    if not isinstance(recv_type, mstype.Type):
        raise TypeError(f"ops.{name}: recv_type must be a dtype of MindSpore's, got {recv_type!r}.")
    for what, values, count in (
        ("send_shapes", send_shapes, len(send_rank_ids)), ("recv_shapes", recv_shapes, len(recv_rank_ids)),
        ("the Tensors to send", input_x, len(send_rank_ids)),
    ):  # fmt: skip
        if len(values) != count:
            raise ValueError(f"ops.{name}: {what} must be {count}, one for each process, got {len(values)}.")
    for x, shape in zip(input_x, send_shapes, strict=True):
        if list(x.shape) != shape:
            raise ValueError(f"ops.{name}: a Tensor to send must have the shape {shape}, got {list(x.shape)}.")
    for rank in (*send_rank_ids, *recv_rank_ids):
        check_rank(name, "a rank", rank, len(ranks))
    if len(ranks) == 1 and len(recv_rank_ids) != len(input_x):
        raise ValueError(
            f"ops.{name}: the only process receives what it sends, {len(input_x)} Tensors, not {len(recv_rank_ids)}."
        )
    _sent[tag].clear()
    for x, rank in zip(input_x, send_rank_ids, strict=True):
        _post(name, x, ranks, rank, tag)
    return tuple(
        [
            _take(name, ranks, rank, tag, shape, recv_type)
            for rank, shape in zip(recv_rank_ids, recv_shapes, strict=True)
        ]
    )


def borders(
    x: Tensor, *, send_rank_ids: Any, send_lens: Any, recv_rank_ids: Any, recv_lens: Any, data_format: str, group: str
) -> Tensor:
    """Return an image (N, C, H, W) extended by borders of its neighbours' images; rank -1 stands for no neighbour."""
    lists = {
        "send_rank_ids": send_rank_ids, "recv_rank_ids": recv_rank_ids, "send_lens": send_lens, "recv_lens": recv_lens
    }  # fmt: skip
    for what, numbers in lists.items():
        check_ints("NeighborExchangeV2", what, numbers)
        if len(numbers) != (count := 8 if what.endswith("ids") else 4):
            raise ValueError(f"ops.NeighborExchangeV2: {what} must have {count} numbers, got {numbers}.")
    if data_format != "NCHW":
        raise ValueError(f"ops.NeighborExchangeV2: data_format must be 'NCHW', got {data_format!r}.")
    for what, ranks in (("send_rank_ids", send_rank_ids), ("recv_rank_ids", recv_rank_ids)):
        _check_around(what, ranks, len(members("NeighborExchangeV2", group)))
    for what, lengths in (("send_lens", send_lens), ("recv_lens", recv_lens)):
        if min(lengths) < 0:
            raise ValueError(f"ops.NeighborExchangeV2: {what} must not be negative, got {lengths}.")
    if x.ndim != 4 or max(send_lens[:2]) > x.shape[2] or max(send_lens[2:]) > x.shape[3]:
        raise ValueError(
            f"ops.NeighborExchangeV2: send_lens {send_lens} must fit an image (N, C, H, W), got the shape {list(x.shape)}."
        )
    processes = members("NeighborExchangeV2", group)
    if all(rank == -1 for rank in (*send_rank_ids, *recv_rank_ids)):
        return identity(x)
    messages.check_untraced("ops.NeighborExchangeV2")
    image = np.asarray(x._data)
    for (down, right), rank in zip(_AROUND, send_rank_ids, strict=True):
        if rank != -1:
            rows, columns = _edge(down, image.shape[2], *send_lens[:2]), _edge(right, image.shape[3], *send_lens[2:])
            messages.post([image[:, :, rows, columns]], processes[rank], "borders")
    return _grown(image, [processes[rank] if rank != -1 else -1 for rank in recv_rank_ids], recv_lens)


_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # down, right: from the top clockwise


def _edge(side: int, size: int, first: int, last: int) -> slice:
    """Return the part of an axis at its start (-1) or its end (1), or all of it."""
    return slice(0, first) if side < 0 else slice(size - last, size) if side > 0 else slice(0, size)


def _grown(image: np.ndarray, sources: Sequence[int], lengths: Sequence[int]) -> Tensor:
    """Return an image with the borders that other processes have sent; rank -1 stands for no process."""
    top, right, bottom, left = (rank != -1 for rank in sources[::2])
    above, below, before, behind = (n * there for n, there in zip(lengths, (top, bottom, left, right), strict=True))
    number, channels, height, width = image.shape
    grown = np.zeros((number, channels, above + height + below, before + width + behind), image.dtype)
    grown[:, :, above : above + height, before : before + width] = image
    for (down, aside), source in zip(_AROUND, sources, strict=True):
        if source == -1:
            continue
        rows = slice(above, above + height) if down == 0 else _edge(down, grown.shape[2], above, below)
        columns = slice(before, before + width) if aside == 0 else _edge(aside, grown.shape[3], before, behind)
        part = messages.take("ops.NeighborExchangeV2", source, "borders")[0]
        if part.shape != (expected := grown[:, :, rows, columns].shape) or part.dtype != image.dtype:
            raise ValueError(
                f"ops.NeighborExchangeV2: expected {image.dtype}{list(expected)} of process {source}, but "
                f"{part.dtype}{list(part.shape)} was sent."
            )
        grown[:, :, rows, columns] = part
    return wrap(to_device(grown))


def _check_around(what: str, ranks: list[int], size: int) -> None:
    """Check the eight neighbours of an image, from the top clockwise: ranks that differ, or -1."""
    known = [rank for rank in ranks if rank != -1]
    if size == 1 and known:
        raise ValueError(f"ops.NeighborExchangeV2: {what} must be eight times -1 in a run of one, got {ranks}.")
    if not all(0 <= rank < size for rank in known):
        raise ValueError(
            f"ops.NeighborExchangeV2: {what} must be -1 or ranks of the group, 0 to {size - 1}, got {ranks}."
        )
    if len(set(known)) < len(known):
        raise ValueError(f"ops.NeighborExchangeV2: {what} must differ, got {ranks}.")


def swapped(name: str, tensors: Sequence[Tensor], ranks: Ranks) -> list[Tensor]:
    """Send the i-th Tensor to the i-th process of a group, and return the one that each of them sent here."""
    if len(ranks) == 1:
        return [identity(x) for x in tensors]
    messages.check_untraced(name)
    arrays = messages.exchange(name, [np.asarray(x._data) for x in tensors], ranks, name)
    return [wrap(to_device(array)) for array in arrays]
