"""Normalisation over layers, groups, channels and the batch, and what all normalisations share."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Axis, OptArray
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_choice, check_float
from sporax._src.engine.table import composite, op
from sporax._src.lowering import normalization as lowered
from sporax._src.lowering.normalization import moments, scaled

_REF = "references.nn."


def _wide(x: Array) -> Array:
    """Statistics of half-precision values are taken in float32."""
    return x.astype(jnp.float32) if x.dtype.itemsize < 4 else x


# --- over the features ----------------------------------------------------------------------------------------------


@op(
    ref="torch.nn.functional.layer_norm",
    cases=("T(2, 3, 4), (4,)", "T(2, 3, 4), (3, 4), P(3, 4), T(3, 4)", "T(0, 4), (4,), P(4), T(4)"),
    errors=(("T(2, 3), (2,)", "normalized_shape"),),
    amp="float32",
)
def layer_norm(
    input: Array, normalized_shape: Axis, weight: OptArray = None, bias: OptArray = None, eps: float = 1e-5
) -> Array:
    """Return (input - E[input]) / √(Var[input] + eps) · weight + bias over the last axes.

    From Ba et al., 2016 (arXiv:1607.06450).

    Args:
        input: A Tensor (*, normalized_shape).
        normalized_shape: The sizes of the axes that are normalised together.
        weight, bias: Tensors of shape normalized_shape.
        eps: Added to the variance.

    Raises:
        TypeError: If `input` is not of a float dtype.
        ValueError: If `input` does not end in `normalized_shape`.

    Examples:
        >>> ops.layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3)
        array([[-1.,  1.]], dtype=float32)
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)  # type: ignore[arg-type]
    if not shape or input.shape[-len(shape) :] != shape:
        raise ValueError(f"input must end in normalized_shape {list(shape)}, got {list(input.shape)}.")
    check_float(input)
    x = _wide(input)
    return lowered.layer_norm(x, weight, bias, tuple(range(x.ndim - len(shape), x.ndim)), eps)[0].astype(input.dtype)


@op(
    ref=_REF + "layer_norm_stats",
    cases=("T(2, 3, 4), P(3, 4), T(3, 4)", "T(2, 3, 4), P(4), T(4), -1, -1, 1e-5"),
    errors=(("T(2, 3), P(2), T(2)", "gamma"),),
    name="_layer_norm",
    primitive="LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07)",
)
def layer_norm_stats(
    input_x: Array,
    gamma: Array,
    beta: Array,
    begin_norm_axis: int = 1,
    begin_params_axis: int = 1,
    epsilon: float = 1e-7,
) -> tuple[Array, Array, Array]:
    """Return the layer norm of input_x from axis `begin_norm_axis` on, the mean and the variance.

    Args:
        input_x: A Tensor of floats.
        gamma, beta: Tensors of the shape of input_x from axis `begin_params_axis` on.
        begin_norm_axis: The first of the axes that are normalised together.
        begin_params_axis: The first axis of `gamma` and `beta`.
        epsilon: Added to the variance.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If the shapes of `gamma` and `beta` do not fit.

    Examples:
        >>> y, mean, variance = ops.LayerNorm()(Tensor([[1.0, 3.0]]), ops.ones((2,)), ops.zeros((2,)))
        >>> y.asnumpy().round(3), float(mean), float(variance)
        (array([[-1.,  1.]], dtype=float32), 2.0, 1.0)
    """
    check_float(input_x)
    rank = input_x.ndim
    if gamma.shape != input_x.shape[begin_params_axis % rank :] or beta.shape != gamma.shape:
        raise ValueError(
            f"gamma and beta must have shape {list(input_x.shape[begin_params_axis % rank :])}, got "
            f"{list(gamma.shape)} and {list(beta.shape)}."
        )
    x = _wide(input_x)
    y, mean, var = lowered.layer_norm(x, gamma, beta, tuple(range(begin_norm_axis % rank, rank)), epsilon)
    return y.astype(input_x.dtype), mean, var


