"""Draws from the normal, Laplace, Gamma and Poisson distributions of given parameters."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.ops import axes
from sporax._src.ops.checks import floating
from sporax._src.ops.table import composite, freeze, internal, op


@op(cases=("(2, 3)", "(0, 3)"), errors=(("(-1,)", "negative"),), primitive="StandardNormal(seed=0, seed2=0)", grad=0)
def standard_normal(key: Key, shape: Shape, seed: Static = None) -> Array:
    """Draw from the standard normal distribution, as float32.

    Args:
        shape: The shape.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.standard_normal((2, 3)).shape
        (2, 3)
    """
    return jax.random.normal(key, axes.fixed_sizes(shape), np.float32)


@op(cases=("(2, 3)", "(0, 3)"), errors=(("(-1,)", "negative"),), primitive="StandardLaplace(seed=0, seed2=0)", grad=0)
def standard_laplace(key: Key, shape: Shape, seed: Static = None) -> Array:
    """Draw from the Laplace distribution of mean 0 and scale 1, as float32.

    Args:
        shape: The shape.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.standard_laplace((2, 3)).shape
        (2, 3)
    """
    return jax.random.laplace(key, axes.fixed_sizes(shape), np.float32)


@op(
    cases=("(2,), D(0.0), D(1.0)", "(2, 2), D([0.0, 1.0]), D([1.0, 1.0])"),
    errors=(("(2,), D(0.0), T(7, 11)", "Incompatible shapes for broadcasting"),),
    grad=0,
)
def laplace(key: Key, shape: Shape, mean: Array, lambda_param: Array, seed: Static = None) -> Array:
    """Draw from the Laplace distribution of the given mean and scale, as float32.

    Args:
        shape: The shape, broadcast with those of the parameters.
        mean: A Tensor or number.
        lambda_param: A Tensor or number: the scale.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.laplace((2, 3), Tensor(0.0), Tensor(1.0)).shape
        (2, 3)
    """
    mean, scale = (jnp.asarray(v).astype(np.float32) for v in (mean, lambda_param))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), mean.shape, scale.shape)
    return mean + scale * jax.random.laplace(key, full, np.float32)


def _outer(shape: Shape, *xs: Array) -> tuple[int, ...]:
    """Return `shape` followed by the shape in which parameters meet: one block of draws per element of `shape`."""
    return axes.fixed_sizes(shape) + jnp.broadcast_shapes(*(jnp.shape(x) for x in xs))


@op(
    cases=("(3, 2), D([3.0, 4.0]), D([1.0, 1.0])", "(3, 2, 2), D([[3.0], [4.0]]), D([1.0, 2.0])"),
    errors=(("(2,), I(2), D([1.0])", "float"),),
    primitive="Gamma(seed=0, seed2=0)",
    grad=0,
)
def gamma(key: Key, shape: Shape, alpha: Array, beta: Array, seed: Static = None) -> Array:
    """Draw from the Gamma distribution of concentration alpha and rate beta.

    Args:
        shape: The shape, broadcast with those of the parameters.
        alpha, beta: Tensors of floats.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If a parameter is not of a float dtype.

    Examples:
        >>> ops.gamma((2, 3), Tensor(2.0), Tensor(1.0)).shape
        (2, 3)
    """
    alpha, beta = unify(floating(alpha, "alpha"), floating(beta, "beta"))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), alpha.shape, beta.shape)
    return jax.random.gamma(key, jnp.broadcast_to(alpha, full), dtype=alpha.dtype) / beta


@op(
    cases=("(4,), D([3.0, 4.0])", "(2, 3), D(2.0)"),
    errors=(("(2,), I(2)", "float"),),
    primitive="RandomGamma(seed=0, seed2=0)",
    grad=0,
)
def random_gamma(key: Key, shape: Shape, alpha: Array, seed: Static = None) -> Array:
    """Draw from the Gamma distribution of concentration alpha and rate 1, in shape `shape` + alpha.shape.

    Args:
        shape: The shape of draws for each concentration.
        alpha: A Tensor of floats: the concentrations.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If `alpha` is not of a float dtype.

    Examples:
        >>> ops.random_gamma((3,), Tensor([1.0, 2.0])).shape
        (3, 2)
    """
    alpha = floating(alpha, "alpha")
    return jax.random.gamma(key, jnp.broadcast_to(alpha, _outer(shape, alpha)), dtype=alpha.dtype)


# --- Poisson: the sampler is slow to compile, so it is compiled for lengths that are powers of two and for one dtype ----


@internal("poisson")
def _rates(rate: Array, shape: Shape) -> Array:
    """Return the rates of all draws in one row, filled up to a power of two."""
    flat = jnp.broadcast_to(jnp.asarray(rate).astype(np.float32), shape).reshape(-1)
    return jnp.pad(flat, (0, (1 << max(flat.size - 1, 0).bit_length()) - flat.size))


def _drawn(key: Key, rates: Array, seed: Static = None) -> Array:
    return jax.random.poisson(key, rates, rates.shape)  # threefry has it; other generators of JAX do not


_poisson_row = internal("poisson")(_drawn)
_random_poisson_row = internal("random_poisson")(_drawn)


@internal("poisson")
def _shaped(row: Array, shape: Shape, dtype: Static) -> Array:
    return row[: math.prod(shape)].reshape(shape).astype(to_numpy(dtype))


@composite(
    cases=("(3, 2), D([3.0, 4.0])", "(2, 1), D(5.0)"),
    errors=(("(-1,), D(5.0)", "negative"),),
    primitive="Poisson(seed=0, seed2=0)",
    grad=0,
)
def poisson(shape: Shape, mean: Tensor, seed: Static = None) -> Tensor:
    """Draw counts of the given mean from the Poisson distribution, as int32; shapes broadcast.

    Args:
        shape: The shape, broadcast with that of the means.
        mean: A Tensor of floats, positive.
        seed: Selects a Generator of its own.

    Raises:
        ValueError: If a size is negative.

    Examples:
        >>> ops.poisson((2, 3), Tensor(2.0)).shape
        (2, 3)
    """
    whole = jnp.broadcast_shapes(axes.fixed_sizes(freeze(shape)), jnp.shape(mean))
    return _shaped(_poisson_row(_rates(mean, whole), seed), whole, mstype.int32)


_COUNTED = (mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64, mstype.int32, mstype.int64)


@composite(
    cases=(
        "D([2, 2], np.int64), D([3.0, 4.0])",
        "D([2], np.int64), D(5.0), dtype=ms.int64",
        "D([3], np.int32), 2.0, 7",
    ),
    errors=(
        ("(2, 2), D(5.0)", "shape must be an int32 or int64 Tensor, got tuple"),
        ("D([2.0]), D(5.0)", "shape must be an int32 or int64 Tensor, got Float"),
        ("D([[2]], np.int64), D(5.0)", "shape must have 1 axis, got 2"),
        ("D([-2], np.int64), D(5.0)", "negative"),
        ("D([2], np.int64), B(2)", "rate must hold floats, int32 or int64, got Bool"),
        ("D([2], np.int64), D(5.0), dtype=ms.int8", "dtype must be a float type, int32 or int64, got Int8"),
    ),
    grad=0,
    jit=False,
)
def random_poisson(shape: Tensor, rate: Tensor, seed: Static = None, dtype: Static = mstype.float32) -> Tensor:
    """Draw counts of the given rate from the Poisson distribution, in shape `shape` + rate.shape.

    Args:
        shape: The shape of draws for each rate, an integer Tensor of one axis.
        rate: A number or Tensor, positive.
        seed: Selects a Generator of its own.
        dtype: The dtype of the result: float16, float32, float64, int32 or int64.

    Raises:
        TypeError: If `shape` is no such Tensor, or a dtype is another.
        ValueError: If `shape` has not 1 axis or a size is negative.

    Examples:
        >>> ops.random_poisson(Tensor([3]), Tensor([1.0, 2.0])).shape
        (3, 2)
    """
    if not isinstance(shape, Tensor) or shape.dtype not in (mstype.int32, mstype.int64):
        found = shape.dtype if isinstance(shape, Tensor) else type(shape).__name__
        raise TypeError(f"ops.random_poisson: shape must be an int32 or int64 Tensor, got {found}.")
    if shape.ndim != 1:
        raise ValueError(f"ops.random_poisson: shape must have 1 axis, got {shape.ndim}.")
    if isinstance(rate, Tensor) and rate.dtype not in _COUNTED:
        raise TypeError(f"ops.random_poisson: rate must hold floats, int32 or int64, got {rate.dtype}.")
    if dtype not in _COUNTED:
        raise TypeError(f"ops.random_poisson: dtype must be a float type, int32 or int64, got {dtype}.")
    whole = axes.fixed_sizes(freeze(shape)) + jnp.shape(rate)
    return _shaped(_random_poisson_row(_rates(rate, whole), seed), whole, dtype)
