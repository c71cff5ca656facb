"""Gradient primitives (`AtanGrad`, `MaxPoolGrad`, ...): the vector-Jacobian product of the Primitive they belong to.

A gradient primitive takes what its forward Primitive takes at construction. When called it takes the cotangent `dy` and
operands, in the order of the table below: a `*` marks the operands whose gradients are returned, a leading `_` those
that the forward Primitive does not need (its result, mostly). `shape*` stands for an operand of that shape: the forward
Primitive is linear in it. Gradients of 16-bit floats are computed in float32, those of integers in float64; they have
the dtype of the operand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import PRIMITIVES, primitive, primitives, view
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.arguments import check_choice, floating, shaped, wide
from sporax._src.engine.dispatch import Kernel, run
from sporax._src.engine.table import freeze, internal
from sporax._src.ops.nn.fractional_pooling import region_elements
from sporax._src.ops.nn.pooling import mode_pads, window_boxes
from sporax._src.ops.nn.sliding_window import lowest, window_argmax

GRADIENTS: dict[str, tuple[str, str]] = {
    # --- elementwise
    "AbsGrad": ("Abs", "x* dy"),
    "ACosGrad": ("ACos", "x* dy"),
    "AsinGrad": ("Asin", "x* dy"),
    "AtanGrad": ("Atan", "x* dy"),
    "FastGeLUGrad": ("FastGeLU", "dy x*"),
    "GeLUGrad": ("GeLU", "dy x* _y"),
    "HShrinkGrad": ("HShrink", "dy x*"),
    "HSigmoidGrad": ("HSigmoid", "dy x*"),
    "HSwishGrad": ("HSwish", "dy x*"),
    "LogitGrad": ("Logit", "dy x*"),
    "PReLUGrad": ("PReLU", "dy x* weight*"),
    "SoftShrinkGrad": ("SoftShrink", "dy x*"),
    "SoftplusGrad": ("Softplus", "dy x*"),
    # --- losses
    "BinaryCrossEntropyGrad": ("BinaryCrossEntropy", "x* target dy weight"),
    "KLDivLossGrad": ("KLDivLoss", "dy x* target"),
    "MultiMarginLossGrad": ("MultiMarginLoss", "dy x* target weight"),
    "SigmoidCrossEntropyWithLogitsGrad": ("SigmoidCrossEntropyWithLogits", "x* target dy"),
    "SmoothL1LossGrad": ("SmoothL1Loss", "x* target dy"),
    "SoftMarginLossGrad": ("SoftMarginLoss", "x* target dy"),
    # --- windows and images
    "AvgPoolGrad": ("AvgPool", "x* _y dy"),
    "LRNGrad": ("LRN", "dy x* _y"),
    "MaxPoolGrad": ("MaxPool", "x* _y dy"),
    "ResizeBilinearGrad": ("ResizeBilinearV2", "dy x*"),
    "ROIAlignGrad": ("ROIAlign", "dy rois shape*"),
    "UpsampleTrilinear3DGrad": ("UpsampleTrilinear3D", "dy shape* size scales"),
    # --- linear algebra, statistics, distances
    "L2NormalizeGrad": ("L2Normalize", "x* _y dy"),
    "MvlgammaGrad": ("Mvlgamma", "dy x*"),
    "PdistGrad": ("Pdist", "dy x* _distance"),
    # --- elements
    "GatherDGradV2": ("GatherD", "x* dim index dy"),
    "SliceGrad": ("Slice", "dy x* begin size"),
    "StridedSliceGrad": ("StridedSlice", "dy shape* begin end strides"),
}


def build() -> None:
    """Create the gradient primitives of the table; their forward Primitives must exist."""
    for name, (forward, order) in GRADIENTS.items():
        constructed, is_called, _ = PRIMITIVES[forward].spec.removeprefix(forward).partition(")(")
        view(f"{name}{constructed}{')' if is_called else ''}", gradient_of(name, forward, order))


def gradient_of(name: str, forward: str, order: str) -> Callable[..., Any]:
    """Return the function of operands and cotangent in this order, and attributes, that gives the marked gradients."""
    names = order.split()
    kernels: dict[Any, Kernel] = {}

    def call(*args: object, **attrs: object) -> Any:
        bound = names[: len(args)]
        tensors = tuple([isinstance(a, Tensor) for a in args])
        fixed = tuple([None if t else freeze(a) for a, t in zip(args, tensors, strict=True)])
        key = (tensors, fixed, freeze(tuple(attrs.items())))
        if key not in kernels:
            kernels[key] = Kernel(_pullback(PRIMITIVES[forward](**attrs), bound, tensors, fixed), f"ops.{name}")
        return run(kernels[key], [a for a in args if isinstance(a, Tensor)])

    call.__doc__ = f"Return the vector-Jacobian product of `ops.{forward}`."
    return call


def _pullback(
    forward: Callable[..., Any], names: list[str], tensors: tuple[bool, ...], fixed: tuple[Any, ...]
) -> Callable[..., Any]:
    def fn(*arrays: Array) -> Any:
        rest = iter(arrays)
        arguments = {n: next(rest) if t else f for n, t, f in zip(names, tensors, fixed, strict=True)}
        dy = arguments.pop("dy")
        operands = {n: v for n, v in arguments.items() if not n.startswith("_")}
        if "shape*" in operands:
            operands["shape*"] = jnp.zeros(operands["shape*"], dy.dtype)
        wanted = [n for n in operands if n.endswith("*")]
        dtypes = [operands[n].dtype for n in wanted]
        operands = {n: wide(v) if isinstance(v, jax.Array) else v for n, v in operands.items()}

        def primal(*xs: Array) -> Any:
            full = {**operands, **dict(zip(wanted, xs, strict=True))}
            out = forward(*_arranged(forward.name, full, dy))
            return (out[0] if isinstance(out, tuple) else out)._data

        out, pull = jax.vjp(primal, *[_smooth(operands[n]) for n in wanted])
        cotangent = dy.reshape(()) if out.ndim == 0 else jnp.broadcast_to(dy, out.shape)
        cotangents = pull(jnp.conj(cotangent.astype(out.dtype)))
        gradients = tuple([jnp.conj(g).astype(dtype) for g, dtype in zip(cotangents, dtypes, strict=True)])
        return gradients[0] if len(gradients) == 1 else gradients

    return fn


def _smooth(x: Array) -> Array:
    """Return integers as float64, which have gradients; anything else as it is."""
    return x.astype(jnp.float64) if jnp.issubdtype(x.dtype, jnp.integer) else x


def _arranged(forward: str, operands: dict[str, Any], dy: Any) -> list[Any]:
    """Return the operands in the order of the forward Primitive."""
    values = [wrap(v) if isinstance(v, jax.Array) else v for v in operands.values()]
    if forward == "ResizeBilinearV2":
        return [*values, dy.shape[2:]]
    return values[::-1] if forward == "ROIAlign" else values


# --- gradients whose arguments are not those of the forward Primitive -----------------------------------------------

_adaptive_avg3d = gradient_of("AdaptiveAvgPool3DGrad", "AdaptiveAvgPool3D", "dy shape*")
_conv2d = gradient_of("Conv2DBackpropFilter", "Conv2D", "dy x shape*")
_grid_sampler2d = gradient_of("GridSampler2DGrad", "GridSampler2D", "dy x* grid*")
_grid_sampler3d = gradient_of("GridSampler3DGrad", "GridSampler3D", "dy x* grid*")
_maximum = gradient_of("MaximumGrad", "Maximum", "x* y* dy")
_max_pool3d = gradient_of("MaxPool3DGrad", "MaxPool3D", "x* _y dy")
_minimum = gradient_of("MinimumGrad", "Minimum", "x* y* dy")
_nll_loss = gradient_of("NLLLossGrad", "NLLLoss", "x* dy target weight")


@primitive("NLLLossGrad(reduction='mean', ignore_index=-100)")
def _of_nll_loss(
    x: Tensor, dy: Tensor, target: Tensor, weight: Tensor, total: Tensor, reduction: str, ignore_index: int
) -> Any:
    """Return the gradient of `ops.NLLLoss` by x; total is the sum of weights that it returned."""
    kind, cotangent = ("sum", dy / total) if reduction == "mean" else (reduction, dy)
    return _nll_loss(x, cotangent, target, weight, reduction=kind, ignore_index=ignore_index)


# --- gradients that MindSpore computes from the result of the forward Primitive ------------------------------------


@primitive("AcoshGrad()")
@internal("AcoshGrad")
def _acosh(y: Array, dy: Array) -> Array:
    """Return dy / sinh(y), the gradient of acosh by its result."""
    return dy / jnp.conj(jnp.sinh(y))


@primitive("AsinhGrad()")
@internal("AsinhGrad")
def _asinh(y: Array, dy: Array) -> Array:
    """Return dy / cosh(y), the gradient of asinh by its result."""
    return dy / jnp.conj(jnp.cosh(y))


@primitive("EluGrad()")
@internal("EluGrad")
def _elu(dy: Array, y: Array) -> Array:
    """Return the gradient of ELU by its result."""
    return jnp.where(y < 0, dy * (y + 1), dy)


@primitive("ReluGrad()")
@internal("ReluGrad")
def _relu(dy: Array, y: Array) -> Array:
    """Return the gradient of ReLU by its operand or result."""
    return jnp.where(y > 0, dy, jnp.zeros_like(dy))


@primitive("ReLU6Grad()")
@internal("ReLU6Grad")
def _relu6(dy: Array, x: Array) -> Array:
    """Return the gradient of ReLU6: dy where 0 < x ≤ 6."""
    return jnp.where((x > 0) & (x <= 6), dy, jnp.zeros_like(dy))


@primitive("SiLUGrad()")
@internal("SiLUGrad")
def _silu(dy: Array, x: Array) -> Array:
    """Return the gradient of x·sigmoid(x)."""
    s = jax.nn.sigmoid(wide(x))
    return (wide(dy) * (s * (1 + wide(x) * (1 - s)))).astype(x.dtype)


@primitive("InvGrad()")
@internal("InvGrad")
def _inv(y: Array, dy: Array) -> Array:
    """Return -dy·y², the gradient of 1/x by its result if that is real: nothing is conjugated."""
    return -dy * y * y


@primitive("ReciprocalGrad()")
@internal("ReciprocalGrad")
def _reciprocal(y: Array, dy: Array) -> Array:
    """Return -dy·y², the gradient of 1/x by its result."""
    return -dy * jnp.conj(y * y)


@primitive("RsqrtGrad()")
@internal("RsqrtGrad")
def _rsqrt(y: Array, dy: Array) -> Array:
    """Return -dy·y³ / 2, the gradient of 1/√x by its result."""
    return -dy * jnp.conj(y * y * y) / 2


@primitive("SigmoidGrad()")
@internal("SigmoidGrad")
def _sigmoid(y: Array, dy: Array) -> Array:
    """Return dy·y·(1 - y), the gradient of the sigmoid by its result."""
    return dy * jnp.conj(y * (1 - y))


@primitive("SqrtGrad()")
@internal("SqrtGrad")
def _sqrt(y: Array, dy: Array) -> Array:
    """Return dy / (2y), the gradient of √x by its result."""
    return dy / jnp.conj(2 * y)


@primitive("TanhGrad()")
@internal("TanhGrad")
def _tanh(y: Array, dy: Array) -> Array:
    """Return dy·(1 - y²), the gradient of tanh by its result if that is real: nothing is conjugated."""
    return dy * (1 - y * y)


@primitive("LogSoftmaxGrad(axis=-1)")
@internal("LogSoftmaxGrad")
def _log_softmax(y: Array, dy: Array, axis: Static = -1) -> Array:
    """Return dy - softmax·sum(dy), the gradient of log-softmax, computed from its result."""
    return dy - jnp.exp(y) * jnp.sum(dy, axis, keepdims=True)


@primitive("BiasAddGrad(data_format='NCHW')")
@internal("BiasAddGrad")
def _bias_add(dy: Array, data_format: Static = "NCHW") -> Array:
    """Return the sum of the cotangent over all axes but the channels'."""
    channel = dy.ndim - 1 if data_format == "NHWC" or dy.ndim == 2 else 1
    return jnp.sum(dy, [a for a in range(dy.ndim) if a != channel], dtype=dy.dtype)


