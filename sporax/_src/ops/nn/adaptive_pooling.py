"""Adaptive pooling: the windows follow from the size of the output. And the inverse of max pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.engine.arguments import check_float, check_rank, ntuple
from sporax._src.engine.table import op
from sporax._src.ops.nn.sliding_window import lowest

_REF = "references.nn."


def _sizes(x: Array, n: int, output_size: Any, ranks: Sequence[int]) -> tuple[int, ...]:
    check_rank(x, ranks)
    wanted = output_size if isinstance(output_size, tuple) else (output_size,) * n
    if len(wanted) != n:
        raise ValueError(f"output_size must be an int or {n} of int or None, got {output_size!r}.")
    sizes = tuple(have if w is None or w == -1 else w for w, have in zip(wanted, x.shape[x.ndim - n :], strict=True))
    if any(not isinstance(s, int) or s < 1 for s in sizes):
        raise ValueError(f"output_size must be positive, got {output_size!r}.")
    return sizes


def _bounds(size: int, out: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where each of `out` windows over `size` elements starts and ends."""
    i = np.arange(out)
    return i * size // out, -(-(i + 1) * size // out)


# --- mean -----------------------------------------------------------------------------------------------------------


def _average(x: Array, axis: int, out: int) -> Array:
    size = x.shape[axis]
    if out == size:
        return x
    if out == 1:
        return jnp.mean(x, axis, keepdims=True)
    if size % out == 0:
        return jnp.mean(x.reshape(*x.shape[:axis], out, size // out, *x.shape[axis + 1 :]), axis + 1)
    start, end = _bounds(size, out)
    at = np.arange(size)
    weights = ((at >= start[:, None]) & (at < end[:, None])) / (end - start)[:, None]
    return jnp.moveaxis(jnp.tensordot(x, jnp.asarray(weights, x.dtype), ((axis,), (1,)), precision="highest"), -1, axis)


def _adaptive_avg(x: Array, sizes: Sequence[int]) -> Array:
    check_float(x)
    if all(s == 1 for s in sizes):
        return jnp.mean(x, tuple(range(x.ndim - len(sizes), x.ndim)), keepdims=True)
    for k, out in enumerate(sizes):
        x = _average(x, x.ndim - len(sizes) + k, out)
    return x


@op(
    ref="torch.nn.functional.adaptive_avg_pool1d",
    cases=("T(1, 2, 6), 3", "T(2, 2, 7), 3"),
    errors=(("T(6), 3", "axes"),),
)
def adaptive_avg_pool1d(input: Array, output_size: int) -> Array:
    """Return the means of `output_size` windows that cover the last axis of input (N, C, L) or (C, L).

    Args:
        input: A Tensor of floats, (N, C, L) or (C, L).
        output_size: The number of windows; those of `adaptive_avg_pool2d`.

    Returns:
        A Tensor (N, C, output_size) or (C, output_size), in the dtype of input.

    Raises:
        TypeError: If `input` holds integers.
        ValueError: If `input` has another number of axes, or `output_size` is not positive.

    Examples:
        >>> ops.adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).asnumpy()
        array([[[2., 6.]]], dtype=float32)
    """
    return _adaptive_avg(input, _sizes(input, 1, output_size, (2, 3)))


@op(
    ref="torch.nn.functional.adaptive_avg_pool2d",
    cases=("T(1, 2, 6, 6), 3", "T(2, 5, 7), (2, 3)", "T(1, 2, 4, 4), (None, 2)", "T(1, 2, 4, 4), 1"),
    errors=(("T(6, 6), 3", "axes"), ("T(1, 2, 4, 4), (1, 2, 3)", "output_size")),
    aliases="adaptive_avg_pool2d_ext",
    primitive="AdaptiveAvgPool2D(output_size)",
)
def adaptive_avg_pool2d(input: Array, output_size: Static) -> Array:
    """Return the means of windows that cover the last two axes of input (N, C, H, W) or (C, H, W).

    Window i of n along an axis of s elements holds those from ⌊i s / n⌋ to ⌈(i + 1) s / n⌉.

    Args:
        input: A Tensor of floats, (N, C, H, W) or (C, H, W).
        output_size: The number of windows, an int or (rows, columns); None keeps the size of the input.

    Returns:
        A Tensor (N, C, rows, columns) or (C, rows, columns), in the dtype of input.

    Raises:
        TypeError: If `input` holds integers.
        ValueError: If `input` has another number of axes, or `output_size` is neither positive nor None.

    Examples:
        >>> ops.adaptive_avg_pool2d(ops.ones((1, 3, 8, 8)), (2, None)).shape
        (1, 3, 2, 8)
    """
    return _adaptive_avg(input, _sizes(input, 2, output_size, (3, 4)))


@op(
    ref="torch.nn.functional.adaptive_avg_pool3d",
    cases=("T(1, 2, 4, 4, 4), 2", "T(2, 3, 4, 5), (2, None, 3)"),
    errors=(("T(6, 6), 3", "axes"),),
    primitive="AdaptiveAvgPool3D(output_size)",
)
def adaptive_avg_pool3d(input: Array, output_size: Static) -> Array:
    """Return the means of windows that cover the last three axes of input (N, C, D, H, W) or (C, D, H, W).

    Args:
        input: A Tensor of floats, (N, C, D, H, W) or (C, D, H, W).
        output_size: The number of windows, an int or (depth, rows, columns); None keeps the size of the input.

    Returns:
        A Tensor (N, C, depth, rows, columns), or without N, in the dtype of input.

    Raises:
        TypeError: If `input` holds integers.
        ValueError: If `input` has another number of axes, or `output_size` is neither positive nor None.

    Examples:
        >>> ops.adaptive_avg_pool3d(ops.ones((1, 3, 4, 8, 8)), (2, None, 1)).shape
        (1, 3, 2, 8, 1)
    """
    return _adaptive_avg(input, _sizes(input, 3, output_size, (4, 5)))


# --- maximum --------------------------------------------------------------------------------------------------------


def _adaptive_max(x: Array, sizes: Sequence[int]) -> tuple[Array, Array]:
    """Return the maxima and their indices (int32) in the flattened trailing axes; the first of equal ones."""
    tail = x.shape[x.ndim - len(sizes) :]
    indices = jnp.broadcast_to(jnp.arange(math.prod(tail), dtype=jnp.int32).reshape(tail), x.shape)
    if all(size == 1 for size in sizes):
        flat = (*x.shape[: x.ndim - len(sizes)], math.prod(tail))
        best, where = _largest_of_parts(x.reshape(flat), indices.reshape(flat), len(flat) - 1, 1)
        return best.reshape(*flat[:-1], *sizes), where.reshape(*flat[:-1], *sizes)
    for axis, out in reversed([(x.ndim - len(sizes) + k, out) for k, out in enumerate(sizes)]):
        x, indices = (_largest if x.shape[axis] % out else _largest_of_parts)(x, indices, axis, out)
    return x, indices


def _largest_of_parts(x: Array, indices: Array, axis: int, out: int) -> tuple[Array, Array]:
    """Return the maxima of parts of equal size, as sums of the chosen element and zeros: so is their gradient."""
    shape = (*x.shape[:axis], out, x.shape[axis] // out, *x.shape[axis + 1 :])
    x, indices, axis = x.reshape(shape), indices.reshape(shape), axis + 1
    nan = x != x  # NaN is the maximum only if it comes first: no element compares greater
    index = jnp.argmax(jnp.where(nan, jnp.asarray(lowest(x.dtype), x.dtype), x), axis, keepdims=True)
    index = jnp.where(lax.slice_in_dim(nan, 0, 1, axis=axis), 0, index)
    chosen = lax.broadcasted_iota(index.dtype, shape, axis) == index
    return jnp.sum(jnp.where(chosen, x, 0), axis, x.dtype), jnp.sum(jnp.where(chosen, indices, 0), axis, indices.dtype)


def _largest(x: Array, indices: Array, axis: int, out: int) -> tuple[Array, Array]:
    start, end = _bounds(x.shape[axis], out)
    best, where = jnp.take(x, start, axis), jnp.take(indices, start, axis)
    column = (-1,) + (1,) * (x.ndim - axis - 1)
    for i in range(1, int(max(end - start))):
        at = np.minimum(start + i, end - 1)
        value = jnp.where(
            (start + i < end).reshape(column), jnp.take(x, at, axis), jnp.asarray(lowest(x.dtype), x.dtype)
        )
        take = value > best
        best, where = jnp.where(take, value, best), jnp.where(take, jnp.take(indices, at, axis), where)
    return best, where


@op(
    ref="torch.nn.functional.adaptive_max_pool1d",
    cases=("T(1, 2, 6), 3", "T(2, 2, 7), 3"),
    errors=(("T(6), 3", "axes"),),
)
def adaptive_max_pool1d(input: Array, output_size: int) -> Array:
    """Return the maxima of `output_size` windows that cover the last axis of input (N, C, L) or (C, L).

    Args:
        input: A Tensor, (N, C, L) or (C, L).
        output_size: The number of windows; those of `adaptive_avg_pool2d`.

    Returns:
        A Tensor (N, C, output_size) or (C, output_size), in the dtype of input.

    Raises:
        ValueError: If `input` has another number of axes, or `output_size` is not positive.

    Examples:
        >>> ops.adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).asnumpy()
        array([[[3., 7.]]], dtype=float32)
    """
    return _adaptive_max(input, _sizes(input, 1, output_size, (2, 3)))[0]


@op(
    ref="torch.nn.functional.adaptive_max_pool2d",
    cases=("T(1, 2, 6, 6), 3", "T(2, 5, 7), (2, 3)", "T(1, 2, 4, 5), (None, 2), True"),
    errors=(("T(6, 6), 3", "axes"),),
)
def adaptive_max_pool2d(input: Array, output_size: Static, return_indices: bool = False) -> Array | tuple[Array, ...]:
    """Return the maxima of windows that cover the last two axes of input (N, C, H, W) or (C, H, W).

    The windows are those of `adaptive_avg_pool2d`.

    Args:
        input: A Tensor, (N, C, H, W) or (C, H, W).
        output_size: The number of windows, an int or (rows, columns); None keeps the size of the input.
        return_indices: Whether to return also the index of each maximum in the flattened image, as int64.

    Raises:
        ValueError: If `input` has another number of axes, or `output_size` is neither positive nor None.

    Examples:
        >>> value, index = ops.adaptive_max_pool2d(Tensor([[[1.0, 3.0], [5.0, 7.0]]]), 1, True)
        >>> value.asnumpy(), index.asnumpy()
        (array([[[7.]]], dtype=float32), array([[[3]]]))
    """
    value, indices = _adaptive_max(input, _sizes(input, 2, output_size, (3, 4)))
    return (value, indices.astype(jnp.int64)) if return_indices else value


@op(
    ref="torch.nn.functional.adaptive_max_pool3d",
    cases=("T(1, 2, 4, 4, 4), 2", "T(2, 3, 4, 5), (2, None, 3), True"),
    errors=(("T(6, 6), 3", "axes"),),
)
def adaptive_max_pool3d(input: Array, output_size: Static, return_indices: bool = False) -> Array | tuple[Array, ...]:
    """Return the maxima of windows over the last three axes; with `return_indices` also their indices (int32).

    Args:
        input: A Tensor, (N, C, D, H, W) or (C, D, H, W).
        output_size: The number of windows, an int or (depth, rows, columns); None keeps the size of the input.
        return_indices: Whether to return also the index of each maximum in the flattened volume, as int32.

    Raises:
        ValueError: If `input` has another number of axes, or `output_size` is neither positive nor None.

    Examples:
        >>> ops.adaptive_max_pool3d(ops.ones((1, 3, 4, 8, 8)), (2, None, 1)).shape
        (1, 3, 2, 8, 1)
    """
    value, indices = _adaptive_max(input, _sizes(input, 3, output_size, (4, 5)))
    return (value, indices) if return_indices else value


# --- the inverse ----------------------------------------------------------------------------------------------------


def _unpool(
    x: Array, indices: Array, n: int, kernel: object, stride: object, padding: object, output_size: Any
) -> Array:
    check_rank(x, (n + 1, n + 2), "x")
    if x.shape != indices.shape:
        raise ValueError(f"indices must have the shape of x {list(x.shape)}, got {list(indices.shape)}.")
    window = ntuple(kernel, n, "kernel_size")
    steps = window if not stride else ntuple(stride, n, "stride", 0)
    pads = ntuple(padding, n, "padding", 0)
    sizes = [
        (size - 1) * (s or k) - 2 * p + k
        for size, s, p, k in zip(x.shape[x.ndim - n :], steps, pads, window, strict=True)
    ]
    sizes = list(output_size)[-n:] if output_size else sizes
    flat = x.reshape(-1, math.prod(x.shape[x.ndim - n :]))
    at = indices.reshape(flat.shape)
    rows = jnp.arange(flat.shape[0], dtype=at.dtype)[:, None]
    out = jnp.zeros((flat.shape[0], math.prod(sizes)), x.dtype).at[rows, at].set(flat)
    return out.reshape(*x.shape[: x.ndim - n], *sizes)


_UNPOOL = "P(1, 2, 2), D([[[1, 3], [0, 2]]], 'int64'), 2"


@op(ref=_REF + "max_unpool1d", cases=(_UNPOOL,), errors=(("T(1, 2, 2), I(1, 2, 3), 2", "indices"),))
def max_unpool1d(
    x: Array,
    indices: Array,
    kernel_size: Static,
    stride: Static = None,
    padding: Static = 0,
    output_size: Static = None,
) -> Array:
    """Return zeros with the values x (N, C, L) at the indices that max pooling took them from.

    Args:
        x: A Tensor (N, C, L) or (C, L).
        indices: The indices, as pooling returned them; shape of x.
        kernel_size, stride, padding: Those of the pooling.
        output_size: The shape of the result where L is not (size - 1) · stride - 2 · padding + kernel_size.

    Raises:
        ValueError: If the shapes of `x` and `indices` differ, or a number is out of range.

    Examples:
        >>> ops.max_unpool1d(Tensor([[[2.0, 4.0]]]), Tensor([[[1, 2]]]), 2).asnumpy()
        array([[[0., 2., 4., 0.]]], dtype=float32)
    """
    return _unpool(x, indices, 1, kernel_size, stride, padding, output_size)


@op(
    ref=_REF + "max_unpool2d",
    cases=(
        "P(1, 1, 2, 2), D([[[[0, 3], [9, 14]]]], 'int64'), 2",
        "P(1, 1, 1, 2), D([[[[0, 3]]]], 'int64'), 2, None, 0, (3, 5)",
    ),
    errors=(("T(1, 1, 2, 2), I(1, 1, 2, 3), 2", "indices"),),
)
def max_unpool2d(
    x: Array,
    indices: Array,
    kernel_size: Static,
    stride: Static = None,
    padding: Static = 0,
    output_size: Static = None,
) -> Array:
    """Return zeros with the values x (N, C, H, W) at the indices that max pooling took them from; see `max_unpool1d`.

    Args:
        x: A Tensor (N, C, H, W) or (C, H, W).
        indices: The indices in the flattened image, as pooling returned them; shape of x.
        kernel_size, stride, padding: Those of the pooling, an int or (rows, columns); a stride of None is the kernel
            size.
        output_size: The shape of the result where it does not follow from the sizes of the pooling.

    Raises:
        ValueError: If the shapes of `x` and `indices` differ, or a number is out of range.

    Examples:
        >>> ops.max_unpool2d(Tensor([[[[4.0]]]]), Tensor([[[[3]]]]), 2).asnumpy()
        array([[[[0., 0.],
                 [0., 4.]]]], dtype=float32)
    """
    return _unpool(x, indices, 2, kernel_size, stride, padding, output_size)


@op(
    ref=_REF + "max_unpool3d",
    cases=("P(1, 1, 1, 1, 2), D([[[[[0, 13]]]]], 'int64'), 2",),
    errors=(("T(1, 1, 1, 2, 2), I(1, 1, 1, 2, 3), 2", "indices"),),
)
def max_unpool3d(
    x: Array,
    indices: Array,
    kernel_size: Static,
    stride: Static = None,
    padding: Static = 0,
    output_size: Static = None,
) -> Array:
    """Return zeros with the values x (N, C, D, H, W) where max pooling took them from; see `max_unpool1d`.

    Args:
        x: A Tensor (N, C, D, H, W) or (C, D, H, W).
        indices: The indices in the flattened volume, as pooling returned them; shape of x.
        kernel_size, stride, padding: Those of the pooling, an int or three; a stride of None is the kernel size.
        output_size: The shape of the result where it does not follow from the sizes of the pooling.

    Raises:
        ValueError: If the shapes of `x` and `indices` differ, or a number is out of range.

    Examples:
        >>> ops.max_unpool3d(ops.ones((1, 1, 1, 1, 1)), Tensor([[[[[7]]]]]), 2).shape
        (1, 1, 2, 2, 2)
    """
    return _unpool(x, indices, 3, kernel_size, stride, padding, output_size)


primitives(
    """\
AdaptiveMaxPool2D(output_size)(input) -> adaptive_max_pool2d(input, output_size, True)
    Return the maxima of windows that cover the last two axes, and their positions in the flattened image, as int64.
    >>> value, index = ops.AdaptiveMaxPool2D(1)(Tensor([[[1.0, 3.0], [5.0, 7.0]]]))
    >>> value.asnumpy(), index.asnumpy()
    (array([[[7.]]], dtype=float32), array([[[3]]]))
AdaptiveMaxPool3D()(input, output_size) -> adaptive_max_pool3d(input, output_size, True)
    Return the maxima of windows that cover the last three axes, and their positions in the flattened volume, as int32.
    >>> [x.shape for x in ops.AdaptiveMaxPool3D()(ops.ones((1, 3, 4, 8, 8)), (2, 2, 1))]
    [(1, 3, 2, 2, 1), (1, 3, 2, 2, 1)]
MaxUnpool2D(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, argmax) -> \
max_unpool2d(x, argmax, ksize, strides, pads, output_shape or None)
    Return zeros with the values x at the positions argmax that max pooling took them from.
    ksize, strides, pads: Those of the pooling, an int or (rows, columns); a stride of 0 is the kernel size.
    output_shape: The shape of the result where it does not follow from the sizes of the pooling.
    data_format: Accepted: channels come first.
    >>> ops.MaxUnpool2D(2)(Tensor([[[[4.0]]]]), Tensor([[[[3]]]])).asnumpy()
    array([[[[0., 0.],
             [0., 4.]]]], dtype=float32)
MaxUnpool3D(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, argmax) -> \
max_unpool3d(x, argmax, ksize, strides, pads, output_shape or None)
    Return zeros with the values x at the positions argmax that max pooling took them from.
    ksize, strides, pads: Those of the pooling, an int or (depth, rows, columns); a stride of 0 is the kernel size.
    output_shape: The shape of the result where it does not follow from the sizes of the pooling.
    data_format: Accepted: channels come first.
    >>> ops.MaxUnpool3D(2)(ops.ones((1, 1, 1, 1, 1)), Tensor([[[[[7]]]]])).shape
    (1, 1, 2, 2, 2)
""",
    globals(),
)
