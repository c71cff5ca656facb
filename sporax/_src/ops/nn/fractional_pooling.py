"""Pooling over windows whose positions are drawn: fractional maximum and mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import ntuple
from sporax._src.engine.table import composite, freeze, internal, op
from sporax._src.ops.nn.sliding_window import lowest

_REF = "references.vision."

# --- windows of a fixed size at drawn positions ----------------------------------------------------------------------


def _starts(sample: Array, size: int, kernel: int, count: int) -> Array:
    """Return where `count` windows start along an axis, for each number in [0, 1) of `sample` (...,)."""
    if not 1 <= count or count + kernel - 1 > size:
        raise ValueError(f"{count} windows of {kernel} elements do not fit an axis of {size}.")
    last = size - kernel
    alpha = jnp.asarray(last / (count - 1) if count > 1 else 0, sample.dtype)
    shift = sample[..., None]
    first = jnp.floor((jnp.arange(count - 1).astype(sample.dtype) + shift) * alpha) - jnp.floor(shift * alpha)
    return jnp.concatenate([first.astype(jnp.int32), jnp.full((*sample.shape, 1), last, jnp.int32)], -1)


def _check_dtype(x: Array) -> None:
    if not (jnp.issubdtype(x.dtype, np.floating) or x.dtype in (np.int32, np.int64)):
        raise TypeError(f"x must have a float dtype, int32 or int64, got {mstype.from_numpy(x.dtype)}.")


def _pooled(
    x: Array, samples: Array, kernel: Sequence[int], count: Sequence[int], order: Sequence[int]
) -> tuple[Array, Array]:
    """Return the maxima of windows of x (N, C, ...) and their indices in the flattened image."""
    n, sizes = len(kernel), x.shape[2:]
    if samples.shape != (*x.shape[:2], n):
        raise ValueError(f"the samples must have shape {[*x.shape[:2], n]}, got {list(samples.shape)}.")
    index = jnp.zeros((*x.shape[:2], *[1] * (2 * n)), jnp.int32)
    for axis, (size, k, c) in enumerate(zip(sizes, kernel, count, strict=True)):
        at = _starts(samples[..., order[axis]], size, k, c)[..., None] + jnp.arange(k, dtype=jnp.int32)
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = c, k
        index = index * size + at.reshape(*x.shape[:2], *shape)
    flat_index = index.reshape(*x.shape[:2], math.prod(count), math.prod(kernel))
    windows = jnp.take_along_axis(x.reshape(*x.shape[:2], 1, math.prod(sizes)), flat_index, -1)
    best = jnp.argmax(windows, -1)[..., None]
    shape = (*x.shape[:2], *count)
    value = jnp.take_along_axis(windows, best, -1).reshape(shape)
    return value, jnp.take_along_axis(flat_index, best, -1).reshape(shape).astype(jnp.int64)


@op(
    ref=_REF + "fractional_max_pool",
    cases=("T(2, 3, 7, 8), U(2, 3, 2), (2, 3), (3, 4)", "T(1, 2, 5, 5), U(1, 2, 2), 2, 1"),
    errors=(
        ("T(2, 3, 7, 8), U(2, 3, 3), (2, 3), (3, 4)", "samples"),
        ("T(2, 3, 7, 8), U(2, 3, 2), (2, 3), (7, 4)", "do not fit"),
        ("T(2, 3, 7, 8), U(2, 3, 2), 2, 3, 'NHWC'", "data_format"),
        ("D(1, np.uint8), U(2, 3, 2), 2, 3", "x must have a float dtype, int32 or int64, got UInt8"),
    ),
    name="_fractional_max_pool2d",
    primitive="FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format='NCHW')",
)
def fractional_max_pool_2d(
    x: Array, random_samples: Array, ksize: Static, output_shape: Static, data_format: str = "NCHW"
) -> tuple[Array, Array]:
    """Return the maxima of windows at drawn positions and the flat index (int64) of each maximum in its image.

    From Graham (2014), Fractional Max-Pooling.

    Args:
        x: A Tensor (N, C, H, W).
        random_samples: Numbers in [0, 1), (N, C, 2), that place the columns and rows of windows.
        ksize: The window, an integer or two.
        output_shape: How many windows, an integer or two.
        data_format: "NCHW".

    Raises:
        TypeError: If `x` is neither of floats nor int32 or int64.
        ValueError: If `data_format` is another, or a size does not fit.

    Examples:
        >>> pool = ops.FractionalMaxPoolWithFixedKsize(2, 2)
        >>> value, index = pool(ops.ones((1, 1, 5, 5)), ops.zeros((1, 1, 2)))
        >>> value.shape, index.asnumpy()[0, 0]
        ((1, 1, 2, 2), array([[ 0,  3],
               [15, 18]]))
    """
    _check_dtype(x)
    if data_format != "NCHW":
        raise ValueError(f"data_format must be 'NCHW', got {data_format!r}.")
    return _pooled(x, random_samples, ntuple(ksize, 2, "ksize"), ntuple(output_shape, 2, "output_shape"), (1, 0))


@op(
    ref=_REF + "fractional_max_pool",
    cases=("T(2, 3, 5, 6, 7), U(2, 3, 3), (2, 2, 3), (3, 4, 2)",),
    errors=(("T(2, 3, 5, 6, 7), U(2, 3, 2), 2, 2", "samples"),),
    name="_fractional_max_pool3d",
)
def fractional_max_pool_3d(
    x: Array, random_samples: Array, ksize: Static, output_shape: Static, data_format: str = "NCDHW"
) -> tuple[Array, Array]:
    """Return the maxima of windows at drawn positions of volumes, and the flat index (int64) of each; see the plane case."""
    _check_dtype(x)
    last = data_format == "NDHWC"
    x = jnp.moveaxis(x, -1, 1) if last else x
    kernel, count = ntuple(ksize, 3, "ksize"), ntuple(output_shape, 3, "output_shape")
    values, indices = _pooled(x, random_samples, kernel, count, (0, 1, 2))
    return (jnp.moveaxis(values, 1, -1), jnp.moveaxis(indices, 1, -1)) if last else (values, indices)


@primitive("FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format='NCDHW')")
def _fractional_max_pool_3d_view(
    x: Tensor, random_samples: Tensor, ksize: object, output_shape: object, data_format: str
) -> Any:
    """Return the maxima of windows at drawn positions of volumes, one or several, and the flat index of each."""
    if x.ndim == 5:
        return fractional_max_pool_3d(x, random_samples, ksize, output_shape, data_format)
    out = fractional_max_pool_3d(x.expand_dims(0), random_samples, ksize, output_shape, data_format)
    return tuple([o.squeeze(0) for o in out])


@internal("fractional_max_pool")
def _drawn(key: Key, like: Array, shape: Static) -> Array:
    return jax.random.uniform(key, shape, like.dtype)


def _fractional(
    name: str, n: int, view: Any, input: Tensor, kernel: Any, size: Any, ratio: Any, indices: bool, samples: Any
) -> Any:
    if not isinstance(input, Tensor):
        raise TypeError(f"ops.{name}: input must be a Tensor, got {type(input).__name__}.")
    if (size is None) == (ratio is None):
        raise ValueError(f"ops.{name}: give either output_size or output_ratio, got {size} and {ratio}.")
    if input.ndim not in (n + 1, n + 2):
        raise ValueError(f"ops.{name}: input must have {n + 1} or {n + 2} axes, got shape {list(input.shape)}.")
    if size is None:
        ratios = (ratio,) * n if isinstance(ratio, float) else tuple(ratio)
        if not all(isinstance(r, float) and 0 < r < 1 for r in ratios):
            raise ValueError(f"ops.{name}: output_ratio must be in (0, 1), got {ratio}.")
        size = tuple([int(s * r) for s, r in zip(input.shape[-n:], ratios, strict=True)])
    x = input if input.ndim == n + 2 else input.expand_dims(0)
    if samples is None:
        samples = _drawn(x, (*x.shape[:2], n))
    out = view(x, samples, kernel, size)
    out = out if input.ndim == n + 2 else tuple([o.squeeze(0) for o in out])
    return out if indices else out[0]


@composite(
    ref=_REF + "fractional_max_pool3d",
    cases=(
        "T(2, 3, 5, 6, 7), 2, (2, 3, 3), None, True, U(2, 3, 3)",
        "T(3, 5, 6, 7), (2, 2, 3), None, (0.5, 0.5, 0.5), False, U(1, 3, 3)",
    ),
    errors=(
        ("T(2, 3, 5, 6, 7), 2", "output_size or"),
        ("T(2, 3), 2, 2", "axes"),
        ("T(2, 3, 5, 6, 7), 2, None, (0.5, 0.5, 1.5)", "output_ratio"),
        ("T(2, 3, 5, 6, 7), 2, (5, 6, 7)", "do not fit"),
        ("3, 2, 2", "must be a Tensor"),
    ),
)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: object,
    output_size: object = None,
    output_ratio: object = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return the maxima of windows at drawn positions of volumes.

    From Graham (2014), Fractional Max-Pooling.

    Args:
        input: A Tensor (N, C, D, H, W) or (C, D, H, W).
        kernel_size: The window, an integer or three.
        output_size: How many windows, an integer or three; or
        output_ratio: how many by the size of the input, in (0, 1).
        return_indices: Whether to return the flat index (int64) of each maximum as well.
        _random_samples: Numbers in [0, 1), (N, C, 3), that place the windows; drawn from the global seed if None.

    Raises:
        ValueError: If neither or both of `output_size` and `output_ratio` are given, or a size does not fit.

    Examples:
        >>> ops.fractional_max_pool3d(ops.ones((1, 2, 6, 6, 6)), 2, (3, 2, 3)).shape
        (1, 2, 3, 2, 3)
    """
    args = (input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _fractional("fractional_max_pool3d", 3, fractional_max_pool_3d, *args)


@composite(
    ref=_REF + "fractional_max_pool2d",
    cases=(
        "T(2, 3, 6, 7), 2, (3, 3), None, True, U(2, 3, 2)",
        "T(3, 6, 7), (2, 3), None, (0.5, 0.5), False, U(1, 3, 2)",
    ),
    errors=(("T(2, 3, 6, 7), 2", "output_size or"),),
)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: object,
    output_size: object = None,
    output_ratio: object = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Return the maxima of windows at drawn positions of images.

    From Graham (2014), Fractional Max-Pooling.

    Args:
        input: A Tensor (N, C, H, W) or (C, H, W).
        kernel_size: The window, an integer or two.
        output_size: How many windows, an integer or two; or
        output_ratio: how many by the size of the input, in (0, 1).
        return_indices: Whether to return the flat index (int64) of each maximum as well.
        _random_samples: Numbers in [0, 1), (N, C, 2), that place the windows; drawn from the global seed if None.

    Raises:
        ValueError: If neither or both of `output_size` and `output_ratio` are given, or a size does not fit.

    Examples:
        >>> ops.fractional_max_pool2d(ops.ones((1, 2, 6, 6)), 2, output_ratio=(0.5, 0.5)).shape
        (1, 2, 3, 3)
    """
    args = (input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return _fractional("fractional_max_pool2d", 2, fractional_max_pool_2d, *args)


# --- regions that divide an axis at drawn bounds -----------------------------------------------------------------------


def _ends(key: Key, size: int, count: int, pseudo: bool) -> Array:
    """Return the bounds (count + 1,) that divide an axis into `count` regions of size // count or one more elements."""
    k, rest = divmod(size, count)
    if pseudo and rest:
        alpha = size / count
        most = min((k + 2) / alpha - 1, (size + 1 - k) / alpha - (count - 1))
        u = jax.random.uniform(key, (), jnp.float64) * most
        inner = jnp.ceil(alpha * (jnp.arange(1, count).astype(u.dtype) + u)).astype(jnp.int64) - 1
        return jnp.concatenate([jnp.zeros(1, jnp.int64), inner, jnp.full(1, size, jnp.int64)])
    sizes = jax.random.permutation(key, jnp.asarray([k + (i < rest) for i in range(count)], jnp.int64))
    return jnp.concatenate([jnp.zeros(1, jnp.int64), jnp.cumsum(sizes)])


def region_elements(ends: Array, size: int, count: int, overlapping: bool) -> tuple[Array, Array]:
    """Return the indices (count, length) of each region's elements and which of them belong to it."""
    t = jnp.arange(size // count + 1 + int(overlapping))
    last = jnp.minimum(ends[1:] + int(overlapping), size)
    at = ends[:-1, None] + t
    return jnp.clip(at, 0, size - 1), at < last[:, None]


def _wide(dtype: np.dtype) -> Any:
    """Return the dtype in which means are taken."""
    return jnp.promote_types(dtype, np.float32) if jnp.issubdtype(dtype, np.floating) else np.float64


def _parts(
    keys: Array, x: Array, ratio: Any, pseudo: bool, overlapping: bool, mean: bool
) -> tuple[Array, Array, Array]:
    (_, rows, cols, _), dtype = x.shape, x.dtype
    x = x.astype(_wide(dtype)) if mean else x
    counts = [int(rows / ratio[1]), int(cols / ratio[2])]
    ends = [_ends(k, size, c, pseudo) for k, size, c in zip(keys, (rows, cols), counts, strict=True)]
    for axis in (0, 1):
        at, own = region_elements(ends[axis], x.shape[1 + axis], counts[axis], overlapping)
        windows = jnp.take(x, at, 1 + axis)
        belongs = own.reshape([1] * (1 + axis) + list(own.shape) + [1] * (x.ndim - 2 - axis))
        if mean:
            x = jnp.sum(jnp.where(belongs, windows, 0), 2 + axis) / jnp.sum(belongs, 2 + axis).astype(x.dtype)
        else:
            x = jnp.max(jnp.where(belongs, windows, lowest(x.dtype)), 2 + axis)
    return x.astype(dtype), ends[0], ends[1]


@internal("fractional_pool")
def _parted(
    key: Key, x: Array, ratio: Static, pseudo: bool, overlapping: bool, mean: bool
) -> tuple[Array, Array, Array]:
    return _parts(jax.random.split(key, 2), x, ratio, pseudo, overlapping, mean)


@internal("fractional_pool")
def _parted_the_same(
    x: Array, ratio: Static, pseudo: bool, overlapping: bool, mean: bool, seeds: Static
) -> tuple[Array, Array, Array]:
    key = jax.random.fold_in(jax.random.key(seeds[0]), seeds[1])
    return _parts(jax.random.split(key, 2), x, ratio, pseudo, overlapping, mean)


def _fractional_pool(
    x: Tensor,
    pooling_ratio: object,
    pseudo: bool,
    overlapping: bool,
    mean: bool,
    deterministic: bool,
    seeds: tuple[int, int],
) -> tuple[Tensor, ...]:
    name = "FractionalAvgPool" if mean else "FractionalMaxPool"
    if not isinstance(pooling_ratio, (list, tuple)) or len(pooling_ratio) != 4:
        raise ValueError(f"ops.{name}: pooling_ratio must be a list of 4 numbers, got {pooling_ratio!r}.")
    if pooling_ratio[0] != 1 or pooling_ratio[3] != 1 or min(pooling_ratio) < 1:
        raise ValueError(
            f"ops.{name}: pooling_ratio must be [1.0, r, s, 1.0] with r and s at least 1, got {pooling_ratio}."
        )
    if x.ndim != 4:
        raise ValueError(f"ops.{name}: x must have 4 axes, got shape {list(x.shape)}.")
    if not deterministic and any(seeds):
        raise ValueError(f"ops.{name}: seed and seed2 must be 0 unless deterministic is True, got {seeds}.")
    options = (tuple(pooling_ratio), pseudo, overlapping, mean)
    return _parted_the_same(x, *options, seeds) if deterministic else _parted(x, *options)


@primitive("FractionalAvgPoolGrad(overlapping=False)")
def _fractional_avg_pool_grad(
    orig_input_tensor_shape: Tensor,
    out_backprop: Tensor,
    row_pooling_sequence: Tensor,
    col_pooling_sequence: Tensor,
    overlapping: bool,
) -> Tensor:
    """Return the gradient of `FractionalAvgPool` by its images.

    Args:
        orig_input_tensor_shape: The shape of the images (N, H, W, C), as an integer Tensor.
        out_backprop: The gradient by the means, (N, rows, columns, C).
        row_pooling_sequence, col_pooling_sequence: The bounds of the regions of rows and columns.
        overlapping: Whether a region has the first element of the next as well.

    Raises:
        ValueError: If the shape has not 4 sizes.

    Examples:
        >>> shape, bounds = Tensor([1, 2, 2, 1]), Tensor([0, 2])
        >>> ops.FractionalAvgPoolGrad()(shape, ops.ones((1, 1, 1, 1)), bounds, bounds).asnumpy().ravel()
        array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    shape = freeze(orig_input_tensor_shape)
    if len(shape) != 4:
        raise ValueError(f"ops.FractionalAvgPoolGrad: orig_input_tensor_shape must hold 4 sizes, got {shape}.")
    return _spread(out_backprop, row_pooling_sequence, col_pooling_sequence, shape, overlapping)


@internal("FractionalAvgPoolGrad")
def _spread(dy: Array, rows: Array, cols: Array, shape: Static, overlapping: bool) -> Array:
    """Return to each pixel its share of the gradient of every region it belongs to."""

    def shares(ends: Array, size: int) -> Array:
        last = jnp.minimum(ends[1:] + int(overlapping), size)[:, None]
        own = (jnp.arange(size) >= ends[:-1, None]) & (jnp.arange(size) < last)
        return own.astype(wide) / jnp.sum(own, 1, keepdims=True).astype(wide)

    wide = _wide(dy.dtype)
    down, across = (shares(ends, size) for ends, size in ((rows, shape[1]), (cols, shape[2])))
    return jnp.einsum("nijc,ih,jw->nhwc", dy.astype(wide), down, across).astype(dy.dtype)


primitives(
    """\
FractionalMaxPool(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, \
seed: int = 0, seed2: int = 0)(x) -> \
_fractional_pool(x, pooling_ratio, pseudo_random, overlapping, False, deterministic, (seed, seed2))
    Return the maxima of the regions into which drawn bounds divide images (N, H, W, C), and the bounds of rows and columns.
    The bounds divide an axis of n elements into ⌊n / r⌋ regions of two neighbouring sizes, r being the axis's ratio; with
    `overlapping`, a region has the first element of the next as well. The global seed determines the draw, or, if
    `deterministic`, `seed` and `seed2`, the same for every call.
FractionalAvgPool(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, \
seed: int = 0, seed2: int = 0)(x) -> \
_fractional_pool(x, pooling_ratio, pseudo_random, overlapping, True, deterministic, (seed, seed2))
    Return the means of the regions into which drawn bounds divide images (N, H, W, C), and the bounds; see the maximum.
""",
    globals(),
)
