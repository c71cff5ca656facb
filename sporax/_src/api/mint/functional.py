"""The namespace `mint.nn.functional`: views of the op table with torch's signatures."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.numpy import arrays
from sporax._src.api.ops import PUBLIC
from sporax._src.base.typing import Array, Shape, Static
from sporax._src.bindings.adapters import adapt
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float, unify
from sporax._src.core.tensor import Tensor
from sporax._src.core.views import write_in_place
from sporax._src.engine import axes
from sporax._src.engine.table import internal
from sporax._src.ops.array.cast import cast
from sporax._src.ops.math.norms import smooth_norm
from sporax._src.ops.nn import regression_loss


def _convolution(n: int) -> Any:
    row = PUBLIC[f"conv{n}d"]

    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: object = 1,
        padding: Any = 0,
        dilation: object = 1,
        groups: int = 1,
    ) -> Tensor:
        single = input.ndim == n + 1
        x = PUBLIC["expand_dims"](input, 0) if single else input
        if isinstance(padding, str):
            out = row(x, weight, bias, stride, padding, 0, dilation, groups)
        else:
            sides = (padding,) * n if isinstance(padding, int) else tuple(padding)
            out = row(x, weight, bias, stride, "pad", sides * n if len(sides) == 1 else sides, dilation, groups)
        return PUBLIC["squeeze"](out, 0) if single else out

    conv.__name__ = f"conv{n}d"
    conv.__doc__ = f"""Return the {n}-D convolution of the input (N, C, ...) or (C, ...) with the weights, plus the bias.

    Args:
        input, weight, bias: The Tensors; the weight has shape (out, in / groups, ...).
        stride, dilation: Steps of the kernel, and distances of its elements.
        padding: Zeros at both ends of each axis, `"valid"` or `"same"`.
        groups: The number of independent groups of channels.

    Examples:
        >>> x, weight = mint.ones((1, 2{", 4" * n})), mint.ones((3, 2{", 3" * n}))
        >>> mint.nn.functional.conv{n}d(x, weight).shape
        (1, 3{", 2" * n})
    """
    return conv


@internal("mint.avg_pool")
def _avg_pool(
    input: Array, kernel: Shape, stride: Shape, padding: Shape, ceil_mode: bool, count_pad: bool, divisor: Static
) -> Array:
    n = len(kernel)
    if input.ndim not in (n + 1, n + 2):
        raise ValueError(f"input must have {n + 1} or {n + 2} axes, got {input.ndim}.")
    ends, shown = [], []
    for size, k, s, p in zip(input.shape[-n:], kernel, stride, padding, strict=True):
        steps = (size + 2 * p - k) / s
        count = int(np.ceil(steps) if ceil_mode else np.floor(steps)) + 1
        if ceil_mode and (count - 1) * s >= size + p:
            count -= 1
        ends.append(max((count - 1) * s + k - size - p, 0))
        shown.append(p)
    lead = (1,) * (input.ndim - n)
    window, steps_ = lead + kernel, lead + stride

    def total(x: Array, pads: list[tuple[int, int]]) -> Array:
        zero = np.zeros((), x.dtype)
        return jax.lax.reduce_window(x, zero, jax.lax.add, window, steps_, [(0, 0)] * len(lead) + pads)

    pads = list(zip(shown, ends, strict=True))
    out = total(input, pads)
    if divisor is not None:
        return out / np.asarray(divisor, out.dtype)
    ones = jnp.ones(lead + input.shape[-n:], input.dtype)
    if count_pad:  # padding counts, what `ceil_mode` adds beyond it does not
        ones = jnp.pad(ones, [(0, 0)] * len(lead) + [(p, min(p, e)) for p, e in pads], constant_values=1)
        pads = [(0, max(e - p, 0)) for p, e in pads]
    return out / total(ones, pads)


def _several(value: Any, n: int) -> tuple[int, ...]:
    sizes = (value,) * n if isinstance(value, int) else tuple(value)
    return sizes * n if len(sizes) == 1 else sizes


def _average(n: int) -> Any:
    def pool(
        input: Tensor,
        kernel_size: object,
        stride: object = None,
        padding: object = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        kernel, sides = _several(kernel_size, n), _several(padding, n)
        steps = kernel if stride is None else _several(stride, n)
        if any(2 * p > k for p, k in zip(sides, kernel, strict=True)):
            raise ValueError(
                f"mint.avg_pool{n}d: padding must be at most half of kernel_size, got {sides} and {kernel}."
            )
        if divisor_override == 0:
            raise ValueError(f"mint.avg_pool{n}d: divisor_override must not be 0.")
        return _avg_pool(input, kernel, steps, sides, ceil_mode, count_include_pad, divisor_override)

    pool.__name__ = f"avg_pool{n}d"
    pool.__doc__ = f"""Return the averages of windows of the input (N, C, ...) or (C, ...).

    Args:
        input: The values.
        kernel_size, stride, padding: Size, step (the size if None) and zeros at both ends, for each axis or all.
        ceil_mode: Whether windows may leave the input at the end.
        count_include_pad: Whether padding counts as elements.
        divisor_override: What to divide the sums by.

    Raises:
        ValueError: If the padding is more than half of the window, or the divisor is 0.

    Examples:
        >>> mint.nn.functional.avg_pool{n}d(mint.ones((1, 2{", 4" * n})), 2).shape
        (1, 2{", 2" * n})
    """
    return pool


def avg_pool1d(
    input: Tensor,
    kernel_size: object,
    stride: object = None,
    padding: object = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the averages of windows along the last axis.

    Args:
        input: A Tensor of shape (N, C, L) or (C, L).
        kernel_size: The size of a window.
        stride: The step of the window; its size if None.
        padding: Zeros at both ends, at most half of the window.
        ceil_mode: Whether windows may leave the input at the end.
        count_include_pad: Whether padding counts as elements.

    Raises:
        ValueError: If `padding` is larger, or `input` has another number of axes.

    Examples:
        >>> mint.nn.functional.avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).asnumpy()
        array([[[2., 6.]]], dtype=float32)
    """
    return _average(1)(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


# ---  -------------------------------------------------------------------------------------------------------------------

_SAME = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d conv_transpose2d embedding fold
group_norm hardshrink hardsigmoid hardswish layer_norm pixel_shuffle prelu relu sigmoid softplus softshrink tanh unfold
"""

_ADAPTED = """
binary_cross_entropy(input, target, weight=None, reduction="mean") -> binary_cross_entropy(input, target, weight, reduction)
binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None) -> \
binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean") -> \
cosine_embedding(input1, input2, target, margin, reduction)
cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0) -> \
cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
dropout2d(input, p=0.5, training=True, inplace=False) -> into(inplace, input, dropout2d(input, p, training))
    inplace: Whether the input takes over the result.
