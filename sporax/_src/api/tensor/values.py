"""Tensor methods that convert elements, copy them, make Tensors like one, or show how they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base import config
from sporax._src.base.errors import describe
from sporax._src.bindings.tensor_methods import method, methods
from sporax._src.core import dtype as mstype
from sporax._src.core import views
from sporax._src.core.stateful import graph_version
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.array import cast
from sporax._src.ops.array.assign import value_of

methods("""
astype(dtype, copy: bool = True) -> cast(self, dtype)
    copy: Accepted.
type_as(other: Tensor) -> cast(self, other.dtype)
    Return the Tensor with its elements converted to the dtype of another; floats are cut to integers towards zero.
    other: A Tensor.
new_zeros(size: Any, dtype=None) -> zeros(size, self.dtype if dtype is None else dtype)
    Return a Tensor of zeros, in this Tensor's dtype unless `dtype` says otherwise.
new_ones(size: Any, dtype=None) -> ones(size, self.dtype if dtype is None else dtype)
    Return a Tensor of ones, in this Tensor's dtype unless `dtype` says otherwise.
new_full(size: Any, fill_value: Any, *, dtype=None) -> full(size, fill_value, dtype=self.dtype if dtype is None else dtype)
    Return a Tensor of one value, in this Tensor's dtype unless `dtype` says otherwise.
fill(value: Any) -> fills(self, 0 if value is None else value)
    Return a Tensor of this one's shape and dtype filled with one value.
    value: A number or a 0-d Tensor; None for 0.
""")


@method("new_empty")
def _new_empty(self: Tensor, size: Any, dtype: mstype.TypeLike | None = None, device: str | None = None) -> Tensor:
    """Return a Tensor of zeros, in this Tensor's dtype unless `dtype` says otherwise.

    Args:
        size: The shape.
        dtype: The dtype; that of the Tensor if None.
        device: The name of a device, as for `Tensor.to`.

    Raises:
        ValueError: If there is no such device.
    """
    config.check_device_name("Tensor.new_empty", device)
    return self.new_zeros(size, dtype)


# --- dtype ----------------------------------------------------------------------------------------------------------


@method("to")
def _to(
    self: Tensor,
    *args: Any,
    dtype: mstype.TypeLike | None = None,
    device: str | None = None,
    other: Tensor | None = None,
    non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:
    """Return the Tensor in another dtype, or in that of another Tensor; a process has one device, where all Tensors stay.

    Calls are `to(dtype, non_blocking, copy)`, `to(device, dtype, non_blocking, copy)` and `to(other, non_blocking, copy)`.

    Args:
        args: The options by position.
        dtype: The dtype; None for that of the Tensor.
        device: The name of a device: `"CPU"`, `"GPU"`, `"TPU"`, `"Ascend"` or `"npu"`, in upper or lower case.
        other: A Tensor of the dtype wanted.
        non_blocking: Accepted: nothing blocks.
        copy: Whether the result has elements of its own, although its dtype is the same.

    Raises:
        TypeError: If an option is of another type.
        ValueError: If there is no such device.

    Examples:
        >>> Tensor([1.5, 2.0]).to(ms.int32).asnumpy()
        array([1, 2], dtype=int32)
        >>> Tensor([1.5, 2.0]).to("CPU", ms.float16).dtype
        mindspore.float16
    """
    given = {"dtype": dtype, "device": device, "other": other, "non_blocking": non_blocking, "copy": copy}
    first = "device" if args and (args[0] is None or isinstance(args[0], str)) else "dtype"
    first = "other" if args and isinstance(args[0], Tensor) else first
    order = (first, "dtype", "non_blocking", "copy") if first == "device" else (first, "non_blocking", "copy")
    if len(args) > len(order):
        raise TypeError(f"Tensor.to takes at most {len(order)} options by position here, got {len(args)}.")
    given |= dict(zip(order, args, strict=False))
    for name in ("non_blocking", "copy"):
        if not isinstance(given[name], bool):
            raise TypeError(f"Tensor.to: {name} must be a bool, got {describe(given[name])}.")
    config.check_device_name("Tensor.to", given["device"])
    if given["other"] is not None:
        given["dtype"] = given["other"].dtype
    result = self if given["dtype"] is None else cast.cast(self, given["dtype"])
    return value_of(result) if given["copy"] and result is self else result


@method("type")
def _type(self: Tensor, dtype: mstype.TypeLike | None = None) -> Any:
    """Return the name of the dtype, or the Tensor converted to another.

    Args:
        dtype: A dtype, or None.

    Examples:
        >>> Tensor([1, 2]).type()
        'Int64'
    """
    return self.dtype.name if dtype is None else cast.cast(self, dtype)


@method("set_dtype")
def _set_dtype(self: Tensor, dtype: mstype.TypeLike) -> Tensor:
    """Convert the elements of this Tensor itself and return it.

    Args:
        dtype: A dtype of MindSpore.

    Raises:
        TypeError: If `dtype` is none.

    Examples:
        >>> Tensor([1, 2]).set_dtype(ms.float32).asnumpy()
        array([1., 2.], dtype=float32)
    """
    if not isinstance(dtype, mstype.Type):
        raise TypeError(f"Tensor.set_dtype: dtype must be a MindSpore dtype, got {dtype!r}.")
    graph_version.advance()
    self.adopt(cast.cast(self, dtype)._data)
    return self


_KINDS = {
    "float": mstype.float32,
    "double": mstype.float64,
    "half": mstype.float16,
    "bfloat16": mstype.bfloat16,
    "int": mstype.int32,
    "long": mstype.int64,
    "short": mstype.int16,
    "byte": mstype.uint8,
    "bool": mstype.bool_,
}


def _conversion(name: str, dtype: mstype.Type) -> Any:
    def convert(self: Tensor) -> Tensor:
        return cast.cast(self, dtype)

    convert.__doc__ = f"""Return the Tensor converted to {dtype}.

    Examples:
        >>> Tensor([0.0, 1.0]).{name}().dtype.itemsize
        {dtype.itemsize}
    """
    return convert


for _name, _dtype in _KINDS.items():
    method(_name)(_conversion(_name, _dtype))


# --- copies and new Tensors -----------------------------------------------------------------------------------------


@method("copy", "clone")
def _copy(self: Tensor) -> Tensor:
    """Return a Tensor with the same elements; gradients flow through it.

    Examples:
        >>> Tensor([1, 2]).copy().asnumpy()
        array([1, 2])
    """
    return value_of(self)


@method("contiguous")
def _contiguous(self: Tensor) -> Tensor:
    """Return the Tensor if its elements lie in row-major order, else a copy of it in which they do.

    Examples:
        >>> Tensor([1, 2]).contiguous().asnumpy()
        array([1, 2])
    """
    return self if views.is_contiguous(self) else value_of(self)


@method("value")
def _value(self: Tensor) -> Tensor:
    """Return the Tensor itself (of a Parameter: its value).

    Examples:
        >>> Parameter(Tensor([1, 2])).value().asnumpy()
        array([1, 2])
    """
    return self


@method("new_tensor")
def _new_tensor(self: Tensor, data: object, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return a Tensor of `data` in this Tensor's dtype unless given.

    Args:
        data: What `Tensor` takes.
        dtype: The dtype; that of this Tensor if None.

    Examples:
        >>> Tensor([1.0]).new_tensor([1, 2]).asnumpy()
        array([1., 2.], dtype=float32)
    """
    return Tensor(data, self.dtype if dtype is None else dtype)


