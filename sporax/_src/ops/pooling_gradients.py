"""Gradient primitives of pooling by its maxima, and of those gradients."""

from __future__ import annotations

import math

import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.ops.checks import floating, shaped
from sporax._src.ops.nn_checks import check_choice
from sporax._src.ops.pooling import _boxes, _mode_pads
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal
from sporax._src.ops.windows import window_argmax


@primitive("MaxPoolGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')")
@internal("MaxPoolGradWithArgmax")
def _max_pool_argmax(x: Array, dy: Array, argmax: Array) -> Array:
    """Return zeros of the shape of x with dy added at the places argmax in each flattened (C, H, W)."""
    return _at_places(x, dy, argmax, 1)


@primitive(
    "MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None)"
)
@internal("MaxPoolGradWithArgmaxV2")
def _max_pool_argmax2(x: Array, dy: Array, argmax: Array) -> Array:
    """Return zeros of the shape of x with dy added at the places argmax in each flattened (H, W)."""
    return _at_places(x, dy, argmax, 2)


def _at_places(x: Array, dy: Array, argmax: Array, first: int) -> Array:
    """Return zeros of the shape of x with dy added at places that are counted in the flattened axes from `first` on."""
    rows, size = math.prod(x.shape[:first]), math.prod(x.shape[first:])
    places = argmax.reshape(rows, math.prod(argmax.shape[first:]))
    given = shaped(dy, argmax.shape, "dy").reshape(places.shape)
    return jnp.zeros((rows, size), dy.dtype).at[jnp.arange(rows)[:, None], places].add(given).reshape(x.shape)


@primitive("MaxPoolGradGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID')")
@internal("MaxPoolGradGradWithArgmax")
def _max_pool_grad_grad(x: Array, grad: Array, argmax: Array) -> Array:
    """Return the elements of grad, shaped as the operand of the pooling, that the pooling chose."""
    flat = grad.reshape(len(grad), -1)
    return jnp.take_along_axis(flat, argmax.reshape(len(argmax), -1), 1).reshape(argmax.shape)


@primitive(
    "MaxPoolGradGrad(kernel_size=1, strides=1, pad_mode='VALID')",
    "MaxPool3DGradGrad(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCDHW')",
)
@internal("MaxPoolGradGrad")
def _max_pool_of(
    x: Array,
    _y: Array,
    grad: Array,
    kernel_size: Static,
    strides: Static,
    pad_mode: Static,
    data_format: Static = "NCDHW",
) -> Array:
    """Return the elements of grad, of the shape of x, where the windows of x have their (first) maximum."""
    check_choice(data_format, ("ncdhw",), "data_format")
    shaped(grad, x.shape, "grad")
    pads = _mode_pads(x, check_choice(pad_mode, ("valid", "same"), "pad_mode"), 0, kernel_size, strides)
    _, place = window_argmax(x, _boxes(x, x.ndim - 2, kernel_size, strides, pads))
    flat = floating(grad, "grad").reshape(*x.shape[:2], -1)
    return jnp.take_along_axis(flat, place.reshape(*x.shape[:2], -1), 2).reshape(place.shape)
