"""Layers that published networks lean on, in plain JAX: images are NHWC, kernels HWIO."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import lax


def convolution(w: Sequence[jax.Array], x: jax.Array, *, channels: int, kernel: int, groups: int) -> jax.Array:
    """A convolution that keeps the size of images."""
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w[0], (1, 1), "SAME", dimension_numbers=numbers, feature_group_count=groups)


def attention(w: Sequence[jax.Array], x: jax.Array, *, width: int, heads: int) -> jax.Array:
    """Attention of all tokens to all, between its two projections."""
    batch, length, _ = x.shape
    qkv = (x @ w[0].T + w[1]).reshape(batch, length, 3, heads, width // heads)
    q, k, v = jnp.moveaxis(qkv, 2, 0)
    scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // heads) ** -0.5)
    return jnp.einsum("bhqk,bkhd->bqhd", scores, v).reshape(batch, length, width) @ w[2].T + w[3]


def interpolation(w: Sequence[jax.Array], x: jax.Array, *, size: int) -> jax.Array:
    """Bilinear interpolation to images of another size."""
    return jax.image.resize(x, (x.shape[0], size, size, x.shape[3]), "linear")


LAYERS = {"convolution": convolution, "attention": attention, "interpolation": interpolation}
