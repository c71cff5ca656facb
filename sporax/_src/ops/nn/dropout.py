"""Dropout in its forms: random zeros, the rest scaled up by 1 / (1 - p)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Key, Shape, Static
from sporax._src.bindings.primitive import primitive, primitives
from sporax._src.core.tensor import Tensor
from sporax._src.engine import axes
from sporax._src.engine.arguments import floating
from sporax._src.engine.table import composite, internal


def _dropout_mask(key: Array, shape: tuple[int, ...], p: float) -> Array:
    return jax.random.uniform(key, shape, np.float32) >= p


def _scaled(x: Array, mask: Array, p: float) -> Array:
    return jnp.where(mask, x / jnp.asarray(1 - p, x.dtype), jnp.zeros((), x.dtype)) if p < 1 else jnp.zeros_like(x)


@internal("dropout")
def _dropout(key: Key, input: Array, p: float, seed: Static = None) -> Array:
    x = floating(input)
    return _scaled(x, _dropout_mask(key, x.shape, p), p)


@internal("dropout")
def _dropout_channels(key: Key, input: Array, p: float, spatial: int) -> tuple[Array, Array]:
    """Drop whole channels: all of the last `spatial` axes together; signed integers are scaled as floats and truncated."""
    x = input.astype(np.float32) if input.dtype.kind == "i" else floating(input)
    mask = _dropout_mask(key, x.shape[: x.ndim - spatial] + (1,) * spatial, p)
    return _scaled(x, mask, p).astype(input.dtype), jnp.broadcast_to(mask, x.shape)


def check_probability(name: str, p: float, *, one: bool = False) -> float:
    """Return p, a probability below 1 (or up to 1).

    Raises:
        TypeError: If it is not a number.
        ValueError: If it is out of range.
    """
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"{name}: p must be a number, got {type(p).__name__}.")
    if not 0 <= p <= 1 or (p == 1 and not one):
        raise ValueError(f"{name}: p must be in [0, 1{']' if one else ')'}, got {p}.")
    return float(p)


@composite(
    cases=("T(2, 3)", "T(2, 3), 0.2", "T(4), 0.5, False", "T(4), 0.5, True, 7", "T(0, 3)"),
    errors=(("T(3), 1.5", "p must be in [0, 1)"), ("I(3)", "float")),
    grad=0,
)
def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Set elements to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: A Tensor of floats.
        p: The probability, in [0, 1).
        training: If False, return input as it is.
        seed: Selects a Generator of its own.

    Raises:
        TypeError: If `input` holds no floats or `p` is not a number.
        ValueError: If `p` is out of range.

    Examples:
        >>> ops.dropout(Tensor([1.0, 2.0]), 0.0).asnumpy()
        array([1., 2.], dtype=float32)
    """
    p = check_probability("ops.dropout", p)
    return _dropout(input, p, seed) if training and p else input


def _by_channel(name: str, input: Tensor, p: float, training: bool, ranks: tuple[int, ...], spatial: int) -> Tensor:
    check_probability(f"ops.{name}", p, one=True)
    if input.ndim not in ranks:
        raise ValueError(
            f"ops.{name}: input must have {' or '.join(map(str, ranks))} axes, got shape {list(input.shape)}."
        )
    return _dropout_channels(input, float(p), spatial)[0] if training and p else input


@composite(
    cases=("T(2, 4, 3)", "T(4, 3), 0.2", "T(2, 4, 3), 0.5, False"),
    errors=(("T(3)", "2 or 3 axes"), ("T(2, 3), 2.0", "p must be in [0, 1]")),
    grad=0,
)
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: A Tensor of floats or signed integers, (N, C, L) or (C, L).
        p: The probability, in [0, 1].
        training: If False, return input as it is.

    Raises:
        TypeError: If `input` holds unsigned integers or booleans, or `p` is not a number.
        ValueError: If `p` is out of range or `input` has another number of axes.

    Examples:
        >>> ops.dropout1d(ops.ones((2, 3)), 1.0).asnumpy()
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return _by_channel("dropout1d", input, p, training, (2, 3), 1)


