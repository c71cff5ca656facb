"""Convolutions of images with gaps between their elements: transposed ones, and the gradients of those with strides.

XLA's CPU backend multiplies the zeros in the gaps; where the kernel is long, as in the gradient of a transposed convolution for
its kernel, it has no fast form at all (76 ms for 64 channels of 32×32 and kernels of 4×4, now 6). There are two forms:

- with a dilation of d, each position of the result uses every d-th element of the kernel: there is one convolution without gaps for
  each of the phases of a result, or one with the phases as channels if they use the same positions of the image;
- where the kernel is longer than the result, image and kernel are swapped, and the gaps become dilation of the kernel.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu.conv_params import Convolution, spread

_MOST_PHASES = 16  # each is a convolution, which takes a tenth of a second to compile


def has_gaps(lhs: Any, rhs: Any, **params: Any) -> bool:
    """Return whether an ungrouped convolution has gaps, and one of these forms applies."""
    if (
        max(params["lhs_dilation"]) == 1
        or max(params["rhs_dilation"]) > 1
        or not jnp.issubdtype(lhs.dtype, jnp.floating)
    ):
        return False
    conv = Convolution.of(params)
    sizes = conv.lengths(lhs, rhs)
    if max(params["feature_group_count"], params["batch_group_count"]) > 1 or min(*lhs.shape, *rhs.shape, *sizes) < 1:
        return False
    if _is_longer(conv, rhs, sizes):
        return True
    return max(conv.window_strides) == 1 and (_is_even(conv, rhs) or math.prod(conv.lhs_dilation) <= _MOST_PHASES)


def without_gaps(lhs: Array, rhs: Array, **params: object) -> Array:
    """Return a convolution with gaps, computed by convolutions without gaps."""
    conv = Convolution.of(params)
    sizes = conv.lengths(lhs, rhs)
    return (_exchanged if _is_longer(conv, rhs, sizes) else _by_phases)(conv, lhs, rhs, sizes, params)


def _is_longer(conv: Convolution, kernel: Any, sizes: Sequence[int]) -> bool:
    return math.prod(kernel.shape[k] for k in conv.dimension_numbers[1][2:]) > math.prod(sizes)


def _is_even(conv: Convolution, kernel: Any) -> bool:
    """Return whether all phases of the result use the same positions of the image, as if the kernel is as long as its stride."""
    axes = zip(conv.lhs_dilation, conv.padding, conv.dimension_numbers[1][2:], strict=True)
    return all((low + 1) % gap == 0 and kernel.shape[k] % gap == 0 for gap, (low, _), k in axes)


def _exchanged(conv: Convolution, lhs: Array, rhs: Array, sizes: Sequence[int], params: dict[str, Any]) -> Array:
    """Return Σⱼ x[j] w[d·j + low − s·k] for each position k, as a convolution of w with x, reversed."""
    image, kernel, result = conv.dimension_numbers
    pads = []
    for size, step, (low, _), gap, i, k in zip(
        sizes, conv.window_strides, conv.padding, conv.lhs_dilation, image[2:], kernel[2:], strict=True
    ):
        first = (size - 1) * step
        pads.append((first - low, low + spread(lhs.shape[i], gap) - rhs.shape[k]))
    params |= {
        "padding": tuple(pads),
        "lhs_dilation": conv.rhs_dilation,
        "rhs_dilation": conv.lhs_dilation,
        "dimension_numbers": lax.ConvDimensionNumbers(kernel, image, (result[1], result[0], *result[2:])),
    }
    return lax.rev(lax.conv_general_dilated_p.bind(rhs, lhs, **params), result[2:])


def _by_phases(conv: Convolution, lhs: Array, rhs: Array, sizes: Sequence[int], params: dict[str, Any]) -> Array:
    """Return the positions d·q + p of the result from one convolution for each p, or one for all."""
    image, kernel, result = conv.dimension_numbers
    gaps = conv.lhs_dilation
    counts = [-(-size // gap) for size, gap in zip(sizes, gaps, strict=True)]
    params |= {"lhs_dilation": (1,) * len(gaps)}

    def convolve(phase: Sequence[int], met: Array) -> Array:
        pads = []
        for at, gap, count, (low, _), i, k in zip(
            phase, gaps, counts, conv.padding, image[2:], kernel[2:], strict=True
        ):
            before = (low - at) // gap
            pads.append((before, count - 1 + met.shape[k] - lhs.shape[i] - before))
        return lax.conv_general_dilated_p.bind(lhs, met, **params | {"padding": tuple(pads)})

    if _is_even(conv, rhs):
        out = convolve((0,) * len(gaps), _phases_as_channels(rhs, gaps, kernel))
        split = out.reshape(*out.shape[: result[1]], -1, rhs.shape[kernel[0]], *out.shape[result[1] + 1 :])
        return _interleaved(jnp.moveaxis(split, result[1], 0), gaps, result[2:], sizes)
    shape = [0] * lhs.ndim
    for axis, size in zip(result, (lhs.shape[image[0]], rhs.shape[kernel[0]], *counts), strict=True):
        shape[axis] = size
    parts = []
    for phase in itertools.product(*map(range, gaps)):
        every = [slice(None)] * rhs.ndim
        for at, gap, (low, _), k in zip(phase, gaps, conv.padding, kernel[2:], strict=True):
            every[k] = slice((low - at) % gap, None, gap)
        met = rhs[tuple(every)]
        empty = jnp.zeros(shape, params["preferred_element_type"] or lhs.dtype)
        parts.append(empty if 0 in met.shape else convolve(phase, met))
    return _interleaved(jnp.stack(parts), gaps, result[2:], sizes)


def _phases_as_channels(kernel: Array, gaps: Sequence[int], spec: Sequence[int]) -> Array:
    """Return a kernel whose channels are its elements for each phase of the result; the first phase uses the last elements."""
    split, order = list[int](), list[int]()
    for axis, size in enumerate(kernel.shape):
        if axis in spec[2:]:
            gap = gaps[spec[2:].index(axis)]
            split += [size // gap, gap]
        else:
            split.append(size)
        order.append(len(split) - 1 - (axis in spec[2:]))
    phases = [order[axis] + 1 for axis in spec[2:]]
    apart = lax.rev(kernel.reshape(split), phases)
    out = spec[0]
    moved = jnp.transpose(apart, [*order[:out], *phases, *order[out:]])
    return moved.reshape([*moved.shape[:out], -1, *moved.shape[out + len(gaps) + 1 :]])


def _interleaved(parts: Array, gaps: Sequence[int], axes: Sequence[int], sizes: Sequence[int]) -> Array:
    """Return arrays, one for each phase along the first axis, interleaved along `axes`."""
    shape = parts.shape[1:]
    whole, order = list(shape), []
    for axis in range(len(shape)):
        order.append(len(gaps) + axis)
        if axis in axes:
            order.append(axes.index(axis))
            whole[axis] *= gaps[axes.index(axis)]
    out = jnp.transpose(parts.reshape(*gaps, *shape), order).reshape(whole)
    for axis, size in zip(axes, sizes, strict=True):
        out = lax.slice_in_dim(out, 0, size, axis=axis)
    return out
