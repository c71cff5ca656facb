"""Tensor methods whose signatures are their own: views, conversions, copies, and what a Tensor knows of itself."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Axis, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops import conversion, creation, elementwise, joining
from sporax._src.ops import shape as _shape
from sporax._src.ops.assign import value_of
from sporax._src.ops.callings import forms
from sporax._src.ops.methods import method, prop
from sporax._src.ops.table import internal


def sizes_of(args: tuple[Any, ...]) -> Any:
    """Return sizes or axes that were given one by one or as one sequence."""
    return args[0] if len(args) == 1 and isinstance(args[0], (tuple, list, Tensor)) else args


# --- shape ----------------------------------------------------------------------------------------------------------


@method("reshape")
def _reshape(self: Tensor, *shape_: Any, shape: Any = None) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple."""
    return _shape.reshape(self, sizes_of(shape_) if shape is None else shape)


forms("reshape", of=("*shape: int", "shape: Shape"))


@method("view")
def _view(self: Tensor, *shape: Any) -> Tensor:
    """Return the elements in row-major order under another shape, given as ints or as a tuple."""
    return _shape.reshape(self, sizes_of(shape))


@method("reshape_as", "view_as")
def _reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the elements under the shape of another Tensor."""
    return _shape.reshape(self, other.shape)


@internal("Tensor.resize")
def _resized(x: Array, sizes: Static) -> Array:
    wanted = math.prod(sizes)
    flat = jnp.ravel(x)[:wanted]
    return jnp.concatenate([flat, jnp.zeros(wanted - flat.size, x.dtype)]).reshape(sizes)


@method("resize")
def _resize(self: Tensor, *new_shape: Any) -> Tensor:
    """Return the elements under a shape that may be larger (filled with zeros) or smaller."""
    return _resized(self, tuple(sizes_of(new_shape)))


@method("transpose")
def _transpose(self: Tensor, *axes: Any) -> Tensor:
    """Return the Tensor with two axes exchanged (two ints), or with its axes in another order, or reversed."""
    given = sizes_of(axes)
    if len(axes) == 2:
        return _shape.swapaxes(self, *axes)
    return _shape.transpose(
        self, tuple(given) if len(given) and given[0] is not None else tuple(reversed(range(self.ndim)))
    )


@method("permute")
def _permute(self: Tensor, *axis: Any) -> Tensor:
    """Return the Tensor with its axes in another order, or reversed if none is given."""
    return _shape.transpose(self, tuple(sizes_of(axis)) or tuple(reversed(range(self.ndim))))


@prop("T")
def _reverse_axes(self: Tensor) -> Tensor:
    """The Tensor with its axes in reverse order."""
    return _permute(self)


@prop("mT")
def _matrix_transpose(self: Tensor) -> Tensor:
    """The Tensor with its last two axes exchanged."""
    return _shape.swapaxes(self, -1, -2)


@prop("H")
def _hermitian(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    if self.ndim not in (0, 2):
        raise ValueError(f"Tensor.H: the Tensor must be a matrix, got {self.ndim} axes.")
    return _shape.adjoint(self) if self.ndim else elementwise.conj(self)


@prop("mH")
def _matrix_hermitian(self: Tensor) -> Tensor:
    """The conjugate of the Tensor with its last two axes exchanged."""
    return _shape.adjoint(self)


@method("flatten")
def _flatten(self: Tensor, *args: Any, order: str = "C", start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the Tensor with the axes from `start_dim` (default 0) to `end_dim` merged; `order` as in `ops.flatten`."""
    if args and isinstance(args[0], str):
        order, args = args[0], args[1:]
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return _shape.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


@method("broadcast_to", "expand")
def _expand(self: Tensor, *size: Any, shape: Any = None) -> Tensor:
    """Return the Tensor repeated along axes of size 1 and new leading axes; -1 keeps a size."""
    return _shape.broadcast_to(self, sizes_of(size) if shape is None else shape)


