"""Queues, arrays and buffers of `mindspore.ops.operations._rl_inner_ops` and `_tensor_array`, each reached by its number.

What they hold changes from call to call and belongs to no graph: they run in PyNative mode.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax import Parameter, Tensor, float32, int64, nn
from sporax._src.compat.operators import ops
from sporax.ops import Primitive

_HELD: dict[int, Any] = {}
_NUMBERS = itertools.count()


def _keep(thing: Any) -> int:
    """Keep a thing and return its number."""
    number = next(_NUMBERS)
    _HELD[number] = thing
    return number


def _held(operator: Primitive, number: Any) -> Any:
    """Return the thing of a number.

    Raises:
        RuntimeError: If it was never made, or is gone.
    """
    if int(number) not in _HELD:
        raise RuntimeError(f"{operator.name}: nothing has the number {int(number)}.")
    return _HELD[int(number)]


class _Made(Primitive):
    """An operator that keeps what it is made with."""

    def __init__(self, *args: Any) -> None:
        super().__init__(type(self).__name__)
        self.made_with = args


# --- queues ---------------------------------------------------------------------------------------------------------


class TensorsQueueCreate(Primitive):
    """Makes a queue of groups of Tensors and returns its number.

    Args:
        dtype: The dtype of the Tensors.
        shapes: Their shapes in a group.
        size: How many groups it has room for.
        name: A name.
    """

    def __init__(self, dtype: Any, shapes: Sequence[tuple[int, ...]], size: int = 0, name: str = "Q") -> None:
        super().__init__("TensorsQueueCreate")
        self.size = size

    def __call__(self) -> Tensor:
        return Tensor(_keep(deque(maxlen=self.size or None)), int64)


class TensorsQueuePut(Primitive):
    """Puts a group at the end of a queue.

    Args:
        dtype, shapes: As for `TensorsQueueCreate`.

    Inputs:
        handle: The number of the queue. elements: A tuple of Tensors.

    Raises:
        ValueError: If the Tensors have other shapes.
        RuntimeError: If the queue is full.
    """

    def __init__(self, dtype: Any, shapes: Sequence[tuple[int, ...]]) -> None:
        super().__init__("TensorsQueuePut")
        self.shapes = [tuple(shape) for shape in shapes]

    def __call__(self, handle: Any, elements: Sequence[Tensor]) -> Tensor:
        queue = _held(self, handle)
        if [tuple(e.shape) for e in elements] != self.shapes:
            raise ValueError(f"{self.name}: elements must have shapes {self.shapes}.")
        if len(queue) == queue.maxlen:
            raise RuntimeError(f"{self.name}: the queue is full, it has room for {queue.maxlen}.")
        queue.append(tuple(e.copy() for e in elements))
        return handle


class TensorsQueueGet(Primitive):
    """Returns the group at the front of a queue.

    Args:
        dtype, shapes: As for `TensorsQueueCreate`.
        pop_after_get: Whether it is taken off.

    Raises:
        RuntimeError: If the queue is empty.
    """

    def __init__(self, dtype: Any, shapes: Sequence[tuple[int, ...]], pop_after_get: bool = False) -> None:
        super().__init__("TensorsQueueGet")
        self.pop_after_get = pop_after_get

    def __call__(self, handle: Any) -> tuple[Tensor, ...]:
        queue = _held(self, handle)
        if not queue:
            raise RuntimeError(f"{self.name}: the queue is empty.")
        return queue.popleft() if self.pop_after_get else queue[0]


class TensorsQueueSize(_Made):
    """Returns how many groups a queue holds."""

    def __call__(self, handle: Any) -> Tensor:
        return Tensor(len(_held(self, handle)), int64)


class TensorsQueueClear(_Made):
    """Empties a queue."""

    def __call__(self, handle: Any) -> Tensor:
        _held(self, handle).clear()
        return handle


class TensorsQueueClose(_Made):
    """Lets go of a queue."""

    def __call__(self, handle: Any) -> Tensor:
        _held(self, handle)
        del _HELD[int(handle)]
        return handle


# --- arrays ---------------------------------------------------------------------------------------------------------


class TensorArray(_Made):
    """Makes an `nn.TensorArray` of the same arguments and returns its number."""

    def __call__(self) -> Tensor:
        return Tensor(_keep(nn.TensorArray(*self.made_with)), int64)


class TensorArrayWrite(_Made):
    """Puts an element at a place of an array."""

    def __call__(self, handle: Any, index: Any, value: Any) -> Tensor:
        _held(self, handle).write(index, value)
        return handle


class TensorArrayRead(_Made):
    """Returns the element at a place of an array."""

    def __call__(self, handle: Any, index: Any) -> Tensor:
        return _held(self, handle).read(index)


class TensorArrayStack(_Made):
    """Returns the elements of an array as one Tensor."""

    def __call__(self, handle: Any) -> Tensor:
        return _held(self, handle).stack()


class TensorArraySize(_Made):
    """Returns how many elements an array has."""

    def __call__(self, handle: Any) -> Tensor:
        return _held(self, handle).size()


class TensorArrayClear(_Made):
    """Empties an array."""

    def __call__(self, handle: Any) -> Tensor:
        _held(self, handle).clear()
        return handle


class TensorArrayClose(TensorsQueueClose):
    """Lets go of an array."""


# --- buffers of experience ------------------------------------------------------------------------------------------


class _Buffer:
    """Rows of Tensors with room for a number of them.

    Args:
        capacity: The room.
        seeds: What is drawn follows from them.
        alpha: How much priorities count when rows are drawn.
    """

    def __init__(self, capacity: int, seeds: tuple[int, int], alpha: float = 0.0) -> None:
        self.capacity, self.alpha, self.pushed = capacity, alpha, 0
        self.rows: list[tuple[Tensor, ...]] = []
        self.priorities = np.zeros(capacity)
        self.draws = np.random.default_rng(seeds)

    def put(self, place: int, row: Sequence[Tensor]) -> None:
        """Put a row at a place, with the greatest priority that there is."""
        self.rows[place : place + 1] = [tuple(value.copy() for value in row)]
        self.priorities[place] = self.priorities.max() or 1.0

    def taken(self, places: np.ndarray) -> tuple[Tensor, ...]:
        """Return the rows at some places."""
        return tuple(ops.stack(column) for column in zip(*(self.rows[place] for place in places), strict=True))


class PriorityReplayBufferCreate(Primitive):
    """Makes a buffer whose rows are drawn by their priorities (Schaul et al., 2016) and returns its number, (1,).

    Args:
        capacity: How many rows it has room for.
        alpha: How much the priorities count, from 0 to 1.
        shapes, dtypes: Those of the Tensors of a row.
        seed0, seed1: What is drawn follows from them.
    """

    def __init__(self, capacity: int, alpha: float, shapes: Any, dtypes: Any, seed0: int, seed1: int) -> None:
        super().__init__("PriorityReplayBufferCreate")
        self.made_with = capacity, (seed0, seed1), alpha

    def __call__(self) -> Tensor:
        return Tensor([_keep(_Buffer(*self.made_with))], int64)


class PriorityReplayBufferPush(_Made):
    """Puts a row into a buffer (made with its number), when it is full in place of the oldest."""

    def __call__(self, transition: Sequence[Tensor]) -> Tensor:
        buffer = _held(self, self.made_with[0])
        buffer.put(buffer.pushed % buffer.capacity, transition)
        buffer.pushed += 1
        return Tensor([self.made_with[0]], int64)


class PriorityReplayBufferSample(Primitive):
    """Draws rows by their priorities pᵅ; returns their places, weights (P · n)^-beta relative to the greatest, and the rows.

    Args:
        handle: The number of the buffer.
        batch_size: How many rows to draw.
        shapes, dtypes: Those of the Tensors of a row.
    """

    def __init__(self, handle: int, batch_size: int, shapes: Any, dtypes: Any) -> None:
        super().__init__("PriorityReplayBufferSample")
        self.handle, self.batch_size = handle, batch_size

    def __call__(self, beta: Any) -> tuple[Tensor, ...]:
        buffer = _held(self, self.handle)
        shares = buffer.priorities[: len(buffer.rows)] ** buffer.alpha
        shares = shares / shares.sum()
        places = buffer.draws.choice(len(shares), self.batch_size, p=shares)
        weights = (shares[places] / shares.min()) ** -float(beta)
        return Tensor(places, int64), Tensor(weights, float32), *buffer.taken(places)


class PriorityReplayBufferUpdate(_Made):
    """Sets the priorities of rows of a buffer (made with its number)."""

    def __call__(self, indices: Tensor, priorities: Tensor) -> Tensor:
        _held(self, self.made_with[0]).priorities[indices.asnumpy()] = priorities.asnumpy()
        return Tensor([self.made_with[0]], int64)


class PriorityReplayBufferDestroy(_Made):
    """Lets go of a buffer (made with its number)."""

    def __call__(self) -> Tensor:
        _held(self, self.made_with[0])
        del _HELD[self.made_with[0]]
        return Tensor([self.made_with[0]], int64)


class ReservoirReplayBufferCreate(Primitive):
    """Makes a buffer that keeps each of all rows with the same chance (Vitter, 1985) and returns its number, (1,).

    Args:
        capacity: How many rows it has room for.
        shapes, dtypes: Those of the Tensors of a row.
        seed0, seed1: What is drawn follows from them.
    """

    def __init__(self, capacity: int, shapes: Any, dtypes: Any, seed0: int, seed1: int) -> None:
        super().__init__("ReservoirReplayBufferCreate")
        self.made_with = capacity, (seed0, seed1)

    def __call__(self) -> Tensor:
        return Tensor([_keep(_Buffer(*self.made_with))], int64)


class ReservoirReplayBufferPush(_Made):
    """Puts a row into a buffer (made with its number), when it is full perhaps in place of another."""

    def __call__(self, transition: Sequence[Tensor]) -> Tensor:
        buffer = _held(self, self.made_with[0])
        full = buffer.pushed >= buffer.capacity
        place = int(buffer.draws.integers(buffer.pushed + 1)) if full else buffer.pushed
        buffer.pushed += 1
        if place < buffer.capacity:
            buffer.put(place, transition)
        return Tensor([self.made_with[0]], int64)


class ReservoirReplayBufferSample(PriorityReplayBufferSample):
    """Draws rows of a buffer, each with the same chance; the arguments are those of `PriorityReplayBufferSample`."""

    def __call__(self) -> tuple[Tensor, ...]:  # type: ignore[override]
        buffer = _held(self, self.handle)
        return buffer.taken(buffer.draws.integers(len(buffer.rows), size=self.batch_size))


class ReservoirReplayBufferDestroy(PriorityReplayBufferDestroy):
    """Lets go of a buffer (made with its number)."""


class BatchAssign(Primitive):
    """Writes Parameters into others.

    Args:
        lock: Accepted; steps run in one order.

    Inputs:
        dst_model: The Parameters that are written. source_model: What they become.
    """

    def __init__(self, lock: bool = True) -> None:
        super().__init__("BatchAssign")

    def __call__(self, dst_model: Sequence[Parameter], source_model: Sequence[Tensor]) -> None:
        for target, source in zip(dst_model, source_model, strict=True):
            ops.assign(target, source)
