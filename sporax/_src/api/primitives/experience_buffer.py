"""Buffers of experience (first in, first out), stored in Parameters, for reinforcement learning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays, Key, Static
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.array.assign import write


@internal("BufferAppend")
def _appended(data: Arrays, rows: Arrays, count: Array, head: Array, capacity: int) -> tuple[Array, ...]:
    new = [r.reshape(-1, *d.shape[1:]).astype(d.dtype) for d, r in zip(data, rows, strict=True)]
    size = new[0].shape[0]
    indices = (head + count + jnp.arange(size, dtype=count.dtype)) % capacity
    over = jnp.maximum(count + size - capacity, 0)
    grown = [d.at[indices].set(r) for d, r in zip(data, new, strict=True)]
    return (*grown, count + size - over, (head + over) % capacity)


@internal("BufferGetItem")
def _rows_at(data: Arrays, indices: Array, head: Array, capacity: int) -> tuple[Array, ...]:
    return tuple([d[(head.astype(indices.dtype) + indices) % capacity] for d in data])


@internal("BufferGetItem")
def _from_end(index: Array, count: Array) -> Array:
    index = jnp.asarray(index).reshape(()).astype(count.dtype)
    return jnp.where(index < 0, index + count, index)


@internal("BufferSample")
def _drawn_indices(key: Key, count: Array, capacity: int, size: int, unique: bool) -> Array:
    if not unique:
        return jax.random.randint(key, (size,), 0, jnp.maximum(count, 1)).astype(jnp.int32)
    chance = jnp.where(
        jnp.arange(capacity, dtype=count.dtype) < count, jax.random.uniform(key, (capacity,), jnp.float32), -1
    )
    return jnp.argsort(-chance)[:size].astype(jnp.int32)


def _check(name: str, data: Any, capacity: int, shapes: Any) -> None:
    if capacity < 1:
        raise ValueError(f"ops.{name}: capacity must be positive, got {capacity}.")
    wanted = [(capacity, *shape) for shape in shapes]
    got = [tuple(d.shape) for d in data]
    if got != wanted:
        raise ValueError(f"ops.{name}: the buffers must have shapes {wanted}, got {got}.")


_BUFFER = "capacity, buffer_shape, buffer_dtype"


@primitive(f"BufferAppend({_BUFFER})")
def _append(
    data: Sequence[Tensor], exp: Sequence[Tensor], count: Tensor, head: Tensor, capacity: int, buffer_shape: Static
) -> None:
    """Put experience at the end of the buffers; when they are full, it replaces the oldest.

    Args:
        data: Parameters (capacity, ...), which are written.
        exp: For each of them one row, or several (rows, ...).
        count, head: Parameters, which are written: how many rows there are, and where the oldest is.
        capacity: The greatest number of rows.
        buffer_shape: The shape of a row of each buffer.

    Raises:
        ValueError: If `capacity` is not positive, or a shape does not fit.

    Examples:
        >>> data, count, head = Parameter(ops.zeros((3, 2))), Parameter(Tensor([0])), Parameter(Tensor([0]))
        >>> ops.BufferAppend(3, ((2,),), (ms.float32,))([data], [ops.ones((2,))], count, head)
        >>> int(count), data.asnumpy()[0]
        (1, array([1., 1.], dtype=float32))
    """
    _check("BufferAppend", data, capacity, buffer_shape)
    if len(data) != len(exp):
        raise ValueError(f"ops.BufferAppend: exp must have {len(data)} Tensors, got {len(exp)}.")
    rows = [tuple(e.shape)[-len(s) :] if s else () for e, s in zip(exp, buffer_shape, strict=True)]
    if rows != [tuple(s) for s in buffer_shape]:
        raise ValueError(f"ops.BufferAppend: exp must have rows of shapes {list(buffer_shape)}, got {rows}.")
    new = _appended(list(data), list(exp), count, head, capacity)
    for variable, value in zip((*data, count, head), new, strict=True):
        write("BufferAppend", variable, value)


@primitive(f"BufferGetItem({_BUFFER})")
def _get_item(
    data: Sequence[Tensor], count: Tensor, head: Tensor, index: Tensor | int, capacity: int, buffer_shape: Static
) -> tuple[Tensor, ...]:
    """Return a row of each buffer: 0 is the oldest, -1 the newest.

    Args:
        data: Parameters (capacity, ...).
        count, head: Parameters: how many rows there are, and where the oldest is.
        index: The number of the row, an int or Tensor.
        capacity: The greatest number of rows.
        buffer_shape: The shape of a row of each buffer.

    Raises:
        ValueError: If `capacity` is not positive, or a shape does not fit.

    Examples:
        >>> get, count, head = ops.BufferGetItem(2, ((2,),), (ms.float32,)), Tensor(2, ms.int32), Tensor(0, ms.int32)
        >>> get([Tensor([[1.0, 2.0], [3.0, 4.0]])], count, head, -1)[0].asnumpy()
        array([3., 4.], dtype=float32)
    """
    _check("BufferGetItem", data, capacity, buffer_shape)
    return _rows_at(list(data), _from_end(index, count), head, capacity)


@primitive("BufferSample(capacity, batch_size, buffer_shape, buffer_dtype, seed=0, unique=False)")
def _sample(
    data: Sequence[Tensor],
    count: Tensor,
    head: Tensor,
    capacity: int,
    batch_size: int,
    buffer_shape: Static,
    unique: bool,
) -> tuple[Tensor, ...]:
    """Return drawn rows (batch_size, ...) of each buffer, the same of all; with `unique`, none twice.

    The global seed determines the draw.

    Args:
        data: Parameters (capacity, ...).
        count, head: Parameters: how many rows there are, and where the oldest is.
        capacity: The greatest number of rows.
        batch_size: How many rows to draw.
        buffer_shape: The shape of a row of each buffer.
        unique: Whether no row is drawn twice.

    Raises:
        ValueError: If `capacity` is not positive, `batch_size` exceeds it, or a shape does not fit.

    Examples:
        >>> count, head = Tensor(2, ms.int32), Tensor(0, ms.int32)
        >>> ops.BufferSample(2, 1, ((2,),), (ms.float32,))([ops.ones((2, 2))], count, head)[0].asnumpy()
        array([[1., 1.]], dtype=float32)
    """
    _check("BufferSample", data, capacity, buffer_shape)
    if not 0 < batch_size <= capacity:
        raise ValueError(f"ops.BufferSample: batch_size must be in [1, {capacity}], got {batch_size}.")
    return _rows_at(list(data), _drawn_indices(count, capacity, batch_size, unique), head, capacity)
