"""Norms of vectors and matrices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, Axis, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core.dtype import to_float, to_numpy, unify
from sporax._src.engine import axes
from sporax._src.engine.arguments import floats, inexact, known, magnitude
from sporax._src.engine.table import internal, op
from sporax._src.ops.math.reduction import dims
from sporax._src.ops.math.statistics import AXIS_ERRORS, reduced_axes

_REF = "references.math."

_NORM = (
    "T(2, 3)",
    "T(2, 3), None, 1",
    "T(4), 3",
    "T(2, 3), 1, 1",
    "T(2, 3), 'fro'",
    "T(2, 3), 'nuc'",
    "T(2, 3), 2",
    "T(2, 3), 1, (0, 1), True",
    "T(2, 3, 4), 2, 0",
    "I(3)",
    "T(4), np.inf",
)


def smooth_norm(
    x: Array, order: object, over: Any, keepdims: bool = False, norm: Callable[..., Array] = jnp.linalg.norm
) -> Array:
    """Return a norm whose derivative at x = 0 is 0, where JAX gives NaN, and 1 for |x|."""
    nothing = functools.partial(jnp.all, x == 0, over)
    size = magnitude(x) if order in (1, -1, math.inf, -math.inf) else x
    value = norm(jnp.where(nothing(keepdims=True), 1, size), ord=order, axis=over, keepdims=keepdims)
    return jnp.where(nothing(keepdims=keepdims), 0, value)


@op(
    ref="numpy.linalg.norm",
    cases=_NORM,
    errors=(("T(2, 3), None, 5", "dim must be in"), ("T(2, 2, 2), 2", "vector")),
    method="norm",
    amp="float32",
)
def norm(A: Array, ord: Static = None, dim: Axis = None, keepdim: bool = False, *, dtype: Static = None) -> Array:
    """Return a vector norm (over one axis) or matrix norm (over two).

    Args:
        A: A Tensor; integers become float32.
        ord: The order: a number, `"fro"`, `"nuc"` or None (the 2-norm of all elements over `dim`).
        dim: One or two axes; None means all of them, which for an order other than None must be one or two. A number
            has the one axis of a vector.
        keepdim: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        ValueError: If an axis is out of range, or an order is given for more than two axes.

    Examples:
        >>> float(ops.norm(Tensor([3.0, 4.0])))
        5.0
    """
    x = to_float(known(A)) if dtype is None else known(A).astype(to_numpy(dtype))
    if not x.ndim and dim is not None:  # as in MindSpore, a number is read as a vector of one element
        x, keepdim = x[None], False
    over = None if dim is None else axes.several(dim, x.ndim, "dim")
    if over is None and ord is not None and x.ndim > 2:
        raise ValueError(
            f"a norm of order {ord!r} is one of a vector or matrix; name one or two axes with dim for {x.ndim} axes."
        )
    if ord is None and over is not None and len(over) != 1:
        return smooth_norm(x, 2, over, keepdim, jnp.linalg.vector_norm).astype(x.dtype)
    over = over[0] if over is not None and len(over) == 1 else over
    return smooth_norm(x, ord, over, keepdim).astype(x.dtype)


@op(
    ref="numpy.linalg.vector_norm",
    cases=("T(2, 3)", "T(2, 3), axis=1", "T(2, 3), axis=(0, 1), keepdims=True"),
    errors=(("B(2, 3)", "x must have a float or complex dtype"),),
    amp="float32",
)
def vector_norm(x: Array, ord: Static = 2, axis: Axis = None, keepdims: bool = False, *, dtype: Static = None) -> Array:
    """Return the norm (Σ |x|^ord)^(1/ord) of the vectors along axes.

    Args:
        x: A Tensor of floats or complex numbers.
        ord: The order; ±∞ give the largest and smallest magnitude, 0 the number of elements other than 0.
        axis: An axis, several, or None for all.
        keepdims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `x` is not of a float or complex dtype, and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.vector_norm(Tensor([3.0, 4.0])))
        5.0
    """
    x = inexact(x, "x") if dtype is None else known(x).astype(to_numpy(dtype))
    return smooth_norm(x, ord, dims(axis, x.ndim), keepdims, jnp.linalg.vector_norm)


@op(
    ref=_REF + "matrix_norm",
    cases=("T(2, 3)", "T(2, 3), 'nuc'", "T(2, 3, 4), 1, (0, 2), True", "T(2, 3), 2"),
    errors=(("T(3)", "axis"),),
)
def matrix_norm(
    A: Array, ord: Static = "fro", axis: Axis = (-2, -1), keepdims: bool = False, *, dtype: Static = None
) -> Array:
    """Return the norm of order ord of the matrices over two axes.

    Args:
        A: A Tensor of floats or complex numbers, with at least two axes.
        ord: "fro" (√Σ|a|²), "nuc" (the sum of the singular values), ±1, ±2 or ±∞.
        axis: The two axes of the matrices.
        keepdims: Whether reduced axes stay with size 1.
        dtype: The dtype to convert to first.

    Raises:
        TypeError: If `A` is not of a float or complex dtype, and no dtype is given.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])))
        5.0
    """
    x = inexact(A, "A") if dtype is None else known(A).astype(to_numpy(dtype))
    return smooth_norm(x, ord, axes.several(axis, x.ndim), keepdims)


@op(
    ref="numpy.linalg.cond",
    cases=("T(3, 3)", "T(2, 3, 3), 'fro'", "T(3, 3), 1", "T(3, 3), -2"),
    errors=(
        ("T(2, 3)", "A must hold square matrices, got shape [2, 3]"),
        ("T(3, 3), 3", "p must be 'fro', 'nuc', ±1, ±2, ±∞ or None, got 3"),
        ("I(3, 3)", "A must have a float or complex dtype"),
    ),
    name="_cond",
    grad=0,
    tol=1e-4,
)
def condition_number(A: Array, p: Static = None) -> Array:
    """Return ‖A‖ · ‖A⁻¹‖, the condition number of square matrices, as float32: how much they enlarge relative errors.

    Args:
        A: A Tensor (..., N, N) of floats or complex numbers.
        p: The norm: "fro", "nuc", ±1, ±2 or ±∞; 2 if None.

    Raises:
        TypeError: If `A` is not of a float or complex dtype.
        ValueError: If the matrices are not square, or `p` is another.
    """
    x = inexact(A, "A")
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"A must hold square matrices, got shape {list(x.shape)}.")
    if p not in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        raise ValueError(f"p must be 'fro', 'nuc', ±1, ±2, ±∞ or None, got {p!r}.")
    return jnp.linalg.cond(x, p).astype(np.float32)


@op(
    ref=_REF + "lp_norm",
    cases=("T(2, 3), 1", "T(2, 3), (0, 1), 3, True"),
    errors=AXIS_ERRORS,
    primitive="LpNorm(axis, p=2, keep_dims=False, epsilon=1e-12)",
)
def lp_norm(input: Array, axis: Axis, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Array:
    """Return (Σ |x|^p)^(1/p) over axes (for p = 0 the number of elements other than 0), not below epsilon.

    Args:
        input: A Tensor of floats or complex numbers.
        axis: An axis or several.
        p: The order.
        keep_dims: Whether reduced axes stay with size 1.
        epsilon: The least norm.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.
        ValueError: If an axis is out of range.

    Examples:
        >>> float(ops.LpNorm(axis=0, p=2)(Tensor([3.0, 4.0])))
        5.0
    """
    x = inexact(input)
    over = dims(axis, x.ndim)
    if p == 0:
        return jnp.sum(x != 0, over, keepdims=keep_dims).astype(x.dtype)
    size = magnitude(x)
    # in units of the largest element: high powers of small numbers vanish
    unit = lax.stop_gradient(jnp.max(size, over, keepdims=True, initial=0))
    unit = jnp.where((unit > 0) & jnp.isfinite(unit), unit, jnp.ones((), unit.dtype))
    total = jnp.sum((size / unit) ** p, over, keepdims=keep_dims)
    nothing = total == 0
    norm = jnp.where(nothing, 1, total) ** (1.0 / p) * unit.reshape(total.shape)
    return jnp.maximum(jnp.where(nothing, 0, norm), jnp.asarray(epsilon, norm.dtype))


@op(ref=_REF + "dist", cases=("T(2, 3), T(2, 3)", "T(3), T(3), 1", "T(3), T(3), 3"), errors=(("T(2), T(3)", "ops."),))
def dist(input: Array, other: Array, p: float = 2) -> Array:
    """Return the p-norm of all elements of input - other together, a Tensor without axes.

    Args:
        input: A Tensor; integers become float32.
        other: A Tensor that broadcasts with `input`.
        p: The order of the norm.

    Raises:
        TypeError: If the shapes do not broadcast.

    Examples:
        >>> float(ops.dist(Tensor([1.0, 1.0]), Tensor([4.0, 5.0])))
        5.0
    """
    difference = jnp.subtract(*floats(input, other)).reshape(-1)
    return smooth_norm(difference, p, None)


@op(
    ref=_REF + "renorm",
    cases=("T(2, 3), 1, 0, 1.0", "T(2, 3, 4), 2, 1, 0.5"),
    errors=(("T(2, 3), 2, 5, 1.0", "axis must be in"),),
    method="renorm",
    amp="float32",
)
def renorm(input: Array, p: float, axis: int, maxnorm: float) -> Array:
    """Return input with every slice along an axis scaled down to a p-norm of at most maxnorm.

    Args:
        input: A Tensor of floats or complex numbers.
        p: The order of the norm.
        axis: The axis along which the slices lie.
        maxnorm: The largest norm that is left as it is.

    Raises:
        TypeError: If `input` is not of a float or complex dtype.
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0).asnumpy().round(2)
        array([[0.6, 0.8],
               [0.3, 0.4]], dtype=float32)
    """
    x = inexact(input)
    over = tuple(a for a in range(x.ndim) if a != axes.one(axis, x.ndim))
    size = smooth_norm(x, p, over, True, jnp.linalg.vector_norm)
    return x * jnp.where(size > maxnorm, maxnorm / (size + 1e-7), jnp.ones((), size.dtype)).astype(x.dtype)


primitives(
    """\
