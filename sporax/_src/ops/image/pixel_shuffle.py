"""Images rearranged: depth into space, batches into space, channels among groups."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_rank
from sporax._src.engine.table import op

_REF = "references.image."


@op(
    ref="torch.pixel_shuffle",
    cases=("T(1, 8, 1, 2), 2", "T(4, 2, 3), 2"),
    errors=(("T(3, 2, 2), 2", "divisible"), ("T(2, 2), 2", "axes")),
)
def pixel_shuffle(input: Array, upscale_factor: int) -> Array:
    """Return input (*, C · r², H, W) as (*, C, H · r, W · r), r = upscale_factor.

    From Shi et al., 2016 (arXiv:1609.05158).

    Args:
        input: A Tensor of shape (*, C · r², H, W).
        upscale_factor: The factor r, a positive int.

    Raises:
        ValueError: If the axes are fewer than 3, or the channels not divisible by r².

    Examples:
        >>> ops.pixel_shuffle(ops.ones((1, 8, 2, 3)), 2).shape
        (1, 2, 4, 6)
    """
    r = _factor(input, upscale_factor)
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise ValueError(f"the channels must be divisible by {r * r}, got shape {list(input.shape)}.")
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    n = len(lead)
    return x.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2).reshape(*lead, c // (r * r), h * r, w * r)


@op(ref="torch.pixel_unshuffle", cases=("T(1, 2, 4, 2), 2", "T(1, 2, 4), 2"), errors=(("T(1, 3, 2), 2", "divisible"),))
def pixel_unshuffle(input: Array, downscale_factor: int) -> Array:
    """Return input (*, C, H · r, W · r) as (*, C · r², H, W), r = downscale_factor.

    Args:
        input: A Tensor of shape (*, C, H · r, W · r).
        downscale_factor: The factor r, a positive int.

    Raises:
        ValueError: If the axes are fewer than 3, or height and width not divisible by r.

    Examples:
        >>> ops.pixel_unshuffle(ops.ones((1, 2, 4, 6)), 2).shape
        (1, 8, 2, 3)
    """
    r = _factor(input, downscale_factor)
    *lead, c, h, w = input.shape
    if h % r or w % r:
        raise ValueError(f"height and width must be divisible by {r}, got shape {list(input.shape)}.")
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    n = len(lead)
    return x.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3).reshape(*lead, c * r * r, h // r, w // r)


def _factor(x: Array, factor: int) -> int:
    if x.ndim < 3:
        raise ValueError(f"input must have at least 3 axes, got shape {list(x.shape)}.")
    if factor < 1:
        raise ValueError(f"the factor must be positive, got {factor}.")
    return factor


@op(
    ref="torch.nn.functional.channel_shuffle",
    cases=("T(1, 6, 2, 1), 2", "T(2, 4, 3), 2"),
    errors=(("T(1, 3, 2), 2", "divisible"),),
)
def channel_shuffle(x: Array, groups: int) -> Array:
    """Return x (N, C, ...) with its channels in the order (position in the group, group).

    From Zhang et al., 2018 (ShuffleNet, arXiv:1707.01083).

    Args:
        x: A Tensor of shape (N, C, ...) with at least 3 axes.
        groups: The number of groups, which divides C.

    Raises:
        ValueError: If the axes are fewer than 3, or C is not divisible by `groups`.

    Examples:
        >>> ops.channel_shuffle(ops.arange(4.0).reshape(1, 4, 1), 2).asnumpy().ravel()
        array([0., 2., 1., 3.], dtype=float32)
    """
    if x.ndim < 3 or groups < 1 or x.shape[1] % groups:
        raise ValueError(f"the channels must be divisible by groups={groups}, got shape {list(x.shape)}.")
    return jnp.swapaxes(x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]), 1, 2).reshape(x.shape)


@op(
    ref=_REF + "depth_to_space",
    cases=("T(1, 8, 1, 2), 2",),
    errors=(("T(1, 3, 2, 2), 2", "divisible"),),
    name="_depth_to_space",
    primitive="DepthToSpace(block_size)",
)
def depth_to_space(x: Array, block_size: int) -> Array:
    """Return x (N, b² · C, H, W) as (N, C, H · b, W · b), b = block_size: positions in the block come first.

    Args:
        x: A Tensor of shape (N, b² · C, H, W).
        block_size: The size b, at least 2.

    Raises:
        ValueError: If `x` has not 4 axes, or the channels are not divisible by b².

    Examples:
        >>> ops.DepthToSpace(2)(ops.ones((1, 8, 2, 3))).shape
        (1, 2, 4, 6)
    """
    check_rank(x, (4,), "x")
    n, c, h, w = x.shape
    b = block_size
    if b < 2 or c % (b * b):
        raise ValueError(f"the channels must be divisible by the square of block_size={b}, got shape {list(x.shape)}.")
    y = x.reshape(n, b, b, c // (b * b), h, w)
    return y.transpose(0, 3, 4, 1, 5, 2).reshape(n, c // (b * b), h * b, w * b)


@op(
    ref=_REF + "space_to_depth",
    cases=("T(1, 2, 2, 4), 2",),
    errors=(("T(1, 3, 3, 2), 2", "divisible"),),
    name="_space_to_depth",
    primitive="SpaceToDepth(block_size)",
)
def space_to_depth(x: Array, block_size: int) -> Array:
    """Return x (N, C, H · b, W · b) as (N, b² · C, H, W), b = block_size.

    Args:
        x: A Tensor of shape (N, C, H · b, W · b).
        block_size: The size b, at least 2.

    Raises:
        ValueError: If `x` has not 4 axes, or height and width are not divisible by b.

    Examples:
        >>> ops.SpaceToDepth(2)(ops.ones((1, 2, 4, 6))).shape
        (1, 8, 2, 3)
    """
    check_rank(x, (4,), "x")
    n, c, h, w = x.shape
    b = block_size
    if b < 2 or h % b or w % b:
        raise ValueError(f"height and width must be divisible by block_size={b}, got shape {list(x.shape)}.")
    return x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, b * b * c, h // b, w // b)


@op(
    ref=_REF + "space_to_batch_nd",
    cases=("T(1, 1, 2, 4), (2, 2), ((0, 0), (0, 2))", "T(2, 4), (2,), ((0, 0),)"),
    errors=(("T(1, 1, 3, 4), (2, 2), ((0, 0), (0, 0))", "divisible"),),
)
def space_to_batch_nd(input_x: Array, block_size: Shape, paddings: Static) -> Array:
    """Return input_x with its last axes, padded by zeros, divided into blocks whose elements go into the batch.

    Args:
        input_x: A Tensor (N, ..., s1, ..., sM).
        block_size: The M sizes of a block (or one for all M).
        paddings: (before, after) of each of the M axes.

    Returns:
        A Tensor of shape (N · product of the block, ..., s1 / b1, ..., sM / bM), the sizes taken after padding.

    Raises:
        ValueError: If a padded size is not divisible by that of the block.

    Examples:
        >>> ops.space_to_batch_nd(ops.ones((1, 1, 4, 4)), (2, 2), ((0, 0), (0, 0))).shape
        (4, 1, 2, 2)
    """
    m = len(paddings)
    blocks = (block_size,) * m if isinstance(block_size, int) else tuple(block_size)
    lead = input_x.ndim - m
    x = jnp.pad(input_x, [(0, 0)] * lead + [tuple(p) for p in paddings])
    if any(s % b for s, b in zip(x.shape[lead:], blocks, strict=True)):
        raise ValueError(f"the padded axes {list(x.shape[lead:])} must be divisible by block_size {blocks}.")
    split = [n for s, b in zip(x.shape[lead:], blocks, strict=True) for n in (s // b, b)]
    y = x.reshape(*x.shape[:lead], *split)
    order = [lead + 2 * i + 1 for i in range(m)] + list(range(lead)) + [lead + 2 * i for i in range(m)]
    return y.transpose(order).reshape(x.shape[0] * math.prod(blocks), *x.shape[1:lead], *split[::2])


@op(
    ref=_REF + "batch_to_space_nd",
    cases=("T(4, 1, 1, 2), (2, 2), ((0, 0), (0, 1))", "T(4, 2), (2,), ((0, 0),)"),
    errors=(("T(3, 1, 1, 2), (2, 2), ((0, 0), (0, 0))", "divisible"),),
)
def batch_to_space_nd(input_x: Array, block_shape: Shape, crops: Static) -> Array:
    """Return the inverse of `space_to_batch_nd`, then cut by crops: (before, after) of each of the last axes.

    Args:
        input_x: A Tensor of shape (N · product of the block, ..., s1, ..., sM).
        block_shape: The M sizes of a block (or one for all M).
        crops: (before, after) of each of the M axes: what is cut off.

    Raises:
        ValueError: If the batch is not divisible by the elements of a block.

    Examples:
        >>> ops.batch_to_space_nd(ops.ones((4, 1, 2, 2)), (2, 2), ((0, 0), (0, 0))).shape
        (1, 1, 4, 4)
    """
    m = len(crops)
    blocks = (block_shape,) * m if isinstance(block_shape, int) else tuple(block_shape)
    n, total = input_x.shape[0], math.prod(blocks)
    if n % total:
        raise ValueError(
            f"the batch must be divisible by the {total} elements of a block, got shape {list(input_x.shape)}."
        )
    lead = input_x.ndim - m
    sizes = input_x.shape[lead:]
    y = input_x.reshape(*blocks, n // total, *input_x.shape[1:])
    inner = [m + i for i in range(lead)]
    order = inner + [a for i in range(m) for a in (m + lead + i, i)]
    whole = [s * b for s, b in zip(sizes, blocks, strict=True)]
    out = y.transpose(order).reshape(n // total, *input_x.shape[1:lead], *whole)
    cut = tuple(slice(a, s - b) for s, (a, b) in zip(whole, crops, strict=True))
    return out[(slice(None),) * lead + cut]


def _pairs(value: object) -> Any:
    return value.tolist() if isinstance(value, Tensor) else value


primitives(
    """\
