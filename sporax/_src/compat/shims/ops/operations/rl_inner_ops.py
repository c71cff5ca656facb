"""Queues and buffers of `mindspore.ops.operations._rl_inner_ops`, each reached by its number; mindrl imports them.

What they hold changes from call to call and belongs to no graph: they run in PyNative mode.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from sporax import Parameter, Tensor, float32, int64
from sporax._src.compat.no_kernel import without_kernel
from sporax._src.compat.operators import ops
from sporax.ops import Primitive

_STORE: dict[int, Any] = {}
_HANDLES = itertools.count()


def store(item: object) -> int:
    """Store a queue, an array or a buffer, and return its handle."""
    handle = next(_HANDLES)
    _STORE[handle] = item
    return handle


def stored(operator: Primitive, handle: Any) -> Any:
    """Return what a handle stands for.

    Raises:
        RuntimeError: If it was never made, or is gone.
    """
    if int(handle) not in _STORE:
        raise RuntimeError(f"{operator.name}: nothing has the number {int(handle)}.")
    return _STORE[int(handle)]


class HandleOperator(Primitive):
    """An operator that stores its arguments."""

    def __init__(self, *args: Any) -> None:
        super().__init__(type(self).__name__)
        self.arguments = args


class TensorsQueueCreate(Primitive):
    """Makes a queue of groups of Tensors and returns its number.

    Args:
        dtype: The dtype of the Tensors.
        shapes: Their shapes in a group.
        size: How many groups it has room for.
        name: A name.
    """

    def __init__(self, dtype: object, shapes: Sequence[tuple[int, ...]], size: int = 0, name: str = "Q") -> None:
        super().__init__("TensorsQueueCreate")
        self.size = size

    def __call__(self) -> Tensor:
        return Tensor(store(deque(maxlen=self.size or None)), int64)


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

    def __init__(self, dtype: object, shapes: Sequence[tuple[int, ...]]) -> None:
        super().__init__("TensorsQueuePut")
        self.shapes = [tuple(shape) for shape in shapes]

    def __call__(self, handle: Any, elements: Sequence[Tensor]) -> Tensor:
        queue = stored(self, handle)
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
        pop_after_get: Whether the queue drops it.

    Raises:
        RuntimeError: If the queue is empty.
    """

    def __init__(self, dtype: object, shapes: Sequence[tuple[int, ...]], pop_after_get: bool = False) -> None:
        super().__init__("TensorsQueueGet")
        self.pop_after_get = pop_after_get

    def __call__(self, handle: object) -> tuple[Tensor, ...]:
        queue = stored(self, handle)
        if not queue:
            raise RuntimeError(f"{self.name}: the queue is empty.")
        return queue.popleft() if self.pop_after_get else queue[0]


class TensorsQueueSize(HandleOperator):
    """Returns how many groups a queue holds."""

    def __call__(self, handle: Any) -> Tensor:
        return Tensor(len(stored(self, handle)), int64)


class TensorsQueueClear(HandleOperator):
    """Empties a queue."""

    def __call__(self, handle: Any) -> Tensor:
        stored(self, handle).clear()
        return handle


class TensorsQueueClose(HandleOperator):
    """Lets go of a queue."""

    def __call__(self, handle: Any) -> Tensor:
        stored(self, handle)
        del _STORE[int(handle)]
        return handle


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

    def put(self, index: int, row: Sequence[Tensor]) -> None:
        """Write a row at an index, with the greatest priority that there is."""
        self.rows[index : index + 1] = [tuple(value.copy() for value in row)]
        self.priorities[index] = self.priorities.max() or 1.0

    def select(self, indices: np.ndarray) -> tuple[Tensor, ...]:
        """Return the rows at indices."""
        return tuple(ops.stack(column) for column in zip(*(self.rows[index] for index in indices), strict=True))


class PriorityReplayBufferCreate(Primitive):
    """Makes a buffer whose rows are drawn by their priorities (Schaul et al., 2016) and returns its number, (1,).

    Args:
        capacity: How many rows it has room for.
        alpha: How much the priorities count, from 0 to 1.
        shapes, dtypes: Those of the Tensors of a row.
        seed0, seed1: What is drawn follows from them.
    """

    def __init__(self, capacity: int, alpha: float, shapes: object, dtypes: object, seed0: int, seed1: int) -> None:
        super().__init__("PriorityReplayBufferCreate")
        self.arguments = capacity, (seed0, seed1), alpha

    def __call__(self) -> Tensor:
        return Tensor([store(_Buffer(*self.arguments))], int64)


