"""Distances and similarities of vectors."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import unify
from sporax._src.ops.checks import magnitude
from sporax._src.ops.table import op


@op(
    ref="torch.nn.functional.cosine_similarity",
    cases=("T(2, 3), T(2, 3)", "T(2, 3), T(2, 3), 0", "T(2, 3), T(3), -1"),
    errors=(("T(2, 3), T(2, 3), 2", "dim"),),
)
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """Return x1 · x2 / (max(‖x1‖, eps) · max(‖x2‖, eps)) along `dim`.

    Args:
        x1, x2: Tensors; shapes broadcast.
        dim: The axis of the vectors.
        eps: The least length.

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])).asnumpy().round(3)
        array([0.96], dtype=float32)
    """
    a, b = jnp.broadcast_arrays(*unify(x1, x2))
    if not -a.ndim <= dim < a.ndim:
        raise ValueError(f"dim must be in [{-a.ndim}, {a.ndim}), got {dim}.")
    return jnp.sum(a * b, dim) / (_length(a, dim, eps) * _length(b, dim, eps))


def _length(x: Array, axis: int, eps: float) -> Array:
    square = jnp.sum(jnp.square(x), axis)
    return jnp.sqrt(jnp.maximum(square, eps * eps))


@jax.custom_jvp
def _largest(size: Array) -> Array:
    """Return the largest of the last axis; each element that equals it has the whole gradient."""
    return jnp.max(size, -1)


@_largest.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (size,), (moved,) = primals, tangents
    most = _largest(size)
    return most, jnp.sum(jnp.where(size == most[..., None], moved, 0), -1)


def _minkowski(difference: Array, p: float) -> Array:
    size = magnitude(difference)
    if p == 0:
        return jnp.sum(size != 0, -1).astype(size.dtype)
    if p == math.inf:
        return _largest(size)
    if p == 1:
        return jnp.sum(size, -1)
    total = jnp.sum(jnp.where(size > 0, jnp.where(size > 0, size, 1) ** p, 0), -1)
    return jnp.where(total > 0, jnp.where(total > 0, total, 1) ** (1 / p), 0)


@op(
    ref="torch.cdist",
    cases=("T(2, 3), T(4, 3)", "T(2, 2, 3), T(2, 4, 3), 1.0", "T(2, 3), T(4, 3), 3.0", "T(2, 3), T(4, 3), np.inf"),
    errors=(("T(2, 3), T(4, 2)", "columns"),),
    primitive="Cdist(p=2.0)",
)
def cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each row of x1 to each row of x2.

    Args:
        x1: A Tensor (*, P, M).
        x2: A Tensor (*, R, M).
        p: The norm, at least 0; 0 counts the differences.

    Returns:
        A Tensor (*, P, R).

    Raises:
        ValueError: If the rows have different lengths.

    Examples:
        >>> ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 1.0]])).asnumpy()
        array([[5., 1.]], dtype=float32)
    """
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"x1 and x2 must have the same number of columns, got {x1.shape[-1]} and {x2.shape[-1]}.")
    return _minkowski(x1[..., :, None, :] - x2[..., None, :, :], p)


@op(ref="torch.pdist", cases=("T(4, 3)", "T(4, 3), 1.0"), errors=(("T(3)", "axes"),), primitive="Pdist(p=2.0)")
def pdist(input: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each pair of rows, in the order (0, 1), (0, 2), ...

    Args:
        input: A Tensor (*, N, M).
        p: The norm, at least 0; 0 counts the differences.

    Returns:
        A Tensor (*, N · (N - 1) / 2).

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).asnumpy().round(3)
        array([5.   , 1.   , 4.243], dtype=float32)
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got shape {list(input.shape)}.")
    first, second = jnp.triu_indices(input.shape[-2], 1)
    return _minkowski(input[..., first, :] - input[..., second, :], p)
