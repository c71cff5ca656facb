"""Attention while a language model generates: of a prompt, or of a new token, over keys of given lengths."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, Key, OptArray, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_float
from sporax._src.engine.table import composite, internal
from sporax._src.ops.array.creation import zeros
from sporax._src.ops.nn.attention import attend, band_mask, merged_heads, segment_of, split_heads
from sporax._src.ops.nn.paged_attention import dequantized, paged

_REF = "references.inference."
_ALL = 2147483647

# --- keys and values in one Tensor -----------------------------------------------------------------------------------

_LAYOUTS = ("BSH", "BNSD", "BSND", "BNSD_BSND")


def _heads(x: Array, layout: str, heads: int) -> Array:
    """Return x as (batch, length, heads, features)."""
    if layout == "BSH":
        return x.reshape(*x.shape[:2], heads, -1)
    return x if layout == "BSND" else jnp.swapaxes(x, 1, 2)


def _mask4(mask: Array, batch: int, sq: int) -> Array:
    """Return a mask that lacks axes of heads, queries or batch as one of four axes."""
    if sq == 1 and mask.ndim < 4:
        return mask.reshape(-1, 1, 1, mask.shape[-1])
    return mask[None, None] if mask.ndim == 2 else mask[:, None] if mask.ndim == 3 else mask


@internal("fused_infer_attention_score")
def infer(
    query: Array,
    key: Array,
    value: Array,
    pse: OptArray,
    mask: OptArray,
    q_lens: OptArray,
    kv_lens: OptArray,
    block_table: OptArray,
    padding: OptArray,
    antiquant_scale: OptArray,
    antiquant_offset: OptArray,
    heads: int,
    kv_heads: int,
    scale: float,
    before: int,
    after: int,
    layout: str,
    mode: int,
) -> tuple[Array, Array]:
    """Return attention and the logarithm of the sums of its softmax (batch, heads, queries, 1)."""
    check_float(query)
    q = _heads(query, layout, heads)
    groups = kv_heads or heads
    k, v = _heads(key, layout, groups), _heads(value, layout, groups)
    if block_table is not None:
        k, v = paged(k, block_table), paged(v, block_table)
    k, v = (dequantized(x, antiquant_scale, antiquant_offset, i, q.dtype) for i, x in enumerate((k, v)))
    (batch, sq), sk = q.shape[:2], k.shape[1]
    i, j = jnp.arange(sq)[:, None], jnp.arange(sk)[None]
    ends = jnp.full(batch, sk) if kv_lens is None else kv_lens.reshape(-1)
    queries = jnp.full(batch, sq) if q_lens is None or sq == 1 else q_lens.reshape(-1)
    first = jnp.zeros(batch, ends.dtype)
    if padding is not None and kv_lens is not None:
        last = sk - jnp.maximum(padding.reshape(()), 0)
        first, ends = last - ends, jnp.broadcast_to(last, ends.shape)
    hidden = ((j >= ends[:, None]) | (j < first[:, None]))[:, None, None]
    if mask is not None and (sq == 1 or mode in (0, 1)):
        hidden = hidden | _mask4(mask.astype(bool), batch, sq)[..., :sq, :sk]
    if sq > 1:
        lag = (ends - queries)[:, None, None, None] if mode in (3, 4) else 0
        if mode in (2, 3):
            hidden = hidden | (j > i + lag)
        elif mode == 4 or (mode == 0 and mask is not None):
            hidden = hidden | (j < i + lag - before) | (j > i + lag + after)
    bias = None if pse is None else pse[..., :sq, :sk]
    out = attend(q, k, v, bias, hidden, scale)
    out = jnp.where((i < queries[:, None, None])[..., None], out, 0).astype(q.dtype)
    lse = log_sum(q, k, bias, hidden, scale)
    out = out.reshape(*query.shape[:2], -1) if layout == "BSH" else jnp.swapaxes(out, 1, 2) if layout == "BNSD" else out
    return out, lse


def scores(q: Array, k: Array, bias: Array | None, hidden: Array | None, scale: float) -> Array:
    """Return the operand of the softmax of `attend`, (batch, heads, queries, keys) in float32 or wider."""
    wide = jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    k = jnp.repeat(k, q.shape[2] // k.shape[2], 2)
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=wide) * scale
    s = s if bias is None else s + bias.astype(wide)
    return s if hidden is None else jnp.where(hidden, jnp.finfo(wide).min, s)


def log_sum(q: Array, k: Array, bias: Array | None, hidden: Array | None, scale: float) -> Array:
    """Return the logarithm of Σ exp(scores), (batch, heads, queries, 1)."""
    s = scores(q, k, bias, hidden, scale)
    top = jnp.max(s, -1, keepdims=True)
    return top + jnp.log(jnp.sum(jnp.exp(s - top), -1, keepdims=True))


def _lengths(value: object) -> Any:
    return Tensor([int(v) for v in value]) if isinstance(value, (tuple, list)) else value


def _alone(name: str, value: object) -> Any:
    """Return the Tensor of a sequence of one."""
    if not isinstance(value, (tuple, list)):
        return value
    if len(value) != 1:
        raise ValueError(f"ops.{name}: key and value must be one Tensor each, got {len(value)}.")
    return value[0]


def _check_infer(name: str, layout: str, sparse_mode: int, quantized: dict[str, Any]) -> None:
    if layout not in _LAYOUTS:
        raise ValueError(f"ops.{name}: input_layout must be one of {', '.join(_LAYOUTS)}, got {layout!r}.")
    if sparse_mode not in (0, 1, 2, 3, 4):
        raise ValueError(f"ops.{name}: sparse_mode must be 0 to 4, got {sparse_mode}.")
    unsupported = [k for k, v in quantized.items() if v is not None]
    if unsupported:
        raise ValueError(f"ops.{name}: int8 queries and results are not supported; {unsupported[0]} must be None.")


@composite(
    ref=_REF + "prompt_flash_attention",
    cases=(
        "T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), num_heads=2, scale_value=0.5",
        "T(2, 4, 3, 2), T(2, 2, 3, 2), T(2, 2, 3, 2), B(3, 3) & ~np.eye(3, dtype=bool), num_heads=4, num_key_value_heads=2, "
        "input_layout='BNSD', next_tokens=1",
        "T(2, 3, 8), T(2, 4, 8), T(2, 4, 8), None, D([3, 2], np.int64), D([4, 2], np.int64), T(2, 2, 3, 4), num_heads=2, "
        "sparse_mode=3",
    ),
    errors=(
        ("T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), input_layout='HSB'", "input_layout"),
        ("T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), sparse_mode=5", "sparse_mode"),
        ("T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), quant_scale1=T(1)", "quant_scale1 must be None"),
    ),
)
def prompt_flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: object = None,
    actual_seq_lengths: object = None,
    actual_seq_lengths_kv: object = None,
    pse_shift: object = None,
    deq_scale1: object = None,
    quant_scale1: object = None,
    deq_scale2: object = None,
    quant_scale2: object = None,
    quant_offset2: object = None,
    num_heads: int = 1,
    scale_value: float = 1.0,
    pre_tokens: int = _ALL,
    next_tokens: int = 0,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
) -> Tensor:
    """Return softmax(scale_value · query · keyᵀ + pse_shift) · value for the tokens of a prompt.

    Args:
        query, key, value: Tensors in `input_layout`; keys and values may have fewer heads, `num_key_value_heads`.
        attn_mask: 1 or True where scores are left out, ([B, [1,]] queries, keys).
        actual_seq_lengths, actual_seq_lengths_kv: The lengths of sequences of queries and keys; results after are 0.
        pse_shift: Added to the scores, (B or 1, heads, queries, keys).
        deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2: For int8, which is not supported; None.
        num_heads, num_key_value_heads: The number of heads of queries, and of keys and values; 0: the same.
        scale_value: The factor of the products.
        pre_tokens, next_tokens: How far before and after a query sees, in the modes 0 (with a mask) and 4.
        input_layout: "BSH", "BNSD" or "BSND".
        sparse_mode: 0 and 1: the mask as given; 2: causal from the first query; 3: causal up to the last; 4: a band.
        inner_precise: Accepted: scores are computed in float32.

    Raises:
        TypeError: If `query` holds no floats.
        ValueError: If an option is out of range, or an argument for int8 is given.

    Examples:
        >>> x = ops.ones((1, 3, 4))
        >>> ops.prompt_flash_attention(x, x, x, num_heads=2).shape
        (1, 3, 4)
    """
    quantized = {
        "deq_scale1": deq_scale1,
        "quant_scale1": quant_scale1,
        "deq_scale2": deq_scale2,
        "quant_scale2": quant_scale2,
        "quant_offset2": quant_offset2,
    }
    _check_infer("prompt_flash_attention", input_layout, sparse_mode, quantized)
    lengths = (_lengths(actual_seq_lengths), _lengths(actual_seq_lengths_kv))
    numbers = (num_heads, num_key_value_heads, scale_value, pre_tokens, next_tokens, input_layout, sparse_mode)
    return infer(query, key, value, pse_shift, attn_mask, *lengths, None, None, None, None, *numbers)[0]


@composite(
    ref=_REF + "incre_flash_attention",
    cases=(
        "T(2, 1, 8), T(2, 3, 8), T(2, 3, 8), num_heads=2, scale_value=0.5",
        "T(2, 1, 8), [T(2, 3, 4)], [T(2, 3, 4)], B(2, 3) & False, [3, 2], num_heads=4, num_key_value_heads=2",
        "T(2, 2, 1, 4), T(4, 2, 2, 4), T(4, 2, 2, 4), None, D([3, 2], np.int64), block_table=D([[0, 3], [2, 1]], np.int32), "
        "num_heads=2, input_layout='BNSD', block_size=2",
        "T(2, 1, 8), T(2, 4, 8), T(2, 4, 8), None, D([3, 2], np.int64), kv_padding_size=D([1], np.int64), num_heads=2",
    ),
    grad=0,
    errors=(
        ("T(2, 1, 8), [T(2, 3, 8)] * 2, [T(2, 3, 8)] * 2, num_heads=2", "one Tensor each"),
        ("T(2, 1, 8), T(2, 3, 8), T(2, 3, 8), quant_scale2=T(1)", "quant_scale2 must be None"),
    ),
)
def incre_flash_attention(
    query: Tensor,
    key: object,
    value: object,
    attn_mask: object = None,
    actual_seq_lengths: object = None,
    pse_shift: object = None,
    dequant_scale1: object = None,
    quant_scale1: object = None,
    dequant_scale2: object = None,
    quant_scale2: object = None,
    quant_offset2: object = None,
    antiquant_scale: object = None,
    antiquant_offset: object = None,
    block_table: object = None,
    num_heads: int = 1,
    input_layout: str = "BSH",
    scale_value: float = 1.0,
    num_key_value_heads: int = 0,
    block_size: int = 0,
    inner_precise: int = 1,
    kv_padding_size: object = None,
) -> Tensor:
    """Return softmax(scale_value · query · keyᵀ + pse_shift) · value for one new token of each sequence.

    Args:
        query: A Tensor (B, 1, H) or (B, heads, 1, D).
        key, value: Tensors (B, S, H) or (B, kv heads, S, D); in blocks, the block in the place of B and its rows of S.
        attn_mask: 1 or True where scores are left out, (B, [1, [1,]] S).
        actual_seq_lengths: The number of keys of each sequence.
        pse_shift: Added to the scores, (B or 1, heads, 1, S).
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2: For int8 results; None.
        antiquant_scale, antiquant_offset: Factors by feature (2, ...), for int8 keys and values: (x + offset) · scale.
        block_table: The blocks of each sequence (B, blocks).
        num_heads, num_key_value_heads: The number of heads of queries, and of keys and values; 0: the same.
        input_layout: "BSH", "BNSD" or "BSND".
        scale_value: The factor of the products.
        block_size, inner_precise: Accepted: shapes say the block size, scores are computed in float32.
        kv_padding_size: How many rows after the keys are padding; then keys end there rather than begin at 0.

    Raises:
        TypeError: If `query` holds no floats.
        ValueError: If an option is out of range, an argument for int8 results is given, or keys are several Tensors.

    Examples:
        >>> keys = ops.ones((1, 3, 4))
        >>> ops.incre_flash_attention(ops.ones((1, 1, 4)), keys, keys, num_heads=2).asnumpy()
        array([[[1., 1., 1., 1.]]], dtype=float32)
    """
    name = "incre_flash_attention"
    quantized = {
        "dequant_scale1": dequant_scale1,
        "quant_scale1": quant_scale1,
        "dequant_scale2": dequant_scale2,
        "quant_scale2": quant_scale2,
        "quant_offset2": quant_offset2,
    }
    _check_infer(name, input_layout, 0, quantized)
    operands = (query, _alone(name, key), _alone(name, value), pse_shift, attn_mask, None, _lengths(actual_seq_lengths))
    extra = (block_table, kv_padding_size, antiquant_scale, antiquant_offset)
    return infer(*operands, *extra, num_heads, num_key_value_heads, scale_value, _ALL, _ALL, input_layout, 0)[0]


# --- prompts and new tokens in one call ---------------------------------------------------------------------------------


@composite(
    ref=_REF + "fused_infer_attention_score",
    cases=(
        "T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), num_heads=2, scale=0.5, sparse_mode=2, softmax_lse_flag=True",
        "T(2, 2, 3, 4), T(2, 2, 3, 4), T(2, 2, 3, 4), num_heads=2, input_layout='BNSD_BSND'",
        "T(2, 1, 8), T(2, 3, 8), T(2, 3, 8), actual_seq_lengths_kv=[3, 2], num_heads=2",
    ),
    errors=(
        ("T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), input_layout='HSB'", "input_layout"),
        ("T(2, 3, 8), T(2, 3, 8), T(2, 3, 8), query_padding_size=I(1)", "query_padding_size must be None"),
    ),
)
def fused_infer_attention_score(
    query: Tensor,
    key: object,
    value: object,
    *,
    pse_shift: object = None,
    atten_mask: object = None,
    actual_seq_lengths: object = None,
    actual_seq_lengths_kv: object = None,
    dequant_scale1: object = None,
    quant_scale1: object = None,
    dequant_scale2: object = None,
    quant_scale2: object = None,
    quant_offset2: object = None,
    antiquant_scale: object = None,
    antiquant_offset: object = None,
    key_antiquant_scale: object = None,
    key_antiquant_offset: object = None,
    value_antiquant_scale: object = None,
    value_antiquant_offset: object = None,
    block_table: object = None,
    query_padding_size: object = None,
    kv_padding_size: object = None,
    key_shared_prefix: object = None,
    value_shared_prefix: object = None,
    actual_shared_prefix_len: object = None,
    num_heads: int = 1,
    scale: float = 1.0,
    pre_tokens: int = _ALL,
    next_tokens: int = _ALL,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 1,
    block_size: int = 0,
    antiquant_mode: int = 0,
    key_antiquant_mode: int = 0,
    value_antiquant_mode: int = 0,
    softmax_lse_flag: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the attention of a new token (`incre_flash_attention`), or of a prompt (`prompt_flash_attention`).

    Args:
        query, key, value: Tensors in `input_layout`.
        pse_shift, atten_mask, actual_seq_lengths, actual_seq_lengths_kv: As in `prompt_flash_attention`.
        dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2: For int8 queries and results; None.
        antiquant_scale, antiquant_offset: Factors (2, ...) of int8 keys and values by feature, by token or one.
        key_antiquant_scale, key_antiquant_offset, value_antiquant_scale, value_antiquant_offset: None.
        block_table, kv_padding_size: As in `incre_flash_attention`.
        query_padding_size, key_shared_prefix, value_shared_prefix, actual_shared_prefix_len: None.
        num_heads, num_key_value_heads: The number of heads of queries, and of keys and values; 0: the same.
        scale: The factor of the products.
        pre_tokens, next_tokens, sparse_mode: As in `prompt_flash_attention`.
        input_layout: "BSH", "BNSD", "BSND", or "BNSD_BSND": the result is then "BSND".
        inner_precise, block_size, antiquant_mode, key_antiquant_mode, value_antiquant_mode: Accepted.
        softmax_lse_flag: Whether the second result is ln Σ exp of the scores, (B, heads, queries, 1); else it is one 0.

    Raises:
        TypeError: If `query` holds no floats.
        ValueError: If an option is out of range, or an argument is given that must be None.

    Examples:
        >>> x = ops.ones((1, 3, 4))
        >>> [part.shape for part in ops.fused_infer_attention_score(x, x, x, num_heads=2)]
        [(1, 3, 4), (1,)]
    """
    unsupported = {
        "dequant_scale1": dequant_scale1,
        "quant_scale1": quant_scale1,
        "dequant_scale2": dequant_scale2,
        "quant_scale2": quant_scale2,
        "quant_offset2": quant_offset2,
        "key_antiquant_scale": key_antiquant_scale,
        "key_antiquant_offset": key_antiquant_offset,
        "value_antiquant_scale": value_antiquant_scale,
        "value_antiquant_offset": value_antiquant_offset,
        "query_padding_size": query_padding_size,
        "key_shared_prefix": key_shared_prefix,
        "value_shared_prefix": value_shared_prefix,
        "actual_shared_prefix_len": actual_shared_prefix_len,
    }
    name = "fused_infer_attention_score"
    _check_infer(name, input_layout, sparse_mode, unsupported)
    operands = (query, _alone(name, key), _alone(name, value), pse_shift, atten_mask)
    lengths = (_lengths(actual_seq_lengths), _lengths(actual_seq_lengths_kv))
    extra = (block_table, kv_padding_size, antiquant_scale, antiquant_offset)
    numbers = (num_heads, num_key_value_heads, scale, pre_tokens, next_tokens, input_layout, sparse_mode)
    out, lse = infer(*operands, *lengths, *extra, *numbers)
    return out, lse if softmax_lse_flag else zeros((1,))


