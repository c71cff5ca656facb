"""`Tensor.view`: the elements under another shape, or their bytes as elements of another dtype."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.api.tensor.axes import sizes_of
from sporax._src.base.typing import Array, Static
from sporax._src.bindings.tensor_methods import method
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal
from sporax._src.ops.array import shape as shapes


def _bytes_of(x: Array) -> Array:
    """Return the bytes of each element along a new last axis."""
    if x.dtype.kind == "c":
        parts = jnp.stack([x.real, x.imag], -1)
        return lax.bitcast_convert_type(parts, np.uint8).reshape(*x.shape, x.dtype.itemsize)
    x = x.astype(np.uint8) if x.dtype == np.bool_ else x
    return lax.bitcast_convert_type(x, np.uint8).reshape(*x.shape, x.dtype.itemsize)


def _of_bytes(x: Array, dtype: np.dtype) -> Array:
    """Return elements of a dtype whose bytes are along the last axis."""
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        parts = lax.bitcast_convert_type(x.reshape(*x.shape[:-1], 2, part.itemsize), part)
        return lax.complex(parts[..., 0], parts[..., 1])
    if dtype == np.bool_:
        return x[..., 0] != 0
    return lax.bitcast_convert_type(x[..., 0] if dtype.itemsize == 1 else x, dtype)


def _reinterpreted(x: Array, dtype: np.dtype) -> Array:
    sizes = (*x.shape[:-1], -1, dtype.itemsize) if x.ndim else (dtype.itemsize,)
    return _of_bytes(_bytes_of(x).reshape(sizes), dtype)


@internal("Tensor.view")
def _as_dtype(x: Array, dtype: Static) -> Array:
    width = x.dtype.itemsize
    if x.ndim == 0 and width != dtype.itemsize:
        raise ValueError(f"a 0-d Tensor of {width} bytes cannot be viewed as elements of {dtype.itemsize} bytes.")
    if x.ndim and x.shape[-1] * width % dtype.itemsize:
        raise ValueError(
            f"the {x.shape[-1] * width} bytes along the last axis must be a multiple of {dtype.itemsize}, the bytes of an "
            f"element of {mstype.from_numpy(dtype)}."
        )
    return _reinterpreted(x, dtype)


@method("view")
def _view(self: Tensor, *shape_: Any, shape: Any = None, dtype: mstype.TypeLike | None = None) -> Tensor:
    """Return the elements in row-major order under another shape, or a copy of their bytes as elements of another dtype.

    Args:
        shape_, shape: The sizes, ints or a tuple; one of them may be -1 and follows from the rest.
        dtype: A dtype, also by position. If its elements have another size, the last axis has as many as its bytes make.

    Raises:
        ValueError: If the number of elements differs, or the bytes along the last axis make no whole number of elements.

    Examples:
        >>> Tensor([1, 2, 3, 4]).view(2, 2).asnumpy()
        array([[1, 2],
               [3, 4]])
        >>> Tensor([1.0, 2.0]).view(ms.int32).asnumpy()
        array([1065353216, 1073741824], dtype=int32)
    """
    if len(shape_) == 1 and isinstance(shape_[0], mstype.Type):
        dtype, shape_ = shape_[0], ()
    if dtype is None:
        return shapes.reshape(self, sizes_of(shape_) if shape is None else shape)
    if shape_ or shape is not None:
        raise TypeError("Tensor.view takes a shape or a dtype, got both.")
    return _as_dtype(self, mstype.to_numpy(dtype))
