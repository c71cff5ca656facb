"""Normalisation over the batch, with moving statistics."""

from __future__ import annotations

from typing import Any

from jax import lax

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn_checks import check_float
from sporax._src.ops.normalization import _REF, _moments, _scaled, _wide
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, op

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
    shape, axes = _channel_shape(input_x, data_format)
    x = _wide(input_x)
    mean, var = _moments(x, axes)
    fit = [None if p is None else p.reshape(shape) for p in (weight, bias)]
    y = _scaled(x, mean, var, eps, *fit).astype(input_x.dtype)
    count = x.size // max(shape)
    mean, var = lax.stop_gradient(mean).reshape(-1), lax.stop_gradient(var).reshape(-1)
    new_mean = _moved(running_mean, mean, momentum)
    new_var = _moved(running_var, var * (count / max(count - 1, 1)), momentum)
    return y, new_mean, new_var, mean, var


def _moved(running: Array, batch: Array, momentum: float) -> Array:
    return lax.stop_gradient(running * (1 - momentum) + batch.astype(running.dtype) * momentum)


@op(
    ref=_REF + "batch_norm_infer",
    cases=(_STATS, "T(4, 3), T(3), P(3)", "T(2, 2, 2, 3), T(3), P(3), P(3), T(3), 1e-5, 'NHWC'"),
    errors=(("T(2, 3, 2, 2), T(2), P(3), P(3), T(3)", "channels"),),
    name="_batch_norm_infer",
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
    fit = [None if p is None else p.reshape(shape) for p in (running_mean, running_var, weight, bias)]
    return _scaled(x, fit[0].astype(x.dtype), fit[1].astype(x.dtype), eps, *fit[2:]).astype(input_x.dtype)  # type: ignore[union-attr]


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
    input_x: Any,
    scale: Any,
    bias: Any,
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
