"""Convolutions in one, two and three dimensions: the padding rules, and which formulation XLA runs fastest.

On the CPU a convolution runs in Eigen (`base.config` disables YNNPACK). Eigen beats one matrix product per kernel tap,
and unfolded windows (im2col). The exception is many channels on tiny images: there, rearranging the kernel costs more
than unfolding the image, so the convolution is a matrix product (ResNet-50's step of 4 images on two cores: 326 to 283
ms). Grouped convolutions have lowerings of their own (`lowering.cpu.conv`). In a graph, images are stored channels last
(`transform.graph.channels_last`).

All forms are ordinary differentiable code, so derivatives of every order and mode follow the choice.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base import config
from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.dtype import unify
from sporax._src.engine.arguments import check_choice, check_float, check_rank, ntuple
from sporax._src.engine.table import op
from sporax._src.sharding.convolution import whole_images, whole_kernel

Pads = Sequence[tuple[int, int]]
_SPATIAL = "DHW"
_TINY_IMAGE = 16
_MANY_CHANNELS = 128


def same_pads(
    sizes: Sequence[int], kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the padding for which the output has ceil(size / stride) elements, the odd one at the end."""
    pads = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True):
        total = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads


def conv(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int], groups: int) -> Array:
    """Return the cross-correlation of x (N, C, ...) with w (O, C / groups, ...)."""
    n = x.ndim - 2
    if groups == 1 and config.on_cpu() and _is_product(x, w, stride, pads, dilation):
        return _as_product(x, w, stride, pads, dilation)
    if groups == 1 and not config.on_cpu() and x.dtype.itemsize == 2 and _are_patches(w, stride, pads, dilation):
        return whole_images(_of_patches(whole_images(x, groups), whole_kernel(w, groups)), groups)
    axes = _SPATIAL[3 - n :]
    out = lax.conv_general_dilated(
        whole_images(x, groups),
        whole_kernel(w, groups),
        stride,
        list(pads),
        rhs_dilation=dilation,
        feature_group_count=groups,
        dimension_numbers=("NC" + axes, "OI" + axes, "NC" + axes),
        precision=config.convolution_precision(),
    )
    return whole_images(out, groups)


