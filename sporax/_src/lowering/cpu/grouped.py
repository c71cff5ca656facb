"""Grouped convolutions, for which XLA's CPU backend has no kernel.

The gradient of a kernel in 32 groups of four channels took 500 ms where MindSpore takes 7, and a depthwise convolution with its
gradients took three to four times as long as in MindSpore. There are three forms:

- one channel in each group: the sum, over the elements of the kernel, of moved images times a weight for each channel, in a loop
  where they are many;
- few groups: one convolution for each block of groups with 16 channels in all, with zeros between the groups of a block;
- many groups: one product of matrices for each block, of unfolded windows.

All are linear in the kernel, so its gradient, which JAX writes as a convolution with groups along the batch, is the transpose of
one of them. The transpose of the first form is explicit: JAX would save every moved image of a loop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu.conv_params import MOST_WRITTEN, Convolution, indices, inverse, of_sums, part, spread

_BLOCK = 16  # channels of a block of groups
_MOST_CONVOLUTIONS = 16  # blocks: each takes a tenth of a second to compile


def has_groups(lhs: Any, rhs: Any, **params: Any) -> bool:
    """Return whether a convolution is grouped, by channels or along the batch, and one of these forms applies."""
    if max(params["feature_group_count"], params["batch_group_count"]) == 1:
        return False
    is_empty = min(*lhs.shape, *rhs.shape, *Convolution.of(params).lengths(lhs, rhs)) <= 0
    return jnp.issubdtype(lhs.dtype, jnp.floating) and not is_empty


def in_groups(lhs: Array, rhs: Array, **params: Any) -> Array:
    """Return a grouped convolution, computed by ungrouped operations."""
    dtype = params["preferred_element_type"] or lhs.dtype
    wide = of_sums(lhs.dtype, dtype)
    lhs, rhs = lhs.astype(wide), rhs.astype(wide)
    conv, kernel = written(lhs, rhs, params)
    if params["batch_group_count"] == 1:
        return _convolve(conv, lhs, jnp.transpose(rhs, params["dimension_numbers"][1])).astype(dtype)
    if kernel.shape[1] == 1:
        out = _kernel_of_moved_images(conv, lhs, rhs, kernel.shape)
    else:
        (out,) = jax.linear_transpose(lambda w: _convolve(conv, lhs, w), kernel)(rhs)
    return jnp.transpose(out, inverse(conv.dimension_numbers[1])).astype(dtype)


def written(lhs: Any, rhs: Any, params: dict[str, Any]) -> tuple[Convolution, Any]:
    """Return a convolution with groups of channels, and its kernel's shape (out, channels of a group, *sizes).

    One with groups along the batch is the gradient for the kernel of such a convolution of `lhs`, whose result `rhs` is like.
    """
    conv = Convolution.of(params)
    groups = params["batch_group_count"]
    if groups == 1:
        return conv, jax.ShapeDtypeStruct(tuple(rhs.shape[a] for a in conv.dimension_numbers[1]), rhs.dtype)
    image, result, kernel = [(d[1], d[0], *d[2:]) for d in conv.dimension_numbers]
    sizes = conv.lengths(lhs, rhs)
    pads = [
        (low, (rhs.shape[r] - 1) * step + spread(size, hole) - spread(lhs.shape[i], between) - low)
        for i, r, size, (low, _), between, hole, step in zip(
            image[2:], result[2:], sizes, conv.padding, conv.lhs_dilation, conv.window_strides, conv.rhs_dilation, strict=True
        )
    ]  # fmt: skip
    shape = (rhs.shape[result[1]], lhs.shape[image[1]] // groups, *sizes)
    return conv._replace(
        window_strides=conv.rhs_dilation,
        rhs_dilation=conv.window_strides,
        padding=tuple(pads),
        dimension_numbers=lax.ConvDimensionNumbers(image, kernel, result),
        feature_group_count=groups,
    ), jax.ShapeDtypeStruct(shape, lhs.dtype)


def _convolve(conv: Convolution, x: Array, w: Array) -> Array:
    """Return the convolution of an image in its own order with a kernel (out, channels of a group, *sizes)."""
    if w.shape[1] == 1:
        return _moved_images(conv, x, w)
    groups = conv.feature_group_count
    together = next(m for m in range(max(1, _BLOCK // w.shape[1]), 0, -1) if groups % m == 0)
    blocks = _diagonal(w.reshape(groups // together, together, w.shape[0] // groups, *w.shape[1:]))
    return (_convolutions if len(blocks) <= _MOST_CONVOLUTIONS else _products)(conv, x, blocks)


def _moved_images(conv: Convolution, x: Array, w: Array) -> Array:
    """Return the convolution of each channel with its own kernels: Σₜ wₜ · xₜ, with the image moved by t as xₜ."""
    channel = conv.dimension_numbers[0][1]
    per_channel = [-1 if axis == channel else 1 for axis in range(x.ndim)]
    x = conv.padded(jnp.repeat(x, len(w) // x.shape[channel], channel))
    where, weights = indices(w.shape[2:]), w.reshape(len(w), -1).T

    def term(at: Sequence[int] | Array, weight: Array) -> Array:
        return _met(conv, x, w.shape, at) * weight.reshape(per_channel)

    total = term(where[0], weights[0])
    if len(where) <= MOST_WRITTEN:
        total = sum(map(term, where[1:], weights[1:]), total)
    else:
        rest = np.asarray(where[1:], np.int32), weights[1:]
        total, _ = lax.scan(lambda total, element: (total + term(*element), None), total, rest)
    return jnp.transpose(total, _order_of_result(conv))


def _kernel_of_moved_images(conv: Convolution, x: Array, result: Array, kernel: Sequence[int]) -> Array:
    """Return the transpose of `_moved_images` for the kernel: Σ xₜ · result for each of its elements and channels."""
    channel = conv.dimension_numbers[0][1]
    x = conv.padded(jnp.repeat(x, kernel[0] // x.shape[channel], channel))
    result = jnp.transpose(result, inverse(_order_of_result(conv)))
    others = [axis for axis in range(x.ndim) if axis != channel]
    where = indices(kernel[2:])

    def term(at: Sequence[int] | Array) -> Array:
        return jnp.sum(_met(conv, x, kernel, at) * result, others)

    written = len(where) <= MOST_WRITTEN
    terms = jnp.stack([*map(term, where)]) if written else lax.map(term, np.asarray(where, np.int32))
    return terms.T.reshape(kernel)


def _convolutions(conv: Convolution, x: Array, blocks: Array) -> Array:
    """Return the convolutions of blocks of channels with kernels (blocks, out, channels, *sizes), next to each other."""
    image, _, result = conv.dimension_numbers
    plain = conv._replace(
        dimension_numbers=lax.ConvDimensionNumbers(image, tuple(range(x.ndim)), result), feature_group_count=1
    )._asdict()
    parts = jnp.split(x, len(blocks), image[1])
    return jnp.concatenate(
        [lax.conv_general_dilated(p, w, **plain) for p, w in zip(parts, blocks, strict=True)], result[1]
    )


def _products(conv: Convolution, x: Array, blocks: Array) -> Array:
    """Return the convolution, computed as products of windows (blocks, positions, channels × elements) and kernels."""
    image = conv.dimension_numbers[0]
    n, out, channels, *sizes = blocks.shape
    to_last = (image[0], *image[2:], image[1])
    x = conv.padded(x)
    parts = [jnp.transpose(_met(conv, x, blocks.shape[1:], at), to_last) for at in indices(blocks.shape[3:])]
    windows = jnp.stack([p.reshape(-1, n, channels) for p in parts], 2)
    windows = jnp.swapaxes(windows, 0, 1).reshape(n, -1, math.prod(sizes) * channels)
    weights = jnp.transpose(blocks.reshape(n, out, channels, -1), (0, 3, 2, 1)).reshape(n, -1, out)
    products = jnp.swapaxes(jnp.matmul(windows, weights, precision=conv.precision), 0, 1)
    products = products.reshape(*parts[0].shape[:-1], n * out)
    return jnp.transpose(jnp.transpose(products, inverse(to_last)), _order_of_result(conv))


def _diagonal(kernels: Array) -> Array:
    """Return kernels (blocks, groups, out, channels, *sizes) as those of blocks, with zeros between the groups."""
    blocks, groups, out, channels, *sizes = kernels.shape
    eye = jnp.eye(groups, dtype=kernels.dtype).reshape(groups, 1, groups, 1)
    flat = kernels.reshape(blocks, groups, out, 1, -1)  # YNNPACK (of JAX 0.10) crashes on sums over one of eight axes
    return (flat * eye).reshape(blocks, groups * out, groups * channels, *sizes)


def _met(conv: Convolution, x: Array, kernel: Sequence[int], at: Sequence[int] | Array) -> Array:
    """Return the part of a padded image by which the element `at` of a kernel is multiplied, in the shape of the result."""
    axes, steps = conv.dimension_numbers[0][2:], conv.window_strides
    starts = [i * hole for i, hole in zip(at, conv.rhs_dilation, strict=True)]
    lengths = [
        (x.shape[axis] - spread(size, hole)) // step + 1
        for axis, size, hole, step in zip(axes, kernel[2:], conv.rhs_dilation, steps, strict=True)
    ]
    return part(x, axes, starts, lengths, steps)


def _order_of_result(conv: Convolution) -> list[int]:
    """Return the axes of an image in the order of those of the result."""
    image, _, result = conv.dimension_numbers
    return [image[result.index(axis)] for axis in range(len(image))]
