"""The parts of a batch normalisation over several devices, in `mint`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.table import internal


def _others(input: Array) -> tuple[int, ...]:
    return (0, *range(2, input.ndim))


def _per_channel(v: Array, input: Array) -> Array:
    return v.reshape([1, -1] + [1] * (input.ndim - 2))


@internal("mint.batch_norm_stats")
def batch_norm_stats(input: Array, eps: float) -> tuple[Array, Array]:
    """Return the mean of each channel, and 1 / √(variance + eps).

    Args:
        input: A Tensor (N, C, ...).
        eps: Added to the variance.

    Returns:
        Two float32 Tensors of shape (C,).

    Examples:
        >>> mean, invstd = mint.batch_norm_stats(Tensor([[1.0], [3.0]]), 0.0)
        >>> mean.asnumpy(), invstd.asnumpy()
        (array([2.], dtype=float32), array([1.], dtype=float32))
    """
    x = input.astype(np.float32)
    return jnp.mean(x, _others(x)), jax.lax.rsqrt(jnp.var(x, _others(x)) + np.float32(eps))


@internal("mint.batch_norm_elemt")
def batch_norm_elemt(
    input: Array,
    weight: OptArray = None,
    bias: OptArray = None,
    mean: OptArray = None,
    invstd: OptArray = None,
    eps: float = 1e-05,
) -> Array:
    """Return (input - mean) · invstd · weight + bias, all of them one value per channel; `eps` is within invstd.

    Args:
        input: A Tensor (N, C, ...).
        weight, bias: Tensors (C,); None leaves them out.
        mean, invstd: Tensors (C,), as `batch_norm_stats` gives them.
        eps: Accepted.

    Raises:
        ValueError: If `mean` or `invstd` is None.

    Examples:
        >>> mint.batch_norm_elemt(Tensor([[1.0], [3.0]]), mean=Tensor([2.0]), invstd=Tensor([1.0])).asnumpy()
        array([[-1.],
               [ 1.]], dtype=float32)
    """
    if mean is None or invstd is None:
        raise ValueError("mean and invstd must be given.")
    out = (input - _per_channel(mean, input).astype(input.dtype)) * _per_channel(invstd, input).astype(input.dtype)
    if weight is not None:
        out = out * _per_channel(weight, input).astype(input.dtype)
    return out if bias is None else out + _per_channel(bias, input).astype(input.dtype)


@internal("mint.batch_norm_gather_stats_with_counts")
def _gather_stats(
    mean: Array,
    invstd: Array,
    running_mean: OptArray,
    running_var: OptArray,
    counts: Array,
    momentum: float,
    eps: float,
) -> tuple[Array, ...]:
    n = counts.astype(np.float32)[:, None]
    total = jnp.sum(n)
    var = 1 / jnp.square(invstd) - np.float32(eps)
    centre = jnp.sum(mean * n, 0) / total
    spread = jnp.sum((var + jnp.square(mean - centre)) * n, 0)
    out = [centre, jax.lax.rsqrt(spread / total + np.float32(eps))]
    m = np.float32(momentum)
    if running_mean is not None:
        out.append((1 - m) * running_mean + m * centre)
    if running_var is not None:
        out.append((1 - m) * running_var + m * spread / (total - 1))
    return tuple(out)


def batch_norm_gather_stats_with_counts(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    momentum: float = 0.1,
    eps: float = 1e-05,
    counts: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the mean and 1 / √(variance + eps) over several devices, and take them into the moving statistics.

    Args:
        input: The part of the batch on this device.
        mean, invstd: The statistics of each device, shape (devices, C).
        running_mean, running_var: The moving statistics, changed in place.
        momentum: The share of the new statistics in the moving ones.
        eps: What `invstd` had added to the variance.
        counts: How many values each device saw.

    Returns:
        Two Tensors of shape (C,).

    Examples:
        >>> x, mean, invstd = Tensor([[1.0], [3.0]]), Tensor([[1.0], [3.0]]), Tensor([[1.0], [1.0]])
        >>> mint.batch_norm_gather_stats_with_counts(x, mean, invstd, eps=0.0)[0].asnumpy()
        array([2.], dtype=float32)
    """
    if counts is None:
        counts = Tensor(np.full(mean.shape[0], input.size // input.shape[1], np.float32))
    centre, scale, *moving = _gather_stats(mean, invstd, running_mean, running_var, counts, momentum, eps)
    for target, value in zip([t for t in (running_mean, running_var) if t is not None], moving, strict=True):
        target._rebind(value)
    return centre, scale