@method("expand_as")
def _expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the Tensor broadcast to the shape of another."""
    return _shape.broadcast_to(self, other.shape)


@method("tile")
def _tile(self: Tensor, *dims: Any, reps: Any = None) -> Tensor:
    """Return the Tensor repeated along each axis."""
    return _shape.tile(self, sizes_of(dims) if reps is None else reps)


@method("repeat")
def _repeat(self: Tensor, *repeats: Any, axis: int | None = None) -> Tensor:
    """Return the Tensor repeated along each axis: `x.repeat(2, 1)` as `tile`.

    The older form with `axis`, or with one int on a Tensor of several axes, repeats each element in a row.
    """
    given = sizes_of(repeats)
    if axis is not None or (len(repeats) == 1 and isinstance(given, tuple) and len(given) < self.ndim):
        return _shape.repeat_interleave(self, given[0] if len(given) == 1 else given, axis)
    if len(given) < self.ndim:
        raise ValueError(f"Tensor.repeat: give at least one number per axis ({self.ndim}), got {tuple(given)}.")
    return _shape.tile(self, tuple(given))


@method("repeat_interleave")
def _repeat_interleave(
    self: Tensor, repeats: Any, dim: int | None = None, *, axis: int | None = None, output_size: Any = None
) -> Tensor:
    """Return the Tensor with each element repeated in a row; `output_size` is accepted, it follows from `repeats`."""
    return _shape.repeat_interleave(self, repeats, dim if axis is None else axis)


@method("roll")
def _roll(self: Tensor, shifts: int | Shape, dims: Axis = None) -> Tensor:
    """Return the Tensor shifted along axes, what leaves at one end entering at the other."""
    return _shape.roll(self, shifts, dims)


@method("reverse_sequence")
def _reverse_sequence(self: Tensor, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    """Return the Tensor with the first `seq_lengths[b]` elements along `seq_dim` reversed."""
    return _shape.reverse_sequence(self, seq_lengths, seq_dim, batch_dim)


@method("sum_to_size")
def _sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Return the Tensor summed down to a shape that broadcasts to its own."""
    return _summed(self, tuple(sizes_of(size)))


@internal("Tensor.sum_to_size")
def _summed(x: Array, size: Static) -> Array:
    lead = x.ndim - len(size)
    if lead < 0 or any(want not in (1, have) for want, have in zip(size, x.shape[max(lead, 0) :], strict=True)):
        raise ValueError(f"size must broadcast to the Tensor's shape {x.shape}, got {size}.")
    x = jnp.sum(x, tuple(range(lead)), dtype=x.dtype)
    return jnp.sum(x, tuple(d for d, n in enumerate(size) if n == 1), keepdims=True, dtype=x.dtype)


@method("split")
def _split(
    self: Tensor, split_size: Any = None, dim: int = 0, *, split_size_or_sections: Any = None, axis: int | None = None
) -> Any:
    """Return the Tensor cut along an axis into pieces of one size, or of a sequence of sizes."""
    size = split_size if split_size_or_sections is None else split_size_or_sections
    return joining.split(self, size, dim if axis is None else axis)


@method("chunk")
def _chunk(self: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None) -> Any:
    """Return the Tensor cut along an axis into at most `chunks` pieces."""
    return joining.chunk(self, chunks, dim if axis is None else axis)


# --- dtype ----------------------------------------------------------------------------------------------------------


@method("astype")
def _astype(self: Tensor, dtype: Any, copy: bool = True) -> Tensor:
    """Return the Tensor with its elements converted; `copy` is accepted."""
    return conversion.cast(self, dtype)


@method("to")
def _to(self: Tensor, dtype: Any) -> Tensor:
    """Return the Tensor with its elements converted to a dtype."""
    return conversion.cast(self, dtype)


@method("type")
def _type(self: Tensor, dtype: Any = None) -> Any:
    """Return the name of the dtype, or the Tensor converted to another."""
    return self.dtype.name if dtype is None else conversion.cast(self, dtype)


