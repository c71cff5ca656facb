"""Pooling by maxima, means and norms in one, two and three dimensions, and what all poolings share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.dtype import to_float
from sporax._src.engine.arguments import check_choice, check_float, check_rank, ntuple
from sporax._src.engine.table import op
from sporax._src.ops.nn.convolution import same_pads
from sporax._src.ops.nn.sliding_window import Box, box, window_argmax, window_counts, window_max, window_sum

_REF = "references.nn."
Pair = tuple[int, int]


def window_boxes(
    x: Array,
    n: int,
    kernel: object,
    stride: object,
    pads: Sequence[Pair],
    dilation: object = 1,
    ceil_mode: bool = False,
) -> list[Box]:
    """Return the window along each of the last n axes of x; a stride of None is the kernel size."""
    window = ntuple(kernel, n, "kernel_size")
    steps = window if stride is None else ntuple(stride, n, "stride")
    rows = zip(x.shape[x.ndim - n :], window, steps, ntuple(dilation, n, "dilation"), pads, strict=True)
    return [box(size, k, s, d, pad, ceil_mode) for size, k, s, d, pad in rows]


def _pairs(padding: object, n: int, sides: bool = False) -> list[Pair]:
    if sides and isinstance(padding, tuple) and len(padding) == 2 * n:
        return [(padding[2 * i], padding[2 * i + 1]) for i in range(n)]
    return [(p, p) for p in ntuple(padding, n, "padding", 0)]


def _check_half(pads: Sequence[Pair], kernel: object) -> None:
    for (low, _), k in zip(pads, ntuple(kernel, len(pads), "kernel_size"), strict=True):
        if low > k // 2:
            raise ValueError(
                f"padding must be at most half of the kernel, got padding {[p for p, _ in pads]} and "
                f"kernel_size {kernel}."
            )


# --- maximum --------------------------------------------------------------------------------------------------------


def _max_pool(
    x: Array, n: int, kernel: object, stride: object, padding: object, dilation: object, indices: bool, ceil_mode: bool
) -> Any:
    check_rank(x, (n + 2,), "x")
    pads = _pairs(padding, n)
    _check_half(pads, kernel)
    boxes = window_boxes(x, n, kernel, stride, pads, dilation, ceil_mode)
    if not indices:
        return window_max(x, boxes)
    value, index = window_argmax(x, boxes)
    return value, index.astype(jnp.int64)


@op(
    ref=_REF + "max_pool2d",
    cases=(
        "T(1, 2, 5, 6), 2",
        "T(1, 2, 7, 6), (3, 2), (2, 1), (1, 0), (1, 2), False, True",
        "T(2, 2, 4, 4), 3, 1, 1",
        "T(1, 2, 4, 4), 2, return_indices=True",
        "T(0, 2, 4, 4), 2",
    ),
    errors=(("T(1, 1, 4, 4), 2, 1, 2", "half of the kernel"), ("T(4, 4), 2", "must have 4 axes")),
)
def max_pool2d(
    x: Array,
    kernel_size: Static,
    stride: Static = None,
    padding: Static = 0,
    dilation: Static = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Array | tuple[Array, Array]:
    """Return the maximum of each window of x (N, C, H, W).

    Args:
        x: A Tensor of shape (N, C, H, W).
        kernel_size: The window, an int or (rows, columns).
        stride: The step of the window; None: the window itself.
        padding: Elements of -inf on both sides, at most half of the window.
        dilation: The distance of neighbouring elements of the window.
        return_indices: Whether to return also the index of each maximum in the flattened image, as int64.
        ceil_mode: Whether a last window may reach over the end.

    Returns:
        A Tensor (N, C, rows, columns), or with `return_indices` two.

    Raises:
        ValueError: If `x` has not 4 axes, padding exceeds half of the window, or no window fits.

    Examples:
        >>> ops.max_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), 2).asnumpy().ravel()
        array([ 5.,  7., 13., 15.], dtype=float32)
    """
    return _max_pool(x, 2, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


@op(
    ref=_REF + "max_pool3d",
    cases=(
        "T(1, 2, 4, 5, 4), 2",
        "T(1, 1, 4, 4, 5), (3, 2, 2), (2, 1, 2), (1, 0, 1), 1, True",
        "T(1, 1, 4, 4, 4), 2, return_indices=True",
    ),
    errors=(("T(1, 4, 4), 2", "must have 5 axes"),),
)
def max_pool3d(
    x: Array,
    kernel_size: Static,
    stride: Static = None,
    padding: Static = 0,
    dilation: Static = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Array | tuple[Array, Array]:
    """Return the maximum of each window of x (N, C, D, H, W).

    Args:
        x: A Tensor of shape (N, C, D, H, W).
        kernel_size: The window, an int or (planes, rows, columns).
        stride: The step of the window; None: the window itself.
        padding: Elements of -inf on both sides, at most half of the window.
        dilation: The distance of neighbouring elements of the window.
        ceil_mode: Whether a last window may reach over the end.
        return_indices: Whether to return also the index of each maximum in the flattened volume, as int64.

    Returns:
        A Tensor (N, C, planes, rows, columns), or with `return_indices` two.

    Raises:
        ValueError: If `x` has not 5 axes, padding exceeds half of the window, or no window fits.

    Examples:
        >>> ops.max_pool3d(ops.ones((1, 1, 4, 4, 4)), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _max_pool(x, 3, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def _channels_first(x: Array, data_format: str) -> Array:
    return jnp.moveaxis(x, -1, 1) if data_format.upper().endswith("C") else x


def _channels_back(y: Array, data_format: str) -> Array:
    return jnp.moveaxis(y, 1, -1) if data_format.upper().endswith("C") else y


def mode_pads(x: Array, pad_mode: str, pad: object, kernel: object, stride: object) -> list[Pair]:
    """Return the padding (before, after) of the spatial axes of x (N, C, ...) under a mode: "valid", "same" or "pad"."""
    n = x.ndim - 2
    mode = check_choice(pad_mode, ("valid", "same", "pad"), "pad_mode")
    if mode == "same":
        return same_pads(x.shape[2:], ntuple(kernel, n, "kernel_size"), ntuple(stride, n, "strides"), (1,) * n)
    pads = _pairs(pad, n, sides=True)
    if mode == "valid" and any(map(any, pads)):
        raise ValueError(f"padding must be 0 unless pad_mode is 'pad', got {pad} with pad_mode='{pad_mode}'.")
    return pads


@op(
    ref=_REF + "max_pool_mode",
    cases=(
        "T(1, 2, 5, 6), 3, 2, 'same'",
        "T(1, 2, 6, 5), (1, 1, 2, 3), 2",
        "T(1, 4, 4, 2), 2, 2, 'valid', data_format='NHWC'",
        "T(1, 1, 4, 5, 4), 3, 2, 'pad', (1, 0, 0, 1, 1, 1), True",
    ),
    errors=(("T(1, 1, 4, 4), 2, 2, 'full'", "pad_mode"),),
    name="_max_pool",
)
def max_pool_mode(
    x: Array,
    kernel_size: Static = 1,
    strides: Static = 1,
    pad_mode: str = "valid",
    pad_list: Static = 0,
    ceil_mode: Static = None,
    data_format: str = "NCHW",
) -> Array:
    """Return the maximum of each window of x, padded by a mode.

    Args:
        x: A Tensor (N, C, ...), or (N, ..., C) if `data_format` ends in C.
        kernel_size, strides: The window and its step: an int, one int per axis, or those after (1, 1).
        pad_mode: "valid", "same" or "pad".
        pad_list: With "pad": an int, one per axis, or (before, after) for each axis.
        ceil_mode: Whether a last window may reach over the end.
        data_format: The order of the axes.

    Raises:
        ValueError: If a mode is unknown, or padding is given without "pad".

    Examples:
        >>> ops.MaxPool(2, 2)(ops.arange(16.0).reshape(1, 1, 4, 4)).asnumpy().ravel()
        array([ 5.,  7., 13., 15.], dtype=float32)
    """
    x = _channels_first(x, data_format)
    pads = mode_pads(x, pad_mode, pad_list, kernel_size, strides)
    return _channels_back(
        window_max(x, window_boxes(x, x.ndim - 2, kernel_size, strides, pads, 1, bool(ceil_mode))), data_format
    )


@op(
    ref=_REF + "max_pool_argmax",
    cases=("T(1, 2, 5, 6), 3, 2, 'same'", "T(1, 2, 6, 5), 2"),
    errors=(("T(1, 2, 5, 6), -99, 2, 'same'", "kernel_size must be at least 1"),),
    name="_max_pool_argmax",
    primitive="MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')",
)
def max_pool_argmax(
    x: Array, kernel_size: Static = 1, strides: Static = 1, pad_mode: str = "valid"
) -> tuple[Array, Array]:
    """Return the maximum of each window and its index (int32) in the flattened (C, H, W); padded by a mode.

    Args:
        x: A Tensor of shape (N, C, H, W).
        kernel_size: The window: an int, one int per axis, or those after (1, 1).
        strides: The step of the window, in the same form.
        pad_mode: "valid" or "same".

    Raises:
        ValueError: If the mode is unknown.

    Examples:
        >>> value, index = ops.MaxPoolWithArgmax(2, 2)(ops.arange(16.0).reshape(1, 1, 4, 4))
        >>> index.asnumpy().ravel()
        array([ 5,  7, 13, 15], dtype=int32)
    """
    value, indices = window_argmax(
        x, window_boxes(x, 2, kernel_size, strides, mode_pads(x, pad_mode, 0, kernel_size, strides))
    )
    channel = jnp.arange(x.shape[1], dtype=jnp.int32)[:, None, None]
    return value, indices + channel * (x.shape[2] * x.shape[3])


@primitive("MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None)")
def _max_pool_argmax2(
    x: object,
    kernel_size: object,
    strides: object,
    pads: object,
    dilation: object,
    ceil_mode: bool,
    argmax_type: object,
) -> Any:
    """Return the maximum of each window of (N, C, H, W) and its index in the flattened image.

    Args:
        x: A Tensor (N, C, H, W).
        kernel_size: The window, an int or (rows, columns).
        strides: The step of the window; None: the window itself.
        pads: Elements of -inf on both sides, at most half of the window.
        dilation: The distance of neighbouring elements of the window.
        ceil_mode: Whether a last window may reach over the end.
        argmax_type: The dtype of the indices; int64 if None.

    Raises:
        ValueError: If padding exceeds half of the window, or no window fits.

    Examples:
        >>> ops.MaxPoolWithArgmaxV2(2)(ops.arange(16.0).reshape(1, 1, 4, 4))[1].asnumpy().ravel()
        array([ 5,  7, 13, 15])
    """
    value, indices = max_pool2d(x, kernel_size, strides, pads, dilation, True, ceil_mode)
    return value, indices if argmax_type is None else indices.astype(argmax_type)


@primitive(
    "MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW', "
    "argmax_type=None)"
)
def _max_pool3d_argmax(
    x: object, ksize: object, strides: object, pads: object, dilation: object, ceil_mode: bool, argmax_type: object
) -> Any:
    """Return the maximum of each window of (N, C, D, H, W) and its index in the flattened volume.

    Args:
        x: A Tensor (N, C, D, H, W).
        ksize: The window, an int or (planes, rows, columns).
        strides: The step of the window.
        pads: Elements of -inf on both sides, at most half of the window.
        dilation: The distance of neighbouring elements of the window.
        ceil_mode: Whether a last window may reach over the end.
        argmax_type: The dtype of the indices; int64 if None.

    Raises:
        ValueError: If padding exceeds half of the window, or no window fits.

    Examples:
        >>> ops.MaxPool3DWithArgmax(2, 2, 0)(ops.ones((1, 1, 2, 2, 2)))[1].asnumpy().ravel()
        array([0])
    """
    value, indices = max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
    return value, indices if argmax_type is None else indices.astype(argmax_type)


# --- mean -----------------------------------------------------------------------------------------------------------


def _mean(x: Array, boxes: list[Box], count_pads: bool, divisor: int = 0) -> Array:
    sums = window_sum(x, boxes)
    counts: Any = divisor or window_counts(x.shape[x.ndim - len(boxes) :], boxes, count_pads)
    return sums / jnp.asarray(counts, x.dtype)


def _avg_pool(
    x: Array,
    n: int,
    kernel: object,
    stride: object,
    padding: object,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Array:
    check_rank(x, (n + 2,), "input_x")
    check_float(x)
    if divisor is not None and divisor < 0:
        raise ValueError(f"divisor_override must be at least 0, got {divisor}.")
    return _mean(
        x,
        window_boxes(x, n, kernel, stride, _pairs(padding, n, sides=True), 1, ceil_mode),
        count_include_pad,
        divisor or 0,
    )


@op(
    ref=_REF + "avg_pool1d",
    cases=("T(1, 2, 6), 3, 2", "T(2, 2, 6), 3, 2, 1, True, False", "T(1, 2, 6), 2, 2"),
    errors=(("T(2, 6), 2", "must have 3 axes"),),
)
def avg_pool1d(
    input_x: Array,
    kernel_size: Static = 1,
    stride: Static = 1,
    padding: Static = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:
    """Return the mean of each window of input_x (N, C, L).

    Args:
        input_x: A Tensor of floats of shape (N, C, L).
        kernel_size: The window, an int.
        stride: The step of the window.
        padding: Zeros on both sides: an int or (left, right).
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If it has not 3 axes, or no window fits.

    Examples:
        >>> ops.avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2, 2).asnumpy()
        array([[[2., 6.]]], dtype=float32)
    """
    return _avg_pool(input_x, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, 0)


@op(
    ref=_REF + "avg_pool2d",
    cases=(
        "T(1, 2, 5, 6), 2, 2",
        "T(1, 2, 6, 6), 3, 2, 1, True",
        "T(1, 2, 6, 6), 3, 2, 1, True, False",
        "T(2, 2, 4, 5), (3, 2), 1, 1, False, True, 5",
    ),
    errors=(("T(1, 1, 4, 4), 5", "does not fit"),),
)
def avg_pool2d(
    input_x: Array,
    kernel_size: Static = 1,
    stride: Static = 1,
    padding: Static = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window of input_x (N, C, H, W).

    Args:
        input_x: A Tensor of floats of shape (N, C, H, W).
        kernel_size, stride: The window and its step, an int or (rows, columns).
        padding: Zeros on both sides: an int or (top, bottom, left, right).
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.
        divisor_override: The divisor of the sum instead of the number of elements, unless it is 0.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If it has not 4 axes, no window fits, or the divisor is negative.

    Examples:
        >>> ops.avg_pool2d(ops.arange(16.0).reshape(1, 1, 4, 4), 2, 2).asnumpy().ravel()
        array([ 2.5,  4.5, 10.5, 12.5], dtype=float32)
    """
    return _avg_pool(input_x, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    ref=_REF + "avg_pool3d",
    cases=("T(1, 2, 4, 4, 4), 2, 2", "T(1, 1, 4, 4, 5), 3, 2, 1, True, False"),
    errors=(("T(1, 4, 4), 2", "must have 5 axes"),),
)
def avg_pool3d(
    input_x: Array,
    kernel_size: Static = 1,
    stride: Static = 1,
    padding: Static = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window of input_x (N, C, D, H, W).

    Args:
        input_x: A Tensor of floats of shape (N, C, D, H, W).
        kernel_size, stride: The window and its step, an int or (planes, rows, columns).
        padding: Zeros on both sides: an int, one per axis, or (before, after) of each axis.
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.
        divisor_override: The divisor of the sum instead of the number of elements, unless it is 0.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If it has not 5 axes, no window fits, or the divisor is negative.

    Examples:
        >>> ops.avg_pool3d(ops.ones((1, 1, 4, 4, 4)), 2, 2).shape
        (1, 1, 2, 2, 2)
    """
    return _avg_pool(input_x, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@op(
    ref=_REF + "avg_pool_mode",
    cases=(
        "T(1, 2, 5, 6), 3, 2, 'same'",
        "T(1, 2, 6, 5), (2, 3), 2",
        "T(1, 4, 4, 2), 2, 2, 'valid', data_format='NHWC'",
    ),
    errors=(("T(1, 1, 4, 4), 2, 2, 'full'", "pad_mode"),),
    name="_avg_pool",
    primitive="AvgPool(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')",
)
def avg_pool_mode(
    x: Array, kernel_size: Static = 1, strides: Static = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> Array:
    """Return the mean of each window of x (N, C, H, W), padded by a mode; the padding never counts.

    Args:
        x: A Tensor of floats (N, C, H, W), or (N, H, W, C) if `data_format` ends in C.
        kernel_size: The window: an int, one int per axis, or those after (1, 1).
        strides: The step of the window, in the same form.
        pad_mode: "valid" or "same".
        data_format: The order of the axes.

    Raises:
        TypeError: If `x` is not of a float dtype.
        ValueError: If the mode is unknown.

    Examples:
        >>> ops.AvgPool(2, 2)(ops.arange(16.0).reshape(1, 1, 4, 4)).asnumpy().ravel()
        array([ 2.5,  4.5, 10.5, 12.5], dtype=float32)
    """
    check_float(x)
    x = _channels_first(x, data_format)
    boxes = window_boxes(x, x.ndim - 2, kernel_size, strides, mode_pads(x, pad_mode, 0, kernel_size, strides))
    return _channels_back(_mean(x, boxes, False), data_format)


@op(
    ref=_REF + "avg_pool3d_mode",
    cases=("T(1, 1, 4, 5, 4), 3, 2, 'same'", "T(1, 2, 4, 4, 4), 3, 2, 'pad', (1, 0, 0, 1, 1, 1)"),
    errors=(("T(1, 1, 4, 5, 4), -99, 2, 'same'", "kernel_size must be at least 1"),),
    name="_avg_pool3d",
    primitive="AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0, data_format='NCDHW')",
)
def avg_pool3d_mode(
    x: Array,
    kernel_size: Static = 1,
    strides: Static = 1,
    pad_mode: str = "valid",
    pad: Static = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Array:
    """Return the mean of each window of x (N, C, D, H, W), padded by a mode; padding counts if asked for.

    Args:
        x: A Tensor of floats (N, C, D, H, W).
        kernel_size: The window: an int, one int per axis, or those after (1, 1).
        strides: The step of the window, in the same form.
        pad_mode: "valid", "same" or "pad".
        pad: With "pad": an int, one per axis, or (before, after) for each axis.
        ceil_mode: Whether a last window may reach over the end.
        count_include_pad: Whether the zeros of the padding count as elements.
        divisor_override: The divisor of the sum instead of the number of elements, unless it is 0.

    Raises:
        TypeError: If `x` is not of a float dtype.
        ValueError: If the mode is unknown, or padding is given without "pad".

    Examples:
        >>> ops.AvgPool3D(2, 2)(ops.ones((1, 1, 4, 4, 4))).shape
        (1, 1, 2, 2, 2)
    """
    check_float(x)
    boxes = window_boxes(x, 3, kernel_size, strides, mode_pads(x, pad_mode, pad, kernel_size, strides), 1, ceil_mode)
    return _mean(x, boxes, count_include_pad, divisor_override)


# --- power mean -----------------------------------------------------------------------------------------------------


def _lp_pool(x: Array, n: int, norm_type: float, kernel: object, stride: object, ceil_mode: bool) -> Array:
    if norm_type == 0:
        raise ValueError("norm_type must not be 0.")
    window = ntuple(kernel, n, "kernel_size")
    power = jnp.power(to_float(x), float(norm_type))
    mean = _mean(power, window_boxes(x, n, window, stride, [(0, 0)] * n, 1, ceil_mode), True)
    total = mean * math.prod(window)
    nothing = total == 0
    return jnp.where(nothing, 0, jnp.power(jnp.where(nothing, 1, total), 1.0 / norm_type))


@op(ref=_REF + "lp_pool1d", cases=("P(1, 2, 6), 2, 3, 2", "P(2, 6), 3, 2"), errors=(("T(1, 2, 6), 0, 2", "norm_type"),))
def lp_pool1d(x: Array, norm_type: float, kernel_size: int, stride: Static = None, ceil_mode: bool = False) -> Array:
    """Return (Σ x^p)^(1/p) of each window of x (N, C, L) or (C, L), with p = norm_type.

    Args:
        x: A Tensor of shape (N, C, L) or (C, L).
        norm_type: The order p, not 0.
        kernel_size: The window, an int.
        stride: The step of the window; None: the window itself.
        ceil_mode: Whether a last window may reach over the end.

    Raises:
        ValueError: If `norm_type` is 0, or `x` has another number of axes.

    Examples:
        >>> ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2).asnumpy()
        array([[[ 5., 10.]]], dtype=float32)
    """
    check_rank(x, (2, 3), "x")
    return _lp_pool(x, 1, norm_type, kernel_size, stride, ceil_mode)


@op(
    ref=_REF + "lp_pool2d",
    cases=("P(1, 2, 5, 6), 2, 3, 2", "P(1, 2, 4, 4), 3, (2, 1)"),
    errors=(("T(1, 2, 6, 6), 0, 2", "norm_type"),),
)
def lp_pool2d(x: Array, norm_type: float, kernel_size: Static, stride: Static = None, ceil_mode: bool = False) -> Array:
    """Return (Σ x^p)^(1/p) of each window of x (N, C, H, W), with p = norm_type.

    Args:
        x: A Tensor of shape (N, C, H, W).
        norm_type: The order p, not 0.
        kernel_size: The window, an int or (rows, columns).
        stride: The step of the window; None: the window itself.
        ceil_mode: Whether a last window may reach over the end.

    Raises:
        ValueError: If `norm_type` is 0.

    Examples:
        >>> ops.lp_pool2d(ops.ones((1, 1, 4, 4)), 2, 2).asnumpy().ravel()
        array([2., 2., 2., 2.], dtype=float32)
    """
    check_rank(x, (3, 4), "x")
    return _lp_pool(x, 2, norm_type, kernel_size, stride, ceil_mode)


primitives(
    """\
MaxPool(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')(x) -> \
max_pool_mode(x, kernel_size, strides, pad_mode, data_format=data_format)
    pad_mode: "valid" or "same".
    ValueError: If a mode is unknown.
MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, data_format='NCDHW')(x) -> \
max_pool_mode(x, kernel_size, strides, pad_mode, pad_list, ceil_mode, data_format)
""",
    globals(),
)
