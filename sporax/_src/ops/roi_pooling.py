"""Position-sensitive pooling of regions of interest (`PSROIPooling`) and its gradient primitive."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Static
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import internal


def _bins(first: Array, last: Array, scale: float, count: int, size: int) -> Array:
    """Return which of `size` cells each of `count` bins between two corners covers, as a mask [rois, bin, cell]."""
    start, end = jnp.round(first) * scale, (jnp.round(last) + 1) * scale
    step = jnp.maximum(end - start, 0.1)[:, None] / count
    k = jnp.arange(count, dtype=jnp.float32)
    low = jnp.clip(jnp.floor(k * step + start[:, None]), 0, size)[..., None]
    high = jnp.clip(jnp.ceil((k + 1) * step + start[:, None]), 0, size)[..., None]
    cell = jnp.arange(size, dtype=jnp.float32)
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


@primitive("PSROIPooling(spatial_scale, group_size, output_dim)")
@internal("PSROIPooling")
def _ps_roi_pooling(
    features: Array, rois: Array, spatial_scale: Static, group_size: Static, output_dim: Static
) -> Array:
    """Return, for each box and bin, the mean of the bin over the channel that belongs to that bin."""
    return _pool(features, rois, spatial_scale, group_size, output_dim)


@primitive("PSROIPoolingGrad(input_size, spatial_scale, group_size, output_dim)")
@internal("PSROIPoolingGrad")
def _ps_roi_pooling_grad(
    dy: Array, rois: Array, input_size: Static, spatial_scale: Static, group_size: Static, output_dim: Static
) -> Array:
    """Return the gradient of `PSROIPooling` by the features, whose planes have `input_size`."""
    expected = (rois.shape[0] * rois.shape[2], output_dim, group_size, group_size)
    if dy.shape != expected:
        raise RuntimeError(f"ops.PSROIPoolingGrad: dy must have shape {expected}, got {dy.shape}.")
    sizes: Any = (input_size, input_size) if isinstance(input_size, int) else input_size
    zeros = jnp.zeros((rois.shape[0], output_dim * group_size**2, *sizes), dy.dtype)
    _, pull = jax.vjp(lambda x: _pool(x, rois, spatial_scale, group_size, output_dim), zeros)
    return pull(dy)[0]