ChannelShuffle(group)(x) -> channel_shuffle(x, group)
    Return x (N, C, ...) with its channels in the order (position in the group, group).
    group: The number of groups, which divides C.
    >>> ops.ChannelShuffle(2)(ops.arange(4.0).reshape(1, 4, 1)).asnumpy().ravel()
    array([0., 2., 1., 3.], dtype=float32)
""",
    globals(),
)
primitives(
    """\
    block_size, block_shape: The sizes of a block, or one for all axes.
SpaceToBatch(block_size, paddings)(x) -> space_to_batch_nd(x, block_size, _pairs(paddings))
    Return x with its last axes, padded by zeros, divided into blocks whose elements go into the batch.
    paddings: (before, after) of each of the last M axes.
    >>> ops.SpaceToBatch(2, ((0, 0), (0, 0)))(ops.ones((1, 1, 4, 4))).shape
    (4, 1, 2, 2)
SpaceToBatchND(block_shape, paddings)(x) -> space_to_batch_nd(x, block_shape, _pairs(paddings))
    Return x with its last axes, padded by zeros, divided into blocks whose elements go into the batch.
    paddings: (before, after) of each of the last M axes.
    >>> ops.SpaceToBatchND((2, 2), ((0, 0), (0, 0)))(ops.ones((1, 1, 4, 4))).shape
    (4, 1, 2, 2)
