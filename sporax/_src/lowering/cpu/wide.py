"""Convolutions of float64 and complex128, for which XLA's CPU backend has no kernel.

Its loops took 1.2 s for 32 channels of four images of 56×56 and kernels of 3×3, and 3.5 s for the gradients; products of matrices
take 0.03 and 0.1. There are two forms:

- the sum, over the elements of the kernel, of products of moved images and the channels' weights. Elements of few channels are
  joined, so that each product sums enough terms;
- where the kernel is longer than the result, as in the gradient of a kernel, one product for each position of the result.

Many terms are summed in a loop.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu.conv_params import MOST_WRITTEN, Convolution, indices, inverse, part

_TERMS = 64  # that a product of matrices should sum


def is_wide(lhs: Any, rhs: Any, **params: Any) -> bool:
    """Return whether a convolution of one group is one of float64 or complex128."""
    if lhs.dtype not in (jnp.float64, jnp.complex128):
        return False
    if max(params["feature_group_count"], params["batch_group_count"]) > 1:
        return False
    return min(*lhs.shape, *rhs.shape, *Convolution.of(params).lengths(lhs, rhs)) > 0


def by_products(lhs: Array, rhs: Array, **params: Any) -> Array:
    """Return a convolution, computed by products of matrices."""
    conv = Convolution.of(params)
    image, kernel, result = conv.dimension_numbers
    lengths = conv.lengths(lhs, rhs)
    x, w = conv.padded(lhs), jnp.transpose(rhs, (*kernel[2:], kernel[1], kernel[0]))
    form = _by_elements if math.prod(w.shape[:-2]) <= math.prod(lengths) else _by_positions
    out = form(conv, jnp.transpose(x, (image[0], *image[2:], image[1])), w, lengths)
    return jnp.transpose(out, inverse((result[0], *result[2:], result[1])))


def _by_elements(conv: Convolution, x: Array, w: Array, lengths: list[int]) -> Array:
    """Return Σₜ xₜ · wₜ of an image (batch, *sizes, in) moved by t and a kernel (*sizes, in, out)."""
    where = indices(w.shape[:-2])
    weights = w.reshape(-1, *w.shape[-2:])

    def moved(at: Any) -> Array:
        starts = [i * hole for i, hole in zip(at, conv.rhs_dilation, strict=True)]
        return part(x, range(1, x.ndim - 1), starts, lengths, conv.window_strides)

    def product(a: Array, b: Array) -> Array:
        return jnp.matmul(a, b, precision=conv.precision)

    joined = max(1, _TERMS // x.shape[-1])
    if len(where) > joined * MOST_WRITTEN:
        first = product(moved(where[0]), weights[0])
        rest = np.asarray(where[1:], np.int32), weights[1:]
        return lax.scan(lambda total, term: (total + product(moved(term[0]), term[1]), None), first, rest)[0]
    total = None
    for start in range(0, len(where), joined):
        terms = slice(start, start + joined)
        images = jnp.concatenate([moved(at) for at in where[terms]], -1)
        term = product(images, weights[terms].reshape(-1, w.shape[-1]))
        total = term if total is None else total + term
    return total


def _by_positions(conv: Convolution, x: Array, w: Array, lengths: list[int]) -> Array:
    """Return the products of the part of an image that each position of the result meets, and the whole kernel."""
    where = indices(lengths)

    def met(at: Any) -> Array:
        starts = [i * step for i, step in zip(at, conv.window_strides, strict=True)]
        window = part(x, range(1, x.ndim - 1), starts, w.shape[:-2], conv.rhs_dilation)
        return jnp.matmul(window.reshape(len(x), -1), w.reshape(-1, w.shape[-1]), precision=conv.precision)

    written = len(where) <= MOST_WRITTEN
    parts = jnp.stack([*map(met, where)]) if written else lax.map(met, np.asarray(where, np.int32))
    return jnp.moveaxis(parts, 0, 1).reshape(len(x), *lengths, -1)
