"""Windows of images as columns, and back."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.engine.arguments import check_choice, check_rank, ntuple
from sporax._src.engine.table import op
from sporax._src.ops.nn.convolution import unfold_windows

_REF = "references.image."


def _columns(x: Array, kernel: object, dilation: object, padding: object, stride: object) -> Array:
    """Return the windows of x (N, C, H, W) as (N, C, KH · KW, positions)."""
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
    """Return the windows of input (N, C, H, W) as columns (N, C · KH · KW, positions).

    Args:
        input: A Tensor of shape (N, C, H, W).
        kernel_size: The window, an int or (rows, columns).
        dilation: The distance of neighbouring elements of the window.
        padding: Zeros on both sides, an int or (rows, columns).
        stride: The step of the window.

    Returns:
        A Tensor of shape (N, C · KH · KW, positions).

    Raises:
        ValueError: If `input` has not 4 axes, or the window does not fit.

    Examples:
        >>> ops.unfold(ops.ones((1, 2, 4, 4)), 3).shape
        (1, 18, 4)
    """
    columns = _columns(input, kernel_size, dilation, padding, stride)
    return columns.reshape(input.shape[0], -1, columns.shape[-1])


@op(
    ref=_REF + "im2col",
    cases=("T(1, 2, 3, 4), 2",),
    errors=(("T(1, 2, 3, 4), 99", "a window (99, 99) with dilation (1, 1) does not"),),
    name="_im2col",
)
def im2col(x: Array, ksizes: Static, strides: Static = 1, dilations: Static = 1, pads: Static = 0) -> Array:
    """Return the windows of x (N, C, H, W) as columns (N, C, KH · KW, positions).

    Args:
        x: A Tensor of shape (N, C, H, W).
        ksizes: The window, an int or (rows, columns).
        strides: The step of the window.
        dilations: The distance of neighbouring elements of the window.
        pads: Zeros on both sides.

    Raises:
        ValueError: If `x` has not 4 axes, or the window does not fit.

    Examples:
        >>> ops.Im2Col(3)(ops.ones((1, 2, 4, 4))).shape
        (1, 2, 9, 4)
    """
    return _columns(x, ksizes, dilations, pads, strides)


def _folded(columns: Array, size: object, kernel: object, dilation: object, padding: object, stride: object) -> Array:
    sizes = ntuple(size, 2, "output_size", -(2**63))
    if min(sizes) < 0:
        raise ValueError(f"the value of 'output_size' must not be negative, but got {list(sizes)}.")
    image = jax.ShapeDtypeStruct((columns.shape[0], columns.shape[1], *sizes), columns.dtype)
    back = jax.linear_transpose(lambda x: _columns(x, kernel, dilation, padding, stride), image)
    expected = jax.eval_shape(lambda x: _columns(x, kernel, dilation, padding, stride), image).shape
    if columns.shape != expected:
        raise ValueError(f"an image {list(image.shape)} has columns {list(expected)}, got {list(columns.shape)}.")
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
    """Return the image (N, C, *output_size) in which the columns (N, C · KH · KW, positions) of `unfold` add up.

    Args:
        input: A Tensor of shape (N, C · KH · KW, positions) or (N, C, KH · KW, positions).
        output_size: The size of the image, an int or (rows, columns).
        kernel_size: The window, an int or (rows, columns).
        dilation: The distance of neighbouring elements of the window.
        padding: Zeros on both sides that `unfold` added.
        stride: The step of the window.

    Raises:
        ValueError: If the columns are not those of such an image.

    Examples:
        >>> ops.fold(ops.ones((1, 8, 4)), 3, 2).shape
        (1, 2, 3, 3)
    """
    taps = math.prod(ntuple(kernel_size, 2, "kernel_size"))
    if input.ndim == 4:
        return _folded(input, output_size, kernel_size, dilation, padding, stride)
    if input.ndim != 3 or input.shape[1] % taps:
        raise ValueError(f"input must have shape [N, C · {taps}, positions], got {list(input.shape)}.")
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
    """Return the image (N, C, *output_size) in which the columns (N, C, KH · KW, positions) add up.

    Args:
        input_x: A Tensor of shape (N, C, KH · KW, positions).
        output_size: The size of the image, an int or (rows, columns).
        kernel_size: The window, an int or (rows, columns).
        dilation: The distance of neighbouring elements of the window.
        padding_value: Zeros on both sides that `unfold` added.
        stride: The step of the window.

    Raises:
        ValueError: If the columns are not those of such an image.

    Examples:
        >>> ops.col2im(ops.ones((1, 2, 4, 4)), (3, 3), 2, 1, 0, 1).shape
        (1, 2, 3, 3)
    """
    return _folded(input_x, output_size, kernel_size, dilation, padding_value, stride)


@op(
    ref=_REF + "image_patches",
    cases=("T(1, 2, 4, 4), (1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1)",),
    errors=(
        ("T(1, 2, 4), 2, 2, 1", "x must have 4 axes, got shape [1, 2, 4]"),
        ("T(1, 2, 4, 4), 0, 2, 1", "ksizes must be at least 1, got 0"),
        ("T(1, 2, 4, 4), 2, 2, 1, 'full'", "padding must be one of 'valid', 'same', got 'full'"),
        (
            "T(1, 2, 4, 4), 3, 1, 2",
            "ksizes must reach at most (4, 4) elements, got (5, 5) of ksizes (3, 3) with rates (2, 2)",
        ),
    ),
    name="_image_patches",
)
def image_patches(x: Array, ksizes: Static, strides: Static, rates: Static, padding: str = "valid") -> Array:
    """Return the windows of x (N, C, H, W) as channels, ordered by position in the window, then channel.

    Args:
        x: A Tensor of shape (N, C, H, W).
        ksizes: The window, an int or (rows, columns).
        strides: The step of the window.
        rates: The distance of neighbouring elements of the window.
        padding: "valid" (windows stay inside) or "same" (zeros let there be ⌈size / step⌉ windows).

    Raises:
        ValueError: If the padding is unknown, or a window larger than the padded image.
    """
    check_rank(x, (4,), "x")
    k, s, d = (ntuple(v, 2, n) for v, n in ((ksizes, "ksizes"), (strides, "strides"), (rates, "rates")))
    reach = [(kk - 1) * dd + 1 for kk, dd in zip(k, d, strict=True)]
    pads = [(0, 0)] * 2
    if check_choice(padding, ("valid", "same"), "padding") == "same":
        totals = [max((-(-n // ss) - 1) * ss + r - n, 0) for n, ss, r in zip(x.shape[2:], s, reach, strict=True)]
        pads = [(t // 2, t - t // 2) for t in totals]
    sizes = [(n + a + b - r) // ss + 1 for n, (a, b), r, ss in zip(x.shape[2:], pads, reach, s, strict=True)]
    if min(sizes) < 1:
        padded = tuple([n + a + b for n, (a, b) in zip(x.shape[2:], pads, strict=True)])
        raise ValueError(
            f"ksizes must reach at most {padded} elements, got {tuple(reach)} of ksizes {k} with rates {d}."
        )
    windows = unfold_windows(x, k, s, pads, d, sizes)
    return jnp.swapaxes(windows, 1, 2).reshape(x.shape[0], -1, *sizes)


primitives(
    """\
Im2Col(ksizes, strides=1, dilations=1, pads=0)(x) -> im2col(x, ksizes, strides, dilations, pads)
Col2Im(kernel_size, dilation=1, padding=0, stride=1)(x, output_size) -> \
col2im(x, output_size, kernel_size, dilation, padding, stride)
    padding: Zeros on both sides that were added.
    >>> ops.Col2Im(2)(ops.ones((1, 2, 4, 4)), (3, 3)).shape
    (1, 2, 3, 3)
ExtractImagePatches(ksizes, strides, rates, padding='VALID')(input_x) -> image_patches(input_x, ksizes, strides, rates, padding)
    Return the windows of x (N, C, H, W) as channels (N, KH · KW · C, rows, columns).
    padding: "VALID" (windows stay inside) or "SAME" (zeros let there be ⌈size / step⌉ windows).
    >>> ops.ExtractImagePatches((1, 1, 2, 2), (1, 1, 1, 1), (1, 1, 1, 1))(ops.ones((1, 1, 3, 3))).shape
    (1, 4, 2, 2)
""",
    globals(),
)
