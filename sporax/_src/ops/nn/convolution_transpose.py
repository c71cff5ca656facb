"""Transposed convolutions: the maps that take a convolution's outputs back to its inputs."""

from __future__ import annotations

from sporax._src.base.typing import Array, OptArray, Shape, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core.dtype import unify
from sporax._src.engine.arguments import check_rank, ntuple
from sporax._src.engine.table import op
from sporax._src.ops.nn import convolution
from sporax._src.ops.nn.convolution import per_channel, resolve_pads, side_pads

_REF = "references.nn."
_UNFIT = (
    ("T(1, 3, 4, 4), T(4, 2, 3, 3)", "weight must have the input's 3 channels along axis 0"),
    ("T(1, 3, 4, 4), T(3, 2, 3, 3), groups=2", "a multiple of groups=2, got shape [3, 2, 3, 3]"),
    ("T(1, 3, 4, 4), T(3, 2, 3, 3), T(5)", "bias must have shape [2], got [5]"),
    ("T(1, 3, 4, 4), T(3, 2, 3, 3), stride=0", "stride must be at least 1, got 0"),
    ("T(1, 3, 1, 1), T(3, 2, 1, 1), padding=4", "padding must leave something of the result"),
)


@op(
    ref=_REF + "conv_input_gradient",
    cases=(
        "T(2, 3, 3, 3), T(3, 2, 3, 3), (2, 2, 7, 7), 'valid', 0, 2",
        "T(1, 3, 4, 4), T(3, 2, 3, 3), (1, 2, 8, 8), 'same', 0, 2",
        "T(1, 4, 3, 3), T(4, 1, 2, 2), (1, 2, 3, 3), 'pad', (1, 0, 0, 1), 1, 1, 2",
    ),
    errors=(("T(2, 3, 3, 3), T(3, 2, 3, 3), (2, 2, 9, 9)", "input_size"),),
    name="_conv_transpose",
    convolves=True,
)
def conv_input_gradient(
    dout: Array,
    weight: Array,
    input_size: Shape,
    pad_mode: str = "valid",
    pad: Static = 0,
    stride: Static = 1,
    dilation: Static = 1,
    group: int = 1,
) -> Array:
    """Return the Tensor of shape `input_size` that a convolution maps back from dout.

    Args:
        dout: A Tensor (N, C_out, ...).
        weight: The kernel of the forward convolution, (C_out, C_in / group, ...).
        input_size: The shape of the result, (N, C_in, ...).
        pad_mode, pad, stride, dilation, group: Those of the forward convolution.
    """
    n = dout.ndim - 2
    steps, holes = ntuple(stride, n, "stride"), ntuple(dilation, n, "dilation")
    pads = resolve_pads(pad_mode, side_pads(pad, n, "pad", sides=True), input_size[2:], weight.shape[2:], steps, holes)
    dout, weight = unify(dout, weight)
    rows = zip(input_size[2:], weight.shape[2:], steps, pads, holes, strict=True)
    expected = [(size + low + high - d * (k - 1) - 1) // s + 1 for size, k, s, (low, high), d in rows]
    if list(dout.shape[2:]) != expected or dout.shape[1] != weight.shape[0] or input_size[1] != weight.shape[1] * group:
        raise ValueError(
            f"input_size {list(input_size)} with weight {list(weight.shape)} makes images {expected}, got dout "
            f"{list(dout.shape)}."
        )
    return convolution.conv_transpose(dout, weight, input_size, steps, pads, holes, group)


def _grown(y: Array, w: Array, pads: list[tuple[int, int]], stride: Shape, dilation: Shape, extra: Shape) -> list[int]:
    rows = zip(y.shape[2:], w.shape[2:], pads, stride, dilation, extra, strict=True)
    return [(size - 1) * s + d * (k - 1) + 1 - low - high + e for size, k, (low, high), s, d, e in rows]


@op(
    ref=_REF + "conv_transpose",
    cases=(
        "T(1, 3, 4), T(3, 2, 3)",
        "T(1, 4, 3, 3), T(4, 1, 3, 3), T(2), 2, 1, 1, 2, 1",
        "T(1, 2, 2, 2, 2), T(2, 3, 2, 2, 2), stride=2",
    ),
    errors=(
        ("T(3, 4), T(3, 2, 3)", "input must have 3 or 4 or 5 axes, got shape [3, 4]"),
        ("T(1, 3, 4), T(3, 2, 3, 3)", "weight must have 3 axes, got shape [3, 2, 3, 3]"),
        *_UNFIT,
    ),
    name="_conv_transposed",
    amp="half",
    convolves=True,
)
def conv_transposed(
    input: Array,
    weight: Array,
    bias: OptArray = None,
    stride: Static = 1,
    padding: Static = 0,
    output_padding: Static = 0,
    groups: int = 1,
    dilation: Static = 1,
) -> Array:
    """Return the transposed convolution of input (N, C_in, ...) with weight (C_in, C_out / groups, ...), plus bias.

    Args:
        padding: Rows and columns cut off on both sides: an int, one per axis, or (before, after) for each axis.
        output_padding: Rows and columns added at the end.
        stride, dilation, groups: Those of the convolution whose transpose this is.

    Raises:
        ValueError: If a number is out of range or shapes do not fit.
    """
    check_rank(input, (3, 4, 5))
    check_rank(weight, (input.ndim,), "weight")
    if groups < 1 or weight.shape[0] % groups or weight.shape[0] != input.shape[1]:
        raise ValueError(
            f"weight must have the input's {input.shape[1]} channels along axis 0, a multiple of groups={groups}, got "
            f"shape {list(weight.shape)}."
        )
    n = input.ndim - 2
    steps, holes = ntuple(stride, n, "stride"), ntuple(dilation, n, "dilation")
    pads = side_pads(padding, n, sides=True)
    sizes = _grown(input, weight, pads, steps, holes, ntuple(output_padding, n, "output_padding", 0))
    if min(sizes) < 1:
        raise ValueError(f"padding must leave something of the result, got {padding}, which leaves sizes {sizes}.")
    x, w = unify(input, weight)
    shape = (x.shape[0], w.shape[1] * groups, *sizes)
    out = convolution.conv_transpose(x, w, shape, steps, pads, holes, groups)
    return out if bias is None else out + per_channel(bias, out, shape[1])


@op(
    ref="torch.conv_transpose2d",
    cases=("T(1, 3, 4, 4), T(3, 2, 3, 3)", "T(1, 4, 3, 3), T(4, 1, 3, 3), T(2), 2, 1, 1, 2, 1"),
    errors=(
        ("T(3, 4, 4), T(3, 2, 3, 3)", "input must have 4 axes, got shape [3, 4, 4]"),
        ("T(1, 3, 4, 4), T(3, 2, 3)", "weight must have 4 axes, got shape [3, 2, 3]"),
        *_UNFIT,
    ),
    amp="half",
    convolves=True,
)
def conv_transpose2d(
    input: Array,
    weight: Array,
    bias: OptArray = None,
    stride: Static = 1,
    padding: Static = 0,
    output_padding: Static = 0,
    groups: int = 1,
    dilation: Static = 1,
) -> Array:
    """Return the 2-D transposed convolution of input with weight, plus bias: what maps a convolution's results back.

    Args:
        input: A Tensor (N, C_in, H, W).
        weight: A Tensor (C_in, C_out / groups, KH, KW).
        bias: A Tensor (C_out,).
        stride, dilation: Those of the convolution whose transpose this is, an int or (rows, columns).
        padding: Rows and columns cut off on both sides, an int or (rows, columns).
        output_padding: Rows and columns added at the end.
        groups: The number of independent groups of channels.

    Returns:
        A Tensor (N, C_out, H', W'), H' = (H - 1) · stride - 2 · padding + dilation · (KH - 1) + output_padding + 1.

    Raises:
        ValueError: If a number is out of range or shapes do not fit.

    Examples:
        >>> ops.conv_transpose2d(Tensor([[[[1.0, 2.0]]]]), Tensor([[[[1.0, 1.0]]]]), stride=2).asnumpy()
        array([[[[1., 1., 2., 2.]]]], dtype=float32)
    """
    check_rank(input, (4,))
    return conv_transposed.raw(input, weight, bias, stride, padding, output_padding, groups, dilation)


@op(
    ref=_REF + "conv3d_transpose",
    cases=(
        "T(1, 2, 2, 2, 2), T(2, 3, 2, 2, 2), stride=2",
        "T(1, 2, 2, 2, 3), T(2, 1, 3, 3, 3), 'pad', 1, 2, output_padding=1",
    ),
    errors=(("T(1, 2, 2, 2, 2), T(2, 3, 2, 2, 2), output_padding=1", "output_padding must be 0"),),
    amp="half",
    convolves=True,
)
def conv3d_transpose(
    inputs: Array,
    weight: Array,
    pad_mode: str = "valid",
    padding: Static = 0,
    stride: Static = 1,
    dilation: Static = 1,
    group: int = 1,
    output_padding: Static = 0,
) -> Array:
    """Return the 3-D transposed convolution of inputs with weight: what maps a convolution's results back.

    Args:
        inputs: A Tensor (N, C_in, D, H, W).
        weight: A Tensor (C_in, C_out / group, KD, KH, KW).
        pad_mode: "valid": nothing is cut off; "same": size · stride elements; "pad": what `padding` says.
        padding: An int, 3 ints or 6 ints.
        stride, dilation, group: Those of the convolution whose transpose this is, an int or three.
        output_padding: Elements added at the end; must be 0 unless pad_mode is "pad".

    Returns:
        A Tensor (N, C_out, D', H', W').

    Raises:
        ValueError: If a number is out of range, or `output_padding` is given with another pad_mode.

    Examples:
        >>> ops.conv3d_transpose(ops.ones((1, 2, 3, 3, 3)), ops.ones((2, 4, 2, 2, 2)), stride=2).shape
        (1, 4, 6, 6, 6)
    """
    steps, holes = ntuple(stride, 3, "stride"), ntuple(dilation, 3, "dilation")
    sizes = [size * s for size, s in zip(inputs.shape[2:], steps, strict=True)]
    pads = resolve_pads(pad_mode, side_pads(padding, 3, sides=True), sizes, weight.shape[2:], steps, holes)
    extra = ntuple(output_padding, 3, "output_padding", 0)
    if pad_mode.lower() != "pad" and any(extra):
        raise ValueError(f"output_padding must be 0 unless pad_mode is 'pad', got {output_padding}.")
    x, w = unify(inputs, weight)
    grown = sizes if pad_mode.lower() == "same" else _grown(x, w, pads, steps, holes, extra)
    return convolution.conv_transpose(x, w, (x.shape[0], w.shape[1] * group, *grown), steps, pads, holes, group)


primitives(
    """\
    in_channel, out_channel, kernel_size: Those of the weight.
    mode: Accepted: 1 is the convolution, and there is no other.
    data_format: Accepted: channels come first.
    pad: That of the forward convolution.
    pad_list: In place of `pad`, unless None.
Conv2DTranspose(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1, \
data_format='NCHW')(dout, weight, input_size) -> \
conv_input_gradient(dout, weight, input_size, pad_mode, pad_list or pad, stride, dilation, group)
Conv2DBackpropInput(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1, \
data_format='NCHW')(dout, weight, input_size) -> \
conv_input_gradient(dout, weight, input_size, pad_mode, pad_list or pad, stride, dilation, group)
Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, \
output_padding=0, data_format='NCDHW')(dout, weight) -> \
conv3d_transpose(dout, weight, pad_mode, pad, stride, dilation, group, output_padding)
    Return the 3-D transposed convolution of dout with weight: what maps a convolution's results back.
    pad_mode: "valid": nothing is cut off; "same": size · stride elements; "pad": what `pad` says.
    pad: An int, 3 ints or 6 ints.
""",
    globals(),
)
