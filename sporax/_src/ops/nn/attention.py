"""Attention: softmax(q · kᵀ) · v in the layouts programs use, rotary position embedding, multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Arrays, Key, OptArray, Static
from sporax._src.core.dtype import unify
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_float
from sporax._src.engine.table import composite, internal, op
from sporax._src.lowering.fused_attention import fused_attention

_REF = "references.sequences."
_ALL = 2147483647


def attend(
    q: Array, k: Array, v: Array, bias: Array | None, hidden: Array | None, scale: float, keep: Array | None = None
) -> Array:
    """Return softmax(scale · q · kᵀ + bias) · v over (batch, length, heads, features); keys may have fewer heads.

    Args:
        bias: Added to the scores; broadcasts against (batch, heads, queries, keys).
        hidden: Which scores count nothing; broadcasts likewise.
        keep: Factors of the weights (dropout), likewise.
    """
    if keep is None:
        out = fused_attention(q, k, v, bias, None if hidden is None else ~hidden, scale)
        if out is not None:
            return out
    batch, sq, heads, _ = q.shape
    groups, wide = k.shape[2], jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    q = q.reshape(batch, sq, groups, heads // groups, q.shape[3])
    scores = jnp.einsum("bqgrd,bkgd->bgrqk", q, k, preferred_element_type=wide) * scale
    scores = scores.reshape(batch, heads, sq, k.shape[1])
    scores = scores if bias is None else scores + bias.astype(wide)
    weights = jax.nn.softmax(scores if hidden is None else jnp.where(hidden, jnp.finfo(wide).min, scores), -1)
    weights = weights if keep is None else weights * keep.astype(wide)
    weights = weights.astype(v.dtype).reshape(batch, groups, heads // groups, sq, k.shape[1])
    return jnp.einsum("bgrqk,bkgd->bqgrd", weights, v).reshape(batch, sq, heads, v.shape[3])


@op(
    ref=_REF + "attention",
    cases=(
        "T(1, 2, 3, 4), T(1, 2, 5, 4), T(1, 2, 5, 4)",
        "T(1, 2, 3, 4), T(1, 2, 5, 4), T(1, 2, 5, 4), T(3, 5), None, 0.3",
    ),
    name="_attention",
    errors=(("T(2, 3), T(2, 3), T(2, 3)", "4 axes"),),
)
def attention(
    query: Array, key: Array, value: Array, bias: OptArray = None, hidden: OptArray = None, scale: Static = None
) -> Array:
    """Return softmax(scale · query · keyᵀ + bias) · value over (batch, heads, length, features).

    Args:
        hidden: Which scores are left out.
        scale: 1 / √features if None.
    """
    check_float(query)
    if query.ndim != 4:
        raise ValueError(f"query must have 4 axes, got shape {list(query.shape)}.")
    q, k, v = (jnp.swapaxes(x, 1, 2) for x in (query, key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return jnp.swapaxes(attend(q, k, v, bias, hidden, scale), 1, 2)


# --- flash_attention_score ------------------------------------------------------------------------------------------

_LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND", "TH")


def split_heads(x: Array, layout: str, heads: int) -> Array:
    """Return x as (batch, length, heads, features)."""
    if layout == "BSH":
        return x.reshape(*x.shape[:2], heads, -1)
    if layout == "SBH":
        return jnp.swapaxes(x.reshape(*x.shape[:2], heads, -1), 0, 1)
    if layout == "BNSD":
        return jnp.swapaxes(x, 1, 2)
    if layout == "TH":
        return x.reshape(1, x.shape[0], heads, -1)
    return x[None] if layout == "TND" else x


def merged_heads(x: Array, layout: str) -> Array:
    """Return (batch, length, heads, features) in the layout."""
    if layout == "BSH":
        return x.reshape(*x.shape[:2], -1)
    if layout == "SBH":
        return jnp.swapaxes(x, 0, 1).reshape(x.shape[1], x.shape[0], -1)
    if layout == "BNSD":
        return jnp.swapaxes(x, 1, 2)
    if layout == "TH":
        return x.reshape(x.shape[1], -1)
    return x[0] if layout == "TND" else x


def band_mask(sq: int, sk: int, mode: int, before: int, after: int) -> Array | None:
    """Return which scores the sparse mode hides: causal from the first corner (2) or the last (3), or a band (0, 4)."""
    i, j = jnp.arange(sq)[:, None], jnp.arange(sk)[None]
    if mode == 2:
        return j > i
    shift = sk - sq if mode in (3, 4) else 0
    if mode == 3:
        return j > i + shift
    if before >= sq + sk and after >= sq + sk:
        return None
    return (j < i + shift - before) | (j > i + shift + after)


def segment_of(ends: object, length: int) -> Array:
    return jnp.searchsorted(jnp.asarray(ends), jnp.arange(length), side="right")


def _mask_of_positions(mask: Array, row: Array, column: Array, before: int, after: int) -> Array:
    """Return the positions that a mask of one sequence, or a band, hides; beyond the mask it is causal."""
    rows, columns = mask.shape
    inside = (row < rows)[:, None] & (column < columns)
    masked = mask.astype(bool)[jnp.minimum(row, rows - 1)][:, jnp.minimum(column, columns - 1)]
    distance = column - row[:, None]
    return jnp.where(inside, masked, distance > 0) | (distance < -before) | (distance > after)


@internal("flash_attention_score")
def _flash(
    query: Array,
    key: Array,
    value: Array,
    real_shift: OptArray,
    drop_mask: OptArray,
    attn_mask: OptArray,
    q_ends: OptArray,
    kv_ends: OptArray,
    head_num: int,
    keep_prob: float,
    scale: float,
    before: int,
    after: int,
    layout: str,
    sparse_mode: int,
) -> Array:
    check_float(query)
    joined = layout in ("BSH", "SBH", "TH")
    features = query.shape[-1] // head_num if joined else query.shape[-1]
    kv_heads = key.shape[-1] // features if joined else 0
    q, k, v = (
        split_heads(query, layout, head_num),
        split_heads(key, layout, kv_heads),
        split_heads(value, layout, kv_heads),
    )
    sq, sk = q.shape[1], k.shape[1]
    hidden = None
    whole = None if layout == "TH" else attn_mask
    if sparse_mode in (0, 1) and whole is not None:
        hidden = whole.astype(bool)
    if sparse_mode in (2, 3, 4) or (sparse_mode == 0 and whole is not None):
        band = band_mask(sq, sk, sparse_mode, before, after)
        hidden = band if hidden is None else hidden if band is None else hidden | band
    if q_ends is not None and kv_ends is not None:
        own, other = segment_of(q_ends, sq), segment_of(kv_ends, sk)
        apart = own[:, None] != other[None]
        starts = [jnp.concatenate([jnp.zeros(1, e.dtype), e]) for e in (q_ends, kv_ends)]
        position = [jnp.arange(n) - s[at] for n, s, at in zip((sq, sk), starts, (own, other), strict=True)]
        if layout == "TH" and attn_mask is not None:
            hidden = _mask_of_positions(attn_mask, position[0], position[1], before, after)
        if sparse_mode in (2, 3):
            lag = jnp.diff(starts[1])[own] - jnp.diff(starts[0])[own] if sparse_mode == 3 else 0
            hidden = position[1][None] > (position[0] + lag)[:, None]
        hidden = apart if hidden is None else hidden | apart
    bias = None if real_shift is None else real_shift.astype(jnp.float32) * scale
    keep = None
    if keep_prob < 1:
        bits = (
            jnp.unpackbits(drop_mask.astype(jnp.uint8), axis=-1, bitorder="little") if drop_mask is not None else None
        )
        if bits is None:
            raise ValueError(f"keep_prob={keep_prob} needs drop_mask.")
        keep = bits.reshape(q.shape[0], head_num, sq, sk).astype(jnp.float32) / keep_prob
    return merged_heads(attend(q, k, v, bias, hidden, scale, keep), layout)


@composite(
    ref=_REF + "flash_attention_score",
    cases=(
        "T(1, 3, 4), T(1, 5, 4), T(1, 5, 4), 2, input_layout='BSH'",
        "T(2, 4, 3, 2), T(2, 2, 3, 2), T(2, 2, 3, 2), 4, scalar_value=0.5, input_layout='BNSD', sparse_mode=2",
        "T(3, 1, 4), T(3, 1, 4), T(3, 1, 4), 2, attn_mask=B(3, 3) & ~np.eye(3, dtype=bool), input_layout='SBH'",
        "T(5, 4), T(6, 4), T(6, 4), 2, attn_mask=B(3, 4) & ~np.eye(3, 4, dtype=bool), input_layout='TH', "
        "actual_seq_qlen=(2, 3), actual_seq_kvlen=(2, 4)",
    ),
    errors=(
        ("T(1, 3, 4), T(1, 5, 4), T(1, 5, 4), 2, input_layout='HSB'", "input_layout"),
        ("T(3, 4), T(5, 4), T(5, 4), 2, input_layout='TH'", "the layout TH needs actual_seq_qlen and actual_seq_kvlen"),
    ),
)
def flash_attention_score(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    real_shift: Tensor | None = None,
    drop_mask: Tensor | None = None,
    padding_mask: Tensor | None = None,
    attn_mask: Tensor | None = None,
    prefix: object = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    keep_prob: float = 1.0,
    scalar_value: float = 1.0,
    pre_tokens: int = _ALL,
    next_tokens: int = _ALL,
    inner_precise: int = 0,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
) -> Tensor:
    """Return Dropout(Softmax(Mask(scalar_value · (real_shift + query · keyᵀ), attn_mask)), keep_prob) · value.

    What FlashAttention computes (Dao et al., 2022); XLA chooses how.

    Args:
        query, key, value: Tensors in `input_layout`; key and value may have fewer heads.
        head_num: The number of heads of query.
        real_shift: Added to the scores, (B or 1, heads, queries, keys).
        drop_mask: Bits of kept weights as uint8 (B, heads, queries, keys / 8); needed if keep_prob < 1.
        padding_mask: Reserved; must be None.
        attn_mask: 1 or True where scores are left out, (queries, keys) or with (B, 1 or heads) before. For "TH" that of one
            sequence; what it is too small for is causal.
        prefix: For the sparse modes 5 and 6, which are not supported; must be None.
        actual_seq_qlen, actual_seq_kvlen: For "TND", where each sequence ends; for "TH", how long each is.
        keep_prob: The share of weights kept.
        scalar_value: The factor of the scores.
        pre_tokens, next_tokens: How far before and after its own position a query attends (modes 0 with a mask, and 4).
        inner_precise: Accepted; the scores are always computed in float32.
        input_layout: "BSH", "BNSD", "SBH", "BSND", "TND" or "TH", in which sequences follow each other, (tokens, H).
        sparse_mode: 0 and 1: attn_mask as given; 2: causal from the first query; 3: causal up to the last; 4: a band.

    Raises:
        TypeError: If `query` holds no floats.
        ValueError: If an option is out of range, or something that it needs is missing.

    Examples:
        >>> x = ops.ones((1, 3, 4))
        >>> ops.flash_attention_score(x, x, x, 2).shape
        (1, 3, 4)
    """
    if input_layout not in _LAYOUTS:
        raise ValueError(
            f"ops.flash_attention_score: input_layout must be one of {', '.join(_LAYOUTS)}, got {input_layout!r}."
        )
    if sparse_mode not in (0, 1, 2, 3, 4) or padding_mask is not None or prefix is not None:
        raise ValueError(
            f"ops.flash_attention_score: sparse_mode must be 0 to 4, without padding_mask and prefix, got "
            f"{sparse_mode}."
        )
    if sparse_mode == 1 and attn_mask is None:
        raise ValueError("ops.flash_attention_score: sparse_mode 1 needs attn_mask.")
    q_ends = kv_ends = None
    if input_layout in ("TND", "TH"):
        if actual_seq_qlen is None or actual_seq_kvlen is None:
            raise ValueError(
                f"ops.flash_attention_score: the layout {input_layout} needs actual_seq_qlen and actual_seq_kvlen."
            )
        q_ends, kv_ends = (e if isinstance(e, Tensor) else Tensor(list(e)) for e in (actual_seq_qlen, actual_seq_kvlen))
        if input_layout == "TH":
            q_ends, kv_ends = q_ends.cumsum(0), kv_ends.cumsum(0)
    return _flash(
        query,
        key,
        value,
        real_shift,
        drop_mask,
        attn_mask,
        q_ends,
        kv_ends,
        head_num,
        keep_prob,
        scalar_value,
        pre_tokens,
        next_tokens,
        input_layout,
        sparse_mode,
    )


# --- rotary position embedding --------------------------------------------------------------------------------------


@op(
    ref=_REF + "rotary",
    cases=("T(1, 2, 3, 4), T(1, 1, 3, 4), T(1, 1, 3, 4)", "T(1, 2, 3, 4), T(1, 1, 3, 4), T(1, 1, 3, 4), 1"),
    errors=(("T(1, 2, 3, 4), T(1, 1, 3, 4), T(1, 1, 3, 4), 2", "mode"),),
)
def rotary_position_embedding(x: Array, cos: Array, sin: Array, mode: int = 0) -> Array:
    """Return x · cos + rotate(x) · sin.

    From Su et al. (2021), RoFormer.

    Args:
        x: A Tensor (..., D), D even.
        cos, sin: Tensors that broadcast against x.
        mode: 0: rotate(x) = (-second half, first half); 1: neighbours, (-x₁, x₀, -x₃, x₂, ...).

    Raises:
        ValueError: If `mode` is neither 0 nor 1.

    Examples:
        >>> x = Tensor([[1.0, 2.0, 3.0, 4.0]])
        >>> ops.rotary_position_embedding(x, ops.zeros(4), ops.ones(4)).asnumpy()
        array([[-3., -4.,  1.,  2.]], dtype=float32)
    """
    if mode not in (0, 1):
        raise ValueError(f"mode must be 0 or 1, got {mode}.")
    if mode == 0:
        first, second = jnp.split(x, 2, -1)
        turned = jnp.concatenate([-second, first], -1)
    else:
        turned = jnp.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    return (x * cos.astype(x.dtype) + turned * sin.astype(x.dtype)).astype(x.dtype)


# --- multi-head attention in one operator -------------------------------------------------------------------------------


def _additive(mask: jax.Array, dtype: Any, extra: int) -> jax.Array:
    """Return a mask to add to the scores (True: -inf), with nothing masked in `extra` further columns."""
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
        scores = scores + (added if mask.ndim == 2 else added.reshape(batch, heads, *added.shape[1:]))
    if padding is not None:
        scores = scores + _additive(padding, scores.dtype, extra)[:, None, None]
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


@op(
    ref="references.inference.apply_rotary",
    cases=(
        "T(2, 3, 8), T(2, 3, 4), T(6, 4), T(6, 4), None, 2",
        "T(2, 3, 8), T(2, 3, 4), T(3, 4), T(3, 4), None, 3",
        "T(3, 8), T(3, 4), T(9, 4), T(9, 4), D([4, 0, 8], np.int32), 0",
        "T(3, 8), T(3, 4), T(9, 4), T(9, 4), D([4, 0, 8], np.int32), 1",
        "T(5, 8), T(5, 4), T(9, 4), T(9, 4), D([2, 3], np.int32), 2",
        "T(3, 8), T(3, 4), T(3, 4), T(3, 4), D([1, 1, 1], np.int32), 2",
    ),
    errors=(
        ("T(2, 3, 8), T(2, 3, 4), T(6, 4), T(6, 4), None, 4", "cos_format"),
        ("T(2, 3, 8), T(2, 3, 4), T(5, 4), T(5, 4), None, 2", "rows"),
        ("T(2, 3, 8), T(2, 3, 4), T(9, 4), T(9, 4), None, 0", "position_ids"),
    ),
    name="_apply_rotary_pos_emb",
    primitive="ApplyRotaryPosEmb(cos_format=0)(query, key, cos, sin, position_ids)",
)
def apply_rotary_pos_emb(
    query: Array, key: Array, cos: Array, sin: Array, position_ids: OptArray = None, cos_format: int = 0
) -> tuple[Array, Array]:
    """Return queries and keys rotated by the angles of their positions: x · cos + rotate(x) · sin in each head.

    From Su et al. (2021), RoFormer.

    Args:
        query, key: Tensors (..., heads · features), a row for each token.
        cos, sin: (positions, features) in the formats 0 and 1, and (tokens, features), or (length, features), in 2 and 3.
        position_ids: The position of each token in the formats 0 and 1. In 2 and 3 the length of each sequence, whose
            tokens follow each other: with more tokens than sequences cos and sin are (positions, features) too.
        cos_format: 0 and 2: rotate(x) = (-second half, first half); 1 and 3: neighbours, (-x₁, x₀, -x₃, x₂, ...).

    Raises:
        ValueError: If `cos_format` is another, or shapes do not fit.

    Examples:
        >>> x, cos, sin = Tensor([[1.0, 2.0]]), ops.zeros((1, 2)), ops.ones((1, 2))
        >>> query, key = ops.ApplyRotaryPosEmb(2)(x, x, cos, sin, None)
        >>> query.asnumpy()
        array([[-2.,  1.]], dtype=float32)
    """
    if cos_format not in (0, 1, 2, 3):
        raise ValueError(f"cos_format must be 0, 1, 2 or 3, got {cos_format}.")
    rows, features = query.size // query.shape[-1], cos.shape[-1]
    if cos_format < 2:
        if position_ids is None or position_ids.size != rows:
            raise ValueError(f"position_ids must name the positions of {rows} tokens in cos_format {cos_format}.")
        cos, sin = (x[position_ids.reshape(-1)] for x in (cos, sin))
    elif position_ids is not None and position_ids.size < rows:
        lengths = position_ids.reshape(-1).astype(np.int64)
        ends = jnp.cumsum(lengths)
        positions = jnp.arange(rows) - (ends - lengths)[segment_of(ends, rows)]
        cos, sin = (x.reshape(-1, features)[positions] for x in (cos, sin))
    cos, sin = (x.reshape(-1, features) for x in (cos, sin))
    if rows % cos.shape[0]:
        raise ValueError(f"cos and sin must have a row for each of {rows} tokens, got {cos.shape[0]} rows.")
    cos, sin = (jnp.tile(x, (rows // cos.shape[0], 1))[:, None] for x in (cos, sin))

    def turned(x: Array) -> Array:
        return rotary_position_embedding.raw(x.reshape(rows, -1, features), cos, sin, cos_format % 2).reshape(x.shape)

    return turned(query), turned(key)
