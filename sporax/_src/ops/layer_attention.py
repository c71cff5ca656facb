"""Multi-head attention in one operator."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Arrays, Key, OptArray
from sporax._src.core.dtype import unify
from sporax._src.ops.table import internal


def _additive(mask: Array | None, dtype: Any, extra: int) -> Array | None:
    """Return a mask to add to the scores (True: -inf), with nothing masked in `extra` further columns."""
    if mask is None:
        return None
    if mask.dtype in (jnp.bool_, jnp.uint8):
        mask = jnp.where(mask.astype(bool), -jnp.inf, 0)
    mask = mask.astype(dtype)
    return jnp.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, extra)])


def _project(x: Array, weight: Array, bias: Array | None) -> Array:
    out = jnp.matmul(x, weight.T)
    return out if bias is None else out + bias


def _heads(x: Array, heads: int) -> Array:
    """Return (L, N, E) as (N, heads, L, E / heads)."""
    return jnp.transpose(x.reshape(*x.shape[:2], heads, x.shape[2] // heads), (1, 2, 0, 3))


def _check(query: Array, key: Array, value: Array, padding: Array | None, mask: Array | None, heads: int) -> None:
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise ValueError(
            f"query, key and value must all have 2 or all 3 axes, got {query.ndim}, {key.ndim} and {value.ndim}."
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"key and value must agree in all axes but the last, got {list(key.shape)} and {list(value.shape)}."
        )
    target, source = query.shape[0], key.shape[0]
    batch = query.shape[1] if query.ndim == 3 else 1
    if padding is not None:
        wanted = (batch, source) if query.ndim == 3 else (source,)
        if padding.shape != wanted:
            raise ValueError(f"key_padding_mask must have shape {list(wanted)}, got {list(padding.shape)}.")
    if mask is not None and mask.shape not in ((target, source), (batch * heads, target, source)):
        raise ValueError(
            f"attn_mask must have shape [{target}, {source}] or [{batch * heads}, {target}, {source}], "
            f"got {list(mask.shape)}."
        )


def _attend(
    query: Array,
    key: Array,
    value: Array,
    inputs: Arrays,
    biases: Arrays,
    more: Arrays,
    output: Arrays,
    padding: Array | None,
    mask: Array | None,
    heads: int,
    add_zero: bool,
    average: bool,
    drop: Any,
) -> tuple[Array, Array]:
    _check(query, key, value, padding, mask, heads)
    query, key, value, *rest = unify(query, key, value, *inputs, *biases, *more, *output)
    inputs, rest = rest[: len(inputs)], rest[len(inputs) :]
    biases, rest = rest[: len(biases)], rest[len(biases) :]
    more, output = rest[: len(more)], rest[len(more) :]
    single = query.ndim == 2
    if single:
        query, key, value = (x[:, None] for x in (query, key, value))
        padding = None if padding is None else padding[None]
    weights = jnp.split(inputs[0], 3) if len(inputs) == 1 else inputs
    offsets = jnp.split(biases[0], 3) if biases else (None,) * 3
    q, k, v = (_project(x, w, b) for x, w, b in zip((query, key, value), weights, offsets, strict=True))
    batch, width = q.shape[1], q.shape[2]
    if more:
        k, v = (jnp.concatenate([x, jnp.broadcast_to(b, (1, batch, width))]) for x, b in zip((k, v), more, strict=True))
    if add_zero:
        k, v = (jnp.concatenate([x, jnp.zeros((1, batch, width), x.dtype)]) for x in (k, v))
    q, k, v = (_heads(x, heads) for x in (q, k, v))
    scores = jnp.matmul(q, jnp.swapaxes(k, -1, -2)) * (width // heads) ** -0.5
    extra = k.shape[2] - key.shape[0]
    if mask is not None:
        added = _additive(mask, scores.dtype, extra)
        scores = scores + (added if mask.ndim == 2 else added.reshape(batch, heads, *added.shape[1:]))  # type: ignore[union-attr]
    if padding is not None:
        scores = scores + _additive(padding, scores.dtype, extra)[:, None, None]  # type: ignore[index]
    wide = scores.astype(jnp.float32) if scores.dtype.itemsize < 4 else scores
    shares = drop(jax.nn.softmax(wide, -1).astype(scores.dtype))
    joined = jnp.transpose(jnp.matmul(shares, v), (2, 0, 1, 3)).reshape(query.shape[0], batch, width)
    out = _project(joined, output[0], output[1] if len(output) == 2 else None)
    shares = jnp.mean(shares, 1) if average else shares
    return (out[:, 0], shares[0]) if single else (out, shares)


@internal("multi_head_attention")
def multi_head_attention(
    query: Array,
    key: Array,
    value: Array,
    inputs: Arrays,
    biases: Arrays,
    more: Arrays,
    output: Arrays,
    padding: OptArray,
    mask: OptArray,
    heads: int,
    add_zero: bool,
    average: bool,
) -> tuple[Array, Array]:
    """Return the attention of query (L, N, E) over key and value (S, N, E), and its weights (N, L, S).

    Args:
        inputs: The weights of the projections of query, key and value: one for all, or three.
        biases: Their bias in one Array, or none.
        more: One more key and value, or none.
        output: The weight of the output projection, and its bias if there is one.
        padding: Which keys count for nothing (N, S): booleans, or numbers to add to the scores.
        mask: The same for each pair of query and key, (L, S) or (N · heads, L, S).
        heads: The number of heads.
        add_zero: Whether to add one more key and value of zeros.
        average: Whether the weights are averaged over the heads; otherwise they are (N, heads, L, S).
    """
    return _attend(
        query, key, value, inputs, biases, more, output, padding, mask, heads, add_zero, average, lambda x: x
    )


@internal("multi_head_attention")
def multi_head_attention_dropout(
    random: Key,
    query: Array,
    key: Array,
    value: Array,
    inputs: Arrays,
    biases: Arrays,
    more: Arrays,
    output: Arrays,
    padding: OptArray,
    mask: OptArray,
    heads: int,
    add_zero: bool,
    average: bool,
    rate: float,
) -> tuple[Array, Array]:
    """Return `multi_head_attention` with each weight dropped with probability `rate`."""

    def drop(x: Array) -> Array:
        return jnp.where(jax.random.bernoulli(random, 1 - rate, x.shape), x / (1 - rate), 0).astype(x.dtype)

    return _attend(query, key, value, inputs, biases, more, output, padding, mask, heads, add_zero, average, drop)
