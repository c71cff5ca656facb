"""Random draws of `mint`, from the Generator that `generator` selects."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.config import check_device_name
from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import to_float, to_numpy, unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.table import internal


def _floating(dtype: mstype.TypeLike | None, default: Any = mstype.float32) -> np.dtype:
    np_dtype = to_numpy(default if dtype is None else dtype)
    if not jnp.issubdtype(np_dtype, np.floating):
        raise ValueError(f"dtype must be a float dtype, got {mstype.from_numpy(np_dtype)}.")
    return np_dtype


@internal("mint.rand")
def _rand(key: Key, shape: Shape, dtype: Static, generator: Static = None) -> Array:
    return jax.random.uniform(key, axes.fixed_sizes(shape), dtype)


@internal("mint.randn")
def _randn(key: Key, shape: Shape, dtype: Static, generator: Static = None) -> Array:
    return jax.random.normal(key, axes.fixed_sizes(shape), dtype)


@internal("mint.randint")
def _randint(key: Key, low: Array, high: Array, shape: Shape, dtype: Static, generator: Static = None) -> Array:
    return jax.random.randint(key, axes.fixed_sizes(shape), low, high, np.int64).astype(dtype)


@internal("mint.normal")
def _normal(key: Key, mean: Array, std: Array, shape: Static, generator: Static = None) -> Array:
    mean, std = unify(to_float(jnp.asarray(mean)), to_float(jnp.asarray(std)))
    sizes = jnp.broadcast_shapes(mean.shape, std.shape) if shape is None else shape
    return mean + std * jax.random.normal(key, sizes, mean.dtype)


@internal("mint.bernoulli")
def _bernoulli(key: Key, input: Array, generator: Static = None) -> Array:
    return (jax.random.uniform(key, input.shape, np.float32) < input.astype(np.float32)).astype(input.dtype)


@internal("mint.randperm")
def _randperm(key: Key, n: Static, dtype: Static, generator: Static = None) -> Array:
    return jax.random.permutation(key, n).astype(dtype)


@internal("mint.multinomial")
def _multinomial(key: Key, input: Array, num_samples: int, replacement: bool, generator: Static = None) -> Array:
    if not replacement and num_samples > input.shape[-1]:
        raise ValueError(
            f"num_samples={num_samples} must not exceed the {input.shape[-1]} choices without replacement."
        )
    logits = jnp.log(to_float(input))
    if replacement:
        drawn = jax.random.categorical(key, logits[..., None, :], shape=(*input.shape[:-1], num_samples))
        return drawn.astype(np.int64)
    noisy = logits + jax.random.gumbel(key, logits.shape, logits.dtype)
    return jax.lax.top_k(noisy, num_samples)[1].astype(np.int64)


def _size(size: tuple[Any, ...]) -> Any:
    return size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size


def rand(
    *size: object, generator: object = None, dtype: mstype.TypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return draws from the uniform distribution over [0, 1).

    Args:
        size: The sizes, or one tuple of them.
        generator: The Generator to draw from; None is the default one.
        dtype: A float dtype; float32 if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If a size is negative, or the dtype is not a float dtype, or there is no such device.

    Examples:
        >>> mint.rand(2, 3).shape
        (2, 3)
    """
    check_device_name("mint.rand", device)
    return _rand(_size(size), _floating(dtype), generator)