@method("type_as")
def _type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the Tensor converted to the dtype of another."""
    return conversion.cast(self, other.dtype)


@method("set_dtype")
def _set_dtype(self: Tensor, dtype: Any) -> Tensor:
    """Convert the elements of this Tensor itself and return it."""
    if not isinstance(dtype, mstype.Type):
        raise TypeError(f"Tensor.set_dtype: dtype must be a MindSpore dtype, got {dtype!r}.")
    self.adopt(conversion.cast(self, dtype)._data)
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


def _conversion(dtype: mstype.Type) -> Any:
    def convert(self: Tensor) -> Tensor:
        return conversion.cast(self, dtype)

    convert.__doc__ = f"Return the Tensor converted to {dtype}."
    return convert


for _name, _dtype in _KINDS.items():
    method(_name)(_conversion(_dtype))


# --- copies and new Tensors -----------------------------------------------------------------------------------------


@method("copy", "clone")
def _copy(self: Tensor) -> Tensor:
    """Return a Tensor with the same elements; gradients flow through it."""
    return value_of(self)


@method("contiguous")
def _contiguous(self: Tensor) -> Tensor:
    """Return the Tensor: elements always lie in row-major order."""
    return self


@method("value")
def _value(self: Tensor) -> Tensor:
    """Return the Tensor itself (of a Parameter: its value)."""
    return self


@method("new_zeros", "new_empty")
def _new_zeros(self: Tensor, size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return a Tensor of zeros of the given shape and, unless given, this Tensor's dtype; `device` has no effect."""
    return creation.zeros(size, self.dtype if dtype is None else dtype)


@method("new_ones")
def _new_ones(self: Tensor, size: Any, dtype: Any = None) -> Tensor:
    """Return a Tensor of ones of the given shape and, unless given, this Tensor's dtype."""
    return creation.ones(size, self.dtype if dtype is None else dtype)


@method("new_full")
def _new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a Tensor of the given shape filled with one value, in this Tensor's dtype unless given."""
    return creation.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)


@method("new_tensor")
def _new_tensor(self: Tensor, data: Any, dtype: Any = None) -> Tensor:
    """Return a Tensor of `data` in this Tensor's dtype unless given."""
    return Tensor(data, self.dtype if dtype is None else dtype)


@method("fill")
def _fill(self: Tensor, value: Any) -> Tensor:
    """Return a Tensor of this shape and dtype filled with one value (None: 0)."""
    return creation.fills(self, 0 if value is None else value)


@method("assign_value")
def _assign_value(self: Tensor, value: Any) -> Tensor:
    """Take over the elements of another Tensor and return this one."""
    return self._rebind(value if isinstance(value, Tensor) else Tensor(value))


# --- what a Tensor knows of itself ----------------------------------------------------------------------------------


@method("dim", "ndimension")
def _dim(self: Tensor) -> int:
    """Return the number of axes."""
    return self.ndim


@method("numel", "nelement")
def _numel(self: Tensor) -> int:
    """Return the number of elements."""
    return self.size


@method("stride")
def _stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the elements to step along each axis (or one) of the row-major storage, as a list."""
    steps = [s // self.itemsize for s in self.strides]
    return steps if dim is None else steps[dim]


@method("storage_offset")
def _storage_offset(self: Tensor) -> int:
    """Return 0: every Tensor has storage of its own."""
    return 0


@method("is_contiguous")
def _is_contiguous(self: Tensor) -> bool:
    """Return True: elements always lie in row-major order."""
    return True


@method("data_ptr")
def _data_ptr(self: Tensor) -> int:
    """Return the address of the elements on their device."""
    return self._data.unsafe_buffer_pointer()


@method("get_bytes")
def _get_bytes(self: Tensor) -> bytes:
    """Return the elements as raw bytes in row-major order."""
    return self.asnumpy().tobytes()


@method("convert_bytes_to_tensor")
def _from_bytes(bytes_str: bytes, dims: Any, dtype: Any) -> Tensor:
    """Return the Tensor of raw bytes."""
    return Tensor(np.frombuffer(bytes_str, mstype.to_numpy(dtype)).reshape(dims))


@method("move_to")
def _move_to(self: Tensor, to: str, blocking: bool = True) -> Tensor:
    """Return the Tensor: all Tensors live on the device of the context."""
    return wrap(self._data)


def _nothing(self: Tensor, *args: Any, **kwargs: Any) -> None:
    """Do nothing: JAX places and moves the storage of Tensors."""


method("flush_from_cache", "data_sync", "wait_pipeline", "offload", "set_const_arg")(_nothing)
