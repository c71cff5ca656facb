"""The function below `nn.MultiheadAttention`, which programs call with Parameters of their own."""

from __future__ import annotations

import math
from typing import Any

from sporax import Tensor, bool_, float32
from sporax._src.compat.operators import ops


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
    k_is_v: bool = False,
    q_is_k: bool = False,
    dtype: Any = float32,
) -> tuple[Tensor, Tensor]:
    """Return the attention of several heads over (L, N, E) or (L, E), and its weights (N, L, S) or (L, S).

    Args:
        query, key, value: Tensors of L and S places.
        embed_dim_to_check: The size E of the query.
        num_heads: The number of heads.
        in_proj_weight, in_proj_bias: The projections of query, key and value in one; the bias may be None.
        bias_k, bias_v: One more key and value, (1, 1, E), or None.
        add_zero_attn: Whether there is one more key and value of zeros.
        dropout_p: The share of weights that is dropped if `training`.
        out_proj_weight, out_proj_bias: The last projection; the bias may be None.
        key_padding_mask: (N, S): True where a key does not count, or numbers to add to the scores.
        attn_mask: (L, S) or (N · heads, L, S), the same for each pair.
        use_separate_proj_weight: Whether `q_proj_weight`, `k_proj_weight` and `v_proj_weight` take the place of the one.
        static_k, static_v: Keys and values (N · heads, S, d) that take the place of what is computed.
        average_attn_weights: Whether the weights are averaged over the heads; else they are (N, heads, L, S).
        is_causal, k_is_v, q_is_k, dtype: Accepted; they tell MindSpore of short cuts.

    Raises:
        ValueError: If the query has another size than `embed_dim_to_check`, or the heads do not divide it.
    """
    if query.shape[-1] != embed_dim_to_check or embed_dim_to_check % num_heads:
        raise ValueError(
            f"multi_head_attention_forward: the last axis of query must be {embed_dim_to_check} and a multiple of "
            f"num_heads={num_heads}, got {query.shape[-1]}."
        )
    single = query.ndim == 2
    if single:
        query, key, value = (x.expand_dims(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.expand_dims(0)
    length, batch, size = query.shape
    weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    weights = weights if use_separate_proj_weight else ops.split(in_proj_weight, size, 0)
    biases = (None,) * 3 if in_proj_bias is None else ops.split(in_proj_bias, size, 0)
    q, k, v = (ops.dense(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    extra = int(bias_k is not None)
    if extra:
        k = ops.cat((k, ops.tile(bias_k, (1, batch, 1))), 0)
        v = ops.cat((v, ops.tile(bias_v, (1, batch, 1))), 0)
    q, k, v = (x.reshape(x.shape[0], batch * num_heads, -1).swapaxes(0, 1) for x in (q, k, v))
    k = k if static_k is None else static_k
    v = v if static_v is None else static_v
    if add_zero_attn:
        extra += 1
        k, v = (ops.cat((x, ops.zeros((x.shape[0], 1, x.shape[2]), x.dtype)), 1) for x in (k, v))
    scores = ops.bmm(q / math.sqrt(q.shape[-1]), k.swapaxes(1, 2)).reshape(batch, num_heads, length, -1)
    if attn_mask is not None:
        mask = _added(attn_mask, scores.dtype, extra)
        scores = scores + (mask if mask.ndim == 2 else mask.reshape(batch, num_heads, length, -1))
    if key_padding_mask is not None:
        scores = scores + _added(key_padding_mask, scores.dtype, extra).expand_dims(1).expand_dims(1)
    shares = ops.softmax(scores, -1)
    shares = ops.dropout(shares, dropout_p, training) if dropout_p and training else shares
    joined = ops.bmm(shares.reshape(batch * num_heads, length, -1), v).swapaxes(0, 1).reshape(length, batch, size)
    out = ops.dense(joined, out_proj_weight, out_proj_bias)
    shares = shares.mean(1) if average_attn_weights else shares
    return (out.squeeze(1), shares.squeeze(0)) if single else (out, shares)


def _added(mask: Tensor, dtype: Any, extra: int) -> Tensor:
    """Return what a mask adds to scores, with zeros for keys that were added."""
    if mask.dtype == bool_:
        mask = ops.zeros(mask.shape, dtype).masked_fill(mask, -math.inf)
    zeros = ops.zeros((*mask.shape[:-1], extra), dtype)
    return ops.cat((mask.astype(dtype), zeros), -1) if extra else mask.astype(dtype)
