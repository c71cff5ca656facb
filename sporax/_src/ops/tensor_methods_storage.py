"""Tensor methods about the elements as they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base import config
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.methods import method


@method("dim", "ndimension")
def _dim(self: Tensor) -> int:
    """Return the number of axes.

    Examples:
        >>> ops.ones((2, 3)).dim()
        2
    """
    return self.ndim


@method("numel", "nelement")
def _numel(self: Tensor) -> int:
    """Return the number of elements.

    Examples:
        >>> ops.ones((2, 3)).numel()
        6
    """
    return self.size


@method("stride")
def _stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the elements to step along each axis (or one) of the row-major storage, as a list.

    Args:
        dim: The axis; None means all.

    Examples:
        >>> ops.ones((2, 3)).stride()
        [3, 1]
    """
    steps = [s // self.itemsize for s in self.strides]
    return steps if dim is None else steps[dim]


@method("storage_offset")
def _storage_offset(self: Tensor) -> int:
    """Return 0: every Tensor has storage of its own.

    Examples:
        >>> Tensor([1, 2]).storage_offset()
        0
    """
    return 0


@method("is_contiguous")
def _is_contiguous(self: Tensor) -> bool:
    """Return True: elements always lie in row-major order.

    Examples:
        >>> Tensor([1, 2]).is_contiguous()
        True
    """
    return True


@method("data_ptr")
def _data_ptr(self: Tensor) -> int:
    """Return the address of the elements on their device.

    Examples:
        >>> isinstance(Tensor([1, 2]).data_ptr(), int)
        True
    """
    return self._data.unsafe_buffer_pointer()


@method("get_bytes")
def _get_bytes(self: Tensor) -> bytes:
    """Return the elements as raw bytes in row-major order.

    Examples:
        >>> list(Tensor([1, 2], ms.uint8).get_bytes())
        [1, 2]
    """
    return self.asnumpy().tobytes()


@method("convert_bytes_to_tensor")
@staticmethod
def _from_bytes(bytes_str: bytes, dims: Any, dtype: Any) -> Tensor:
    """Return the Tensor of raw bytes.

    Args:
        bytes_str: The bytes.
        dims: The shape.
        dtype: The dtype of the elements.

    Examples:
        >>> Tensor.convert_bytes_to_tensor(bytes([1, 2]), (2,), ms.uint8).asnumpy()
        array([1, 2], dtype=uint8)
    """
    return Tensor(np.frombuffer(bytes_str, mstype.to_numpy(dtype)).reshape(dims))


@method("move_to")
def _move_to(self: Tensor, to: str, blocking: bool = True) -> Tensor:
    """Return the Tensor: all Tensors live on the device of the context.

    Args:
        to: Accepted.
        blocking: Accepted.

    Examples:
        >>> Tensor([1, 2]).move_to("CPU").asnumpy()
        array([1, 2])
    """
    return wrap(self._data)


def _nothing(self: Tensor, *args: Any, **kwargs: Any) -> None:
    """Do nothing: JAX places and moves the storage of Tensors.

    Args:
        args, kwargs: Accepted.

    Examples:
        >>> Tensor([1, 2]).data_sync()
    """


method("flush_from_cache", "data_sync", "wait_pipeline", "offload", "_offload", "set_const_arg")(_nothing)


@method("untyped_storage")
def _untyped_storage(self: Tensor) -> None:
    """Refuse to give the storage away: JAX keeps it to itself.

    Raises:
        RuntimeError: Always, as MindSpore does on the CPU.

    Examples:
        >>> Tensor([1, 2]).untyped_storage()
        Traceback (most recent call last):
        RuntimeError: The current Storage does not yet support CPU.
    """
    raise RuntimeError(f"The current Storage does not yet support {config.get_context('device_target')}.")
