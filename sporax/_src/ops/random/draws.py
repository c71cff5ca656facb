"""Random numbers. Every call draws from the Generator that `seed` selects (see `core.generator`), traced or not.

Without `seed` that is the default Generator, which `set_seed` and `manual_seed` start. A `seed` selects a Generator of
the operator's own. Its sequence depends on `set_seed` too, which restarts it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import from_numpy, to_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import composite, internal, op


def float_dtype(dtype: Static, name: str = "dtype") -> np.dtype:
    """Return a float dtype (None: float32)."""
    np_dtype = np.dtype(np.float32) if dtype is None else to_numpy(dtype)
    if not jnp.issubdtype(np_dtype, np.floating):
        raise ValueError(f"{name} must be a float dtype, got {from_numpy(np_dtype)}.")
    return np_dtype


def int_dtype(dtype: Static, name: str = "dtype") -> np.dtype:
    """Return an integer dtype (None: int64)."""
    np_dtype = np.dtype(np.int64) if dtype is None else to_numpy(dtype)
    if np_dtype.kind not in "iu":
        raise ValueError(f"{name} must be an integer dtype, got {from_numpy(np_dtype)}.")
    return np_dtype


def uniform_in(key: Array, shape: Shape, dtype: np.dtype) -> Array:
    """Draw from [0, 1) in a dtype."""
    return jax.random.uniform(key, axes.fixed_sizes(shape), dtype)


# --- by shape -------------------------------------------------------------------------------------------------------


@internal("rand")
def _rand(key: Key, shape: Shape, dtype: Static, seed: Static = None) -> Array:
    return uniform_in(key, shape, float_dtype(dtype))


@internal("randn")
def _randn(key: Key, shape: Shape, dtype: Static, seed: Static = None) -> Array:
    return jax.random.normal(key, axes.fixed_sizes(shape), float_dtype(dtype))


def _shape(size: tuple) -> Shape:
    if not size:
        return (1,)
    return size[0] if len(size) == 1 else size


@composite(
    cases=("2, 3", "(2, 3)", "", "2, dtype=ms.float16", "(0, 3)", "2, seed=5"),
    errors=(("-1", "negative"), ("2.5", "int"), ("2, dtype=ms.int32", "float dtype"), ("2, seed=1.5", "seed")),
)
def rand(*size: int, dtype: Static = None, seed: int | None = None) -> Tensor:
    """Draw from the uniform distribution over [0, 1).

    Args:
        size: The shape, as integers or one tuple; nothing means (1,).
        dtype: A float dtype; float32 if None.
        seed: Selects a Generator of its own.

    Examples:
        >>> ops.rand(2, 3).shape
        (2, 3)
    """
    return _rand(_shape(size), dtype, seed)


@composite(
    cases=("2, 3", "(2, 3)", "", "2, dtype=ms.float16", "(0, 3)", "2, seed=5"),
    errors=(("-1", "negative"), ("2.5", "int"), ("2, dtype=ms.int32", "float dtype"), ("2, seed=-1", "seed")),
)
def randn(*size: int, dtype: Static = None, seed: int | None = None) -> Tensor:
    """Draw from the standard normal distribution.

    Args:
        *size: The sizes of the result, or one tuple of them; none means shape (1,).
        dtype: A float dtype; float32 if None.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If a size is not an int.
        ValueError: If a size is negative, the dtype is not a float dtype, or the seed is out of range.

    Examples:
        >>> ops.randn((2, 3)).shape
        (2, 3)
    """
    return _randn(_shape(size), dtype, seed)


@op(
    cases=("T(2, 3)", "T(2), dtype=ms.float16"),
    errors=(("T(2), dtype=ms.int32", "float dtype"), ("I(2)", "dtype must be a float dtype, got Int32")),
    grad=0,
)
def rand_like(key: Key, input: Array, seed: Static = None, *, dtype: Static = None) -> Array:
    """Draw from the uniform distribution over [0, 1) in shape and (float32 for integers) dtype of input.

    Args:
        input: A Tensor.
        seed: Selects a Generator of its own.
        dtype: A float dtype; None is that of `input`.

    Raises:
        ValueError: If the dtype is not a float dtype.

    Examples:
        >>> ops.rand_like(ops.ones((2, 3))).shape
        (2, 3)
    """
    return uniform_in(key, input.shape, float_dtype(from_numpy(input.dtype) if dtype is None else dtype))


@op(cases=("T(2, 3)", "I(3)"), errors=(("T(2), dtype=ms.int32", "float dtype"),), grad=0)
def randn_like(key: Key, input: Array, seed: Static = None, *, dtype: Static = None) -> Array:
    """Draw from the standard normal distribution in the shape of input.

    Args:
        input: A Tensor.
        seed: Selects a Generator of its own.
        dtype: A float dtype; None is float32.

    Raises:
        ValueError: If the dtype is not a float dtype.

    Examples:
        >>> ops.randn_like(ops.ones((2, 3))).shape
        (2, 3)
    """
    return jax.random.normal(key, input.shape, float_dtype(dtype))


def _integers(key: Array, low: Array, high: Array, shape: Shape, dtype: np.dtype) -> Array:
    return jax.random.randint(key, axes.fixed_sizes(shape), low, high, np.int64).astype(dtype)


@internal("randint")
def _randint(key: Key, low: Array, high: Array, shape: Shape, dtype: Static, seed: Static = None) -> Array:
    return _integers(key, jnp.asarray(low), jnp.asarray(high), shape, int_dtype(dtype))


def _check_bounds(name: str, low: int, high: int) -> None:
    for bound, value in (("low", low), ("high", high)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"ops.{name}: {bound} must be an int, got {type(value).__name__}.")
    if low >= high:
        raise ValueError(f"ops.{name}: low must be below high, got low={low}, high={high}.")


@composite(
    cases=("0, 10, (2, 3)", "-5, 5, (4,), dtype=ms.int32", "0, 10, (2,), 3"),
    errors=(
        ("10, 0, (2,)", "below high"),
        ("0.5, 2, (2,)", "low must be an int"),
        ("0, 3, (2,), dtype=ms.float32", "integer dtype"),
    ),
)
def randint(low: int, high: int, size: Shape, seed: int | None = None, *, dtype: Static = None) -> Tensor:
    """Draw integers from [low, high).

    Args:
        low, high: Bounds.
        size: The shape.
        seed: Selects a Generator of its own.
        dtype: An integer dtype; int64 if None.

    Raises:
        TypeError: If a bound is not an int.
        ValueError: If low is not below high, or the dtype is not an integer dtype.

    Examples:
        >>> bool((ops.randint(1, 4, (2, 3)) < 4).all())
        True
    """
    _check_bounds("randint", low, high)
    return _randint(low, high, size, dtype, seed)


@composite(
    cases=("I(2, 3), 0, 10", "T(3), 0, 10, dtype=ms.int64"),
    errors=(("I(2), 10, 0", "below high"), ("T(2), 0, 3", "integer dtype")),
)
def randint_like(input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: Static = None) -> Tensor:
    """Draw integers from [low, high) in the shape, and unless dtype says otherwise in the dtype, of input.

    Args:
        input: A Tensor.
        low: The least integer.
        high: The integer above the greatest.
        seed: Selects a Generator of its own.
        dtype: An integer dtype; None is that of `input`.

    Raises:
        TypeError: If a bound is not an int.
        ValueError: If low is not below high, or the dtype is not an integer dtype.

    Examples:
        >>> ops.randint_like(Tensor([[1, 2, 3]]), 0, 10).shape
        (1, 3)
    """
    _check_bounds("randint_like", low, high)
    return _randint(low, high, input.shape, dtype or input.dtype, seed)


@op(
    cases=("5", "5, dtype=ms.int32", "5, seed=3"),
    errors=(("0", "positive"), ("-1", "positive")),
    primitive="RandpermV2(seed=0, offset=0, dtype=None)",
    grad=0,
)
def randperm(key: Key, n: Static, seed: Static = 0, offset: Static = 0, dtype: Static = None) -> Array:
    """Return the integers 0 … n-1 in random order, as int64 unless dtype says otherwise.

    Args:
        n: How many; a positive integer.
        seed: Selects a Generator of its own.
        offset: Accepted for MindSpore programs: it selects another random order there, and every call draws new numbers here.
        dtype: The dtype of the result.

    Raises:
        ValueError: If `n` is not positive.

    Examples:
        >>> sorted(ops.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    if n <= 0:
        raise ValueError(f"n must be positive, got {n}.")
    return jax.random.permutation(key, jnp.arange(n, dtype=np.int64 if dtype is None else to_numpy(dtype)))


# --- by parameters of a distribution --------------------------------------------------------------------------------


@op(
    cases=(
        "(2, 3), D(1.0), D(2.0)",
        "(3, 2), D([1.0, 5.0]), D([2.0, 9.0])",
        "(4,), D(0, np.int32), D(9, np.int32), dtype=ms.int32",
    ),
    errors=(("(2,), D(0.0), D(1.0), dtype=ms.float16", "dtype"), ("(2,), 0.0, D(1.0)", "Tensor")),
    grad=0,
)
def uniform(
    key: Key, shape: Shape, minval: Array, maxval: Array, seed: Static = None, dtype: Static = mstype.float32
) -> Array:
    """Draw from the uniform distribution over [minval, maxval).

    Args:
        shape: The shape, broadcast with those of the bounds.
        minval, maxval: Bounds, as Tensors.
        seed: Selects a Generator of its own.
        dtype: float32 or int32.

    Raises:
        TypeError: If the dtype is another one, or a bound is a number.

    Examples:
        >>> ops.uniform((2, 3), Tensor(0.0), Tensor(1.0)).shape
        (2, 3)
    """
    kind = to_numpy(dtype)
    if kind not in (np.float32, np.int32):
        raise TypeError(f"dtype must be float32 or int32, got {from_numpy(kind)}.")
    low, high = unify(_strong("minval", minval), _strong("maxval", maxval))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), low.shape, high.shape)
    if kind == np.int32:
        return _integers(key, low, high, full, kind)
    low, high = low.astype(kind), high.astype(kind)
    return low + (high - low) * jax.random.uniform(key, full, kind)