@composite(cases=("T(2, 4, 3, 2)", "T(2, 4, 1, 2), 0.2"), errors=(("T(3)", "4 axes"),), grad=0)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    From Tompson et al. (2015), Efficient Object Localization Using Convolutional Networks.

    Args:
        input: A Tensor of floats or signed integers (N, C, H, W).
        p: The probability, in [0, 1].
        training: If False, return input as it is.

    Raises:
        TypeError: If `input` holds unsigned integers or booleans, or `p` is not a number.
        ValueError: If `p` is out of range or `input` has another number of axes.

    Examples:
        >>> ops.dropout2d(ops.ones((1, 1, 2, 3)), training=False).asnumpy()
        array([[[[1., 1., 1.],
                 [1., 1., 1.]]]], dtype=float32)
    """
    return _by_channel("dropout2d", input, p, training, (4,), 2)


@composite(cases=("T(2, 4, 3, 2, 1)", "T(2, 4, 1, 1, 2), 0.2"), errors=(("T(3)", "5 axes"),), grad=0)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Set whole channels to 0 with probability p and scale the others by 1 / (1 - p).

    Args:
        input: A Tensor of floats or signed integers (N, C, D, H, W).
        p: The probability, in [0, 1].
        training: If False, return input as it is.

    Raises:
        TypeError: If `input` holds unsigned integers or booleans, or `p` is not a number.
        ValueError: If `p` is out of range or `input` has another number of axes.

    Examples:
        >>> ops.dropout3d(ops.ones((1, 1, 1, 2, 3)), 1.0).asnumpy()
        array([[[[[0., 0., 0.],
                  [0., 0., 0.]]]]], dtype=float32)
    """
    return _by_channel("dropout3d", input, p, training, (5,), 3)


# --- Primitive classes ----------------------------------------------------------------------------------------------


def one_seed(seed: int, seed2: int) -> int | None:
    """Return the two seeds of a Primitive as one seed (None if both are 0)."""
    return (seed << 32 | seed2) or None


@internal("Dropout")
def _dropout_with_mask(key: Key, x: Array, keep_prob: float, seed: Static = None) -> tuple[Array, Array]:
    mask = _dropout_mask(key, x.shape, 1 - keep_prob)
    return _scaled(floating(x), mask, 1 - keep_prob), mask.astype(x.dtype)


@primitive("Dropout(keep_prob=0.5, Seed0=0, Seed1=0)")
def _dropout_primitive(x: Tensor, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> tuple[Tensor, Tensor]:
    """Return x with elements kept with probability keep_prob and scaled by its inverse, and the mask."""
    if not 0 < keep_prob <= 1:
        raise ValueError(f"ops.Dropout: keep_prob must be in (0, 1], got {keep_prob}.")
    return _dropout_with_mask(x, float(keep_prob), one_seed(Seed0, Seed1))


@internal("DropoutGenMask")
def _mask_bits(key: Key, keep_prob: Array, shape: Shape, seed: Static = None) -> Array:
    shape = axes.fixed_sizes(shape)
    count = -(-int(np.prod(shape)) // 128) * 128
    return jnp.packbits(jax.random.uniform(key, (count,), np.float32) < keep_prob, bitorder="little")


@primitive("DropoutDoMask()")
@internal("DropoutDoMask")
def _dropout_do_mask(input_x: Array, mask: Array, keep_prob: Array) -> Array:
    """Return input_x where the bits of the mask are set, scaled by 1 / keep_prob, and 0 elsewhere."""
    bits = jnp.unpackbits(mask, count=input_x.size, bitorder="little").reshape(input_x.shape)
    return jnp.where(bits == 1, input_x / jnp.asarray(keep_prob).astype(input_x.dtype), jnp.zeros((), input_x.dtype))


primitives(
    """\
DropoutExt()(input, p: float, seed=None, offset=None) -> _dropout_with_mask(input, 1.0 - p)
    Return input with elements zeroed with probability p and the others scaled by 1 / (1 - p), and the mask of what is kept.
    input: A float Tensor.
    p: Between 0 and 1.
    seed, offset: Accepted: every call draws new numbers.
Dropout2D(keep_prob: float = 0.5)(x) -> _dropout_channels(x, 1.0 - keep_prob, 2)
    Return x (N, C, H, W) with channels kept with probability keep_prob, and the mask.
Dropout3D(keep_prob: float = 0.5)(x) -> _dropout_channels(x, 1.0 - keep_prob, 3)
    Return x (N, C, D, H, W) with channels kept with probability keep_prob, and the mask.
DropoutGenMask(Seed0: int = 0, Seed1: int = 0)(shape, keep_prob) -> _mask_bits(keep_prob, shape, one_seed(Seed0, Seed1))
    Return the bits of a mask for a shape, one per element, as uint8 in blocks of 128 bits.
""",
    globals(),
)