elu(input, alpha=1.0, inplace=False) -> into(inplace, input, elu(input, alpha))
    inplace: Whether the input takes over the result.
elu_(input, alpha=1.0) -> into(True, input, elu(input, alpha))
flatten(input, start_dim=0, end_dim=-1) -> flatten(input, start_dim=start_dim, end_dim=end_dim)
gelu(input, *, approximate="none") -> gelu(input, approximate)
glu(input, dim=-1) -> glu(input, dim)
grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners: bool | None = None) -> \
grid_sample(input, grid, mode, padding_mode, bool(align_corners))
hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False) -> into(inplace, input, hardtanh(input, min_val, max_val))
    inplace: Whether the input takes over the result.
hardtanh_(input, min_val=-1, max_val=1) -> into(True, input, hardtanh(input, min_val, max_val))
interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None) -> \
interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
l1_loss(input, target, reduction="mean") -> l1_loss(input, target, reduction)
leaky_relu(input, negative_slope=0.01) -> leaky_relu(input, negative_slope)
linear(input, weight, bias=None) -> dense(input, weight, bias)
log_softmax(input: Array, dim=None, *, dtype=None) -> log_softmax(typed(input, dtype), implicit(dim, input))
    Return input - ln Σ exp(input), the sum taken along `dim`.
    input: A Tensor of floats.
    dim: The axis; None: 0 for 0, 1 and 3 axes, else 1.
    dtype: The dtype to convert to first.
logsigmoid(input) -> logsigmoid(input)
max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False) -> \
max_pool2d(input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)
max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> \
max_unpool2d(input, indices, kernel_size, stride, padding, output_size)
mish(input) -> mish(input)
mse_loss(input, target, reduction="mean") -> mse_loss(input, target, reduction)
nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean") -> \
nll_loss(input, target, weight, ignore_index, reduction)
relu6(input, inplace=False) -> into(inplace, input, relu6(input))
    inplace: Whether the input takes over the result.
relu_(input) -> into(True, input, relu(input))
selu(input) -> selu(input)
sigmoid_(input) -> inplace_sigmoid(input)
silu(input, inplace=False) -> into(inplace, input, silu(input))
    inplace: Whether the input takes over the result.
smooth_l1_loss(input, target, reduction="mean", beta=1.0) -> \
smooth_l1_loss(input, target, beta, reduction) if beta else l1_loss(input, target, reduction)
soft_margin_loss(input, target, reduction="mean") -> soft_margin_loss(input, target, reduction)
softmax(input: Array, dim=None, dtype=None) -> softmax(typed(input, dtype), implicit(dim, input))
    Return exp(input) / Σ exp(input), the sum taken along `dim`.
    input: A Tensor of floats.
    dim: The axis; None: 0 for 0, 1 and 3 axes, else 1.
    dtype: The dtype to convert to first.