def _are_patches(w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> bool:
    """Return whether windows neither overlap nor leave gaps, as where a vision transformer cuts an image into patches."""
    kernel = w.shape[2:]
    return tuple(stride) == kernel and math.prod(kernel) > 1 and not any(map(any, pads)) and set(dilation) == {1}


def _of_patches(x: Array, w: Array) -> Array:
    """Return the convolution as one product: tensor cores take it as it is, while cuDNN pads an image of three channels.

    In half precision only: of some such products in float32, XLA for GPUs finds no tiles, and fails.
    """
    kernel, n = w.shape[2:], x.ndim - 2
    counts = [size // k for size, k in zip(x.shape[2:], kernel, strict=True)]
    x = x[(..., *(slice(0, count * k) for count, k in zip(counts, kernel, strict=True)))]
    x = x.reshape(*x.shape[:2], *itertools.chain(*zip(counts, kernel, strict=True)))
    contracted = (1, *range(3, 2 * n + 2, 2)), (1, *range(2, n + 2))
    return jnp.moveaxis(lax.dot_general(x, w, (contracted, ((), ())), precision=config.convolution_precision()), -1, 1)


def out_sizes(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> list[int]:
    """Return the spatial sizes of the result."""
    rows = zip(x.shape[2:], w.shape[2:], stride, pads, dilation, strict=True)
    return [(size + low + high - d * (k - 1) - 1) // s + 1 for size, k, s, (low, high), d in rows]


def _is_product(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> bool:
    positions = math.prod(out_sizes(x, w, stride, pads, dilation))
    return 0 < positions <= _TINY_IMAGE and min(w.shape[:2]) >= _MANY_CHANNELS


def _as_product(x: Array, w: Array, stride: Sequence[int], pads: Pads, dilation: Sequence[int]) -> Array:
    sizes = out_sizes(x, w, stride, pads, dilation)
    windows = unfold_windows(x, w.shape[2:], stride, pads, dilation, sizes)
    columns = windows.reshape(x.shape[0], math.prod(w.shape[1:]), math.prod(sizes))
    return jnp.matmul(w.reshape(w.shape[0], columns.shape[1]), columns).reshape(x.shape[0], w.shape[0], *sizes)


def unfold_windows(
    x: Array, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], sizes: Sequence[int]
) -> Array:
    """Return the windows of x (N, C, ...) as an array (N, C, kernel elements, *sizes)."""
    x = jnp.pad(x, ((0, 0), (0, 0), *pads)) if any(map(any, pads)) else x
    taps = []
    for at in itertools.product(*map(range, kernel)):
        start = [i * d for i, d in zip(at, dilation, strict=True)]
        stop = [b + (o - 1) * s + 1 for b, o, s in zip(start, sizes, stride, strict=True)]
        taps.append(lax.slice(x, (0, 0, *start), (*x.shape[:2], *stop), (1, 1, *stride)))
    return jnp.stack(taps, 2)


def conv_transpose(
    y: Array, w: Array, shape: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int], groups: int
) -> Array:
    """Return the gradient of `conv` for its input of the given shape: the transposed convolution of y with w."""
    back = jax.linear_transpose(
        lambda x: conv(x, w, stride, pads, dilation, groups), jax.ShapeDtypeStruct(tuple(shape), y.dtype)
    )
    return back(y)[0]


# --- convolutions -------------------------------------------------------------------------------------------------------

_MODES = ("valid", "same", "pad")
_REF = "references.nn."


def side_pads(padding: Any, n: int, name: str = "padding", sides: bool = False) -> list[tuple[int, int]]:
    """Return (before, after) for each of n axes; with `sides`, the two sides of each axis may be given apart."""
    if isinstance(padding, int):
        padding = (padding,) * n
    if sides and len(padding) == 2 * n:
        pads = [(padding[2 * i], padding[2 * i + 1]) for i in range(n)]
    elif len(padding) == n:
        pads = [(p, p) for p in padding]
    else:
        raise ValueError(f"{name} must be an int or {2 * n if sides else n} ints, got {padding!r}.")
    if any(p < 0 for pair in pads for p in pair):
        raise ValueError(f"{name} must not be negative, got {padding!r}.")
    return pads


def resolve_pads(
    pad_mode: str,
    pads: list[tuple[int, int]],
    sizes: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> list[tuple[int, int]]:
    """Return what a padding mode adds before and after each axis of the image.

    Args:
        pad_mode: "pad": what `pads` says; "valid": nothing; "same": what makes ceil(size / stride) windows.
        pads: The zeros (before, after) of each axis; 0 unless `pad_mode` is "pad".
        sizes, kernel, stride, dilation: Of the image, the kernel, its steps and the distance of its elements, for each
            axis.

    Raises:
        ValueError: If `pad_mode` is another, or there are zeros in another mode.
    """
    mode = check_choice(pad_mode, _MODES, "pad_mode")
    if mode != "pad" and any(map(any, pads)):
        raise ValueError(f"padding must be 0 unless pad_mode is 'pad', got padding {pads} with pad_mode='{pad_mode}'.")
    return same_pads(sizes, kernel, stride, dilation) if mode == "same" else pads


def _check_channels(x: Array, w: Array, groups: int) -> None:
    check_float(x)
    if groups < 1 or x.shape[1] % groups or w.shape[0] % groups:
        raise ValueError(
            f"groups must divide the input's {x.shape[1]} and the output's {w.shape[0]} channels, got groups={groups}."
        )
    if w.shape[1] * groups != x.shape[1]:
        raise ValueError(
            f"the input has {x.shape[1]} channels, but weight {list(w.shape)} with groups={groups} takes "
            f"{w.shape[1] * groups}."
        )


def _conv(
    n: int,
    x: Array,
    w: Array,
    bias: Array | None,
    stride: object,
    pad_mode: str,
    pads: list[tuple[int, int]],
    dilation: object,
    groups: int,
) -> Array:
    check_rank(x, (n + 2,))
    check_rank(w, (n + 2,), "weight")
    _check_channels(x, w, groups)
    steps, holes = ntuple(stride, n, "stride"), ntuple(dilation, n, "dilation")
    resolved = resolve_pads(pad_mode, pads, x.shape[2:], w.shape[2:], steps, holes)
    if min(out_sizes(x, w, steps, resolved, holes), default=1) < 1:
        raise ValueError(
            f"kernel {list(w.shape[2:])} with dilation {list(holes)} is larger than the padded input "
            f"{list(x.shape[2:])}."
        )
    out = conv(*unify(x, w), steps, resolved, holes, groups)
    return out if bias is None else out + per_channel(bias, out, w.shape[0])


def per_channel(bias: Array, x: Array, channels: int) -> Array:
    """Return the bias in a shape that broadcasts against the result.

    Args:
        bias: A Tensor (channels,).
        x: The result, (N, channels, ...).
        channels: The number of channels.

    Raises:
        ValueError: If `bias` has another shape.
    """
    if bias.shape != (channels,):
        raise ValueError(f"bias must have shape [{channels}], got {list(bias.shape)}.")
    return bias.astype(x.dtype).reshape((-1,) + (1,) * (x.ndim - 2))


_ERRORS_2D = (
    ("T(1, 2, 5, 5), T(3, 2, 3, 3), padding=1", "padding must be 0 unless pad_mode is 'pad'"),
    ("T(1, 2, 5, 5), T(3, 2, 3, 3), groups=3", "groups must divide"),
    ("T(1, 4, 5, 5), T(3, 2, 3, 3)", "takes 2"),
    ("T(2, 5, 5), T(3, 2, 3, 3)", "must have 4 axes"),
    ("T(1, 2, 5, 5), T(3, 2, 3, 3), pad_mode='full'", "pad_mode must be one of"),
)


@op(
    ref=_REF + "conv1d",
    cases=(
        "T(2, 2, 6), T(4, 2, 3)",
        "T(2, 2, 6), T(4, 1, 3), T(4), 2, 'pad', 1, 1, 2",
        "T(1, 2, 7), T(2, 2, 4), pad_mode='same', dilation=2",
    ),
    errors=(("T(2, 6), T(4, 2, 3)", "must have 3 axes"),),
    amp="half",
    convolves=True,
)
def conv1d(
    input: Array,
    weight: Array,
    bias: OptArray = None,
    stride: Static = 1,
    pad_mode: str = "valid",
    padding: Static = 0,
    dilation: Static = 1,
    groups: int = 1,
) -> Array:
    """Return the 1-D convolution (cross-correlation) of input with weight, plus bias.

    Args:
        input: A Tensor (N, C_in, L).
        weight: A Tensor (C_out, C_in / groups, K).
        bias: A Tensor (C_out,).
        stride, dilation, groups: As in `conv2d`.
        pad_mode: "valid", "same" or "pad".
        padding: With pad_mode "pad", the zeros on both sides.

    Returns:
        A Tensor (N, C_out, L').

    Raises:
        TypeError: If `input` holds no floats.
        ValueError: If padding is given with another pad_mode, or shapes do not fit.

    Examples:
        >>> ops.conv1d(Tensor([[[1.0, 2.0, 3.0]]]), Tensor([[[1.0, 1.0]]])).asnumpy()
        array([[[3., 5.]]], dtype=float32)
    """
    return _conv(1, input, weight, bias, stride, pad_mode, side_pads(padding, 1), dilation, groups)


@op(
    name="_conv_tbc",
    ref="torch.conv_tbc",
    cases=("T(5, 2, 3), T(3, 3, 4), T(4)", "T(5, 2, 3), T(2, 3, 4), T(4), 1"),
    errors=(
        ("T(5, 2), T(3, 3, 4), T(4)", "must have 3 axes"),
        ("T(5, 2, 3), T(3, 2, 4), T(4)", "takes 2"),
        ("T(5, 2, 3), T(3, 3, 4), T(2)", "bias must have shape [4], got [2]"),
        ("T(5, 2, 3), T(3, 3, 4), T(4), -1", "pad must be at least 0, got -1"),
    ),
    amp="half",
    convolves=True,
)
def conv_tbc(input: Array, weight: Array, bias: Array, pad: int = 0) -> Array:
    """Return the 1-D convolution (cross-correlation) of sequences along axis 0 with weight, plus bias.

    Args:
        input: A Tensor (T, N, C_in).
        weight: A Tensor (K, C_in, C_out).
        bias: A Tensor (C_out,).
        pad: The zeros on both sides of the sequences.

    Returns:
        A Tensor (T + 2 pad - K + 1, N, C_out).

    Raises:
        TypeError: If `input` holds no floats.
        ValueError: If shapes do not fit, or `pad` is negative.

    Examples:
        >>> x = Tensor([[[1.0]], [[2.0]], [[3.0]]])
        >>> mint.conv_tbc(x, mint.ones((2, 1, 1)), mint.zeros(1)).asnumpy().ravel()
        array([3., 5.], dtype=float32)
    """
    check_rank(input, (3,), "input")
    check_rank(weight, (3,), "weight")
    if pad < 0:
        raise ValueError(f"pad must be at least 0, got {pad}.")
    x, w = jnp.transpose(input, (1, 2, 0)), jnp.transpose(weight, (2, 1, 0))
    out = _conv(1, x, w, bias, 1, "pad", side_pads(pad, 1), 1, 1)
    return jnp.transpose(out, (2, 0, 1))


@op(
    ref=_REF + "conv2d",
    cases=(
        "T(2, 2, 5, 5), T(3, 2, 3, 3)",
        "T(2, 2, 5, 5), T(3, 2, 3, 3), T(3), 2, 'same'",
        "T(2, 4, 5, 6), T(4, 2, 3, 2), None, (2, 1), 'pad', (1, 2), (1, 2), 2",
        "T(2, 3, 4, 4), T(5, 3, 1, 1), stride=2",
        "T(0, 2, 5, 5), T(3, 2, 3, 3)",
    ),
    errors=_ERRORS_2D,
    amp="half",
    convolves=True,
)
def conv2d(
    input: Array,
    weight: Array,
    bias: OptArray = None,
    stride: Static = 1,
    pad_mode: str = "valid",
    padding: Static = 0,
    dilation: Static = 1,
    groups: int = 1,
) -> Array:
    """Return the 2-D convolution (cross-correlation) of input with weight, plus bias.

    Args:
        input: A Tensor (N, C_in, H, W).
        weight: A Tensor (C_out, C_in / groups, KH, KW).
        bias: A Tensor (C_out,).
        stride: The step of the window, an int or (down, right).
        pad_mode: "valid": no padding. "same": ceil(size / stride) outputs, an odd padding element at the end.
            "pad": what `padding` says.
        padding: Zeros on both sides, an int or (rows, columns); must be 0 unless pad_mode is "pad".
        dilation: The distance of neighbouring kernel elements, an int or (down, right).
        groups: The number of independent groups of channels.

    Raises:
        TypeError: If `input` holds no floats.
        ValueError: If padding is given with another pad_mode, or shapes do not fit.

    Examples:
        >>> ops.conv2d(ops.ones((1, 1, 3, 3)), ops.ones((1, 1, 2, 2))).asnumpy()
        array([[[[4., 4.],
                 [4., 4.]]]], dtype=float32)
    """
    return _conv(2, input, weight, bias, stride, pad_mode, side_pads(padding, 2), dilation, groups)


@op(
    ref=_REF + "conv3d",
    cases=(
        "T(1, 2, 3, 4, 3), T(3, 2, 2, 2, 2)",
        "T(1, 2, 3, 3, 3), T(2, 1, 2, 2, 2), T(2), 1, 'pad', (1, 0, 1), 1, 2",
        "T(1, 1, 3, 3, 4), T(1, 1, 2, 2, 2), pad_mode='same', stride=2",
    ),
    errors=(("T(2, 3, 4, 3), T(3, 2, 2, 2, 2)", "must have 5 axes"),),
    amp="half",
    convolves=True,
)
def conv3d(
    input: Array,
    weight: Array,
    bias: OptArray = None,
    stride: Static = 1,
    pad_mode: str = "valid",
    padding: Static = 0,
    dilation: Static = 1,
    groups: int = 1,
) -> Array:
    """Return the 3-D convolution (cross-correlation) of input with weight, plus bias.

    Args:
        input: A Tensor (N, C_in, D, H, W).
        weight: A Tensor (C_out, C_in / groups, KD, KH, KW).
        bias: A Tensor (C_out,).
        stride, dilation: As in `conv2d`, an int or three.
        pad_mode: "valid", "same" or "pad".
        padding: With pad_mode "pad", the zeros on both sides, an int or three.
        groups: The number of independent groups of channels.

    Returns:
        A Tensor (N, C_out, D', H', W').

    Raises:
        TypeError: If `input` holds no floats.
        ValueError: If padding is given with another pad_mode, or shapes do not fit.

    Examples:
        >>> ops.conv3d(ops.ones((1, 2, 4, 4, 4)), ops.ones((3, 2, 2, 2, 2))).shape
        (1, 3, 3, 3, 3)
    """
    return _conv(3, input, weight, bias, stride, pad_mode, side_pads(padding, 3), dilation, groups)


# --- the operator under the layers and Primitives: any padding, both layouts ----------------------------------------


@op(
    ref=_REF + "convolution",
    cases=(
        "T(2, 2, 5, 5), T(3, 2, 3, 3), T(3), pad_mode='pad', pad=(1, 0, 2, 1)",
        "T(2, 5, 5, 2), T(3, 3, 3, 2), data_format='NHWC'",
    ),
    errors=(("T(2, 2, 5, 5), T(3, 2, 3, 3), pad_mode='pad', pad=(1, 2, 3)", "ints"),),
    name="_convolution",
    amp="half",
    convolves=True,
)
def convolution(
    x: Array,
    weight: Array,
    bias: OptArray = None,
    pad_mode: str = "valid",
    pad: Static = 0,
    stride: Static = 1,
    dilation: Static = 1,
    group: int = 1,
    data_format: str = "NCHW",
) -> Array:
    """Return the convolution of x with weight, with the padding of each side of each axis on its own.

    Args:
        x: A Tensor (N, C_in, ...), or (N, ..., C_in) if `data_format` ends in C.
        weight: A Tensor (C_out, C_in / group, ...), or with the channels at the end as x has them.
        bias: A Tensor (C_out,).
        pad_mode, stride, dilation, group: As in `conv2d`.
        pad: An int, or (before, after) for each axis in turn.
        data_format: The order of the axes.
    """
    n = x.ndim - 2
    last = data_format.upper().endswith("C")
    if last:
        x, weight = jnp.moveaxis(x, -1, 1), jnp.moveaxis(weight, -1, 1)
    out = _conv(n, x, weight, bias, stride, pad_mode, side_pads(pad, n, "pad", sides=True), dilation, group)
    return jnp.moveaxis(out, 1, -1) if last else out


@primitive(
    "DepthwiseConv2dNative(channel_multiplier, kernel_size, mode=3, pad_mode='valid', pad=0, stride=1, "
    "dilation=1, group=1)"
)
def _depthwise(x: object, weight: Any, pad_mode: str, pad: object, stride: object, dilation: object) -> Any:
    """Return the convolution of each channel of x with its own kernels, weight (multiplier, C, KH, KW)."""
    m, c, *kernel = weight.shape
    own = weight.swapaxes(0, 1).reshape(c * m, 1, *kernel)
    return convolution(x, own, None, pad_mode, pad, stride, dilation, c)


primitives(
    """\
    out_channel, kernel_size: Those of the weight.
    mode: Accepted: 1 is the convolution, and there is no other.
Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, data_format='NCHW')\
(x, weight) -> convolution(x, weight, None, pad_mode, pad, stride, dilation, group, data_format)
Conv3D(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, data_format='NCDHW')\
(x, weight) -> convolution(x, weight, None, pad_mode, pad, stride, dilation, group, data_format)
""",
    globals(),
)