@op(
    ref=_REF + "rms_norm",
    cases=("T(2, 3, 4), P(4)", "T(2, 3, 4), P(3, 4), 1e-3"),
    errors=(("T(2, 3), P(2)", "gamma"),),
    primitive="RmsNorm(epsilon=1e-06)",
)
def rms_norm(x: Array, gamma: Array, epsilon: float = 1e-6) -> tuple[Array, Array]:
    """Return x / √(mean(x²) + epsilon) · gamma over the last axes, and the factor 1 / √(…) in float32.

    From Zhang and Sennrich, 2019 (arXiv:1910.07467).

    Args:
        x: A Tensor (*, shape of gamma).
        gamma: The scale of each feature.
        epsilon: Added to the mean square.

    Raises:
        TypeError: If `x` is not of a float dtype.
        ValueError: If `x` does not end in the shape of `gamma`.

    Examples:
        >>> ops.rms_norm(Tensor([[3.0, 3.0]]), ops.ones((2,)))[0].asnumpy().round(3)
        array([[1., 1.]], dtype=float32)
    """
    check_float(x)
    if x.shape[x.ndim - gamma.ndim :] != gamma.shape:
        raise ValueError(f"x must end in the shape of gamma {list(gamma.shape)}, got {list(x.shape)}.")
    wide = _wide(x)
    factor = lax.rsqrt(jnp.mean(jnp.square(wide), tuple(range(x.ndim - gamma.ndim, x.ndim)), keepdims=True) + epsilon)
    return (wide * factor * gamma.astype(wide.dtype)).astype(x.dtype), factor


@op(ref=_REF + "add_rms_norm", cases=("T(2, 4), T(2, 4), P(4)",), errors=(("T(2, 3), T(2, 3), P(2)", "gamma"),))
def add_rms_norm(x1: Array, x2: Array, gamma: Array, epsilon: float = 1e-6) -> tuple[Array, Array, Array]:
    """Return `rms_norm` of x1 + x2, its factor, and x1 + x2.

    Args:
        x1: A Tensor of floats (*, shape of gamma).
        x2: A Tensor of its shape.
        gamma: The scale of each feature.
        epsilon: Added to the mean square.

    Raises:
        TypeError: If x1 + x2 is not of a float dtype.
        ValueError: If it does not end in the shape of `gamma`.

    Examples:
        >>> y, factor, total = ops.add_rms_norm(Tensor([[1.0, 1.0]]), Tensor([[2.0, 2.0]]), ops.ones((2,)))
        >>> y.asnumpy().round(3), total.asnumpy()
        (array([[1., 1.]], dtype=float32), array([[3., 3.]], dtype=float32))
    """
    total = x1 + x2
    return (*rms_norm.raw(total, gamma, epsilon), total)


@op(
    ref=_REF + "add_layer_norm",
    cases=("T(2, 4), T(2, 4), P(4), T(4)", "T(2, 4), T(2, 4), P(4), T(4), 1e-3, True"),
    errors=(("T(2, 3), T(2, 3), P(2), T(2)", "gamma"),),
)
def add_layer_norm(
    x1: Array, x2: Array, gamma: Array, beta: Array, epsilon: float = 1e-5, additional_output: bool = False
) -> Array | tuple[Array, ...]:
    """Return the layer norm of x1 + x2 (last axis), its mean, 1 / √(variance + epsilon), and x1 + x2 (or zeros).

    Args:
        x1: A Tensor of floats (*, C).
        x2: A Tensor of its shape.
        gamma: The scale of each feature, (C,).
        beta: The shift of each feature, (C,).
        epsilon: Added to the variance.
        additional_output: Whether the fourth result is x1 + x2; else zeros.

    Returns:
        Four Tensors: y in the shape of x1, mean and 1 / √(…) of shape (*, 1), and the sum.

    Raises:
        TypeError: If x1 + x2 is not of a float dtype.
        ValueError: If the shapes of `gamma` and `beta` do not fit.

    Examples:
        >>> x1, x2 = Tensor([[1.0, 1.0]]), Tensor([[0.0, 2.0]])
        >>> ops.add_layer_norm(x1, x2, ops.ones((2,)), ops.zeros((2,)))[0].asnumpy().round(3)
        array([[-1.,  1.]], dtype=float32)
    """
    total = x1 + x2
    y, mean, var = layer_norm_stats.raw(total, gamma, beta, -1, -1, epsilon)
    return y, mean, lax.rsqrt(var + epsilon), total if additional_output else jnp.zeros_like(total)