threshold(input, threshold, value, inplace=False) -> into(inplace, input, cut(input, threshold, value), True)
    inplace: Whether the input takes over the result.
threshold_(input, threshold, value) -> into(True, input, cut(input, threshold, value), True)
upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None) -> \
interpolate(input, size, scale_factor, mode, align_corners)
"""


def into(inplace: bool, input: Tensor, value: Tensor, may_overlap: bool = False) -> Tensor:
    """Return the value; with `inplace`, the input with the value written to it (see `views.write_in_place`)."""
    return write_in_place(input, value, "an operator that works in place", may_overlap) if inplace else value


def typed(input: Tensor, dtype: mstype.TypeLike) -> Tensor:
    """Return the input in the dtype asked for, or as it is for None."""
    return input if dtype is None else cast(input, dtype)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return the largest elements of `output_size` windows along the last axis, with their indices if asked.

    Args:
        input: A Tensor of shape (N, C, L) or (C, L).
        output_size: The number of windows, which cover the axis evenly.
        return_indices: Whether to return also the indices of the elements along the axis.

    Examples:
        >>> mint.nn.functional.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 2.0]]]), 2).asnumpy()
        array([[[3., 5.]]], dtype=float32)
    """
    size = output_size if isinstance(output_size, int) else output_size[0]
    out = PUBLIC["adaptive_max_pool2d"](PUBLIC["expand_dims"](input, -2), (1, size), return_indices)
    return tuple(PUBLIC["squeeze"](o, -2) for o in out) if return_indices else PUBLIC["squeeze"](out, -2)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Return (input - mean) / √(variance + eps) · weight + bias per channel.

    Args:
        input: Shape (N, C, ...).
        running_mean, running_var: The moving statistics, changed in place in training; None: those of the batch are used.
        weight, bias: One value per channel.
        training: Whether mean and variance are those of the batch.
        momentum: The share of the batch in the new moving statistics.
        eps: Added to the variance.

    Raises:
        ValueError: If the moving statistics are missing and `training` is False, or shapes do not fit the channels.

    Examples:
        >>> x, zeros, ones = Tensor([[1.0], [3.0]]), mint.zeros((1,)), mint.ones((1,))
        >>> mint.nn.functional.batch_norm(x, zeros, ones, training=True).asnumpy().round(3)
        array([[-1.],
               [ 1.]], dtype=float32)
    """
    if running_mean is None or running_var is None:
        if not training:
            raise ValueError(
                "mint.nn.functional.batch_norm: running_mean and running_var must be given unless training."
            )
        channels = np.zeros(input.shape[1], np.float32)
        running_mean, running_var = Tensor(channels), Tensor(channels + 1)
    return PUBLIC["batch_norm"](input, running_mean, running_var, weight, bias, training, momentum, eps)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return the elements, in training each 0 with probability p and the others divided by 1 - p (Srivastava et al.,
    2014).

    Args:
        input: A Tensor of floats.
        p: The probability, in [0, 1]; in training, 1 gives zeros.
        training: Whether elements are dropped at all.
        inplace: Whether `input` itself takes over the result.

    Examples:
        >>> mint.nn.functional.dropout(Tensor([1.0, 2.0]), training=False).asnumpy()
        array([1., 2.], dtype=float32)
    """
    out = PUBLIC["mul"](input, float(not training)) if p == 1 else PUBLIC["dropout"](input, p, training)
    return into(inplace, input, out)


