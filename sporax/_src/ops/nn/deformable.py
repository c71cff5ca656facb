"""Deformable convolution: a convolution whose kernel elements read at positions shifted by offsets.

The values between pixels are gathered as rows of channels (one memory line each), and the kernel is one matrix product
over the gathered columns.
"""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray, Shape
from sporax._src.bindings.primitive import primitive
from sporax._src.engine.arguments import check_float, check_rank, wide
from sporax._src.engine.table import internal, op

_REF = "references.vision."


def _four(value: object, name: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, (tuple, list)) else ()
    if len(values) != 4 or not all(isinstance(v, int) for v in values):
        raise ValueError(f"{name} must be 4 integers, got {value!r}.")
    return values


def _columns(
    x: Array,
    offsets: Array,
    kernel: Any,
    strides: object,
    pads: object,
    dilations: object,
    groups: int,
    some: bool = False,
) -> tuple[Array, tuple[int, int]]:
    """Return the values (N, groups, kernel, positions, C / groups) under the kernel, and the output's sizes.

    With `some`, only at the first positions, as many as there are offsets for.
    """
    check_float(x)
    check_rank(x, (4,), "x")
    (n, channels, height, width), (kh, kw) = x.shape, kernel
    _, _, sh, sw = _four(strides, "strides")
    _, _, dh, dw = _four(dilations, "dilations")
    top, bottom, left, right = _four(pads, "padding")
    if channels % groups:
        raise ValueError(f"deformable_groups must divide the {channels} channels of x, got {groups}.")
    oh = (height + top + bottom - (kh - 1) * dh - 1) // sh + 1
    ow = (width + left + right - (kw - 1) * dw - 1) // sw + 1
    if some:
        oh, ow = (min(a, b) for a, b in zip((oh, ow), offsets.shape[2:], strict=True))
    if offsets.shape != (n, 3 * groups * kh * kw, oh, ow):
        raise ValueError(f"offsets must have shape {[n, 3 * groups * kh * kw, oh, ow]}, got {list(offsets.shape)}.")
    parts = offsets.reshape(n, 3, groups, kh, kw, oh, ow)
    kind = parts.dtype
    rows = (jnp.arange(oh) * sh - top)[:, None] + (jnp.arange(kh) * dh)[:, None, None, None]
    cols = (jnp.arange(ow) * sw - left) + (jnp.arange(kw) * dw)[:, None, None]
    at_x, at_y = parts[:, 0] + cols.astype(kind), parts[:, 1] + rows.astype(kind)
    pixels = jnp.moveaxis(x.reshape(n, groups, channels // groups, height * width), 2, 3)
    shape = (n, groups, kh * kw * oh * ow)
    out = _between(pixels, at_y.reshape(shape), at_x.reshape(shape), parts[:, 2].reshape(shape), (height, width))
    return out.reshape(n, groups, kh * kw, oh * ow, channels // groups), (oh, ow)


def _between(pixels: Array, y: Array, x: Array, factor: Array, sizes: tuple[int, int]) -> Array:
    """Return factor times the values between pixels (..., H·W, C) at (..., M), linear, 0 outside of the image."""
    height, width = sizes
    y0, x0 = jnp.floor(y), jnp.floor(x)
    total: Any = 0
    for j, i in itertools.product((0, 1), (0, 1)):
        row, col = (y0 + j).astype(jnp.int32), (x0 + i).astype(jnp.int32)
        weight = ((y - y0) if j else (1 - (y - y0))) * ((x - x0) if i else (1 - (x - x0))) * factor
        inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
        index = jnp.clip(row, 0, height - 1) * width + jnp.clip(col, 0, width - 1)
        value = jnp.take_along_axis(pixels, index[..., None], -2)
        total = total + value * jnp.where(inside, weight, 0).astype(pixels.dtype)[..., None]
    return total


@op(
    ref=_REF + "deformable_offsets",
    cases=("T(2, 4, 5, 6), T(2, 36, 3, 4), (1, 1, 2, 2), (1, 0, 1, 2), (2, 3), deformable_groups=2",),
    errors=(
        ("T(1, 2, 4, 4), T(1, 11, 3, 3), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)", "offsets must have shape"),
        ("T(1, 2, 4, 4), T(1, 12, 3, 3), (1, 1), (0, 0, 0, 0), (2, 2)", "strides"),
        ("T(1, 2, 4, 4), T(1, 12, 3, 3), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2), modulated=False", "modulated"),
        ("T(1, 2, 4, 4), T(1, 12, 3, 3), (1, 1, 1, 1), (0, 0, 0, 0), (2, 2), data_format='NHWC'", "data_format"),
    ),
    name="_deformable_offsets",
    primitive=(
        "DeformableOffsets(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1, "
        "modulated=True)"
    ),
)
def deformable_offsets(
    x: Array,
    offsets: Array,
    strides: Shape,
    pads: Shape,
    ksize: Shape,
    dilations: Shape = (1, 1, 1, 1),
    data_format: str = "NCHW",
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Array:
    """Return images (N, C, rows · kernel rows, columns · kernel columns) of the values under a deformable kernel.

    A convolution of them, with the kernel's size as its stride, is the deformable convolution. See `deformable_conv2d`.

    From Zhu et al. (2019), Deformable ConvNets v2.

    Args:
        x: A Tensor of floats (N, C, H, W).
        offsets: Moves and factors, (N, 3 · deformable_groups · kernel elements, output rows, output columns).
        strides, dilations: Four integers, (1, 1, vertical, horizontal).
        pads: What is added at the top, bottom, left and right.
        ksize: The kernel's rows and columns.
        data_format: "NCHW".
        deformable_groups: The number of blocks of channels with moves of their own.
        modulated: True.

    Raises:
        ValueError: If an option is another, or shapes do not fit.

    Examples:
        >>> offsets = ops.cat((ops.zeros((1, 8, 2, 2)), ops.ones((1, 4, 2, 2))), 1)
        >>> ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))(ops.ones((1, 1, 3, 3)), offsets).shape
        (1, 1, 4, 4)
    """
    _check_kind(data_format, modulated)
    return _seen(x, offsets, ksize, strides, pads, dilations, deformable_groups)


def _seen(
    x: Array,
    offsets: Array,
    ksize: Any,
    strides: object,
    pads: object,
    dilations: object,
    groups: int,
    some: bool = False,
) -> Array:
    (n, channels), (kh, kw) = x.shape[:2], ksize
    columns, (oh, ow) = _columns(x, offsets, ksize, strides, pads, dilations, groups, some)
    parts = columns.reshape(n, groups, kh, kw, oh, ow, -1)
    return parts.transpose(0, 1, 6, 4, 2, 5, 3).reshape(n, channels, oh * kh, ow * kw)


@primitive(
    "DeformableOffsetsGrad(strides, pads, kernel_size, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1, "
    "modulated=True)"
)
@internal("DeformableOffsetsGrad")
def _deformable_offsets_grad(
    grad: Array,
    x: Array,
    offsets: Array,
    strides: Shape,
    pads: Shape,
    kernel_size: Shape,
    dilations: Shape,
    data_format: str,
    deformable_groups: int,
    modulated: bool,
) -> tuple[Array, Array]:
    """Return the gradients of `DeformableOffsets` by its images and its offsets.

    Args:
        grad: The gradient by the result, (N, C, rows · kernel rows, columns · kernel columns).
        x: A Tensor of floats (N, C, H, W).
        offsets: Moves and factors, (N, 3 · deformable_groups · kernel elements, rows, columns); of fewer rows or columns
            than the images have positions, the gradient is that of the existing positions.
        strides, dilations: Four integers, (1, 1, vertical, horizontal).
        pads: What is added at the top, bottom, left and right.
        kernel_size: The kernel's rows and columns.
        data_format: "NCHW", or "NHWC" for operands and results whose second axis is the last.
        deformable_groups: The number of blocks of channels with moves of their own.
        modulated: True.

    Raises:
        ValueError: If an option is another, or shapes do not fit.

    Examples:
        >>> backward = ops.DeformableOffsetsGrad((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
        >>> backward(ops.ones((1, 1, 2, 2)), ops.ones((1, 1, 2, 2)), ops.ones((1, 12, 1, 1)))[1].shape
        (1, 12, 1, 1)
    """
    last = data_format == "NHWC"
    _check_kind("NCHW" if last else data_format, modulated)
    dy, x, offsets = (jnp.moveaxis(a, -1, 1) if last else a for a in (grad, x, offsets))
    options = (kernel_size, strides, pads, dilations, deformable_groups, True)
    operands = wide(x), wide(offsets)
    out, pull = jax.vjp(lambda x, offsets: _seen(x, offsets, *options), *operands)
    if dy.shape != out.shape:
        raise ValueError(f"grad must have the shape {list(out.shape)} of the result, got {list(dy.shape)}.")
    dx, moves = (g.astype(a.dtype) for g, a in zip(pull(dy.astype(out.dtype)), (x, offsets), strict=True))
    return (jnp.moveaxis(dx, 1, -1), jnp.moveaxis(moves, 1, -1)) if last else (dx, moves)


def _check_kind(data_format: str, modulated: bool) -> None:
    if data_format != "NCHW":
        raise ValueError(f"data_format must be 'NCHW', got {data_format!r}.")
    if modulated is not True:
        raise ValueError(f"modulated must be True, got {modulated!r}.")


_CASE = "T(1, 2, 4, 4), T(3, 2, 2, 2), T(1, 12, 3, 3), (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)"


@op(
    ref=_REF + "deformable_conv2d",
    cases=(
        "T(2, 4, 5, 6), T(3, 4, 2, 3), T(2, 36, 3, 4), (2, 3), (1, 1, 2, 2), (1, 0, 1, 2), deformable_groups=2",
        "T(2, 4, 6, 7), T(4, 2, 2, 3), T(2, 18, 6, 5), (2, 3), (1, 1, 1, 1), (0, 2, 1, 1), T(4), (1, 1, 2, 2), 2",
    ),
    errors=(
        (_CASE + ", groups=3", "groups"),
        (_CASE + ", modulated=False", "modulated"),
        ("T(1, 2, 4, 4), T(3, 2, 2, 3), T(1, 12, 3, 3), (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)", "weight"),
    ),
    tol=1e-4,
    convolves=True,
)
def deformable_conv2d(
    x: Array,
    weight: Array,
    offsets: Array,
    kernel_size: Shape,
    strides: Shape,
    padding: Shape,
    bias: OptArray = None,
    dilations: Shape = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Array:
    """Return y(p) = Σₖ wₖ · x(p + pₖ + Δpₖ) · Δmₖ + bias, x linear between pixels and 0 outside of the image.

    From Zhu et al. (2019), Deformable ConvNets v2.

    Args:
        x: A Tensor (N, C, H, W).
        weight: A Tensor (O, C / groups, kernel rows, kernel columns).
        offsets: Δp and Δm, a Tensor (N, 3 · deformable_groups · kernel elements, output rows, output columns): along
            axis 1 all horizontal moves, then all vertical ones, then all factors Δm.
        kernel_size: The kernel's rows and columns.
        strides, dilations: Four integers, (1, 1, vertical, horizontal).
        padding: What is added at the top, bottom, left and right.
        bias: A Tensor (O,).
        groups: The number of blocks of channels that do not mix.
        deformable_groups: The number of blocks of channels with moves of their own.
        modulated: True.

    Returns:
        A Tensor (N, O, output rows, output columns).

    Raises:
        ValueError: If `groups` does not divide the channels, `modulated` is False, or shapes do not fit.

    Examples:
        >>> x, weight, still = ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2)), ops.zeros((1, 8, 2, 2))
        >>> offsets = ops.cat((still, ops.ones((1, 4, 2, 2))), 1)
        >>> ops.deformable_conv2d(x, weight, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)).asnumpy()
        array([[[[4., 4.],
                 [4., 4.]]]], dtype=float32)
    """
    _check_kind("NCHW", modulated)
    channels, (out, inner, kh, kw) = x.shape[1], weight.shape
    if channels % groups or out % groups:
        raise ValueError(f"groups must divide the channels {channels} and {out}, got {groups}.")
    if (kh, kw) != tuple(kernel_size) or inner * groups != channels:
        raise ValueError(f"weight must have shape {[out, channels // groups, *kernel_size]}, got {list(weight.shape)}.")
    columns, sizes = _columns(x, offsets, kernel_size, strides, padding, dilations, deformable_groups)
    n, _, taps, positions, _ = columns.shape
    columns = columns.transpose(0, 3, 2, 1, 4).reshape(n, positions, taps, groups, inner)
    w = weight.reshape(groups, out // groups, inner, taps)
    y = jnp.einsum("nptgc,goct->ngop", columns, w).reshape(n, out, *sizes)
    return y if bias is None else y + bias[:, None, None]
