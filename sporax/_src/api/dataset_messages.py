"""Rows of a dataset between the processes of a run: `Dataset.send` and `Dataset.recv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.data.dataset import Dataset, as_method
from sporax._src.dist import messages
from sporax._src.dist.group import GlobalComm, get_rank, ranks_of

_TAG = "rows of a dataset"
_Sent: TypeAlias = Tensor | Sequence[Tensor] | None


@as_method
def send(self: Dataset, tensor: _Sent = None, dst: int | list[int] = 0, group: str | None = None) -> None:
    """Send Tensors, or the next row of the dataset, to other processes, which take them with `recv`.

    After the last row of an epoch the next epoch begins.

    Args:
        tensor (Union[Tensor, list[Tensor]], optional): What to send. Default: the next row.
        dst (Union[int, list[int]], optional): The processes, without this one. Default: 0.
        group (str, optional): A group that has these processes. Default: the group of all.

    Raises:
        RuntimeError: If a column of the row is no Tensor of numbers, or the dataset has no rows.
        TypeError: If an argument has an unexpected type.
        ValueError: If a process is this one, or not in the group.
    """
    ranks = _ranks("Dataset.send", "dst", dst, group)
    if get_rank() in ranks:
        raise ValueError(f"Dataset.send: dst must name other processes than this one, {get_rank()}.")
    given = [tensor] if isinstance(tensor, Tensor) else tensor
    if given is not None and not (isinstance(given, list) and all(isinstance(x, Tensor) for x in given)):
        raise TypeError(f"Dataset.send: tensor must be a Tensor or a list of Tensors, got {describe(tensor)}.")
    row = _next_row("Dataset.send", self) if given is None else given
    for i, x in enumerate(row):
        if not isinstance(x, Tensor) or x.asnumpy().dtype.kind not in "biufcV":
            raise RuntimeError(f"Dataset.send: column {i} is no Tensor of numbers; leave it out with `project`.")
    for rank in ranks:
        messages.post([np.asarray(x.asnumpy()) for x in row], rank, _TAG)


@as_method
def recv(self: Dataset, src: int | list[int] = 0, group: str | None = None) -> Any:
    """Return the next row that processes have sent with `send`; this process gives the next row of its dataset.

    Args:
        src (Union[int, list[int]], optional): The processes. Default: 0.
        group (str, optional): A group that has these processes. Default: the group of all.

    Returns:
        Union[Tensor, list[Tensor]]: the only Tensor, or the Tensors of a row; of several processes, a list with the row of each.

    Raises:
        RuntimeError: If nothing arrives in time, or the dataset has no rows.
        TypeError: If an argument has an unexpected type.
        ValueError: If a process is not in the group.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False)
        >>> [int(data.recv()) for _ in range(3)]
        [1, 2, 1]
    """
    rows: list[Any] = []
    for rank in _ranks("Dataset.recv", "src", src, group):
        if rank == get_rank():
            rows.append(list(_next_row("Dataset.recv", self)))
        else:
            row = [Tensor.from_numpy(array) for array in messages.take("Dataset.recv", rank, _TAG)]
            rows.append(row[0] if len(row) == 1 else row)
    while isinstance(rows, list) and len(rows) == 1:
        rows = rows[0]
    return rows


def _ranks(where: str, name: str, given: int | list[int], group: object) -> list[int]:
    """Return the processes that an argument names."""
    ranks = given if isinstance(given, list) else [given]
    for rank in ranks:
        if not isinstance(rank, int) or isinstance(rank, bool):
            raise TypeError(f"{where}: {name} must be an int or a list of ints, got {describe(given)}.")
    members = ranks_of(where, GlobalComm.WORLD_COMM_GROUP if group is None else group)
    for rank in ranks:
        if rank not in members:
            raise ValueError(f"{where}: {name} must be processes of the group, {list(members)}, got {describe(given)}.")
    return ranks


def _next_row(where: str, dataset: Dataset) -> Sequence[Any]:
    """Return the next row of a dataset, of the next epoch after the last."""
    held = vars(dataset)
    if "_rows_to_send" not in held:
        held["_rows_to_send"] = dataset.create_tuple_iterator()
    for _ in range(2):
        row = next(held["_rows_to_send"], None)
        if row is not None:
            return row
    raise RuntimeError(f"{where}: the dataset has no rows.")
