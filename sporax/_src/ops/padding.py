"""Padding at the ends of axes, and the rearrangements of images into blocks, batches and columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.ops.conv_core import unfold_windows
from sporax._src.ops.nn_checks import check_choice, check_rank, ntuple
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import composite, op

_REF = "sporax._src.testing.image_references."
_MODES = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "edge": "edge",
    "circular": "wrap",
    "symmetric": "symmetric",
}


# --- pad ------------------------------------------------------------------------------------------------------------


def _extended(x: Array, pads: Sequence[tuple[int, int]], mode: str, value: Array | int) -> Array:
    """Return x with (before, after) elements more at the ends of each axis; negative numbers cut."""
    for size, (low, high) in zip(x.shape, pads, strict=True):
        if mode in ("reflect", "symmetric") and max(low, high) >= size + (mode == "symmetric"):
            raise ValueError(
                f"padding {(low, high)} must be smaller than the axis of {size} elements in mode '{mode}'."
            )
        if size + low + high < 0 or (size and size + low + high == 0):
            raise ValueError(f"padding {(low, high)} leaves nothing of an axis of {size} elements.")
    if mode == "constant":
        return lax.pad(x, jnp.asarray(value).astype(x.dtype), [(low, high, 0) for low, high in pads])
    grown = jnp.pad(x, [(max(low, 0), max(high, 0)) for low, high in pads], mode=_MODES[mode])
    keep = [(max(-low, 0), n - max(-high, 0)) for n, (low, high) in zip(grown.shape, pads, strict=True)]
    return lax.slice(grown, [a for a, _ in keep], [b for _, b in keep])


@op(
    ref=_REF + "pad",
    cases=(
        "T(1, 2, 3), (1, 2)",
        "T(1, 2, 3, 4), (1, 0, 2, 1), 'constant', 1.5",
        "T(1, 2, 3), (1, 2), 'reflect'",
        "T(2, 3), (1, 1), 'replicate'",
        "T(1, 2, 3, 4), (1, 1, 2, 1), 'circular'",
        "T(1, 2, 5), (-1, 2)",
        "T(1, 2, 3), ()",
    ),
    errors=(
        ("T(1, 2, 3), (1, 2, 3)", "even number"),
        ("T(1, 2, 3), (3, 0), 'reflect'", "smaller"),
        ("T(1, 2, 3), (1, 1), 'reflect', 2.0", "value"),
        ("T(1, 2, 3), (1, 1), 'foo'", "mode"),
        ("T(3), (1, 1, 1, 1)", "axes"),
    ),
)
def pad(input_x: Array, padding: Shape, mode: str = "constant", value: OptArray = None) -> Array:
    """Return input_x with more elements at the ends of its last axes.

    Args:
        input_x: A Tensor.
        padding: (before, after) of the last axis, then of the axis before it, and so on; negative numbers cut.
        mode: "constant"; or for the last one to three axes "reflect" (mirror, the edge not repeated), "replicate" (the
            edge), "circular" (from the other end).
        value: What "constant" fills in; 0 if None.

    Raises:
        ValueError: If padding has an odd length or does not fit the axes or the mode.

    Examples:
        >>> ops.pad(Tensor([1.0, 2.0]), (1, 0)).asnumpy()
        array([0., 1., 2.], dtype=float32)
    """
    check_choice(mode, tuple(_MODES), "mode")
    if len(padding) % 2:
        raise ValueError(f"padding must have an even number of elements, got {padding}.")
    if len(padding) // 2 > input_x.ndim:
        raise ValueError(f"padding {padding} is for more axes than the {input_x.ndim} of input_x.")
    if mode != "constant" and value is not None:
        raise ValueError(f"value belongs to the mode 'constant', got mode '{mode}'.")
    pairs = [(padding[i], padding[i + 1]) for i in range(0, len(padding), 2)]
    pads = [(0, 0)] * (input_x.ndim - len(pairs)) + pairs[::-1]
    return _extended(input_x, pads, mode, 0 if value is None else value)


@op(
    ref="numpy.pad",
    cases=(
        "T(2, 3), ((1, 1), (0, 2))",
        "T(2, 3), ((1, 1), (0, 2)), 'reflect'",
        "T(2, 3), ((1, 1), (0, 2)), 'symmetric'",
    ),
    name="_pad_axes",
    errors=(("T(2, 3), ((1, 1),)", "axes"),),
)
def pad_axes(input_x: Array, paddings: Shape, mode: str = "constant") -> Array:
    """Return input_x with (before, after) elements more at the ends of each axis."""
    if len(paddings) != input_x.ndim:
        raise ValueError(f"paddings must have a pair for each of the {input_x.ndim} axes, got {paddings}.")
    return _extended(input_x, paddings, check_choice(mode, tuple(_MODES), "mode"), 0)


@primitive("Pad(paddings)")
def _pad(input_x: Any, paddings: Any) -> Any:
    """Return input_x with zeros at the ends of each axis."""
    if any(p < 0 for pair in paddings for p in pair):
        raise ValueError(f"ops.Pad: paddings must not be negative, got {paddings}.")
    return pad_axes(input_x, tuple(tuple(pair) for pair in paddings))


@composite(
    ref=_REF + "mirror_pad",
    cases=("T(2, 3), D([[1, 1], [0, 2]], 'int64'), 'REFLECT'", "T(2, 3), D([[1, 1], [2, 1]], 'int64'), 'SYMMETRIC'"),
    jit=False,
    primitive="MirrorPad(mode='REFLECT')",
)
def mirror_pad(input_x: Tensor, paddings: Any, mode: str = "REFLECT") -> Tensor:
    """Return input_x mirrored at the ends of each axis; "REFLECT" does not repeat the edge, "SYMMETRIC" does.

    Args:
        paddings: (before, after) for each axis.
    """
    if mode.upper() not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"ops.mirror_pad: mode must be 'REFLECT' or 'SYMMETRIC', got {mode!r}.")
    return pad_axes(input_x, paddings, mode.lower())


@primitive("PadV3(mode='constant', paddings_contiguous=True)")
def _pad_v3(x: Any, paddings: Any, constant_value: Any = None, *, mode: str, paddings_contiguous: bool) -> Any:
    """Return x padded; without `paddings_contiguous`, paddings lists all numbers before, then all numbers after."""
    flat = paddings.tolist() if isinstance(paddings, Tensor) else list(paddings)
    if not paddings_contiguous:
        half = len(flat) // 2
        flat = [p for pair in zip(flat[:half], flat[half:], strict=True) for p in pair]
    return pad(x, tuple(flat), mode, constant_value)


@op(
    ref=_REF + "padding",
    cases=("T(2, 1), 4", "T(2, 3, 1), 2"),
    errors=(("T(2, 3), 4", "last axis"),),
    primitive="Padding(pad_dim_size=8)",
)
def padding(x: Array, pad_dim_size: int = 8) -> Array:
    """Return x (*, 1) with its last axis filled up by zeros to pad_dim_size elements."""
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError(f"the last axis of x must have 1 element, got shape {list(x.shape)}.")
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, pad_dim_size - 1)])


# --- windows as columns ---------------------------------------------------------------------------------------------


def _columns(x: Array, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Array:
    """Return the windows of x (N, C, H, W) as (N, C, KH · KW, places)."""
    check_rank(x, (4,))
    k, d, s = ntuple(kernel, 2, "kernel_size"), ntuple(dilation, 2, "dilation"), ntuple(stride, 2, "stride")
    pads = [(p, p) for p in ntuple(padding, 2, "padding", 0)]
    sizes = [
        (n + 2 * p - dd * (kk - 1) - 1) // ss + 1
        for n, (p, _), dd, kk, ss in zip(x.shape[2:], pads, d, k, s, strict=True)
    ]
    if min(sizes) < 1:
        raise ValueError(
            f"a window {k} with dilation {d} does not fit an image {list(x.shape[2:])} padded by {padding}."
        )
    return unfold_windows(x, k, s, pads, d, sizes).reshape(*x.shape[:2], math.prod(k), math.prod(sizes))


@op(
    ref="torch.nn.functional.unfold",
    cases=("T(1, 2, 3, 4), 2", "T(2, 1, 4, 5), (2, 3), 1, 1, 2", "T(1, 1, 5, 5), 2, (2, 1), (1, 0)"),
    errors=(("T(3, 4), 2", "4 axes"), ("T(1, 1, 3, 3), 5", "does not fit")),
    method="unfold",
)
def unfold(input: Array, kernel_size: Static, dilation: Static = 1, padding: Static = 0, stride: Static = 1) -> Array:
    """Return the windows of input (N, C, H, W) as columns (N, C · KH · KW, places)."""
    columns = _columns(input, kernel_size, dilation, padding, stride)
    return columns.reshape(input.shape[0], -1, columns.shape[-1])


@op(ref=_REF + "im2col", cases=("T(1, 2, 3, 4), 2",), name="_im2col")
def im2col(x: Array, ksizes: Static, strides: Static = 1, dilations: Static = 1, pads: Static = 0) -> Array:
    """Return the windows of x (N, C, H, W) as columns (N, C, KH · KW, places)."""
    return _columns(x, ksizes, dilations, pads, strides)


@primitive("Im2Col(ksizes, strides=1, dilations=1, pads=0)")
def _im2col(x: Any, ksizes: Any, strides: Any, dilations: Any, pads: Any) -> Any:
    """Return the windows of x as columns (N, C, KH · KW, places)."""
    return im2col(x, ksizes, strides, dilations, pads)


def _folded(columns: Array, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Array:
    image = jax.ShapeDtypeStruct((columns.shape[0], columns.shape[1], *ntuple(size, 2, "output_size")), columns.dtype)
    back = jax.linear_transpose(lambda x: _columns(x, kernel, dilation, padding, stride), image)
    places = jax.eval_shape(lambda x: _columns(x, kernel, dilation, padding, stride), image).shape
    if columns.shape != places:
        raise ValueError(f"an image {list(image.shape)} has columns {list(places)}, got {list(columns.shape)}.")
    return back(columns)[0]


@op(
    ref="torch.nn.functional.fold",
    cases=("T(1, 8, 6), (3, 4), 2", "T(1, 4, 9), (4, 4), 2, 1, 1, 2"),
    errors=(("T(1, 8, 5), (3, 4), 2", "columns"),),
    method="fold",
)
def fold(
    input: Array,
    output_size: Static,
    kernel_size: Static,
    dilation: Static = 1,
    padding: Static = 0,
    stride: Static = 1,
) -> Array:
    """Return the image (N, C, *output_size) in which the columns (N, C · KH · KW, places) of `unfold` add up."""
    taps = math.prod(ntuple(kernel_size, 2, "kernel_size"))
    if input.ndim != 3 or input.shape[1] % taps:
        raise ValueError(f"input must have shape [N, C · {taps}, places], got {list(input.shape)}.")
    columns = input.reshape(input.shape[0], -1, taps, input.shape[2])
    return _folded(columns, output_size, kernel_size, dilation, padding, stride)


@op(
    ref=_REF + "col2im",
    cases=("T(1, 2, 4, 6), (3, 4), (2, 2), (1, 1), (0, 0), (1, 1)",),
    errors=(("T(1, 2, 4, 5), (3, 4), 2, 1, 0, 1", "columns"),),
    method="col2im",
)
def col2im(
    input_x: Array, output_size: Static, kernel_size: Static, dilation: Static, padding_value: Static, stride: Static
) -> Array:
    """Return the image (N, C, *output_size) in which the columns (N, C, KH · KW, places) add up."""
    return _folded(input_x, output_size, kernel_size, dilation, padding_value, stride)


@primitive("Col2Im(kernel_size, dilation=1, padding=0, stride=1)")
def _col2im(x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Return the image in which the columns x add up."""
    return col2im(x, output_size, kernel_size, dilation, padding, stride)