def randn(
    *size: object, generator: object = None, dtype: mstype.TypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return draws from the standard normal distribution.

    Args:
        size: The sizes, or one tuple of them.
        generator: The Generator to draw from; None is the default one.
        dtype: A float dtype; float32 if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If a size is negative, or the dtype is not a float dtype, or there is no such device.

    Examples:
        >>> mint.randn(2, 3).shape
        (2, 3)
    """
    check_device_name("mint.randn", device)
    return _randn(_size(size), _floating(dtype), generator)


def rand_like(input: Tensor, *, dtype: mstype.TypeLike | None = None, device: str | None = None) -> Tensor:
    """Return draws from the uniform distribution over [0, 1) in the shape and, unless given, dtype of the input.

    Args:
        input: A Tensor of floats.
        dtype: A float dtype; that of `input` if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If the dtype is not a float dtype, or there is no such device.

    Examples:
        >>> mint.rand_like(mint.ones((2, 3))).shape
        (2, 3)
    """
    check_device_name("mint.rand_like", device)
    return _rand(input.shape, _floating(dtype, input.dtype), None)


def randn_like(input: Tensor, *, dtype: mstype.TypeLike | None = None, device: str | None = None) -> Tensor:
    """Return draws from the standard normal distribution in the shape and, unless given, dtype of the input.

    Args:
        input: A Tensor of floats.
        dtype: A float dtype; that of `input` if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If the dtype is not a float dtype, or there is no such device.

    Examples:
        >>> mint.randn_like(mint.ones((2, 3))).shape
        (2, 3)
    """
    check_device_name("mint.randn_like", device)
    return _randn(input.shape, _floating(dtype, input.dtype), None)


def randint(
    *args: Any, generator: Any = None, dtype: mstype.TypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return integers drawn evenly: `randint(high, size)` from [0, high), `randint(low, high, size)` from [low, high).

    Args:
        args: The bounds, ints, and the shape, a tuple.
        generator: The Generator to draw from; None is the default one.
        dtype: The dtype; int64 if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If `low` is not smaller than `high`, or there is no such device.

    Examples:
        >>> mint.randint(0, 5, (2, 3)).shape
        (2, 3)
    """
    check_device_name("mint.randint", device)
    low, high, size = args if len(args) == 3 else (0, *args)
    if low >= high:
        raise ValueError(f"mint.randint: low must be smaller than high, got {low} and {high}.")
    return _randint(low, high, size, to_numpy(dtype or mstype.int64), generator)


def randint_like(
    input: Tensor, *args: object, dtype: mstype.TypeLike | None = None, device: str | None = None
) -> Tensor:
    """Return integers as `randint(high)` or `randint(low, high)` draws them, in the shape and dtype of the input.

    Args:
        input: A Tensor.
        args: The bounds, ints.
        dtype: The dtype; that of `input` if None.
        device: The name of a device; a process has one, where all Tensors stay.

    Raises:
        ValueError: If `low` is not smaller than `high`, or there is no such device.

    Examples:
        >>> mint.randint_like(Tensor([1, 2, 3]), 5).shape
        (3,)
    """
    return randint(*args, input.shape, dtype=dtype or input.dtype, device=device)


def randperm(n: int, *, generator: object = None, dtype: mstype.TypeLike = mstype.int64) -> Tensor:
    """Return the numbers 0, 1, ..., n - 1 in random order.

    Args:
        n: How many.
        generator: The Generator to draw from; None is the default one.
        dtype: The dtype.

    Examples:
        >>> sorted(mint.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    return _randperm(n, to_numpy(dtype), generator)


def normal(mean: object = 0.0, std: object = 1.0, size: object = None, generator: object = None) -> Tensor:
    """Return draws from normal distributions; mean and std are Tensors, or numbers with a `size`.

    Args:
        mean: A Tensor or number.
        std: A Tensor or number.
        size: The shape; None: the broadcast shape of mean and std.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> mint.normal(0.0, 1.0, (2, 3)).shape
        (2, 3)
    """
    return _normal(mean, std, size, generator)


def bernoulli(input: Tensor, *, generator: object = None) -> Tensor:
    """Return 1 with the probability that the input holds, else 0.

    Args:
        input: A Tensor of numbers in [0, 1]; the result has its shape and dtype.
        generator: The Generator to draw from; None is the default one.

    Examples:
        >>> mint.bernoulli(Tensor([0.0, 1.0])).asnumpy()
        array([0., 1.], dtype=float32)
    """
    return _bernoulli(input, generator)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: object = None) -> Tensor:
    """Return indices drawn with the probabilities along the last axis, which need not sum to 1.

    Args:
        input: Weights of shape (C,) or (N, C), not negative.
        num_samples: How many indices to draw per row.
        replacement: Whether an index may be drawn twice.
        generator: The Generator to draw from; None is the default one.

    Returns:
        An int64 Tensor of shape (num_samples,) or (N, num_samples).

    Raises:
        ValueError: If more are to be drawn than there are, without replacement.

    Examples:
        >>> mint.multinomial(Tensor([0.0, 1.0]), 2, True).asnumpy()
        array([1, 1])
    """
    return _multinomial(input, num_samples, replacement, generator)