Renorm(p, dim, maxnorm)(input_x) -> renorm(input_x, p, dim, maxnorm)
    Return input_x with every slice along the axis dim scaled down to a p-norm of at most maxnorm.
""",
    globals(),
)


@internal("clip_by_norm")
def clip_by_norm(x: Array, clip_norm: Array, axis: Static = None) -> Array:
    """Return x · clip_norm / max(‖x‖, clip_norm), the norm ‖x‖ taken over `axis` (None: all axes)."""
    x, clip = unify(x, clip_norm)
    square = jnp.sum(jnp.square(x), reduced_axes(axis, x.ndim), keepdims=True)
    longer = square > clip * clip
    return x * jnp.where(longer, clip * lax.rsqrt(jnp.where(longer, square, 1)), 1).astype(x.dtype)


@internal("l2_norm")
def l2_norm(x: Array, axis: Static = (), keep_dims: bool = False) -> Array:
    """Return √Σ x² over `axis` (`()`: all axes)."""
    return jnp.sqrt(jnp.sum(jnp.square(x), reduced_axes(axis, x.ndim), keepdims=keep_dims))


@internal("l1_norm")
def l1_norm(x: Array, scale: float) -> Array:
    """Return scale · Σ |x|, integers as float32."""
    return jnp.sum(magnitude(to_float(x))) * scale
