"""Values of images at positions between their pixels: grids, crops and regions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Shape
from sporax._src.bindings.primitive import primitives
from sporax._src.engine.arguments import check_choice, check_rank
from sporax._src.engine.table import op

_REF = "references.image."


# --- grids ----------------------------------------------------------------------------------------------------------


def _reflected(at: Array, low: float, high: float) -> Array:
    """Return the positions with those outside of [low, high] mirrored into it."""
    span = high - low
    if span <= 0:
        return jnp.zeros_like(at)
    distance = jnp.abs(at - low)
    extra, flips = jnp.mod(distance, span), jnp.floor(distance / span)
    return jnp.where(jnp.mod(flips, 2) == 0, extra + low, span - extra + low)


def _pixel_position(g: Array, size: int, padding_mode: str, align_corners: bool) -> Array:
    """Return the pixel position of a grid coordinate in [-1, 1]."""
    at = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
    if padding_mode == "zeros":
        return at
    if padding_mode == "reflection":
        at = _reflected(at, 0.0, size - 1.0) if align_corners else _reflected(at, -0.5, size - 0.5)
    return jnp.clip(at, 0, size - 1)


def _pick(flat: Array, at: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return the pixels of flat (N, C, S) at integer positions (N, M) along each axis; 0 outside."""
    inside, index = jnp.ones_like(at[0], bool), jnp.zeros_like(at[0])
    for a, size in zip(at, sizes, strict=True):
        inside = inside & (a >= 0) & (a < size)
        index = index * size + jnp.clip(a, 0, size - 1)
    value = jnp.take_along_axis(flat, index[:, None], 2)
    return jnp.where(inside[:, None], value, 0)