@primitive("LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)")
@internal("LayerNormGrad")
def _layer_norm(
    x: Array,
    dy: Array,
    variance: Array,
    mean: Array,
    gamma: Array,
    begin_norm_axis: Static = 1,
    begin_params_axis: Static = 1,
) -> tuple[Array, Array, Array]:
    """Return the gradients of layer normalisation by x, gamma and beta, from its saved statistics."""
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    batch = tuple(range(begin_params_axis % x.ndim))
    size = variance.shape + (1,) * (x.ndim - variance.ndim)
    scale = jax.lax.rsqrt(variance.reshape(size) + jnp.asarray(1e-12, variance.dtype)).astype(x.dtype)
    centred = (x - mean.reshape(size).astype(x.dtype)) * scale
    inner = dy * gamma.astype(dy.dtype)
    mean_inner = jnp.mean(inner, axes, keepdims=True)
    dx = (inner - mean_inner - centred * jnp.mean(inner * centred, axes, keepdims=True)) * scale
    return dx, jnp.sum(dy * centred, batch).astype(gamma.dtype), jnp.sum(dy, batch).astype(gamma.dtype)


@primitive("DropoutGrad(keep_prob=0.5)")
@internal("DropoutGrad")
def _dropout(dy: Array, mask: Array, keep_prob: Static = 0.5) -> Array:
    """Return the cotangent where the mask is 1, scaled by 1 / keep_prob, and 0 where it is 0."""
    if not isinstance(keep_prob, float):
        raise TypeError(f"keep_prob must be a float, got {keep_prob!r}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"keep_prob must be in (0, 1], got {keep_prob}.")
    dy = floating(dy, "dy")
    scaled_mask = jax.lax.stop_gradient(floating(mask, "mask")).astype(dy.dtype)
    return dy * scaled_mask * jnp.asarray(1 / keep_prob, dy.dtype)


@primitive("CdistGrad(p=2.0)")
@internal("CdistGrad")
def _cdist(dy: Array, x: Array, y: Array, distance: Array, p: Static = 2.0) -> Array:
    """Return the gradient of `Cdist` by x (..., m, k), from the distances (..., m, n) to y (..., n, k); 0 for p < 1."""
    shaped(dy, distance.shape, "dy")
    apart = floating(x, "x")[..., :, None, :] - y[..., None, :, :]
    size, far = jnp.abs(apart), floating(distance, "distance")[..., None]
    if p < 1:
        return jnp.zeros_like(x)
    if p == math.inf:
        share = jnp.where(size == far, 1, 0).astype(x.dtype)
    else:
        share = jnp.where((size > 0) & (far > 0), size / jnp.where(far > 0, far, 1), 0) ** (p - 1)
    return jnp.sum(dy[..., None] * jnp.where(apart != 0, jnp.sign(apart) * share, 0), -2)


@primitive("IgammaGradA()")
@internal("IgammaGradA")
def _igamma_by_a(a: Array, x: Array) -> Array:
    """Return the derivative of P(a, x), the regularised lower incomplete gamma function, by a."""
    return jax.lax.igamma_grad_a(*jnp.broadcast_arrays(floating(a, "a"), floating(x, "x")))


@internal("TraceV2Grad")
def _on_diagonal(dout: Array, shape: Static, offset: int, axis1: int, axis2: int) -> Array:
    trace = functools.partial(jnp.trace, offset=offset, axis1=axis1, axis2=axis2)
    return jax.linear_transpose(trace, jax.ShapeDtypeStruct(shape, dout.dtype))(dout)[0]


# --- fractional pooling -------------------------------------------------------------------------------------------------


@primitive("FractionalMaxPoolGrad(overlapping=False)")
def _fractional_max_pool_grad(
    orig_input: Tensor,
    orig_output: Tensor,
    out_backprop: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> Tensor:
    """Return the gradient of `FractionalMaxPool` by its images: each region's goes to the first of its largest elements.

    Args:
        orig_input: The images (N, H, W, C).
        orig_output: The maxima (N, rows, columns, C).
        out_backprop: The gradient by them, of their shape.
        row_pooling_sequence, col_pooling_sequence: The bounds of the regions of rows and columns.
        overlapping: Whether a region has the first element of the next as well.

    Raises:
        ValueError: If `orig_input` has not 4 axes, or the others do not fit the regions.

    Examples:
        >>> x, one, bounds = Tensor([[[[1.0], [2.0]]]]), ops.ones((1, 1, 1, 1)), Tensor([0, 2])
        >>> ops.FractionalMaxPoolGrad()(x, one, one, Tensor([0, 1]), bounds).asnumpy().ravel()
        array([0., 1.], dtype=float32)
    """
    where = "ops.FractionalMaxPoolGrad"
    if orig_input.ndim != 4:
        raise ValueError(f"{where}: orig_input must have 4 axes, got shape {list(orig_input.shape)}.")
    n, _, _, channels = orig_input.shape
    want = (n, row_pooling_sequence.shape[0] - 1, col_pooling_sequence.shape[0] - 1, channels)
    for name, operand in (("orig_output", orig_output), ("out_backprop", out_backprop)):
        if operand.shape != want:
            raise ValueError(f"{where}: {name} must have shape {list(want)}, got {list(operand.shape)}.")
    return _to_maxima(orig_input, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping)


@internal("FractionalMaxPoolGrad")
def _to_maxima(x: Array, dy: Array, rows: Array, cols: Array, overlapping: bool) -> Array:
    n, height, width, channels = x.shape
    (down, own_down), (across, own_across) = (
        region_elements(ends, size, 1, overlapping) for ends, size in ((rows, height), (cols, width))
    )
    flat = down[:, None, :, None] * width + across[:, None]
    own = own_down[:, None, :, None] & own_across[:, None]
    pieces = (len(rows) - 1, len(cols) - 1, -1)
    flat, own = flat.reshape(pieces), own.reshape(pieces)
    pixels = x.reshape(n, height * width, channels)
    seen = jnp.where(own[..., None], pixels[:, flat], lowest(x.dtype))
    best = jnp.take_along_axis(flat[None, ..., None], jnp.argmax(seen, 3)[:, :, :, None], 3)[:, :, :, 0]
    image, channel = jnp.arange(n).reshape(-1, 1, 1, 1), jnp.arange(channels)
    return jnp.zeros_like(pixels).at[image, best, channel].add(dy.astype(x.dtype)).reshape(x.shape)


# --- pooling by its maxima ----------------------------------------------------------------------------------------------


@primitive("MaxPoolGradWithArgmax(kernel_size=1, strides=1, pad_mode='VALID', data_format='NCHW')")
@internal("MaxPoolGradWithArgmax")
def _max_pool_argmax(x: Array, dy: Array, argmax: Array) -> Array:
    """Return zeros of the shape of x with dy added at the indices argmax in each flattened (C, H, W)."""
    return _scattered(x, dy, argmax, 1)


@primitive(
    "MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=None)"
)
@internal("MaxPoolGradWithArgmaxV2")
def _max_pool_argmax2(x: Array, dy: Array, argmax: Array) -> Array:
    """Return zeros of the shape of x with dy added at the indices argmax in each flattened (H, W)."""
    return _scattered(x, dy, argmax, 2)


def _scattered(x: Array, dy: Array, argmax: Array, first: int) -> Array:
    """Return zeros of the shape of x with dy added at indices that are counted in the flattened axes from `first` on."""
    rows, size = math.prod(x.shape[:first]), math.prod(x.shape[first:])
    indices = argmax.reshape(rows, math.prod(argmax.shape[first:]))
    values = shaped(dy, argmax.shape, "dy").reshape(indices.shape)
    return jnp.zeros((rows, size), dy.dtype).at[jnp.arange(rows)[:, None], indices].add(values).reshape(x.shape)


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
    pads = mode_pads(x, check_choice(pad_mode, ("valid", "same"), "pad_mode"), 0, kernel_size, strides)
    _, indices = window_argmax(x, window_boxes(x, x.ndim - 2, kernel_size, strides, pads))
    flat = floating(grad, "grad").reshape(*x.shape[:2], -1)
    return jnp.take_along_axis(flat, indices.reshape(*x.shape[:2], -1), 2).reshape(indices.shape)


primitives(
    """\
AdaptiveAvgPool3DGrad()(dy: Tensor, orig_input_shape) -> \
_adaptive_avg3d(dy, freeze(orig_input_shape), output_size=dy.shape[-3:])
    Return the gradient of `ops.AdaptiveAvgPool3D` by its operand, whose shape is given, as a Tensor or a tuple.
Conv2DBackpropFilter(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1, \
group=1, data_format='NCHW')(dout: Tensor, x: Tensor, filter_sizes) -> \
_conv2d(dout, x, filter_sizes, out_channel=out_channel, kernel_size=kernel_size, pad_mode=pad_mode, pad=pad_list or pad, \
mode=mode, stride=stride, dilation=dilation, group=group, data_format=data_format)
    Return the gradient of the convolution of x by its weight, which has the shape filter_sizes.
GridSampler2DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False, output_mask=(1, 1))\
(dy: Tensor, x: Tensor, grid: Tensor) -> _grid_sampler2d(dy, x, grid, interpolation_mode=interpolation_mode, \
padding_mode=padding_mode, align_corners=align_corners)
    Return the gradients of `ops.GridSampler2D` by x and grid; `output_mask` is left unread.
GridSampler3DGrad(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False, output_mask=(1, 1))\
(dy: Tensor, x: Tensor, grid: Tensor) -> _grid_sampler3d(dy, x, grid, interpolation_mode=interpolation_mode, \
padding_mode=padding_mode, align_corners=align_corners)
    Return the gradients of `ops.GridSampler3D` by x and grid; `output_mask` is left unread.
MaxPool3DGrad(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, data_format='NCDHW')(x: Tensor, y: Tensor, dy: Tensor) -> \
_max_pool3d(x, y, dy, kernel_size=kernel_size, strides=strides, pad_mode=pad_mode, pad_list=pad_list, \
data_format=data_format)
    Return the gradient of `ops.MaxPool3D` by x.
MaximumGrad(grad_x=True, grad_y=True)(x: Tensor, y: Tensor, dy: Tensor) -> _maximum(x, y, dy)
    Return the gradients of the elementwise maximum by both operands.
MinimumGrad(grad_x=True, grad_y=True)(x: Tensor, y: Tensor, dy: Tensor) -> _minimum(x, y, dy)
    Return the gradients of the elementwise minimum by both operands.
TraceV2Grad()(dout, shape: Tensor, offset=0, axis1=0, axis2=1) -> \
_on_diagonal(dout, tuple(shape.tolist()), offset, axis1, axis2)
    Return zeros of this shape with dout along the diagonal of two axes.
""",
    globals(),
)