BatchToSpace(block_size, crops)(x) -> batch_to_space_nd(x, block_size, _pairs(crops))
    Return the inverse of SpaceToBatch, then cut by crops.
    crops: (before, after) of each of the last M axes: what is cut off.
    >>> ops.BatchToSpace(2, ((0, 0), (0, 0)))(ops.ones((4, 1, 2, 2))).shape
    (1, 1, 4, 4)
BatchToSpaceND(block_shape, crops)(x) -> batch_to_space_nd(x, block_shape, _pairs(crops))
    Return the inverse of SpaceToBatchND, then cut by crops.
    crops: (before, after) of each of the last M axes: what is cut off.
    >>> ops.BatchToSpaceND((2, 2), ((0, 0), (0, 0)))(ops.ones((4, 1, 2, 2))).shape
    (1, 1, 4, 4)
BatchToSpaceNDV2()(x, block_shape, crops) -> batch_to_space_nd(x, _pairs(block_shape), _pairs(crops))
    Return the inverse of SpaceToBatchND, then cut by crops.
    crops: (before, after) of each of the last M axes: what is cut off.
    >>> ops.BatchToSpaceNDV2()(ops.ones((4, 1, 2, 2)), (2, 2), ((0, 0), (0, 0))).shape
    (1, 1, 4, 4)
""",
    globals(),
)
