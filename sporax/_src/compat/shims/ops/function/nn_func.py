"""Helpers of `mindspore.ops.function.nn_func` for attention, padding and interpolation.

mindone and mindcv (`examples/clip`) call `multi_head_attention_forward` with Parameters of their own; mindone and mindscience
import the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sporax import Tensor, bool_, float32, int32
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


def linear(x: Tensor, w: Tensor, b: Tensor | None) -> Tensor:
    """Return x · wᵀ + b."""
    out = ops.matmul(x, w.swapaxes(-1, -2))
    return out if b is None else out + b


def _in_projection(
    q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor,
    b_q: Tensor | None = None, b_k: Tensor | None = None, b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Return query, key and value, each projected to the size E of the query by a weight of its own.

    Raises:
        ValueError: If a weight is not (E, size of its input), or a bias not (E,).
    """
    size = q.shape[-1]
    for name, x, w, b in (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v)):
        if w.shape != (size, x.shape[-1]):
            raise ValueError(f"the weight of the {name} must be {(size, x.shape[-1])}, got {w.shape}.")
        if b is not None and b.shape != (size,):
            raise ValueError(f"the bias of the {name} must be {(size,)}, got {b.shape}.")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None, k_is_v: bool, q_is_k: bool
) -> tuple[Tensor, ...]:
    """Return query, key and value, projected by the thirds of one weight; `k_is_v` and `q_is_k` tell of equal Tensors."""
    biases = (None,) * 3 if b is None else b.chunk(3)
    return tuple(linear(x, weight, bias) for x, weight, bias in zip((q, k, v), w.chunk(3), biases, strict=True))


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Return whether query, key and value have an axis of batches.

    Raises:
        ValueError: If they do not all have 3 axes, or all 2.
    """
    if query_ndim not in (2, 3) or (key_ndim, value_ndim) != (query_ndim, query_ndim):
        raise ValueError(
            f"query, key and value must all have 2 or all 3 axes, got {query_ndim}, {key_ndim} and {value_ndim}."
        )
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """Check the axes of a mask of keys against those of the query.

    Raises:
        ValueError: If the mask does not have one axis less than the query.
    """
    if query_ndim in (2, 3) and kmp_ndim != query_ndim - 1:
        raise ValueError(
            f"key_padding_mask must have {query_ndim - 1} axes for a query of {query_ndim}, got {kmp_ndim}."
        )


def _check_attn_mask_shape(
    query_ndim: int,
    query_shape: Sequence[int],
    key_shape: Sequence[int],
    attn_mask_ndim: int,
    attn_mask_shape: Sequence[int],
    num_heads: int,
) -> None:
    """Check the shape of a mask of scores.

    Raises:
        ValueError: If it has neither 2 nor 3 axes, or without batches other axes than (heads, L, S).
    """
    if query_ndim in (2, 3) and attn_mask_ndim not in (2, 3):
        raise ValueError(f"attn_mask must have 2 or 3 axes, got {attn_mask_ndim}.")
    expected = (num_heads, query_shape[0], key_shape[0])
    if query_ndim == 2 and attn_mask_ndim == 3 and tuple(attn_mask_shape) != expected:
        raise ValueError(f"attn_mask must be {expected}, got {tuple(attn_mask_shape)}.")


def _scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float, is_causal: bool,
    is_training: bool, dtype: Any,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return weights · value and the weights, softmax(query · keyᵀ / √E + mask) with a share dropped in training.

    As there, `is_causal` adds a triangle of ones in place of the mask.
    """
    root = ops.sqrt(ops.sqrt(ops.scalar_to_tensor(query.shape[-1], dtype)))
    if is_causal:
        attn_mask = ops.ones((query.shape[-2], key.shape[-2]), bool_).tril()
    scores = ops.matmul(query / root, key.swapaxes(-2, -1) / root)
    weights = ops.softmax(scores if attn_mask is None else scores + attn_mask, -1)
    weights = _inner_dropout(weights, dropout_p, is_training)
    return ops.matmul(weights, value), weights


def _inner_dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Return x, or if `training`, x with a share p of its elements dropped."""
    return ops.dropout(x, p) if training and 0 < p <= 1 else x


def _inner_pad(x: Tensor, padding: Any, value: Any = None) -> Tensor:
    """Return x padded at its last axes; of booleans too."""
    wide = x.astype(int32) if x.dtype == bool_ else x
    return ops.pad(wide, padding, value=value).astype(x.dtype)


def _innner_log_softmax(inputs: Tensor, axis: int) -> Tensor:
    """Return inputs - log Σ exp(inputs) along an axis."""
    return inputs - ops.logsumexp(inputs, axis, True)


def _interploate_ext_make_tuple(input: Tensor, value: Any) -> Any:
    """Return a number once for each axis behind the channels; a list or tuple as it is."""
    return value if isinstance(value, (list, tuple)) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input: Tensor, scale_factor: Sequence[float]) -> tuple[int, ...]:
    """Return the size of an image after it was scaled."""
    return tuple(math.floor(n * factor) for n, factor in zip(input.shape[2:], scale_factor, strict=False))