class PriorityReplayBufferPush(HandleOperator):
    """Puts a row into a buffer of a handle; when the buffer is full, instead of the oldest."""

    def __call__(self, transition: Sequence[Tensor]) -> Tensor:
        buffer = stored(self, self.arguments[0])
        buffer.put(buffer.pushed % buffer.capacity, transition)
        buffer.pushed += 1
        return Tensor([self.arguments[0]], int64)


class PriorityReplayBufferSample(Primitive):
    """Draws rows by their priorities pᵅ; returns their indices, weights (P · n)^-beta relative to the greatest, and the rows.

    Args:
        handle: The number of the buffer.
        batch_size: How many rows to draw.
        shapes, dtypes: Those of the Tensors of a row.
    """

    def __init__(self, handle: int, batch_size: int, shapes: object, dtypes: object) -> None:
        super().__init__("PriorityReplayBufferSample")
        self.handle, self.batch_size = handle, batch_size

    def __call__(self, beta: Any) -> tuple[Tensor, ...]:
        buffer = stored(self, self.handle)
        shares = buffer.priorities[: len(buffer.rows)] ** buffer.alpha
        shares = shares / shares.sum()
        indices = buffer.draws.choice(len(shares), self.batch_size, p=shares)
        weights = (shares[indices] / shares.min()) ** -float(beta)
        return Tensor(indices, int64), Tensor(weights, float32), *buffer.select(indices)


class PriorityReplayBufferUpdate(HandleOperator):
    """Sets the priorities of rows of a buffer (made with its number)."""

    def __call__(self, indices: Tensor, priorities: Tensor) -> Tensor:
        stored(self, self.arguments[0]).priorities[indices.asnumpy()] = priorities.asnumpy()
        return Tensor([self.arguments[0]], int64)


class PriorityReplayBufferDestroy(HandleOperator):
    """Lets go of a buffer (made with its number)."""

    def __call__(self) -> Tensor:
        stored(self, self.arguments[0])
        del _STORE[self.arguments[0]]
        return Tensor([self.arguments[0]], int64)


class ReservoirReplayBufferCreate(Primitive):
    """Makes a buffer that keeps each of all rows with the same chance (Vitter, 1985) and returns its number, (1,).

    Args:
        capacity: How many rows it has room for.
        shapes, dtypes: Those of the Tensors of a row.
        seed0, seed1: What is drawn follows from them.
    """

    def __init__(self, capacity: int, shapes: object, dtypes: object, seed0: int, seed1: int) -> None:
        super().__init__("ReservoirReplayBufferCreate")
        self.arguments = capacity, (seed0, seed1)

    def __call__(self) -> Tensor:
        return Tensor([store(_Buffer(*self.arguments))], int64)


class ReservoirReplayBufferPush(HandleOperator):
    """Puts a row into a buffer of a handle; when the buffer is full, perhaps instead of another."""

    def __call__(self, transition: Sequence[Tensor]) -> Tensor:
        buffer = stored(self, self.arguments[0])
        full = buffer.pushed >= buffer.capacity
        index = int(buffer.draws.integers(buffer.pushed + 1)) if full else buffer.pushed
        buffer.pushed += 1
        if index < buffer.capacity:
            buffer.put(index, transition)
        return Tensor([self.arguments[0]], int64)


class ReservoirReplayBufferSample(PriorityReplayBufferSample):
    """Draws rows of a buffer, each with the same chance; the arguments are those of `PriorityReplayBufferSample`."""

    def __call__(self) -> tuple[Tensor, ...]:
        buffer = stored(self, self.handle)
        return buffer.select(buffer.draws.integers(len(buffer.rows), size=self.batch_size))


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


CudnnGRU = without_kernel("CudnnGRU", "input_size, hidden_size, num_layers, has_bias, bidirectional, dropout")
DiscountedReturn = without_kernel("DiscountedReturn", "gamma")
EnvCreate = without_kernel("EnvCreate", "name, **kwargs")
EnvReset = without_kernel("EnvReset", "handle, state_shape, state_dtype")
EnvStep = without_kernel("EnvStep", "handle, state_shape, state_dtype, reward_shape, reward_dtype")
MuxReceive = without_kernel("MuxReceive", 'shape, dtype, group="hccl_world_group"')
MuxSend = without_kernel("MuxSend", 'dest_rank, group="hccl_world_group"')
