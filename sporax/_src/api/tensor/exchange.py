"""Exchange of elements with other libraries: DLPack both ways, and Tensors of bytes."""

from __future__ import annotations

import ctypes
from typing import Any

import jax
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import moved_to_device
from sporax._src.bindings.tensor_methods import method
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap

_CPU = 1  # the number of the kind of device


class _DLTensor(ctypes.Structure):
    """The description of an array in DLPack's header."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint8 * 4),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]

    def is_row_major(self) -> bool:
        """Return whether the elements lie in row-major order without gaps."""
        if not self.strides:
            return True
        shape, strides = self.shape[: self.ndim], self.strides[: self.ndim]
        step = 1
        for size, stride in zip(reversed(shape), reversed(strides), strict=True):
            if size != 1 and stride != step:
                return 0 in shape
            step *= size
        return True


class _Export:
    """A capsule as an object that exports an array."""

    def __init__(self, capsule: object) -> None:
        self._capsule: Any = capsule
        self.header = _header(capsule)

    def __dlpack__(self, **options: object) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self.header.device
        return kind, index


def _header(capsule: object) -> _DLTensor:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    try:
        return _DLTensor.from_address(pointer(capsule, b"dltensor"))
    except ValueError:
        raise RuntimeError(
            f"from_dlpack received an invalid capsule, got {describe(capsule)}. Note that DLTensor capsules can be consumed "
            "only once, so you might have already constructed a tensor from it once."
        ) from None


@method("from_dlpack")
@staticmethod
def from_dlpack(dlpack: object) -> Tensor:
    """Return a Tensor of the elements of another library's array, which is not copied if both are on one device.

    On a CPU, elements that are not in row-major order, or whose address is no multiple of 64, are copied. The program must not
    change an array that a Tensor shares: operators may have computed with the former elements. A write into the Tensor does
    not reach the array.

    Args:
        dlpack: A capsule of DLPack, which can be used once, or an object that gives one by `__dlpack__`: an array of NumPy or
            JAX, a Tensor of PyTorch.

    Raises:
        RuntimeError: If it is no capsule, or one that was used before.

    Examples:
        >>> Tensor.from_dlpack(np.arange(3)).asnumpy()
        array([0, 1, 2])
    """
    if isinstance(dlpack, np.ndarray) and not dlpack.flags.writeable:
        return Tensor(dlpack)  # the protocol cannot say that it is constant
    give = getattr(dlpack, "__dlpack__", None)
    export = _Export(give() if give else dlpack)
    if export.header.device[0] == _CPU and not export.header.is_row_major():
        return Tensor(np.from_dlpack(export))
    return wrap(moved_to_device(jax.dlpack.from_dlpack(export)))


@method("to_dlpack")
def to_dlpack(tensor: Tensor) -> Any:
    """Return a capsule of DLPack that shares the elements of a Tensor; another library can use it once.

    The other library must not write into the elements.

    Args:
        tensor: The Tensor.

    Raises:
        TypeError: If it is none.

    Examples:
        >>> Tensor.from_dlpack(Tensor([1, 2]).to_dlpack()).asnumpy()
        array([1, 2])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack: expected a Tensor, got {describe(tensor)}.")
    return tensor.__dlpack__()


def frombuffer(buffer: Any, dtype: mstype.Type, count: int = -1, offset: int = 0) -> Tensor:
    """Return a vector of the elements whose bytes are in a buffer. They are copied: a later write into the buffer has no effect.

    Args:
        buffer: An object with Python's buffer interface: bytes, a bytearray, a memoryview, an array of NumPy.
        dtype: The dtype of the elements, one of MindSpore's.
        count: The number of elements; -1 for all to the end.
        offset: The number of bytes before the first element.

    Raises:
        RuntimeError: If `buffer` or `dtype` is something else, the buffer is empty or too short, `count` is 0 or below -1,
            `offset` is not below the length, or bytes are left over at the end (with `count` -1).

    Examples:
        >>> import sporax as ms
        >>> ms.frombuffer(bytearray([1, 2, 3, 4]), ms.uint8, 2, offset=1).asnumpy()
        array([2, 3], dtype=uint8)
    """
    kind = dtype.np_dtype if isinstance(dtype, mstype.Type) else None
    if kind is None:
        raise RuntimeError(f"frombuffer: dtype must be a MindSpore dtype of numbers, got {describe(dtype)}.")
    try:
        view = memoryview(buffer)
    except TypeError:
        raise RuntimeError(
            f"frombuffer: object does not implement Python buffer protocol: {describe(buffer)}."
        ) from None
    if not view.c_contiguous:
        raise RuntimeError("frombuffer: the bytes of the buffer must be contiguous.")
    _check_part(view.nbytes, kind.itemsize, count, offset)
    elements = np.frombuffer(view.cast("B"), np.uint8 if kind.kind == "b" else kind, count, offset)
    return Tensor(elements != 0 if kind.kind == "b" else elements)


def _check_part(length: int, itemsize: int, count: int, offset: int) -> None:
    """Raise a RuntimeError unless a buffer of `length` bytes has `count` elements behind `offset`."""
    if count < -1:
        raise RuntimeError(f"frombuffer: count must be -1 or positive, got {count}.")
    if length == 0 or count == 0:
        raise RuntimeError(f"frombuffer: both buffer length ({length}) and count ({count}) must not be 0.")
    if not 0 <= offset < length:
        raise RuntimeError(f"frombuffer: offset must be in [0, {length - 1}], got {offset} ({length} bytes).")
    rest = length - offset
    if count == -1 and rest % itemsize:
        raise RuntimeError(
            f"frombuffer: buffer length ({length} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({itemsize})."
        )
    if count * itemsize > rest:
        raise RuntimeError(
            f"frombuffer: buffer length ({length} bytes) after offset ({offset} bytes) is not enough for {count} elements of "
            f"{itemsize} bytes."
        )
