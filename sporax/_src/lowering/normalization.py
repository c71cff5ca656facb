"""Normalization with the mean and the variance of the values themselves, and its derivative.

Normalization over the batch is also an operation of JAX. The CPU has kernels for the operation and its gradient, so almost nothing
is left to compile. In a graph of images with the channels last, kernels compute only what has one number for each channel, and XLA
computes the rest together with the operations around.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import is_decided, stored_by_rows
from sporax._src.base.typing import Array, OptArray
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.operation import Operation, are_transposes, has_derivative, lower_whole

_Parts = tuple[Array, ...]


def moments(x: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """Return the mean and the variance over some axes, which stay as axes of length one."""
    mean = jnp.mean(x, axes, keepdims=True)
    return mean, jnp.mean(jnp.square(x - mean), axes, keepdims=True)


def scaled(x: Array, mean: Array, var: Array, eps: float, weight: OptArray, bias: OptArray) -> Array:
    """Return (x - mean) / √(var + eps) · weight + bias."""
    factor = lax.rsqrt(var + eps)
    y = (x - mean) * (factor if weight is None else factor * weight.astype(x.dtype))
    return y if bias is None else y + bias.astype(x.dtype)


@partial(jax.custom_jvp, nondiff_argnums=(3, 4))
def normalized(x: Array, weight: OptArray, bias: OptArray, axes: tuple[int, ...], eps: float) -> _Parts:
    """Return (x - E[x]) / √(Var[x] + eps) · weight + bias, E[x] and Var[x]."""
    mean, var = moments(x, axes)
    return scaled(x, mean, var, eps, weight, bias), mean, var


@normalized.defjvp
def _normalized_jvp(axes: tuple[int, ...], eps: float, primals: Any, tangents: Any) -> tuple[_Parts, _Parts]:
    x, weight, _ = primals
    y, mean, var = normalized(*primals, axes, eps)
    return (y, mean, var), _tangents(x, weight, mean, var, *tangents, axes=axes, eps=eps)


def _tangents(
    x: Array,
    weight: OptArray,
    mean: Array,
    var: Array,
    dx: Array,
    dweight: OptArray,
    dbias: OptArray,
    *,
    axes: tuple[int, ...],
    eps: float,
) -> _Parts:
    """Return the derivatives of the three results of `normalized`.

    In reverse they take two sums at once, which are also the derivatives of weight and bias. JAX's own take four, partly one after
    another.
    """
    centered, factor = x - mean, lax.rsqrt(var + eps)
    unit, slope = centered * factor, factor if weight is None else factor * weight
    dmean, along = jnp.mean(dx, axes, keepdims=True), jnp.mean(unit * dx, axes, keepdims=True)
    of_unit = -slope * along if dweight is None else dweight - slope * along
    of_one = -slope * dmean if dbias is None else dbias - slope * dmean
    return slope * dx + unit * of_unit + of_one, dmean, 2 / factor * along


def layer_norm(x: Array, weight: OptArray, bias: OptArray, axes: tuple[int, ...], eps: float) -> _Parts:
    """Return `normalized` over the last axes, which have weight and bias.

    On a GPU these axes stay together in memory. XLA orders axes as the products nearby want them, and one small product, such as
    BERT's of the first token of each text, would transpose the arrays of the whole network.
    """
    weight, bias = (None if p is None else p.astype(x.dtype) for p in (weight, bias))
    (x,) = by_rows(x) if config.platform() == "gpu" else (x,)
    return normalized(x, weight, bias, axes, eps)


by_rows = Operation("stored_by_rows", lambda x: (x,))
are_transposes(by_rows, by_rows, 0)
lower_whole(by_rows, lambda x: (stored_by_rows(x),))


# --- over the batch -----------------------------------------------------------------------------------------------------


def batch_norm(
    x: Array,
    weight: OptArray,
    bias: OptArray,
    running_mean: Array,
    running_var: Array,
    *,
    axes: tuple[int, ...],
    eps: float,
    momentum: float,
) -> _Parts:
    """Return x normalized over its batch, the batch's mean and variance, and the new running mean and variance.

    Args:
        x: Floats.
        weight, bias, running_mean, running_var: Arrays (C,); weight and bias may be None.
        axes: All axes of x but that of the C channels.
        eps: Added to the variance.
        momentum: The share of the batch in the running statistics.
    """
    weight, bias = (None if p is None else jnp.expand_dims(p, axes) for p in (weight, bias))
    y, mean, var = normalized(x, weight, bias, axes, eps)
    mean, var, count = mean.reshape(-1), var.reshape(-1), math.prod(x.shape[axis] for axis in axes)
    return y, mean, var, *_new_statistics(mean, var, running_mean, running_var, count, momentum)


def _new_statistics(
    mean: Array, var: Array, running_mean: Array, running_var: Array, count: int, momentum: float
) -> _Parts:
    unbiased = var * (count / max(count - 1, 1))
    return tuple(
        running * (1 - momentum) + batch.astype(running.dtype) * momentum
        for running, batch in ((running_mean, mean), (running_var, unbiased))
    )


def _derivative(
    x: Array,
    weight: Array,
    mean: Array,
    var: Array,
    dx: Array,
    dweight: Array,
    dbias: Array,
    *,
    axes: tuple[int, ...],
    eps: float,
) -> _Parts:
    """Return the derivatives of the first three results of `batch_norm`."""
    weight, mean, var, dweight, dbias = (jnp.expand_dims(p, axes) for p in (weight, mean, var, dweight, dbias))
    dy, dmean, dvar = _tangents(x, weight, mean, var, dx, dweight, dbias, axes=axes, eps=eps)
    return dy, dmean.reshape(-1), dvar.reshape(-1)


def _derivative_of_y(*arrays: Array, axes: tuple[int, ...], eps: float) -> _Parts:
    return _derivative(*arrays, axes=axes, eps=eps)[:1]


def _gradient(
    x: Array, weight: Array, mean: Array, var: Array, y: Array, *, axes: tuple[int, ...], eps: float
) -> _Parts:
    """Return the transpose of `_derivative_of_y`: the gradients of x, weight and bias from that of y."""
    fn = partial(_derivative_of_y, x, weight, mean, var, axes=axes, eps=eps)
    return jax.linear_transpose(fn, x, weight, weight)((y,))


def _factors(
    x: Array, weight: Array, running_mean: Array, running_var: Array, *, eps: float, momentum: float
) -> _Parts:
    """Return mean, variance, slope and new running statistics of (rows, C): normalized, x is slope · (x - mean) + bias."""
    mean, var = (m[0] for m in moments(x, (0,)))
    new_mean, new_var = _new_statistics(mean, var, running_mean, running_var, len(x), momentum)
    return mean, var, weight * lax.rsqrt(var + eps), new_mean, new_var


def _gradient_factors(x: Array, weight: Array, mean: Array, var: Array, y: Array, *, eps: float) -> _Parts:
    """Return the gradients of weight and bias, and the factors of that of x: slope · y + unit · (x - mean) + one."""
    root, share = lax.rsqrt(var + eps), 1 / len(x)
    of_weight, of_bias = jnp.sum(y * (x - mean), 0) * root, jnp.sum(y, 0)
    slope = weight * root
    return of_weight, of_bias, slope, -slope * root * of_weight * share, -slope * of_bias * share


factors = Operation("batch_norm_factors", _factors)
gradient_factors = Operation("batch_norm_gradient_factors", _gradient_factors)


def batch_norm_of_last(
    x: Array, weight: Array, bias: Array, running_mean: Array, running_var: Array, *, eps: float, momentum: float
) -> _Parts:
    """Return the results of `batch_norm` of x (..., C), whose numbers by channel come from an operation of their own."""
    rows = x.reshape(-1, x.shape[-1])
    mean, var, slope, *new = factors(rows, weight, running_mean, running_var, eps=eps, momentum=momentum)
    return (x - mean) * slope + bias, mean, var, *new


def gradient_of_last(x: Array, weight: Array, mean: Array, var: Array, y: Array, *, eps: float) -> _Parts:
    """Return the results of `gradient` for x (..., C), whose numbers by channel come from an operation of their own."""
    rows = (-1, x.shape[-1])
    of_weight, of_bias, slope, unit, one = gradient_factors(
        x.reshape(rows), weight, mean, var, y.reshape(rows), eps=eps
    )
    return slope * y + ((x - mean) * unit + one), of_weight, of_bias


operation = Operation("batch_norm", batch_norm)
derivative = Operation("batch_norm_derivative", _derivative_of_y)
gradient = Operation("batch_norm_gradient", _gradient)
are_transposes(derivative, gradient, 4)


def _rule(primals: Sequence[Array], outs: Sequence[Array], tangents: Sequence[Array], **params: Any) -> _Parts:
    """Return the derivatives of y, mean and variance; only that of y is an operation, as few programs differentiate the others."""
    (x, weight, *_), (_, mean, var, *_) = primals, outs
    fixed = {"axes": params["axes"], "eps": params["eps"]}
    (dy,) = derivative(x, weight, mean, var, *tangents[:3], **fixed)
    return dy, *_derivative(x, weight, mean, var, *tangents[:3], **fixed)[1:]


has_derivative(operation, _rule)


def has_kernel(x: Array, running_mean: Array, running_var: Array, axes: Sequence[int]) -> bool:
    """Return whether a CPU has kernels for `batch_norm` of such arrays."""
    are_known = all((type(size) is int or is_decided(size)) and size > 0 for size in x.shape)
    are_single = all(a.dtype == "float32" for a in (x, running_mean, running_var))
    return kernels.are_used() and are_known and are_single and kernels.are_all_but_second(axes)


def batch_norm_alone(
    x: Array, weight: OptArray, bias: OptArray, running_mean: Array, running_var: Array, **params: Any
) -> Sequence[Array]:
    """Return the results of `batch_norm` as those of one operation; the running statistics have no derivatives."""
    weight = np.ones(running_mean.shape, x.dtype) if weight is None else weight
    bias = np.zeros(running_mean.shape, x.dtype) if bias is None else bias
    return operation(x, weight, bias, running_mean, running_var, **params)
