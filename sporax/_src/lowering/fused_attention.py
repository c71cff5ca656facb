"""Attention whose scores are never all in memory, on NVIDIA GPUs: one kernel of cuDNN in half precision, else by blocks."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base import config
from sporax._src.base.typing import Array, OptArray
from sporax._src.lowering.blockwise_attention import Tail, are_large, blockwise_attention

log = logging.getLogger("sporax.attention")  # on request: `logging.getLogger("sporax.attention").setLevel("INFO")`
HALF = ("float16", "bfloat16")
_Implementation = Literal["cudnn", "xla"]
_assumed: _Implementation | None = None


def is_available() -> bool:
    """Return whether the device has such kernels."""
    return _assumed is not None or (config.platform() == "gpu" and (bool(config.planned_card()) or _is_nvidia()))


@functools.cache
def _is_nvidia() -> bool:
    return "cuda" in jax.devices("gpu")[0].client.platform_version


@contextmanager
def assumed(implementation: _Implementation) -> Iterator[None]:
    """Fuse attention whatever the device is, by "cudnn" for a card that is not here, or by "xla" to compare numbers.

    Examples:
        >>> with assumed("xla"):
        ...     is_available()
        True
    """
    global _assumed
    before, _assumed = _assumed, implementation
    try:
        yield
    finally:
        _assumed = before


def fused_attention(
    q: Array,
    k: Array,
    v: Array,
    bias: OptArray,
    mask: OptArray,
    scale: float,
    is_causal: bool = False,
    precision: lax.PrecisionLike = None,
    tail: Tail | None = None,
) -> Array | None:
    """Return softmax(scale · q · kᵀ + bias) · v over (batch, length, heads, features); None where the usual operations are better.

    Args:
        q, k, v: Arrays; keys and values may have fewer heads, whose number divides that of the queries.
        bias: Added to the scores; broadcasts against (batch, heads, queries, keys).
        mask: Which scores count, likewise.
        scale: The factor of the scores.
        is_causal: Whether a query counts only keys that are not later than itself.
        precision: Of the products, where they are computed by blocks.
        tail: Changes the weights of a block of queries, as dropout does; see `blockwise_attention`.
    """
    if not is_available() or len({q.dtype, k.dtype, v.dtype}) > 1:
        return None
    scores = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    out = _by_cudnn(q, k, v, bias, mask, scale, is_causal, scores) if tail is None else None
    if out is not None or not are_large(scores):
        return out
    log.info("attention with scores of shape %s is computed by blocks of queries", list(scores))
    bias, mask = (None if x is None else x.reshape((1,) * (4 - x.ndim) + x.shape) for x in (bias, mask))
    return blockwise_attention(q, k, v, bias, mask, scale, is_causal, precision, tail)


def _by_cudnn(
    q: Array,
    k: Array,
    v: Array,
    bias: OptArray,
    mask: OptArray,
    scale: float,
    is_causal: bool,
    scores: tuple[int, ...],
) -> Array | None:
    if q.dtype.name not in HALF:
        return None
    if v.shape != k.shape:
        return _declined(scores, f"values have {v.shape[3]} features and keys have {k.shape[3]}")
    bias, mask = (None if x is None else _over_lengths(x, scores) for x in (bias, mask))
    bias = None if bias is None else bias.astype(q.dtype)
    try:
        return jax.nn.dot_product_attention(
            q, k, v, bias, mask, scale=scale, is_causal=is_causal, implementation=_assumed or "cudnn"
        )
    except (NotImplementedError, RuntimeError) as error:  # cuDNN is too old, or has no such kernel
        return _declined(scores, str(error))


def _over_lengths(x: Array, scores: tuple[int, ...]) -> Array:
    """Return what broadcasts against the scores with their lengths, which cuDNN wants."""
    x = x.reshape((1,) * (4 - x.ndim) + x.shape)
    return jnp.broadcast_to(x, (*x.shape[:2], *scores[2:]))


def _declined(scores: tuple[int, ...], why: str) -> None:
    log.info(
        "attention with scores of shape %s is computed without cuDNN: %s", list(scores), why.strip().split("\n")[0]
    )
