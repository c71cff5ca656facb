"""Kernels for the CPU that XLA does not have, in C++: `grouped.cc`, for grouped convolutions, `recurrent.cc`, for recurrent
layers, `normalization.cc`, and `elementwise.cc`, for the updates of optimizers; they use `threads.h` and `vectors.h`.

The wheel contains them where a compiler of C++ was found when it was built (`hatch_build.py`). Without them XLA's operations
compute the same.
"""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from sporax._src.base import config
from sporax._src.base.typing import Array
from sporax._src.lowering.lowering import are_on

_LIBRARY = Path(__file__).with_name("kernels.so")
_NAMES = (
    "grouped_f32", "grouped_f64", "grouped_gradient_f32", "grouped_gradient_f64", "recurrent_f32", "recurrent_gradient_f32",
    "batch_norm_f32", "batch_norm_gradient_f32", "batch_norm_factors_f32",
    "batch_norm_gradient_factors_f32", "elementwise_f32",
)  # fmt: skip


def _register(library: Path) -> bool:
    """Give XLA the kernels of a library, and return whether it has them."""
    if not library.exists():
        return False
    try:
        loaded = ctypes.CDLL(str(library))
        targets = [(f"sporax_{name}", jax.ffi.pycapsule(getattr(loaded, name))) for name in _NAMES]
    except (OSError, AttributeError) as error:  # of another processor or system, or of another version
        warnings.warn(
            f"XLA computes grouped convolutions and recurrent layers, which takes longer: the kernels of sporax do not load "
            f"({error}). Install sporax anew on this machine.",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    for name, target in targets:
        jax.ffi.register_ffi_target(name, target, platform="cpu")
    return True


# At import: XLA looks the names up when it loads a compiled program from the disk, too.
ARE_BUILT = _register(_LIBRARY)


def are_used() -> bool:
    """Return whether operations are compiled for a CPU with these kernels."""
    return ARE_BUILT and are_on() and config.on_cpu()


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


def recurrent(
    gates: Array, w: Array, bias: Array, h: Array, c: Array, lengths: Array, kind: int, reverse: bool, saved: int
) -> Sequence[Array]:
    """Return the results of `recurrence.loop`.

    Args:
        gates, w, bias, h, c, lengths, reverse: As there.
        kind: The position in `recurrence.KINDS`.
        saved: How many arrays a step saves for the derivative; 0 for none.
    """
    times, batch, hidden = len(gates), *h.shape
    shapes = [(times, batch, hidden), h.shape, h.shape]
    if saved:
        shapes += [(times, batch, saved * hidden), (times, batch, hidden)]
    call = jax.ffi.ffi_call("sporax_recurrent_f32", [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes])
    return call(gates, w, bias, h, c, lengths, kind=np.int64(kind), reverse=reverse)


def recurrent_gradient(
    saved: Array,
    kept: Array,
    first: Array,
    w: Array,
    lengths: Array,
    outputs: Array,
    h: Array,
    c: Array,
    kind: int,
    reverse: bool,
) -> Sequence[Array]:
    """Return the results of `recurrence.gradient`; `kind` is the position in `recurrence.KINDS`."""
    shapes = [saved.shape, first.shape, first.shape]
    call = jax.ffi.ffi_call(
        "sporax_recurrent_gradient_f32", [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    )
    return call(saved, kept, first, w, lengths, outputs, h, c, kind=np.int64(kind), reverse=reverse)


def batch_norm(
    x: Array, weight: Array, bias: Array, running_mean: Array, running_var: Array, eps: float, momentum: float
) -> Sequence[Array]:
    """Return the results of `normalization.batch_norm` over all axes but the second one."""
    y, *statistics = _by_channel(
        "batch_norm", 4, x, weight, bias, running_mean, running_var, eps=eps, momentum=momentum
    )
    return [y.reshape(x.shape), *statistics]


def batch_norm_gradient(x: Array, weight: Array, mean: Array, var: Array, y: Array, eps: float) -> Sequence[Array]:
    """Return the results of `normalization.gradient` over all axes but the second one."""
    of_x, *others = _by_channel("batch_norm_gradient", 2, x, weight, mean, var, y.reshape(_flat(x)), eps=eps)
    return [of_x.reshape(x.shape), *others]


def batch_norm_factors(x: Array, *others: Array, **numbers: float) -> Sequence[Array]:
    """Return the results of `normalization.factors`."""
    return _called("batch_norm_factors", [x.shape[1:]] * 5, x, *others, **numbers)


def batch_norm_gradient_factors(x: Array, *others: Array, **numbers: float) -> Sequence[Array]:
    """Return the results of `normalization.gradient_factors`."""
    return _called("batch_norm_gradient_factors", [x.shape[1:]] * 5, x, *others, **numbers)


def are_all_but_second(axes: Sequence[int]) -> bool:
    """Return whether axes are all those of an array but the second one."""
    return tuple(axes) == (0, *range(2, len(axes) + 1))


def _flat(x: Array) -> tuple[int, ...]:
    return *x.shape[:2], math.prod(x.shape[2:])


def _by_channel(name: str, count: int, x: Array, *others: Array, **numbers: float) -> Sequence[Array]:
    """Call a kernel with x as (N, C, elements) and numbers; it returns an array of this shape and `count` arrays (C,)."""
    shapes = [_flat(x), *[x.shape[1:2]] * count]
    return _called(name, shapes, x.reshape(shapes[0]), *others, **numbers)


def _called(name: str, shapes: Sequence[tuple[int, ...]], *arrays: Array, **numbers: float) -> Sequence[Array]:
    call = jax.ffi.ffi_call(f"sporax_{name}_f32", [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes])
    return call(*arrays, **{key: np.float64(number) for key, number in numbers.items()})


def elementwise(
    arrays: Sequence[Array],
    shapes: Sequence[tuple[int, ...]],
    reused: dict[int, int],
    inputs: int,
    constants: Sequence[float],
    steps: Sequence[int],
    outputs: Sequence[int],
) -> Sequence[Array]:
    """Return the results of `lowering.elementwise.elementwise`.

    Args:
        arrays: The inputs of all groups.
        shapes: The shapes of all results.
        reused: Inputs, each with the result that may take its memory.
        inputs: How many inputs a group has.
        constants: Numbers, at least one.
        steps: For each operation its code and three operands.
        outputs: Which values are results.
    """
    results = [jax.ShapeDtypeStruct(shape, np.float32) for shape in shapes]
    call = jax.ffi.ffi_call("sporax_elementwise_f32", results, input_output_aliases=reused)
    return call(
        *arrays,
        inputs=np.int64(inputs),
        constants=np.asarray(constants, np.float32),
        steps=np.asarray(steps, np.int64),
        outputs=np.asarray(outputs, np.int64),
    )
