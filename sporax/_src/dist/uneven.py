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


def all_to_all_v(x: Tensor, send_numel_list: object, recv_numel_list: object, *, group: str, block_size: int) -> Tensor:
    """Return the pieces of a vector that all processes sent to this one, in blocks of `block_size` elements."""
    lengths = {"send_numel_list": send_numel_list, "recv_numel_list": recv_numel_list}
    return _swapped_pieces("AlltoAllV", x, lengths, members("AlltoAllV", group), block_size)


def all_to_all_by_matrix(
    input_x: Tensor, send_count_matrix: Any, *, group: str, block_size: int, transpose: bool = False
) -> Tensor:
    """Return the pieces of a vector that all processes sent to this one.

    Args:
        input_x: A vector.
        send_count_matrix: The matrix whose element (i, j) is the number of blocks that process i sends to process j, or
            a list of its rows, one after the other.
        block_size: The number of elements of a block.
        transpose: Whether the matrix is given with its axes swapped.

    Examples:
        >>> ops.AlltoAllVC()(Tensor([1.0, 2.0]), [2]).asnumpy()
        array([1., 2.], dtype=float32)
    """
    ranks = members("AlltoAllVC", group)
    n, here = len(ranks), exchange.position(ranks)
    counts = np.asarray(send_count_matrix.asnumpy() if isinstance(send_count_matrix, Tensor) else send_count_matrix)
    if counts.size != n * n:
        raise ValueError(f"ops.AlltoAllVC: send_count_matrix must have {n} x {n} elements, got {counts.size}.")
    matrix = counts.reshape(n, n).T if transpose else counts.reshape(n, n)
    lengths = {"row of send_count_matrix": matrix[here], "column of send_count_matrix": matrix[:, here]}
    return _swapped_pieces("AlltoAllVC", input_x, lengths, ranks, block_size)


def _swapped_pieces(name: str, x: Tensor, lengths: dict[str, Any], ranks: exchange.Ranks, block_size: int) -> Tensor:
    """Return the pieces that all processes sent to this one; `lengths` are those that it sends and receives, by their names."""
    (what_sent, sending), (what_received, receiving) = lengths.items()
    sent = check_sizes(name, what_sent, sending, x.size // block_size, len(ranks))
    wanted = sum(map(int, receiving)) if len(ranks) > 1 else x.size // block_size
    received = check_sizes(name, what_received, receiving, wanted, len(ranks))
    if len(ranks) == 1:
        return identity(x)
    messages.check_untraced(f"ops.{name}")
    ends = [block_size * end for end in accumulate(sent)]
    pieces = messages.exchange(f"ops.{name}", np.split(np.asarray(x._data).reshape(-1), ends[:-1]), ranks, name)
    for rank, piece, size in zip(ranks, pieces, received, strict=True):
        if piece.size != size * block_size:
            raise ValueError(f"ops.{name}: process {rank} sent {piece.size // block_size} blocks, expected {size}.")
    return wrap(to_device(np.concatenate(pieces)))