# --- attention and its statistics ------------------------------------------------------------------------------------


@internal("speed_fusion_attention")
def _scaled_mask(key: Key, like: Array, shape: Static, share: float) -> Array:
    return jax.random.bernoulli(key, share, shape).astype(jnp.float32) / share


@internal("speed_fusion_attention")
def _speed(
    query: Array,
    key: Array,
    value: Array,
    pse: OptArray,
    mask: OptArray,
    keep: OptArray,
    heads: int,
    layout: str,
    scale: float,
    before: int,
    after: int,
    ends: Static,
    mode: int,
    pse_type: int,
    starts: Static,
) -> tuple[Array, Array, Array]:
    features = query.shape[-1] // heads if layout in ("BSH", "SBH") else query.shape[-1]
    kv_heads = key.shape[-1] // features if layout in ("BSH", "SBH") else 0
    q, k, v = (
        split_heads(query, layout, heads),
        split_heads(key, layout, kv_heads),
        split_heads(value, layout, kv_heads),
    )
    sq, sk = q.shape[1], k.shape[1]
    hidden = mask.astype(bool) if mask is not None and mode in (0, 1) else None
    band = band_mask(sq, sk, mode, before, after) if mode in (2, 3, 4) or (mode == 0 and mask is not None) else None
    if ends is not None:
        own, other = segment_of(ends[0], sq), segment_of(ends[1], sk)
        apart = own[:, None] != other[None]
        if mode in (2, 3):
            tails = [jnp.asarray(e)[s] for e, s in zip(ends, (own, other), strict=True)]
            heads_of = [jnp.asarray((0, *e))[s] for e, s in zip(ends, (own, other), strict=True)]
            back = tails if mode == 3 else heads_of
            band = (jnp.arange(sk) - back[1])[None] > (jnp.arange(sq) - back[0])[:, None]
        hidden = apart if hidden is None else hidden | apart
    hidden = band if hidden is None else hidden if band is None else hidden | band
    bias = pse
    if bias is not None and pse_type == 1:
        bias = bias * scale
    if bias is not None and pse_type in (2, 3):
        away = jnp.abs(jnp.arange(sk)[None] + starts[1] - jnp.arange(sq)[:, None] - starts[0]).astype(bias.dtype)
        away = jnp.sqrt(away) if pse_type == 3 else away
        bias = -bias.reshape(-1, heads, 1, 1) * away
    s = scores(q, k, bias, hidden, scale)
    top = jnp.max(s, -1, keepdims=True)
    total = jnp.sum(jnp.exp(s - top), -1, keepdims=True)
    out = merged_heads(attend(q, k, v, bias, hidden, scale, keep), layout)
    eight = (*top.shape[:-1], 8)
    return out, jnp.broadcast_to(top, eight), jnp.broadcast_to(total, eight)


