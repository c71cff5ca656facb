"""Position-sensitive pooling of regions of interest (`PSROIPooling`) and its gradient primitive."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import PRIMITIVES, Primitive
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import internal


def _bins(first: Array, last: Array, scale: float, count: int, size: int) -> Array:
    """Return which of `size` cells each of `count` bins between two corners covers, as a mask [rois, bin, cell]."""
    start, end = (jax.lax.round(corner * scale).astype(jnp.int32)[:, None, None] for corner in (first, last))
    extent = jnp.maximum(end - start, 0)
    k, cell = jnp.arange(count, dtype=jnp.int32)[:, None], jnp.arange(size, dtype=jnp.int32)
    low = start + k * extent // count
    high = start + jnp.maximum(-(-(k + 1) * extent // count), 1)
    return ((cell >= low) & (cell < high)).astype(jnp.float32)


def _pool(features: Array, rois: Array, scale: float, groups: int, depth: int) -> Array:
    n, channels, height, width = features.shape
    if channels != depth * groups * groups:
        raise RuntimeError(
            f"ops.PSROIPooling: features must have output_dim * group_size ** 2 = {depth * groups * groups} channels, "
            f"got {channels}."
        )
    boxes = jnp.moveaxis(rois, 1, 2).reshape(-1, 5).astype(jnp.float32)
    rows = _bins(boxes[:, 2], boxes[:, 4], scale, groups, height)
    columns = _bins(boxes[:, 1], boxes[:, 3], scale, groups, width)
    planes = features.reshape(n, depth, groups, groups, height, width).astype(jnp.float32)
    chosen = planes[boxes[:, 0].astype(jnp.int32)]
    total = jnp.einsum("rdpqhw,rph,rqw->rdpq", chosen, rows, columns)
    count = jnp.einsum("rph,rqw->rpq", rows, columns)[:, None]
    return (total / jnp.maximum(count, 1)).astype(features.dtype)


def _check(spatial_scale: object, **sizes: object) -> None:
    if not isinstance(spatial_scale, float):
        raise TypeError(f"spatial_scale must be a float, got {type(spatial_scale).__name__}.")
    if spatial_scale <= 0:
        raise ValueError(f"spatial_scale must be positive, got {spatial_scale}.")
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{name} must be an int, got {type(size).__name__}.")
        if size <= 0:
            raise ValueError(f"{name} must be positive, got {size}.")


def _check_tensors(**operands: object) -> None:
    for name, x in operands.items():
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a Tensor, got {type(x).__name__}.")
        if x.dtype not in (mstype.float16, mstype.float32):
            raise TypeError(f"{name} must be float16 or float32, got {x.dtype}.")


class PSROIPooling(Primitive):
    """Position-sensitive pooling: for each box and bin, the mean of the bin over the channel that belongs to it.

    From Dai et al., 2016 (R-FCN, arXiv:1605.06409).

    Args:
        spatial_scale: Cells of the features per unit of the boxes.
        group_size: How many bins each way.
        output_dim: Channels of the result; the features have `output_dim * group_size ** 2`.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If one is not positive.

    Examples:
        >>> boxes = Tensor([[[0.0], [0.0], [0.0], [4.0], [4.0]]])
        >>> ops.PSROIPooling(1.0, 2, 1)(ops.ones((1, 4, 4, 4)), boxes).shape
        (1, 1, 2, 2)
    """

    spec = "PSROIPooling(spatial_scale, group_size, output_dim)"

    def __init__(self, spatial_scale: float, group_size: int, output_dim: int) -> None:
        super().__init__("PSROIPooling")
        _check(spatial_scale, group_size=group_size, output_dim=output_dim)
        self.spatial_scale, self.group_size, self.output_dim = spatial_scale, group_size, output_dim

    def __call__(self, features: Tensor, rois: Tensor) -> Tensor:
        _check_tensors(features=features, rois=rois)
        return _ps_roi_pooling(features, rois, self.spatial_scale, self.group_size, self.output_dim)


class PSROIPoolingGrad(Primitive):
    """The gradient of `PSROIPooling` by its features.

    Args:
        input_size: Height and width of the features, or one number for both.
        spatial_scale: Cells of the features per unit of the boxes.
        group_size: How many bins each way.
        output_dim: Channels of the pooled result.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If one is not positive.

    Examples:
        >>> boxes = Tensor([[[0.0], [0.0], [0.0], [4.0], [4.0]]])
        >>> ops.PSROIPoolingGrad((4, 4), 1.0, 2, 1)(ops.ones((1, 1, 2, 2)), boxes).shape
        (1, 4, 4, 4)
    """

    spec = "PSROIPoolingGrad(input_size, spatial_scale, group_size, output_dim)"

    def __init__(self, input_size: object, spatial_scale: float, group_size: int, output_dim: int) -> None:
        super().__init__("PSROIPoolingGrad")
        sizes = input_size if isinstance(input_size, tuple) else (input_size, input_size)
        if len(sizes) != 2:
            raise ValueError(f"input_size must hold a height and a width, got {input_size}.")
        _check(spatial_scale, group_size=group_size, output_dim=output_dim, height=sizes[0], width=sizes[1])
        self.input_size, self.spatial_scale = tuple(sizes), spatial_scale
        self.group_size, self.output_dim = group_size, output_dim

    def __call__(self, *args: Tensor) -> Tensor:
        if len(args) != 2:
            raise ValueError(f"ops.PSROIPoolingGrad: it takes 2 Tensors, dy and rois, got {len(args)}.")
        dy, rois = args
        _check_tensors(dy=dy, rois=rois)
        return _ps_roi_pooling_grad(dy, rois, self.input_size, self.spatial_scale, self.group_size, self.output_dim)


@internal("PSROIPooling")
def _ps_roi_pooling(
    features: Array, rois: Array, spatial_scale: Static, group_size: Static, output_dim: Static
) -> Array:
    """Return, for each box and bin, the mean of the bin over the channel that belongs to that bin."""
    return _pool(features, rois, spatial_scale, group_size, output_dim)


@internal("PSROIPoolingGrad")
def _ps_roi_pooling_grad(
    dy: Array, rois: Array, input_size: Static, spatial_scale: Static, group_size: Static, output_dim: Static
) -> Array:
    """Return the gradient of `PSROIPooling` by the features, whose planes have `input_size`."""
    expected = (rois.shape[0] * rois.shape[2], output_dim, group_size, group_size)
    if dy.shape != expected:
        raise RuntimeError(f"ops.PSROIPoolingGrad: dy must have shape {expected}, got {dy.shape}.")
    zeros = jnp.zeros((rois.shape[0], output_dim * group_size**2, *input_size), dy.dtype)
    _, pull = jax.vjp(lambda x: _pool(x, rois, spatial_scale, group_size, output_dim), zeros)
    return pull(dy)[0]


PRIMITIVES.update(PSROIPooling=PSROIPooling, PSROIPoolingGrad=PSROIPoolingGrad)