@method("assign_value")
def _assign_value(self: Tensor, value: object) -> Tensor:
    """Give this Tensor the elements of another one and return it; its views keep the former ones, as in MindSpore.

    Args:
        value: A Tensor, or what `Tensor` takes.

    Examples:
        >>> Tensor([1.0, 2.0]).assign_value([3.0, 4.0]).asnumpy()
        array([3., 4.], dtype=float32)
    """
    if self._views is not None:
        views.release(self)
    if self._view is not None:
        views.detach(self)
    return self._rebind(value if isinstance(value, Tensor) else Tensor(value))


# --- the elements as they are stored ------------------------------------------------------------------------------------


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
    """Return how many elements of memory lie from one element to the next along each axis (or one), as a list.

    Args:
        dim: The axis; None means all.

    Examples:
        >>> ops.ones((2, 3)).stride()
        [3, 1]
        >>> ops.ones((2, 3)).T.stride()
        [1, 3]
    """
    steps = views.strides(self)
    return steps if dim is None else steps[dim]


@method("storage_offset")
def _storage_offset(self: Tensor) -> int:
    """Return the index of the first element in the Tensor that this one is a view of; 0 if it is no view.

    Examples:
        >>> Tensor([1, 2]).storage_offset(), Tensor([1, 2])[1:].storage_offset()
        (0, 1)
    """
    return views.offset(self)


@method("is_contiguous")
def _is_contiguous(self: Tensor) -> bool:
    """Return whether the elements lie in row-major order without gaps.

    Examples:
        >>> Tensor([[1], [2]]).is_contiguous(), Tensor([[1, 2], [3, 4]]).T.is_contiguous()
        (True, False)
    """
    return views.is_contiguous(self)


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
def _from_bytes(bytes_str: bytes, dims: Any, dtype: mstype.TypeLike) -> Tensor:
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


def _nothing(self: Tensor, *args: object, **kwargs: object) -> None:
    """Do nothing: JAX allocates and moves the storage of Tensors.

    Args:
        args, kwargs: Accepted.

    Examples:
        >>> Tensor([1, 2]).data_sync()
    """


method("flush_from_cache", "data_sync", "wait_pipeline", "offload", "_offload", "set_const_arg")(_nothing)