_QKV = "T(1, 3, 4), T(1, 5, 4), T(1, 5, 4), 2, 'BSH'"


@composite(
    ref=_REF + "speed_fusion_attention",
    cases=(
        _QKV + ", scale=0.5",
        "T(2, 4, 3, 2), T(2, 2, 3, 2), T(2, 2, 3, 2), 4, 'BNSD', pse=T(1, 4, 3, 3), pse_type=0, sparse_mode=2",
        "T(2, 2, 3, 2), T(2, 2, 3, 2), T(2, 2, 3, 2), 2, 'BNSD', pse=P(2), pse_type=3",
        "T(5, 2, 4), T(6, 2, 4), T(6, 2, 4), 2, 'TND', actual_seq_qlen=(2, 5), actual_seq_kvlen=(3, 6), sparse_mode=3",
    ),
    errors=(
        ("T(1, 3, 4), T(1, 5, 4), T(1, 5, 4), 2, 'HSB'", "input_layout"),
        (_QKV + ", sparse_mode=7", "sparse_mode"),
        (_QKV + ", pse_type=4", "pse_type"),
        (_QKV + ", keep_prob=0.0", "keep_prob"),
    ),
)
def speed_fusion_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    *,
    pse: object = None,
    padding_mask: object = None,
    atten_mask: object = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tokens: int = _ALL,
    next_tokens: int = _ALL,
    inner_precise: int = 0,
    prefix: object = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    pse_type: int = 1,
    q_start_idx: Any = None,
    kv_start_idx: Any = None,
) -> tuple[Tensor, ...]:
    """Return attention, the maximum and sum of its softmax (B, heads, queries, 8), a reserved result, and three counts.

    Args:
        query, key, value: Tensors in `input_layout`; key and value may have fewer heads.
        head_num: The number of heads of query.
        input_layout: "BSH", "BNSD", "SBH", "BSND" or "TND".
        pse: Added to the scores, (B or 1, heads, queries, keys); or slopes (B, heads) or (heads,); see `pse_type`.
        padding_mask, prefix: Reserved; None.
        atten_mask: 1 or True where scores are left out, (queries, keys) or with (B, 1 or heads) before.
        scale: The factor of the products.
        keep_prob: The share of weights kept; which, is drawn from the global seed.
        pre_tokens, next_tokens, sparse_mode: As in `flash_attention_score`.
        actual_seq_qlen, actual_seq_kvlen: For "TND", where each sequence ends.
        gen_mask_parallel, sync, inner_precise: Accepted.
        pse_type: pse is added after the scale (0) or before (1), or is the slope of -slope · |distance| (2) or of its
            root (3).
        q_start_idx, kv_start_idx: What is added to the positions of queries and keys in a distance, sequences of one.

    Raises:
        ValueError: If an option is out of range, or something that it needs is missing.

    Examples:
        >>> x = ops.ones((1, 3, 4))
        >>> [part.shape for part in ops.speed_fusion_attention(x, x, x, 2, "BSH")]
        [(1, 3, 4), (1, 2, 3, 8), (1, 2, 3, 8), (0,), (), (), ()]
    """
    if input_layout not in ("BSH", "BNSD", "SBH", "BSND", "TND"):
        raise ValueError(
            f"ops.speed_fusion_attention: input_layout must be BSH, BNSD, SBH, BSND or TND, got {input_layout!r}."
        )
    if sparse_mode not in (0, 1, 2, 3, 4) or padding_mask is not None or prefix is not None:
        raise ValueError(
            f"ops.speed_fusion_attention: sparse_mode must be 0 to 4, without padding_mask and prefix, got {sparse_mode}."
        )
    if pse_type not in (0, 1, 2, 3):
        raise ValueError(f"ops.speed_fusion_attention: pse_type must be 0 to 3, got {pse_type}.")
    if not 0 < keep_prob <= 1:
        raise ValueError(f"ops.speed_fusion_attention: keep_prob must be in (0, 1], got {keep_prob}.")
    lengths = None if actual_seq_qlen is None or actual_seq_kvlen is None else (actual_seq_qlen, actual_seq_kvlen)
    if (input_layout == "TND") != (lengths is not None):
        raise ValueError(
            "ops.speed_fusion_attention: the layout TND, and it alone, needs actual_seq_qlen and actual_seq_kvlen."
        )
    ends = None if lengths is None else tuple([tuple(map(int, each)) for each in lengths])
    starts = tuple([0 if s is None else int(s[0]) for s in (q_start_idx, kv_start_idx)])
    keep = None
    if keep_prob < 1:
        batch = {"SBH": query.shape[1], "TND": 1}.get(input_layout, query.shape[0])
        axis = {"BSH": 1, "BSND": 1, "BNSD": 2}.get(input_layout, 0)
        keep = _scaled_mask(query, (batch, head_num, query.shape[axis], key.shape[axis]), keep_prob)
    numbers = (head_num, input_layout, scale, pre_tokens, next_tokens, ends, sparse_mode, pse_type, starts)
    out, top, total = _speed(query, key, value, pse, atten_mask, keep, *numbers)
    seed, offset, numels = (Tensor(n) for n in (0, 0, 0 if keep is None else keep.size))
    return out, top, total, zeros((0,)), seed, offset, numels
