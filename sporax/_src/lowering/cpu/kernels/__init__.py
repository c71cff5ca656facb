"""Kernels for the CPU that XLA does not have, in C++: `grouped.cc`, for grouped convolutions.

The wheel contains them where a compiler of C++ was found when it was built (`hatch_build.py`). Without them the lowerings of
`grouped` apply, which are made of operations of XLA.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sporax._src.base.typing import Array

_LIBRARY = Path(__file__).with_name("kernels.so")
_NAMES = ("grouped_f32", "grouped_f64", "grouped_gradient_f32", "grouped_gradient_f64")


def _register() -> bool:
    """Give XLA the kernels of the library, and return whether there is one."""
    if not _LIBRARY.exists():
        return False
    library = ctypes.CDLL(str(_LIBRARY))
    for name in _NAMES:
        jax.ffi.register_ffi_target(f"sporax_{name}", jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    return True


# At import: XLA looks the names up when it loads a compiled program from the disk, too.
ARE_BUILT = _register()


def grouped(x: Array, kernel: Array, out: tuple[int, ...], **axes: Any) -> Array:
    """Return the grouped convolution of images with a kernel.

    Args:
        x: Images (batch, rows, columns, channels), float32 or float64.
        kernel: (rows, columns, channels of a group, channels of the result), of the same dtype.
        out: The shape of the result, in the order of `x`.
        axes: For rows and columns: `strides`, `holes` (the dilation of the kernel), `between` (of the image), `pads` (before
            the first place; those behind the last follow from `out`).
    """
    return _call("grouped", x, kernel, out, axes)


def grouped_gradient(x: Array, gradient: Array, kernel: tuple[int, ...], **axes: Any) -> Array:
    """Return the gradient of a grouped convolution for a kernel of the shape `kernel`; `between` is 1 for both axes."""
    return _call("grouped_gradient", x, gradient, kernel, axes)


def _call(name: str, x: Array, y: Array, shape: tuple[int, ...], axes: dict[str, Any]) -> Array:
    kind = {4: "f32", 8: "f64"}[x.dtype.itemsize]
    call = jax.ffi.ffi_call(f"sporax_{name}_{kind}", jax.ShapeDtypeStruct(shape, x.dtype))
    return call(x, y, **{key: np.asarray(values, np.int64) for key, values in axes.items()})