@internal("mint.kl_div")
def _kl_div(input: Array, target: Array, reduction: str, log_target: bool) -> Array:
    x, t = unify(input, target)
    if log_target:
        loss = jnp.exp(t) * (t - x)
    else:
        positive = t > 0
        loss = jnp.where(
            positive, t * (jnp.log(jnp.where(positive, t, jnp.ones((), t.dtype))) - x), jnp.zeros((), t.dtype)
        )
    if reduction == "none":
        return loss
    total = jnp.sum(loss)
    divisor = {"sum": 1, "mean": loss.size, "batchmean": x.shape[0] if x.ndim else 1}
    if reduction not in divisor:
        raise ValueError(f"reduction must be 'none', 'mean', 'sum' or 'batchmean', got {reduction!r}.")
    return total / np.asarray(divisor[reduction], total.dtype)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Return target · (log target - input): the Kullback-Leibler divergence for log-probabilities `input`.

    Args:
        input: A Tensor of log-probabilities.
        target: A Tensor of probabilities, or with `log_target` of their logarithms; it broadcasts with `input`.
        reduction: 'mean', 'sum', 'none', or 'batchmean' (the sum over the size of axis 0).
        log_target: Whether `target` holds logarithms.

    Raises:
        ValueError: If `reduction` is unknown.

    Examples:
        >>> float(mint.nn.functional.kl_div(Tensor([0.0, 0.0]), Tensor([1.0, 1.0])))
        0.0
    """
    return _kl_div(input, target, reduction, log_target)


@internal("mint.normalize")
def _normalize(input: Array, p: float, dim: Static, eps: float) -> Array:
    x = to_float(input)
    over = axes.several(dim, x.ndim, "dim") if isinstance(dim, tuple) else axes.one(dim, x.ndim, "dim")
    length = smooth_norm(x, p, over, True)
    return x / jnp.maximum(length, jnp.asarray(eps, x.dtype))


def normalize(input: Tensor, p: float = 2.0, dim: object = 1, eps: float = 1e-12) -> Tensor:
    """Return input / max(‖input‖ₚ, eps), the norm taken along `dim`.

    Args:
        input: A Tensor; integers become float32.
        p: The order of the norm.
        dim: An axis or a tuple of two.
        eps: The least divisor.

    Raises:
        ValueError: If an axis is out of range.

    Examples:
        >>> mint.nn.functional.normalize(Tensor([[3.0, 4.0]])).asnumpy().round(3)
        array([[0.6, 0.8]], dtype=float32)
    """
    return _normalize(input, p, dim, eps)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 vectors with 1 at the index that the integer names; -1: as long as the largest integer needs.

    Args:
        tensor: A Tensor of integers, not negative.
        num_classes: The length of the vectors.

    Returns:
        An int64 Tensor with one axis more, at the end.

    Examples:
        >>> mint.nn.functional.one_hot(Tensor([0, 2])).asnumpy()
        array([[1, 0, 0],
               [0, 0, 1]])
    """
    depth = int(tensor.asnumpy().max()) + 1 if num_classes == -1 else num_classes
    return PUBLIC["one_hot"](cast(tensor, mstype.int64), depth, Tensor(1, mstype.int64), Tensor(0, mstype.int64))


_PAD = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Return the Tensor with elements put before and after those of its last axes.

    Args:
        input: The values.
        pad: (before, after) of the last axis, then of the one before it, ...; negative numbers cut off.
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`.
        value: The value of `"constant"`; 0 if None.

    Raises:
        ValueError: If `pad` holds no pairs or too many, or the mode is unknown.

    Examples:
        >>> mint.nn.functional.pad(Tensor([1.0, 2.0]), (1, 0)).asnumpy()
        array([0., 1., 2.], dtype=float32)
    """
    sides = tuple(int(p) for p in (pad.tolist() if isinstance(pad, Tensor) else pad))
    if len(sides) % 2 or len(sides) > 2 * input.ndim:
        raise ValueError(f"mint.nn.functional.pad: pad must hold pairs for at most {input.ndim} axes, got {sides}.")
    pairs = [sides[i : i + 2] for i in range(0, len(sides), 2)][::-1]
    index = (slice(None),) * (input.ndim - len(pairs))
    remaining = tuple(
        slice(max(-a, 0), size - max(-b, 0)) for (a, b), size in zip(pairs, input.shape[len(index) :], strict=True)
    )
    width = [(0, 0)] * len(index) + [(max(a, 0), max(b, 0)) for a, b in pairs]
    x = input[index + remaining] if any(p < 0 for p in sides) else input
    if mode == "constant":
        return arrays.pad(x, width, constant_values=0 if value is None else value)
    if mode not in _PAD:
        raise ValueError(
            f"mint.nn.functional.pad: mode must be constant, reflect, replicate or circular, got {mode!r}."
        )
    return arrays.pad(x, width, _PAD[mode])


_OWN = (adaptive_max_pool1d, avg_pool1d, batch_norm, dropout, kl_div, normalize, one_hot, pad)
_BY_AXES = [_convolution(n) for n in (1, 2, 3)] + [_average(n) for n in (2, 3)]
# `threshold` is also a parameter of it.
_ROWS = {**PUBLIC, "cut": PUBLIC["threshold"], "cosine_embedding": regression_loss.cosine_embedding_loss_ext}
_HELPERS = {"into": into, "implicit": axes.implicit, "typed": typed}

FUNCTIONAL: dict[str, Any] = {n: PUBLIC[n] for n in _SAME.split()}
FUNCTIONAL |= adapt(_ADAPTED, _ROWS, "mint.nn.functional", helpers=_HELPERS) | {
    f.__name__: f for f in (*_OWN, *_BY_AXES)
}

globals().update(FUNCTIONAL)

__all__ = [*sorted(FUNCTIONAL)]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
