"""Convolutions of images that are one element long along an axis: the gradients of kernels that span their image, as in
networks for text, and transposed convolutions of images of one element.

Each position of the result uses one element of the kernel, and zeros of the padding, which XLA's CPU backend multiplies: the step
of 32 kernels of 3×300 over 32 sentences of 32 words took 5.1 s, now 6 ms. Here the positions become channels of the result
instead.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu.conv_params import Convolution, spread


def is_thin(lhs: Any, rhs: Any, **params: Any) -> bool:
    """Return whether the image of an ungrouped convolution is one element long along an axis, and the result longer."""
    if max(params["feature_group_count"], params["batch_group_count"]) > 1 or 0 in (*lhs.shape, *rhs.shape):
        return False
    conv = Convolution.of(params)
    return min(conv.lengths(lhs, rhs)) > 0 and any(_thin_axes(conv, lhs, rhs))


def _thin_axes(conv: Convolution, lhs: Any, rhs: object) -> list[bool]:
    axes = zip(conv.dimension_numbers[0][2:], conv.lengths(lhs, rhs), strict=True)
    return [lhs.shape[axis] == 1 and size > 1 for axis, size in axes]


def with_positions_as_channels(lhs: Array, rhs: Array, **params: Any) -> Array:
    """Return a convolution of such an image, with the positions along the first of these axes as channels."""
    conv = Convolution.of(params)
    n = _thin_axes(conv, lhs, rhs).index(True)
    _, kernel, result = conv.dimension_numbers
    size = conv.lengths(lhs, rhs)[n]
    met = _kernel_at_each_position(conv, rhs, n, size)
    met = jnp.moveaxis(jnp.expand_dims(jnp.moveaxis(met, kernel[2 + n], 0), 1 + kernel[2 + n]), 0, kernel[0])
    shape = list(rhs.shape)
    shape[kernel[0]], shape[kernel[2 + n]] = size * rhs.shape[kernel[0]], 1
    for name, value in (("window_strides", 1), ("padding", (0, 0)), ("lhs_dilation", 1), ("rhs_dilation", 1)):
        params[name] = tuple(value if at == n else old for at, old in enumerate(params[name]))
    out = lax.conv_general_dilated_p.bind(lhs, met.reshape(shape), **params)
    channels, axis = result[1], result[2 + n]
    out = out.reshape(*out.shape[:channels], size, rhs.shape[kernel[0]], *out.shape[channels + 1 :])
    return jnp.moveaxis(jnp.squeeze(jnp.moveaxis(out, channels, 0), 1 + axis), 0, axis)


def _kernel_at_each_position(conv: Convolution, kernel: Array, n: int, size: int) -> Array:
    """Return the elements w[low − s·k] of a kernel along the n-th axis of images for each position k, and zeros beyond it."""
    axis, step, (low, _), hole = (
        conv.dimension_numbers[1][2 + n],
        conv.window_strides[n],
        conv.padding[n],
        conv.rhs_dilation[n],
    )
    pads = [(0, 0, 0)] * kernel.ndim
    pads[axis] = ((size - 1) * step - low, low + 1 - spread(kernel.shape[axis], hole), hole - 1)
    every = [slice(None)] * kernel.ndim
    every[axis] = slice(None, None, step)
    return lax.rev(lax.pad(kernel, jnp.zeros((), kernel.dtype), pads), (axis,))[tuple(every)]
