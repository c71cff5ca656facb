"""Keys and values stored in blocks (paged attention): storing them, and the attention of new tokens to them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_float
from sporax._src.engine.table import internal, op
from sporax._src.ops.array.assign import write
from sporax._src.ops.nn.attention import attend

_REF = "references.inference."


@internal("ReshapeAndCache")
def _stored(cache: Array, new: Array, slots: Array) -> Array:
    rows = new.reshape(slots.size, *cache.shape[2:]).astype(cache.dtype)
    count = cache.shape[0] * cache.shape[1]
    index = jnp.where(slots.reshape(-1) < 0, count, slots.reshape(-1))
    return cache.reshape(count, *cache.shape[2:]).at[index].set(rows, mode="drop").reshape(cache.shape)


@primitive("ReshapeAndCache()")
def _reshape_and_cache(
    key: Tensor, value: object = None, key_cache: object = None, value_cache: object = None, slot_mapping: object = None
) -> Tensor:
    """Put the keys and values of tokens into the caches and return the keys.

    Args:
        key, value: Tensors (..., heads · features), one row for each token; without a value, keys alone are kept.
        key_cache, value_cache: Parameters (blocks, block size, heads, features), which are written.
        slot_mapping: For each token its slot, block · block size + row; a token with a negative slot is not stored.

    Examples:
        >>> cache, token = Parameter(ops.zeros((2, 2, 1, 2))), ops.ones((1, 2))
        >>> keys = ops.ReshapeAndCache()(token, None, cache, None, Tensor([3], ms.int32))
        >>> cache.asnumpy()[1, 1]
        array([[1., 1.]], dtype=float32)
    """
    for new, cache in ((key, key_cache), (value, value_cache)):
        if new is not None and cache is not None:
            write("ReshapeAndCache", cache, _stored(cache, new, slot_mapping))
    return key


def paged(cache: Array, tables: Array) -> Array:
    """Return the rows (sequences, length, ...) that tables of blocks (sequences, blocks) list in a cache."""
    return cache[tables].reshape(tables.shape[0], -1, *cache.shape[2:])


def _wide(mask: Array, length: int) -> Array:
    """Return a mask (tokens, [heads, 1,] length) as (tokens, heads, 1, length), cut or padded with zeros."""
    mask = mask[:, None, None] if mask.ndim == 2 else mask[:, None] if mask.ndim == 3 else mask
    mask = mask[..., :length]
    return jnp.pad(mask, [(0, 0)] * 3 + [(0, length - mask.shape[-1])])


def dequantized(x: Array, scale: Array | None, offset: Array | None, row: int, dtype: Any) -> Array:
    """Return (x + offset) · scale of keys (row 0) or values (row 1), with factors by feature, by token or one."""
    if scale is None:
        return x
    x = x.astype(dtype)
    for factors, act in ((offset, jnp.add), (scale, jnp.multiply)):
        if factors is not None:
            own = factors[row].astype(dtype)
            by_token = own.shape == x.shape[:2]
            x = act(x, own[..., None, None] if by_token else own if own.ndim == 0 else own.reshape(x.shape[2:]))
    return x


_PAGED = "T(2, 1, 8), T(4, 2, 2, 4), T(4, 2, 2, 4), D([[0, 3], [2, 1]], np.int32), D([3, 2], np.int32)"


@op(
    ref=_REF + "paged_attention",
    cases=(
        _PAGED + ", head_num=2, scale_value=0.5, kv_head_num=2",
        "T(2, 16), T(4, 2, 2, 4), T(4, 2, 2, 4), D([[0, 3], [2, 1]], np.int32), D([4, 1], np.int32), alibi_mask=T(2, 4, 1, 4)"
        ", head_num=4, scale_value=0.5, kv_head_num=2",
        "T(3, 8), T(4, 2, 2, 4), T(4, 2, 2, 4), D([[0, 3], [2, 1]], np.int32), D([3, 2], np.int32), "
        "q_seq_lens=D([2, 1], np.int32), mask_mode='TRAPEZOIDAL', head_num=2, scale_value=0.5, kv_head_num=2",
        "T(3, 8), T(4, 2, 2, 4), T(4, 2, 2, 4), D([[0, 3], [2, 1]], np.int32), D([3, 2], np.int32), None, None, "
        "D([[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], np.int8), D([2, 1], np.int32), head_num=2, scale_value=0.5, kv_head_num=2",
    ),
    errors=(
        (
            _PAGED + ", head_num=2, scale_value=0.5, kv_head_num=2, kv_cache_quant_mode='PERTOKEN'",
            "kv_cache_quant_mode",
        ),
        (_PAGED + ", head_num=2, scale_value=0.5, kv_head_num=2, mask_mode='x'", "mask_mode"),
    ),
    name="_paged_attention",
    primitive=(
        "PagedAttention(head_num, scale_value, kv_head_num, kv_cache_quant_mode='DEFAULT', mask_mode='MASK_DEFAULT', "
        "mla_v_dim=0)"
    ),
)
def paged_attention(
    query: Array,
    key_cache: Array,
    value_cache: OptArray = None,
    block_tables: OptArray = None,
    context_lens: OptArray = None,
    antiquant_scale: OptArray = None,
    antiquant_offset: OptArray = None,
    attn_mask: OptArray = None,
    q_seq_lens: OptArray = None,
    alibi_mask: OptArray = None,
    *,
    head_num: int,
    scale_value: float,
    kv_head_num: int,
    kv_cache_quant_mode: str = "DEFAULT",
    mask_mode: str = "MASK_DEFAULT",
    mla_v_dim: int = 0,
) -> Array:
    """Return the attention of tokens to the keys and values of their sequences, which are stored in blocks.

    Args:
        query: A Tensor (tokens, ..., heads · features), one new token for each sequence unless `q_seq_lens` says more.
        key_cache, value_cache: Tensors (blocks, block size, kv heads, features); without values, the first `mla_v_dim`
            features of the keys are the values.
        block_tables: The blocks of each sequence (sequences, blocks), int32.
        context_lens: The length of each sequence, int32; its last tokens are the new ones.
        antiquant_scale, antiquant_offset: Tensors (2, kv heads · features) that make (cache + offset) · scale of int8
            caches.
        attn_mask: (tokens, [heads, 1,] length): positive where a score is left out, else added to it.
        q_seq_lens: How many tokens of each sequence are new.
        alibi_mask: (tokens, [heads, 1,] length), added to the scores.
        head_num, kv_head_num: The numbers of heads.
        scale_value: The factor of the scores.
        kv_cache_quant_mode: "DEFAULT".
        mask_mode: "MASK_DEFAULT", or "TRAPEZOIDAL": a token sees the keys up to its own.
        mla_v_dim: How many features of the keys are the values, where there is no `value_cache`.

    Raises:
        TypeError: If `query` is not of a float dtype.
        ValueError: If a mode is unknown, or `block_tables` or `context_lens` is missing.

    Examples:
        >>> attend, cache = ops.PagedAttention(1, 1.0, 1), ops.ones((2, 2, 1, 4))
        >>> tables, lengths = Tensor([[0, 1]], ms.int32), Tensor([3], ms.int32)
        >>> attend(ops.ones((1, 1, 4)), cache, cache, tables, lengths).asnumpy()
        array([[[1., 1., 1., 1.]]], dtype=float32)
    """
    check_float(query)
    if kv_cache_quant_mode != "DEFAULT":
        raise ValueError(f"kv_cache_quant_mode must be 'DEFAULT', got {kv_cache_quant_mode!r}.")
    if mask_mode not in ("MASK_DEFAULT", "TRAPEZOIDAL"):
        raise ValueError(f"mask_mode must be 'MASK_DEFAULT' or 'TRAPEZOIDAL', got {mask_mode!r}.")
    if block_tables is None or context_lens is None:
        raise ValueError("block_tables and context_lens must be given.")
    count, lengths = block_tables.shape[0], context_lens.astype(jnp.int32)
    tokens = query.reshape(-1, 1, head_num, key_cache.shape[-1])
    k = dequantized(paged(key_cache, block_tables), antiquant_scale, antiquant_offset, 0, query.dtype)
    if value_cache is None:
        v = k[..., :mla_v_dim]
    else:
        v = dequantized(paged(value_cache, block_tables), antiquant_scale, antiquant_offset, 1, query.dtype)
    length, seen = k.shape[1], lengths
    if q_seq_lens is not None:
        ends = jnp.cumsum(q_seq_lens.astype(jnp.int32), dtype=jnp.int32)
        position = jnp.arange(tokens.shape[0], dtype=jnp.int32)
        owner = jnp.clip(jnp.searchsorted(ends, position, side="right"), 0, count - 1)
        k, v, seen = k[owner], v[owner], lengths[owner]
        if mask_mode == "TRAPEZOIDAL":
            seen = seen - (ends[owner] - 1 - position)
    hidden = (jnp.arange(length, dtype=jnp.int32) >= seen[:, None])[:, None, None]
    bias = jnp.zeros((), jnp.float32)
    for mask in (attn_mask, alibi_mask):
        if mask is not None:
            wide = _wide(mask, length)
            left_out = (wide > 0) if mask is attn_mask else jnp.zeros((), bool)
            hidden, bias = hidden | left_out, bias + jnp.where(left_out, 0, wide.astype(jnp.float32))
    return attend(tokens, k, v, bias, hidden, scale_value).reshape(*query.shape[:-1], head_num * v.shape[-1])


@primitive("PagedAttentionMask(head_num, scale_value, kv_head_num, kv_cache_quant_mode='DEFAULT')")
def _paged_attention_mask(
    query: object,
    key_cache: object,
    value_cache: object,
    block_tables: object,
    context_lens: object,
    antiquant_scale: object = None,
    antiquant_offset: object = None,
    alibi_mask: object = None,
    **options: Any,
) -> Tensor:
    """Return the attention of `ops.PagedAttention` with a bias (tokens, heads, 1, length) of the scores.

    Args:
        query, key_cache, value_cache, block_tables, context_lens: As in `ops.PagedAttention`.
        antiquant_scale, antiquant_offset: As in `ops.PagedAttention`.
        alibi_mask: The bias.
        options: The attributes of the constructor: `head_num`, `scale_value`, `kv_head_num`, `kv_cache_quant_mode`.

    Examples:
        >>> attend, cache = ops.PagedAttentionMask(1, 1.0, 1), ops.ones((2, 2, 1, 4))
        >>> tables, lengths = Tensor([[0, 1]], ms.int32), Tensor([3], ms.int32)
        >>> attend(ops.ones((1, 1, 4)), cache, cache, tables, lengths, None, None, ops.zeros((1, 1, 1, 4))).asnumpy()
        array([[[1., 1., 1., 1.]]], dtype=float32)
    """
    factors = (antiquant_scale, antiquant_offset)
    return paged_attention(
        query, key_cache, value_cache, block_tables, context_lens, *factors, None, None, alibi_mask, **options
    )