@op(
    ref="torch.nn.functional.grid_sample",
    cases=(
        "T(1, 2, 3, 4), T(1, 2, 3, 2), 'bilinear', 'zeros', False",
        "T(1, 2, 3, 4), T(1, 2, 3, 2), 'bilinear', 'reflection', True",
        "T(2, 1, 3, 4), T(2, 2, 3, 2), 'nearest', 'border', False",
        "T(1, 1, 2, 3, 2), T(1, 1, 2, 2, 3), 'bilinear', 'border', False",
    ),
    tol=1e-4,  # positions round before the weights are formed
    errors=(("T(1, 1, 3, 4), T(1, 2, 3, 2), 'cubic'", "mode"), ("T(1, 1, 3, 4), T(1, 2, 3, 3)", "grid")),
    amp="widest",
)
def grid_sample(
    input: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Array:
    """Return the values of input at the positions that grid holds.

    From Jaderberg et al. (2015), Spatial Transformer Networks.

    Args:
        input: A Tensor (N, C, H, W) or (N, C, D, H, W).
        grid: Positions (N, ..., 2) as (x, y), or (N, ..., 3) as (x, y, z); -1 and 1 are the ends of an axis.
        mode: "bilinear" (for three axes trilinear) or "nearest".
        padding_mode: What lies outside: "zeros", "border" (the edge) or "reflection".
        align_corners: Whether the ends are the centres of the outermost pixels, rather than their outer edges.

    Returns:
        A Tensor (N, C, *grid.shape[1:-1]).

    Raises:
        ValueError: If an option is another, or shapes do not fit.

    Examples:
        >>> ops.grid_sample(Tensor([[[[1.0, 3.0]]]]), Tensor([[[[0.0, 0.0]]]])).asnumpy()
        array([[[[2.]]]], dtype=float32)
    """
    check_rank(input, (4, 5))
    check_choice(mode, ("bilinear", "nearest"), "mode")
    check_choice(padding_mode, ("zeros", "border", "reflection"), "padding_mode")
    sizes = input.shape[2:]
    n = len(sizes)
    if grid.ndim != n + 2 or grid.shape[-1] != n or grid.shape[0] != input.shape[0]:
        raise ValueError(
            f"grid must have shape [{input.shape[0]}, ..., {n}] with {n + 2} axes, got {list(grid.shape)}."
        )
    flat = input.reshape(*input.shape[:2], -1)
    at = [
        _pixel_position(grid[..., n - 1 - k].reshape(grid.shape[0], -1), size, padding_mode, bool(align_corners))
        for k, size in enumerate(sizes)
    ]
    if mode == "nearest":
        out = _pick(flat, [jnp.round(a).astype(jnp.int32) for a in at], sizes)
    else:
        out = _between(flat, at, sizes)
    return out.reshape(*input.shape[:2], *grid.shape[1:-1])


def _between(flat: Array, at: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return the values interpolated linearly between the pixels around each position."""
    base = [jnp.floor(a) for a in at]
    out: Any = 0
    for corner in itertools.product((0, 1), repeat=len(at)):
        weight: Any = 1
        for a, b, c in zip(at, base, corner, strict=True):
            weight = weight * ((a - b) if c else (1 - (a - b)))
        positions = [b.astype(jnp.int32) + c for b, c in zip(base, corner, strict=True)]
        out = out + _pick(flat, positions, sizes) * weight[:, None].astype(flat.dtype)
    return out


@op(
    ref="torch.nn.functional.affine_grid",
    cases=("T(1, 2, 3), (1, 1, 2, 3), False", "T(2, 2, 3), (2, 1, 3, 2), True", "T(1, 3, 4), (1, 1, 2, 2, 3), False"),
    errors=(("T(1, 2, 3), (1, 1, 2)", "size"),),
    primitive="AffineGrid(align_corners=False)",
)
def affine_grid(theta: Array, size: Shape, align_corners: bool = False) -> Array:
    """Return the grid (N, ..., n) that the affine maps theta (N, n, n + 1) make of the regular grid of an image.

    From Jaderberg et al. (2015), Spatial Transformer Networks.

    Args:
        theta: A Tensor (N, n, n + 1), n being 2 or 3.
        size: The shape of the image, (N, C, H, W) or (N, C, D, H, W).
        align_corners: Whether -1 and 1 are the centres of the outermost pixels, rather than their outer edges.

    Raises:
        ValueError: If `size` and the shape of `theta` do not fit.

    Examples:
        >>> ops.affine_grid(Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2)).asnumpy()
        array([[[[-0.5,  0. ],
                 [ 0.5,  0. ]]]], dtype=float32)
    """
    n = len(size) - 2
    if n not in (2, 3) or theta.shape != (size[0], n, n + 1):
        raise ValueError(
            f"size must have 4 or 5 elements and theta shape [{size[0]}, n, n + 1], got {size} and {list(theta.shape)}."
        )
    lines = []
    for s in size[2:]:
        i = jnp.arange(s, dtype=theta.dtype)
        lines.append((i * 2 / max(s - 1, 1) - (1 if s > 1 else 0)) if align_corners else (2 * i + 1) / s - 1)
    mesh = jnp.meshgrid(*lines, indexing="ij")
    points = jnp.stack([*mesh[::-1], jnp.ones_like(mesh[0])], -1)
    return jnp.einsum("nij,...j->n...i", theta, points, precision="highest")


# --- crops and regions ----------------------------------------------------------------------------------------------


def _line(low: Array, high: Array, out: int, size: int) -> Array:
    """Return `out` positions from low to high, in parts of an axis of `size` pixels; the middle if there is one."""
    if out == 1:
        return ((low + high) / 2 * (size - 1))[:, None]
    step = (high - low) * (size - 1) / (out - 1)
    return low[:, None] * (size - 1) + jnp.arange(out, dtype=low.dtype) * step[:, None]


@op(
    ref=_REF + "crop_and_resize",
    cases=(
        "T(2, 3, 4, 1), D([[0, 0, 0.5, 0.6], [0.2, 0.2, 1.2, 1.0]]), D([0, 1], 'int32'), (2, 3)",
        "T(1, 3, 4, 2), D([[0, 0, 1.0, 0.6]]), D([0], 'int32'), (1, 2), 'nearest', -1.0",
    ),
    errors=(
        ("T(1, 3, 4, 2), T(1, 4), I(1), (2, 2), 'cubic'", "method"),
        ("T(3, 4, 2), T(1, 4), I(1), (2, 2)", "4 axes"),
    ),
    grad=0,
)
def crop_and_resize(
    image: Array,
    boxes: Array,
    box_indices: Array,
    crop_size: Shape,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Array:
    """Return crops of image (N, H, W, C), resized to crop_size, shape (boxes, *crop_size, C), in float32.

    Args:
        image: A Tensor (N, H, W, C).
        boxes: A Tensor (M, 4) of (y1, x1, y2, x2) in parts of the image, 1 being the last pixel; y1 > y2 flips.
        box_indices: Which image each box is of, (M,).
        crop_size: (rows, columns).
        method: "bilinear", "nearest" or "bilinear_v2": between the centres of pixels, the ends of a box being whole
            pixels (truncated parts of the size) that are both inside, and pixels outside those next in memory.
        extrapolation_value: The value of positions outside of the image, but for "bilinear_v2".

    Raises:
        ValueError: If `image` does not have 4 axes, or `method` is another.

    Examples:
        >>> image = ops.reshape(ops.arange(9).astype(ms.float32), (1, 3, 3, 1))
        >>> ops.crop_and_resize(image, Tensor([[0.0, 0.0, 0.5, 1.0]]), Tensor([0]), (2, 2))[0, :, :, 0].asnumpy()
        array([[0., 2.],
               [3., 5.]], dtype=float32)
    """
    check_rank(image, (4,), "image")
    check_choice(method, ("bilinear", "nearest", "bilinear_v2"), "method")
    if method == "bilinear_v2":
        return _crop_between_centres(image.astype(jnp.float32), boxes, box_indices, crop_size)
    h, w = image.shape[1:3]
    y = _line(boxes[:, 0], boxes[:, 2], crop_size[0], h)[:, :, None]
    x = _line(boxes[:, 1], boxes[:, 3], crop_size[1], w)[:, None, :]
    y, x = jnp.broadcast_arrays(y, x)
    flat = jnp.moveaxis(image.astype(jnp.float32), -1, 1).reshape(image.shape[0], image.shape[3], -1)[box_indices]
    at = [y.reshape(y.shape[0], -1), x.reshape(x.shape[0], -1)]
    if method == "nearest":
        value = _pick(flat, [jnp.floor(a + 0.5).astype(jnp.int32) for a in at], (h, w))
    else:
        value = _between(flat, at, (h, w))
    inside = ((at[0] >= 0) & (at[0] <= h - 1) & (at[1] >= 0) & (at[1] <= w - 1))[:, None]
    out = jnp.where(inside, value, extrapolation_value)
    return jnp.moveaxis(out.reshape(y.shape[0], image.shape[3], *crop_size), 1, -1)


def _crop_between_centres(image: Array, boxes: Array, box_indices: Array, crop_size: Shape) -> Array:
    h, w = image.shape[1:3]
    y, x = (_centres(boxes[:, k], boxes[:, k + 2], n, s) for k, n, s in zip((0, 1), crop_size, (h, w), strict=True))
    pixels = image.reshape(-1, image.shape[3])
    out: Any = 0
    for (row, by_row), (column, by_column) in itertools.product(y, x):
        index = (box_indices.astype(jnp.int32)[:, None, None] * h + row[:, :, None]) * w + column[:, None, :]
        value = pixels[jnp.clip(index, 0, len(pixels) - 1)]
        out = out + value * (by_row[:, :, None] * by_column[:, None, :])[..., None]
    return out


def _centres(low: Array, high: Array, out: int, size: int) -> list[tuple[Array, Array]]:
    """Return the two pixels around each of `out` positions from low to high along an axis, and their weights."""
    first = (low * size).astype(jnp.int32)
    count = jnp.maximum((high * size).astype(jnp.int32) - first + 1, 1)[:, None]
    at = (jnp.arange(out, dtype=jnp.float32) + 0.5) * (count.astype(jnp.float32) / out) - 0.5
    base, part = jnp.floor(at), at - jnp.floor(at)
    pixel = [first[:, None] + jnp.clip((base + k).astype(jnp.int32), 0, count - 1) for k in (0, 1)]
    return [(pixel[0], 1 - part), (pixel[1], part)]


def _samples(start: Array, length: Array, pooled: int, sample_num: int, size: int) -> tuple[Array, Array]:
    """Return the sample positions of each bin along an axis, (pooled, samples), and their weights."""
    cell = length / pooled
    begin = start + jnp.arange(pooled, dtype=cell.dtype)[:, None] * cell
    if sample_num > 0:
        count, i = jnp.asarray(sample_num, cell.dtype), jnp.arange(sample_num, dtype=cell.dtype)
    else:
        # Samples are at least a pixel apart, so at most size + 4 of a bin lie in the image: those from `first` on.
        count = jnp.maximum(jnp.floor(cell), 1)
        first = jnp.maximum(jnp.floor((-1 - begin) * count / cell - 0.5), 0)
        i = first + jnp.arange(size + 4, dtype=cell.dtype)
    at = begin + (i + 0.5) * cell / count
    used = (i < count) & (at >= -1) & (at <= size)
    return jnp.clip(at, 0, size - 1), used.astype(cell.dtype) / count


def _axis_weights(start: Array, length: Array, pooled: int, sample_num: int, size: int) -> Array:
    """Return the weights (pooled, size) with which bins average an axis, linear between pixels."""
    at, weight = _samples(start, length, pooled, sample_num, size)
    near = jnp.maximum(1 - jnp.abs(at[..., None] - jnp.arange(size, dtype=at.dtype)), 0)
    return jnp.sum(near * weight[..., None], 1)


@op(
    ref=_REF + "roi_align",
    cases=(
        "T(2, 2, 4, 5), D([[0, 0.2, 0.3, 0.9, 1.2], [1, 0, 0, 2, 2]]), 2, 2, 1.0",
        "T(1, 1, 4, 5), D([[0, 0.2, 0.3, 6.9, 5.2]]), 2, 3, 0.5, 3, 0",
    ),
    name="_roi_align",
    errors=(("T(4, 5), T(1, 5), 2, 2, 1.0", "4 axes"),),
    grad=0,
    primitive="ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)",
)
def roi_align(
    features: Array,
    rois: Array,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sample_num: int = 2,
    roi_end_mode: int = 1,
) -> Array:
    """Return means over the bins of regions of features (N, C, H, W): (R, C, pooled_height, pooled_width).

    From He et al. (2017), Mask R-CNN.

    Args:
        features: A Tensor (N, C, H, W).
        rois: Regions (R, 5): the index of the image, then (x1, y1, x2, y2).
        pooled_height, pooled_width: The numbers of bins.
        spatial_scale: What maps these coordinates to pixels of features.
        sample_num: Samples along each side of a bin; 0 or less: as many as the bin has whole pixels.
        roi_end_mode: Whether (1) or not (0) x2 and y2 belong to the region; where not, it has one pixel at least.

    Raises:
        ValueError: If `features` does not have 4 axes.

    Examples:
        >>> features, region = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), Tensor([[0.0, 0.0, 0.0, 0.5, 0.5]])
        >>> ops.ROIAlign(2, 2, 0.5)(features, region).asnumpy().ravel()  # 0.75 pixels wide
        array([1.5625, 1.9375, 2.3125, 2.6875], dtype=float32)
    """
    check_rank(features, (4,), "features")
    h, w = features.shape[2:]
    end = 1 if roi_end_mode else 0

    def region(roi: Array) -> Array:
        x1, y1, x2, y2 = (
            roi[1] * spatial_scale,
            roi[2] * spatial_scale,
            (roi[3] + end) * spatial_scale,
            (roi[4] + end) * spatial_scale,
        )
        height, width = (size if end else jnp.maximum(size, 1) for size in (y2 - y1, x2 - x1))
        rows = _axis_weights(y1, height, pooled_height, sample_num, h)
        columns = _axis_weights(x1, width, pooled_width, sample_num, w)
        return jnp.einsum("ph,chw,qw->cpq", rows, features[roi[0].astype(jnp.int32)], columns, precision="highest")

    return jax.vmap(region)(rois.astype(features.dtype))


primitives(
    """\
GridSampler2D, GridSampler3D(interpolation_mode='bilinear', padding_mode='zeros', align_corners=False)(input_x, grid) -> \
grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)
    Return the values of input_x at the positions that grid holds.
    From Jaderberg et al. (2015), Spatial Transformer Networks.
CropAndResize(method='bilinear', extrapolation_value=0.0)(x, boxes, box_index, crop_size) -> \
crop_and_resize(x, boxes, box_index, crop_size, method, extrapolation_value)
    Return crops of x, resized to crop_size: a Tensor (M, *crop_size, C) of float32.
""",
    globals(),
)
