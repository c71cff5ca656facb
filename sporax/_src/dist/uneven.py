"""Collective operators over vectors that are split into pieces of different lengths."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import to_device
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist import exchange, messages
from sporax._src.dist.checks import check_reduction, check_sizes, members
from sporax._src.dist.exchanged import exchanged
from sporax._src.ops.array.assign import identity


def all_gather_v(x: Tensor, output_split_sizes: Any, *, group: str) -> Tensor:
    """Return the vectors of all processes joined; `output_split_sizes` lists their lengths."""
    ranks = members("AllGatherV", group)
    here = exchange.position(ranks)
    total = sum(map(int, output_split_sizes)) if len(ranks) > 1 else x.size
    sizes = check_sizes("AllGatherV", "output_split_sizes", output_split_sizes, total, len(ranks))
    if sizes[here] != x.size:
        raise ValueError(
            f"ops.AllGatherV: output_split_sizes[{here}] must be {x.size}, what is given, got {sizes[here]}."
        )
    return exchanged("AllGatherV", exchange.gathered_pieces, x, ranks, sizes=tuple(sizes))


def reduce_scatter_v(x: Tensor, input_split_sizes: object, *, op: str, group: str) -> Tensor:
    """Return this process's piece of the reduction of all vectors; `input_split_sizes` lists the lengths of pieces."""
    check_reduction("ReduceScatterV", op)
    ranks = members("ReduceScatterV", group)
    sizes = check_sizes("ReduceScatterV", "input_split_sizes", input_split_sizes, x.size, len(ranks))
    return exchanged("ReduceScatterV", exchange.reduced_piece, x, ranks, op=op, sizes=tuple(sizes))


def all_to_all_v(x: Tensor, send_numel_list: object, recv_numel_list: Any, *, group: str, block_size: int) -> Tensor:
    """Return the pieces of a vector that all processes sent to this one, in blocks of `block_size` elements."""
    ranks = members("AlltoAllV", group)
    sent = check_sizes("AlltoAllV", "send_numel_list", send_numel_list, x.size // block_size, len(ranks))
    wanted = sum(map(int, recv_numel_list)) if len(ranks) > 1 else x.size // block_size
    received = check_sizes("AlltoAllV", "recv_numel_list", recv_numel_list, wanted, len(ranks))
    if len(ranks) == 1:
        return identity(x)
    messages.check_untraced("ops.AlltoAllV")
    ends = [block_size * end for end in accumulate(sent)]
    pieces = messages.exchange(
        "ops.AlltoAllV", np.split(np.asarray(x._data).reshape(-1), ends[:-1]), ranks, "AlltoAllV"
    )
    for rank, piece, size in zip(ranks, pieces, received, strict=True):
        if piece.size != size * block_size:
            raise ValueError(f"ops.AlltoAllV: process {rank} sent {piece.size // block_size} blocks, expected {size}.")
    return wrap(to_device(np.concatenate(pieces)))