def _strong(name: str, x: Array) -> Array:
    if x.aval.weak_type:
        raise TypeError(f"{name} must be a Tensor, got a number.")
    return x


@op(
    cases=("(2, 3), 0.0, 1.0", "(3, 1, 2), D([[1.0, 2.0], [3.0, 4.0]]), D(1.0)", "(), 0, 1"),
    errors=(("3, 0.0, 1.0", "tuple"), ("(2,), 0.0, 1.0, seed=-1", "seed")),
    grad=0,
)
def normal(key: Key, shape: Static, mean: Array, stddev: Array, seed: Static = None) -> Array:
    """Draw from the normal distribution, as float32.

    Args:
        shape: The shape, broadcast with those of the parameters.
        mean, stddev: Tensors or numbers.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If `shape` is not a tuple.
        ValueError: If the seed is out of range.

    Examples:
        >>> ops.normal((2, 3), 0.0, 1.0).shape
        (2, 3)
    """
    if not isinstance(shape, tuple):
        raise TypeError(f"shape must be a tuple, got {type(shape).__name__}: {shape!r}.")
    mean, stddev = (jnp.asarray(v).astype(np.float32) for v in (mean, stddev))
    full = jnp.broadcast_shapes(axes.fixed_sizes(shape), mean.shape, stddev.shape)
    return mean + stddev * jax.random.normal(key, full, np.float32)
