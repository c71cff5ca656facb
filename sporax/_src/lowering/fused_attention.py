"""Attention whose scores are never all in memory, on NVIDIA GPUs: one kernel of cuDNN in half precision, else by blocks of queries.

A block's weights are the softmax over all keys, as the program computes them; the gradient computes them again. So memory grows
with the length of the text, and not with its square (Rabe and Staats, 2021, arXiv:2112.05682).
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base import config
from sporax._src.base.jax_compat import threefry2x32_p
from sporax._src.base.typing import Array, OptArray

_config: Any = jax.config
log = logging.getLogger("sporax.attention")  # on request: `logging.getLogger("sporax.attention").setLevel("INFO")`
HALF = ("float16", "bfloat16")
_Implementation = Literal["cudnn", "xla"]
Tail = Callable[[Array, Array], Array]
LARGE = 1 << 28  # bytes of scores in float32: smaller ones stay as the program computes them
_BLOCK = 1 << 26  # bytes of the scores of a block
_FEWEST = 128  # queries of a block, so that its products keep a card busy
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
        tail: Changes the weights of a block of queries, as dropout does: ``tail(weights, number of the first query)``.
    """
    if not is_available() or len({q.dtype, k.dtype, v.dtype}) > 1:
        return None
    scores = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    bias, mask = (None if x is None else x.reshape((1,) * (4 - x.ndim) + x.shape) for x in (bias, mask))
    out = _by_cudnn(q, k, v, bias, mask, scale, is_causal, scores) if tail is None else None
    if out is not None or not are_large(scores):
        return out
    log.info("attention with scores of shape %s is computed by blocks of queries", list(scores))
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
    over_lengths = lambda x: jnp.broadcast_to(x, (*x.shape[:2], *scores[2:]))  # which cuDNN wants
    bias, mask = (None if x is None else over_lengths(x) for x in (bias, mask))
    bias = None if bias is None else bias.astype(q.dtype)
    try:
        return jax.nn.dot_product_attention(
            q, k, v, bias, mask, scale=scale, is_causal=is_causal, implementation=_assumed or "cudnn"
        )
    except (NotImplementedError, RuntimeError) as error:  # cuDNN is too old, or has no such kernel
        return _declined(scores, str(error))


def _declined(scores: tuple[int, ...], why: str) -> None:
    log.info(
        "attention with scores of shape %s is computed without cuDNN: %s", list(scores), why.strip().split("\n")[0]
    )


# --- by blocks ---------------------------------------------------------------------------------------------------------


def are_large(scores: Sequence[int]) -> bool:
    """Return whether scores of a shape are computed by blocks; those of sizes that an exported graph leaves open are not."""
    return all(isinstance(size, int) for size in scores) and 4 * math.prod(scores) > LARGE


def blockwise_attention(
    q: Array,
    k: Array,
    v: Array,
    bias: OptArray,
    mask: OptArray,
    scale: float,
    is_causal: bool = False,
    precision: lax.PrecisionLike = None,
    tail: Tail | None = None,
) -> Array:
    """Return what `fused_attention` returns, of the same arguments; bias and mask have four axes."""
    (batch, length, heads, _), (keys, groups) = q.shape, k.shape[1:3]
    wide = jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    most = max(_FEWEST, _BLOCK // (4 * batch * heads * keys))
    count = -(-length // most)
    rows = -(-length // count)
    filling = count * rows - length
    q = jnp.pad(q, ((0, 0), (0, filling), (0, 0), (0, 0))).reshape(batch, count, rows, groups, heads // groups, -1)
    q = q.transpose(1, 0, 3, 4, 2, 5).reshape(count, batch, groups, heads // groups * rows, -1)
    k, v = jnp.swapaxes(k, 1, 2), jnp.swapaxes(v, 1, 2)
    bias, mask = (
        x if x is None or x.shape[2] == 1 else jnp.pad(x, ((0, 0), (0, 0), (0, filling), (0, 0))) for x in (bias, mask)
    )

    def of_block(x: Array, first: Array) -> Array:
        return x if x.shape[2] == 1 else lax.dynamic_slice_in_dim(x, first, rows, 2)

    def block(first: Array, q: Array) -> Array:
        scores = jnp.einsum("bgqd,bgkd->bgqk", q, k, precision=precision, preferred_element_type=wide) * scale
        scores = scores.reshape(batch, heads, rows, keys)
        scores = scores if bias is None else scores + of_block(bias, first).astype(wide)
        counts = None if mask is None else of_block(mask, first)
        if is_causal:
            query, key = (lax.broadcasted_iota(jnp.int32, (rows, keys), axis) for axis in (0, 1))
            counts = key <= first + query if counts is None else counts & (key <= first + query)
        scores = scores if counts is None else jnp.where(counts, scores, jnp.finfo(wide).min)
        weights = jax.nn.softmax(scores, -1)
        weights = weights if tail is None else tail(weights, first)
        weights = weights.astype(v.dtype).reshape(batch, groups, -1, keys)
        return jnp.einsum("bgqk,bgkd->bgqd", weights, v, precision=precision)

    again = jax.checkpoint(block, prevent_cse=False)  # `scan` keeps the two computations apart
    firsts = jnp.arange(count, dtype=jnp.int32) * rows
    _, out = lax.scan(lambda none, given: (none, again(*given)), None, (firsts, q))
    out = out.reshape(count, batch, heads, rows, -1).transpose(1, 0, 3, 2, 4)
    return out.reshape(batch, count * rows, heads, -1)[:, :length]


# --- dropout ----------------------------------------------------------------------------------------------------------


def are_numbered(key: Array) -> bool:
    """Return whether the bits that one key draws depend on their number in the array only."""
    return (
        not key.ndim
        and jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
        and str(jax.random.key_impl(key)) == "threefry2x32"
        and _config.jax_threefry_partitionable
    )


def bits_of_rows(key: Array, shape: Sequence[int], first: Array, size: Sequence[int], width: int = 32) -> Array:
    """Return random bits for each element of some rows of an array.

    Args:
        key: For which `are_numbered` is true.
        shape: The shape of the array (..., rows, columns), of at most 2³² rows · columns.
        first: The number of the first row.
        size: How many rows, and how many of the first columns.
        width: How many bits: 8, 16, 32 or 64.

    Examples:
        >>> import jax
        >>> key = jax.random.key(1)
        >>> whole = jax.random.bits(key, (2, 3, 4), "uint32")
        >>> (bits_of_rows(key, (2, 3, 4), 1, (2, 3)) == whole[:, 1:3, :3]).all().item()
        True
    """
    *batch, rows, columns = shape
    before = np.arange(math.prod(batch), dtype=np.uint64).reshape(*batch, 1, 1) * np.uint64(rows * columns)
    row = jnp.asarray(first, jnp.uint32) + lax.broadcasted_iota(jnp.uint32, (*size,), 0)
    within = row * np.uint32(columns) + lax.broadcasted_iota(jnp.uint32, (*size,), 1)
    low = jnp.asarray(before.astype(np.uint32)) + within  # modulo 2³²
    high = jnp.asarray((before >> np.uint64(32)).astype(np.uint32)) + (low < within).astype(jnp.uint32)
    words = jax.random.key_data(key)
    one, other = threefry2x32_p.bind(
        *(jnp.broadcast_to(word, low.shape) for word in (words[0], words[1])), jnp.broadcast_to(high, low.shape), low
    )
    if width == 64:
        return (one.astype(jnp.uint64) << np.uint64(32)) | other.astype(jnp.uint64)
    return (one ^ other).astype(f"uint{width}")