@op(
    ref="torch.nn.functional.group_norm",
    cases=("T(2, 4, 3), 2", "T(2, 4, 2, 2), 4, P(4), T(4)", "T(2, 4), 1"),
    errors=(("T(2, 4, 3), 3", "num_groups"),),
    amp="float32",
)
def group_norm(
    input: Array, num_groups: int, weight: OptArray = None, bias: OptArray = None, eps: float = 1e-5
) -> Array:
    """Return (input - E[input]) / √(Var[input] + eps) · weight + bias over groups of channels.

    From Wu and He, 2018 (arXiv:1803.08494).

    Args:
        input: A Tensor (N, C, ...).
        num_groups: The number of groups of channels.
        weight, bias: Tensors (C,).
        eps: Added to the variance.

    Raises:
        TypeError: If `input` is not of a float dtype.
        ValueError: If `num_groups` does not divide the channels.

    Examples:
        >>> ops.group_norm(Tensor([[1.0, 3.0, 5.0, 9.0]]), 2).asnumpy().round(3)
        array([[-1.,  1., -1.,  1.]], dtype=float32)
    """
    check_float(input)
    if input.ndim < 2 or num_groups < 1 or input.shape[1] % num_groups:
        raise ValueError(f"num_groups must divide the channels of the input {list(input.shape)}, got {num_groups}.")
    n, c, *rest = input.shape
    x = _wide(input).reshape(n, num_groups, c // num_groups, *rest)
    mean, var = moments(x, tuple(range(2, x.ndim)))
    y = scaled(x, mean, var, eps, None, None).reshape(input.shape)
    shape = (1, c) + (1,) * len(rest)
    y = y if weight is None else y * weight.astype(y.dtype).reshape(shape)
    return (y if bias is None else y + bias.astype(y.dtype).reshape(shape)).astype(input.dtype)


# --- to unit length, and among neighbours ---------------------------------------------------------------------------


@op(
    ref=_REF + "l2_normalize",
    cases=("T(2, 3)", "T(2, 3), -1, 1e-12", "T(2, 3), (1,), 100.0"),
    errors=(("T(2, 3), (0, 1)", "one axis"),),
    name="_l2_normalize",
    primitive="L2Normalize(axis=0, epsilon=0.0001)",
)
def l2_normalize(input_x: Array, axis: Axis = 0, epsilon: float = 1e-4) -> Array:
    """Return input_x / √max(Σ input_x², epsilon), the sum taken along `axis`.

    Args:
        input_x: A Tensor of floats.
        axis: One axis, also as a tuple of one.
        epsilon: The least sum of squares of which the root is taken.

    Raises:
        TypeError: If `input_x` is not of a float dtype, or `axis` names more than one axis.

    Examples:
        >>> ops.L2Normalize()(Tensor([3.0, 4.0])).asnumpy().round(3)
        array([0.6, 0.8], dtype=float32)
    """
    check_float(input_x)
    if isinstance(axis, tuple) and len(axis) != 1:
        raise TypeError(f"axis must be one axis, got {axis}.")
    return input_x * lax.rsqrt(jnp.maximum(jnp.sum(jnp.square(input_x), axis, keepdims=True), epsilon))


@op(
    ref=_REF + "local_response_norm",
    cases=("T(1, 7, 2, 2)", "T(1, 7, 1, 1), 2, 1.0, 0.2, 0.75"),
    errors=(("T(2, 3)", "4 axes"),),
    primitive="LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')",
)
def lrn(
    x: Array,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Array:
    """Return x / (bias + alpha · Σ x²)^beta, the sum taken over the channels at most `depth_radius` away.

    The local response normalisation of Krizhevsky et al., 2012 (AlexNet).

    Args:
        x: A Tensor of floats (N, C, H, W).
        depth_radius: How many channels on each side count.
        bias: The constant under the power.
        alpha: The factor of the sum of squares.
        beta: The exponent.
        norm_region: "ACROSS_CHANNELS", the only region there is.

    Raises:
        TypeError: If `x` is not of a float dtype.
        ValueError: If it has not 4 axes, or the region is unknown.

    Examples:
        >>> ops.lrn(ops.ones((1, 1, 1, 2)), depth_radius=1, bias=3.0).asnumpy().ravel()
        array([0.5, 0.5], dtype=float32)
    """
    check_float(x)
    check_choice(norm_region, ("across_channels",), "norm_region")
    if x.ndim != 4:
        raise ValueError(f"x must have 4 axes, got shape {list(x.shape)}.")
    window = (1, 2 * depth_radius + 1, 1, 1)
    pads = [(0, 0), (depth_radius, depth_radius), (0, 0), (0, 0)]
    near = lax.reduce_window(jnp.square(x), np.zeros((), x.dtype), lax.add, window, (1, 1, 1, 1), pads)
    return x * jnp.power(bias + alpha * near, -beta)


# --- over the batch, with moving statistics -----------------------------------------------------------------------------

_STATS = "T(2, 3, 2, 2), T(3), P(3), P(3), T(3)"


# --- over the batch -------------------------------------------------------------------------------------------------


def _channel_shape(x: Array, data_format: str = "NCHW") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of per-channel values against x, and the axes they are statistics of."""
    channel = x.ndim - 1 if data_format.upper().endswith("C") else 1
    return tuple(x.shape[channel] if a == channel else 1 for a in range(x.ndim)), tuple(
        a for a in range(x.ndim) if a != channel
    )


def _check_batch(x: Array, channels: int, data_format: str, *stats: Array | None) -> None:
    check_float(x)
    if x.ndim < 2:
        raise ValueError(f"input_x must have at least 2 axes, got shape {list(x.shape)}.")
    have = max(_channel_shape(x, data_format)[0])
    for s in stats:
        if s is not None and s.shape != (have,):
            raise ValueError(
                f"weight, bias and statistics must have the input's {have} channels, got shape {list(s.shape)}."
            )


@op(
    ref=_REF + "batch_norm_train",
    cases=(_STATS, "T(4, 3), T(3), P(3), P(3), T(3), 0.3", "T(2, 2, 2, 3), T(3), P(3), P(3), T(3), 0.1, 1e-5, 'NHWC'"),
    errors=(("T(2, 3, 2, 2), T(2), P(3), P(3), T(3)", "channels"),),
    grad=0,
    name="_batch_norm_train",
    amp="float32",
)
def batch_norm_train(
    input_x: Array,
    running_mean: Array,
    running_var: Array,
    weight: OptArray = None,
    bias: OptArray = None,
    momentum: float = 0.1,
    eps: float = 1e-5,
    data_format: str = "NCHW",
) -> tuple[Array, Array, Array, Array, Array]:
    """Return input_x normalised over its batch, the new running mean and variance, and the batch's own.

    y = (x - E[x]) / √(Var[x] + eps) · weight + bias, statistics per channel;
    new = (1 - momentum) · running + momentum · batch, with the unbiased variance of the batch.

    Args:
        input_x: A Tensor (N, C, ...), or (N, ..., C) if `data_format` ends in C.
        running_mean, running_var, weight, bias: Tensors (C,).
        momentum: The share of the batch in the new statistics.
        eps: Added to the variance.
        data_format: The order of the axes.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If the shapes do not fit the channels.
    """
    _check_batch(input_x, 0, data_format, running_mean, running_var, weight, bias)
    _, axes = _channel_shape(input_x, data_format)
    x = _wide(input_x)
    weight, bias = (None if p is None else p.astype(x.dtype) for p in (weight, bias))
    has_kernel = lowered.has_kernel(x, running_mean, running_var, axes)
    fn = lowered.batch_norm_alone if has_kernel else lowered.batch_norm
    y, *statistics = fn(x, weight, bias, running_mean, running_var, axes=axes, eps=eps, momentum=momentum)
    mean, var, new_mean, new_var = map(lax.stop_gradient, statistics)
    return y.astype(input_x.dtype), new_mean, new_var, mean, var


@op(
    ref=_REF + "batch_norm_infer",
    cases=(_STATS, "T(4, 3), T(3), P(3)", "T(2, 2, 2, 3), T(3), P(3), P(3), T(3), 1e-5, 'NHWC'"),
    errors=(("T(2, 3, 2, 2), T(2), P(3), P(3), T(3)", "channels"),),
    name="_batch_norm_infer",
    amp="float32",
)
def batch_norm_infer(
    input_x: Array,
    running_mean: Array,
    running_var: Array,
    weight: OptArray = None,
    bias: OptArray = None,
    eps: float = 1e-5,
    data_format: str = "NCHW",
) -> Array:
    """Return (input_x - running_mean) / √(running_var + eps) · weight + bias, per channel.

    Args:
        input_x: A Tensor (N, C, ...), or (N, ..., C) if `data_format` ends in C.
        running_mean, running_var, weight, bias: Tensors (C,).
        eps: Added to the variance.
        data_format: The order of the axes.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If the shapes do not fit the channels.
    """
    _check_batch(input_x, 0, data_format, running_mean, running_var, weight, bias)
    shape, _ = _channel_shape(input_x, data_format)
    x = _wide(input_x)
    mean, variance = running_mean.reshape(shape), running_var.reshape(shape)
    fit = [None if p is None else p.reshape(shape) for p in (weight, bias)]
    return scaled(x, mean.astype(x.dtype), variance.astype(x.dtype), eps, *fit).astype(input_x.dtype)


@composite(
    ref=_REF + "batch_norm",
    cases=(_STATS, _STATS + ", True", "T(4, 3), T(3), P(3), P(3), T(3), True, 0.3"),
    errors=(("T(2, 3, 2, 2), T(7, 11), P(3), P(3), T(3)", "weight, bias and statistics must have the"),),
)
def batch_norm(
    input_x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return (input_x - mean) / √(variance + eps) · weight + bias, per channel.

    From Ioffe and Szegedy, 2015 (arXiv:1502.03167).

    Args:
        input_x: A Tensor (N, C, ...).
        running_mean, running_var, weight, bias: Tensors (C,).
        training: Whether the statistics are those of the batch; then running_mean and running_var take over
            (1 - momentum) · running + momentum · batch. Otherwise they are the statistics.
        momentum: The share of the batch in the new running statistics.
        eps: Added to the variance.

    Raises:
        TypeError: If `input_x` is not of a float dtype.
        ValueError: If the shapes do not fit the channels.

    Examples:
        >>> x, zeros, ones = Tensor([[1.0], [3.0]]), ops.zeros((1,)), ops.ones((1,))
        >>> ops.batch_norm(x, zeros, ones, training=True).asnumpy().round(3)
        array([[-1.],
               [ 1.]], dtype=float32)
    """
    if not training:
        return batch_norm_infer(input_x, running_mean, running_var, weight, bias, eps)
    y, mean, var, _, _ = batch_norm_train(input_x, running_mean, running_var, weight, bias, momentum, eps)
    running_mean._rebind(mean)
    running_var._rebind(var)
    return y


@primitive("BatchNorm(is_training=False, epsilon=1e-05, momentum=0.1, data_format='NCHW')")
def _batch_norm(
    input_x: object,
    scale: object,
    bias: object,
    mean: Any,
    variance: Any,
    is_training: bool,
    epsilon: float,
    momentum: float,
    data_format: str,
) -> Any:
    """Return y, and mean and variance of the batch (in inference: the given ones) twice over, as the kernel does.

    Args:
        input_x: A Tensor (N, C, ...), or (N, ..., C) if `data_format` ends in C.
        scale, bias, mean, variance: Tensors (C,); in training the last two are the moving statistics, which change.
        is_training: Whether the statistics are those of the batch.
        epsilon: Added to the variance.
        momentum: The share of the batch in the new moving statistics.
        data_format: The order of the axes.

    Raises:
        ValueError: If the shapes do not fit the channels.

    Examples:
        >>> zeros, ones = ops.zeros((1,)), ops.ones((1,))
        >>> ops.BatchNorm()(Tensor([[1.0], [3.0]]), ones, zeros, zeros, ones)[0].asnumpy().round(3)
        array([[1.],
               [3.]], dtype=float32)
    """
    if not is_training:
        y = batch_norm_infer(input_x, mean, variance, scale, bias, epsilon, data_format)
        return y, mean, variance, mean, variance
    y, new_mean, new_var, batch_mean, batch_var = batch_norm_train(
        input_x, mean, variance, scale, bias, momentum, epsilon, data_format
    )
    mean._rebind(new_mean)
    variance._rebind(new_var)
    return y, batch_mean, batch_var, batch_mean, batch_var
