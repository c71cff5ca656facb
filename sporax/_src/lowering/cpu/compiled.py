"""Grouped convolutions along one or two axes and their gradients, by the kernels in C++ that the wheel may contain.

A kernel takes a third of the time of the best form in operations of XLA, and it compiles in a tenth of the time. XLA does not
see into a kernel. So in programs that XLA divides among devices, and in exported ones, the forms of `grouped` stay.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.cpu.conv_params import inverse, of_sums
from sporax._src.lowering.cpu.grouped import has_groups, written

MOST_OF_GROUP = 16  # channels: larger groups are faster as products of matrices


def has_kernel(lhs: Any, rhs: Any, **params: Any) -> bool:
    """Return whether a kernel computes a convolution."""
    if not kernels.ARE_BUILT or lhs.ndim not in (3, 4) or not has_groups(lhs, rhs, **params):
        return False
    conv, kernel = written(lhs, rhs, params)
    is_gradient = params["batch_group_count"] > 1
    return kernel.shape[1] <= MOST_OF_GROUP and not (is_gradient and max(conv.lhs_dilation) > 1)


def by_kernel(lhs: Array, rhs: Array, **params: Any) -> Array:
    """Return a grouped convolution, or its gradient for the kernel, computed by a kernel."""
    dtype = params["preferred_element_type"] or lhs.dtype
    wide = of_sums(lhs.dtype, dtype)
    lhs, rhs = lhs.astype(wide), rhs.astype(wide)
    conv, kernel = written(lhs, rhs, params)
    image, result = _last(conv.dimension_numbers[0]), _last(conv.dimension_numbers[2])
    x = _two_axes(jnp.transpose(lhs, image))
    axes = {
        "strides": conv.window_strides,
        "holes": conv.rhs_dilation,
        "between": conv.lhs_dilation,
        "pads": [low for low, _ in conv.padding],
    }
    if lhs.ndim == 3:
        axes = {name: (0 if name == "pads" else 1, *values) for name, values in axes.items()}
    if params["batch_group_count"] == 1:
        w = jnp.transpose(rhs, [conv.dimension_numbers[1][i] for i in (*range(2, rhs.ndim), 1, 0)])
        sizes = conv.lengths(lhs, rhs)
        out = kernels.grouped(x, _two_kernel_axes(w), (len(x), *(1,) * (4 - lhs.ndim), *sizes, w.shape[-1]), **axes)
        out = out.reshape(len(x), *sizes, w.shape[-1])
        return jnp.transpose(out, inverse(result)).astype(dtype)
    o, i, *sizes = kernel.shape
    gradient = _two_axes(jnp.transpose(rhs, result))
    out = kernels.grouped_gradient(x, gradient, (*(1,) * (4 - lhs.ndim), *sizes, i, o), **axes).reshape(*sizes, i, o)
    out = jnp.transpose(out, (out.ndim - 1, out.ndim - 2, *range(out.ndim - 2)))
    return jnp.transpose(out, inverse(conv.dimension_numbers[1])).astype(dtype)


def _last(axes: Any) -> tuple[int, ...]:
    """Return axes (batch, channels, *spatial) with the channels last."""
    return (axes[0], *axes[2:], axes[1])


def _two_axes(x: Array) -> Array:
    """Return images (batch, *spatial, channels) with two spatial axes."""
    return x.reshape(len(x), *(1,) * (4 - x.ndim), *x.shape[1:])


def _two_kernel_axes(w: Array) -> Array:
    """Return a kernel (*spatial, channels, out) with two spatial axes."""
    return w.reshape(*(1,) * (4 - w.ndim), *w.shape)