@primitive("ExtractImagePatches(ksizes, strides, rates, padding='VALID')")
def _extract_image_patches(x: Any, ksizes: Any, strides: Any, rates: Any, padding: str) -> Any:
    """Return the windows of x (N, C, H, W) as channels (N, KH · KW · C, rows, columns)."""
    return image_patches(x, ksizes, strides, rates, padding)


@op(
    ref=_REF + "image_patches",
    cases=("T(1, 2, 4, 4), (1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1)",),
    name="_image_patches",
)
def image_patches(x: Array, ksizes: Static, strides: Static, rates: Static, padding: str = "valid") -> Array:
    """Return the windows of x (N, C, H, W) as channels, ordered by place in the window, then channel."""
    k, s, d = (ntuple(v, 2, n) for v, n in ((ksizes, "ksizes"), (strides, "strides"), (rates, "rates")))
    reach = [(kk - 1) * dd + 1 for kk, dd in zip(k, d, strict=True)]
    pads = [(0, 0)] * 2
    if check_choice(padding, ("valid", "same"), "padding") == "same":
        totals = [max((-(-n // ss) - 1) * ss + r - n, 0) for n, ss, r in zip(x.shape[2:], s, reach, strict=True)]
        pads = [(t // 2, t - t // 2) for t in totals]
    sizes = [(n + a + b - r) // ss + 1 for n, (a, b), r, ss in zip(x.shape[2:], pads, reach, s, strict=True)]
    windows = unfold_windows(x, k, s, pads, d, sizes)
    return jnp.swapaxes(windows, 1, 2).reshape(x.shape[0], -1, *sizes)
