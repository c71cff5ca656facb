"""Attention to chosen keys: blocks (NSA, Yuan et al., 2025) or tokens (DeepSeek-V3.2), and the choice of them.

MindSpore computes these operators on Ascend only. Its documents define them; where they leave a question open, the answer is that
of the tests of Ascend's library, and a comment says so. Sizes that only Ascend's kernels need (heads of 128 features, 2048 chosen
tokens) are not asked for.

A key that is chosen n times counts n times. Scores are computed for all pairs of a query and a key, and `_attend` is told how often
each pair counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.engine.arguments import check_float, check_rank
from sporax._src.engine.table import op
from sporax._src.ops.nn.paged_attention import paged

_REF = "references.sparse_attention."
_ALL = 9223372036854775807
_FORCED = 23333.0  # the score of blocks that a mask chooses, as in the tests of Ascend's library: more than any sum of weights


# --- sequences one after the other ------------------------------------------------------------------------------------


def _ends(name: str, value: Any, length: int) -> tuple[int, ...]:
    """Return the ends of sequences that fill an axis."""
    if not isinstance(value, (tuple, list)) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        raise TypeError(f"{name} must be a tuple or list of integers, got {value!r}.")
    if not value or value[0] < 0 or list(value) != sorted(value) or value[-1] != length:
        raise ValueError(f"{name} must rise and end with {length}, got {list(value)}.")
    return tuple(value)


def _rising(name: str, value: Any) -> tuple[int, ...]:
    return _ends(name, value, value[-1] if isinstance(value, (tuple, list)) and value else 0)


def _lengths(ends: Sequence[int]) -> np.ndarray:
    return np.diff(np.asarray(ends), prepend=0)


def _places(ends: Any, length: int) -> tuple[jax.Array, jax.Array]:
    """Return of each position the number of its sequence, and its place there; behind the last sequence is one more."""
    ends, at = jnp.asarray(ends, np.int32), jnp.arange(length, dtype=np.int32)
    sequence = jnp.searchsorted(ends, at, side="right")
    starts = jnp.concatenate([jnp.zeros(1, np.int32), ends])
    return sequence, at - starts[sequence]


def _at(mask: Array, row: Array, column: Array) -> Array:
    """Return the elements of a mask at all pairs of a row and a column."""
    rows, columns = mask.shape
    return mask.astype(bool)[jnp.minimum(row, rows - 1)[:, None], jnp.minimum(column, columns - 1)]


# --- attention to keys that count several times, once, or not ----------------------------------------------------------


def _attend(q: Array, k: Array, v: Array, times: Array, scale: float) -> tuple[Array, Array, Array, Array]:
    """Return attention (batch, queries, heads, features), its weights, and maximum and sum of the softmax.

    Args:
        q: The queries, (batch, queries, heads, features).
        k, v: The keys and values, (batch, keys, groups of heads, features).
        times: How often a key counts, (batch, queries, groups or 1, keys).
        scale: The factor of the products.

    Returns:
        The attention, 0 for a query without keys; the weights (batch, groups, heads of a group, queries, keys); the other two
        (batch, groups, heads of a group, queries).
    """
    batch, sq, heads, _ = q.shape
    groups, wide = k.shape[2], jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    q = q.reshape(batch, sq, groups, heads // groups, q.shape[3])
    s = jnp.einsum("bqgrd,bkgd->bgrqk", q, k, preferred_element_type=wide) * scale
    times = jnp.swapaxes(times, 1, 2)[:, :, None].astype(wide)
    s = jnp.where(times > 0, s, jnp.finfo(wide).min)
    top = jnp.max(s, -1)
    e = times * jnp.exp(s - top[..., None])
    total = jnp.sum(e, -1)
    weights = e / jnp.where(total == 0, 1, total)[..., None]
    out = jnp.einsum("bgrqk,bkgd->bqgrd", weights.astype(v.dtype), v)
    return out.reshape(batch, sq, heads, v.shape[3]), weights, top, total


def _counted(indices: Array, count: int) -> Array:
    """Return how often each of `count` numbers is among the indices of the last axis; negative ones are not there."""
    flat = indices.reshape(-1, indices.shape[-1])
    flat = jnp.where(flat < 0, count, flat)
    found = jnp.zeros((flat.shape[0], count), np.int32).at[jnp.arange(flat.shape[0])[:, None], flat].add(1, mode="drop")
    return found.reshape(*indices.shape[:-1], count)


def _per_token(x: Array) -> Array:
    """Return (1, groups, heads of a group, tokens) as (tokens, heads, 8), as Ascend's kernels do."""
    x = jnp.transpose(x[0], (2, 0, 1))
    return jnp.broadcast_to(x.reshape(x.shape[0], -1, 1), (x.shape[0], x.shape[1] * x.shape[2], 8))


def _check_tokens(query: Array, key: Array, value: Array, head_num: int) -> None:
    check_float(query)
    for name, x in (("query", query), ("key", key), ("value", value)):
        check_rank(x, (3,), name)
        if x.dtype != query.dtype:
            raise TypeError(f"{name} must have the dtype of query, {query.dtype}, got {x.dtype}.")
    if query.shape[1] != head_num:
        raise ValueError(f"query must have head_num={head_num} heads, got {query.shape[1]}.")
    if key.shape[:2] != value.shape[:2] or key.shape[2] != query.shape[2] or head_num % key.shape[1]:
        raise ValueError(
            f"query {list(query.shape)}, key {list(key.shape)} and value {list(value.shape)} must agree in "
            "tokens, heads and features."
        )


# --- native sparse attention ------------------------------------------------------------------------------------------

_COMPRESS = "T(7, 2, 3), T(4, 2), 4, 2"


@op(
    ref=_REF + "nsa_compress",
    cases=(f"{_COMPRESS}, actual_seq_len=(7,)", "T(12, 2, 3), T(4, 2), 4, 2, actual_seq_len=(5, 8, 12)"),
    errors=(
        (f"{_COMPRESS}, actual_seq_len=(3, 6)", "actual_seq_len must rise and end with 7, got [3, 6]"),
        (f"{_COMPRESS}, actual_seq_len=7", "actual_seq_len must be a tuple or list of integers, got 7"),
        ("T(7, 2, 3), T(4, 3), 4, 2, actual_seq_len=(7,)", "weight must have shape [4, 2], got [4, 3]"),
        ("T(7, 3), T(4, 3), 4, 2, actual_seq_len=(7,)", "input must have 3 axes"),
        ("T(7, 2, 3), T(4, 2), 4, 5, actual_seq_len=(7,)", "compress_stride must be in [1, 4], got 5"),
        ("T(7, 2, 3), I(4, 2), 4, 2, actual_seq_len=(7,)", "weight must have the dtype of input"),
    ),
    name="nsa_compress",
)
def nsa_compress(
    input: Array, weight: Array, compress_block_size: int, compress_stride: int, *, actual_seq_len: Static
) -> Array:
    """Return weighted sums of windows of tokens: out[i] = Σⱼ weight[j] · input[compress_stride · i + j], for each sequence.

    Args:
        input: The tokens (T, N, D) of all sequences.
        weight: A Tensor (compress_block_size, N).
        compress_block_size: The tokens of a window.
        compress_stride: The distance of windows.
        actual_seq_len: The ends of the sequences; the last is T.

    Returns:
        The sums of all whole windows (T', N, D), sequence after sequence.

    Raises:
        TypeError: If dtypes differ, or are no floats, or `actual_seq_len` holds no integers.
        ValueError: If shapes do not fit, or a number is out of range.

    Examples:
        >>> x = Tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]])
        >>> ops.nsa_compress(x, ops.ones((2, 1)), 2, 1, actual_seq_len=(4,)).asnumpy().ravel()
        array([3., 5., 7.], dtype=float32)
    """
    check_float(input)
    check_rank(input, (3,), "input")
    if weight.dtype != input.dtype:
        raise TypeError(f"weight must have the dtype of input, {input.dtype}, got {weight.dtype}.")
    if weight.shape != (compress_block_size, input.shape[1]):
        raise ValueError(f"weight must have shape {[compress_block_size, input.shape[1]]}, got {list(weight.shape)}.")
    if not 1 <= compress_stride <= compress_block_size:
        raise ValueError(f"compress_stride must be in [1, {compress_block_size}], got {compress_stride}.")
    ends = _ends("actual_seq_len", actual_seq_len, input.shape[0])
    starts = [
        start
        for end, length in zip(ends, _lengths(ends), strict=True)
        for start in range(end - length, end - compress_block_size + 1, compress_stride)
    ]
    windows = np.asarray(starts, np.int32)[:, None] + np.arange(compress_block_size, dtype=np.int32)
    return jnp.einsum("tjnd,jn->tnd", input[windows], weight)


_QKV = "T(4, 4, 2), T(5, 2, 2), T(5, 2, 3)"
_SIZES = "actual_seq_qlen=(4,), actual_cmp_seq_kvlen=(5,), actual_sel_seq_kvlen=(3,)"


@op(
    ref=_REF + "nsa_compress_attention",
    cases=(
        f"{_QKV}, 0.5, 4, 4, 2, 4, 2, {_SIZES}",
        f"{_QKV}, 0.5, 4, 2, 2, 6, 2, {_SIZES}",
        "T(5, 2, 2), T(7, 2, 2), T(7, 2, 2), 1.5, 2, 4, 2, 4, 2, topk_mask=np.eye(3, 3, dtype=bool), "
        "atten_mask=np.tri(3, 4, dtype=bool) == 0, "
        "actual_seq_qlen=(3, 5), actual_cmp_seq_kvlen=(4, 7), actual_sel_seq_kvlen=(3, 5)",
    ),
    errors=(
        (f"{_QKV}, 0.5, 4, 4, 2, 5, 2, {_SIZES}", "compress_stride=2 must divide compress_block_size=4 and select_block_size=5"),
        (f"{_QKV}, 0.5, 4, 4, 2, 2, 2, {_SIZES}", "select_block_size must be at least compress_block_size=4, got 2"),
        (f"{_QKV}, 0.5, 4, 4, 2, 4, 4, {_SIZES}", "select_block_count must be in [1, 3], got 4"),
        (f"{_QKV}, 0.5, 2, 4, 2, 4, 2, {_SIZES}", "query must have head_num=2 heads, got 4"),
        (f"T(4, 4, 2), T(5, 3, 2), T(5, 3, 3), 0.5, 4, 4, 2, 4, 2, {_SIZES}", "must agree in tokens, heads and features"),
        (
            f"{_QKV}, 0.5, 4, 4, 2, 4, 2, actual_seq_qlen=(2, 4), actual_cmp_seq_kvlen=(5,), actual_sel_seq_kvlen=(3,)",
            "must name as many sequences, got 2, 1 and 1",
        ),
    ),
)  # fmt: skip
def nsa_compress_attention(
    query: Array,
    key: Array,
    value: Array,
    scale_value: float,
    head_num: int,
    compress_block_size: int,
    compress_stride: int,
    select_block_size: int,
    select_block_count: int,
    *,
    topk_mask: OptArray = None,
    atten_mask: OptArray = None,
    actual_seq_qlen: Static,
    actual_cmp_seq_kvlen: Static,
    actual_sel_seq_kvlen: Static,
) -> tuple[Array, Array, Array, Array]:
    """Return attention to compressed keys, and the blocks of keys that get most of it.

    The weights P of the compressed keys give the score of block j, the first being 1, in the sequence of a query:
    Σₘ Σₙ P[j · select_block_size / d - m - n] with m < select_block_size / d, n < compress_block_size / d and
    d = compress_stride, summed over the heads that share keys.

    Args:
        query: The queries (T1, N1, D1) of all sequences.
        key, value: What `nsa_compress` gives of keys (T2, N2, D1) and values (T2, N2, D2).
        scale_value: The factor of the products.
        head_num: N1.
        compress_block_size, compress_stride: The arguments of `nsa_compress`.
        select_block_size: The tokens of a block.
        select_block_count: How many blocks are chosen.
        topk_mask: True for the blocks that are chosen in any case, (queries, blocks) of the longest sequences.
        atten_mask: True where scores are left out, (queries, compressed keys) of the longest sequences.
        actual_seq_qlen, actual_cmp_seq_kvlen, actual_sel_seq_kvlen: The ends of the sequences of queries, compressed keys and
            blocks.

    Returns:
        The attention (T1, N1, D2); the numbers of the blocks in their sequence, from 0, the best first, int32
        (T1, N2, select_block_count); the maximum and the sum of the softmax, float32 (T1, N1, 8).

    Raises:
        TypeError: If dtypes differ or are no floats, or the ends are no integers.
        ValueError: If shapes do not fit, or a number is out of range.

    Examples:
        >>> q, k = ops.ones((4, 2, 8)), ops.ones((3, 2, 8))
        >>> ends = dict(actual_seq_qlen=(4,), actual_cmp_seq_kvlen=(3,), actual_sel_seq_kvlen=(2,))
        >>> [x.shape for x in ops.nsa_compress_attention(q, k, k, 0.5, 2, 32, 16, 64, 1, **ends)]
        [(4, 2, 8), (4, 2, 1), (4, 2, 8), (4, 2, 8)]
    """
    _check_tokens(query, key, value, head_num)
    if compress_block_size % compress_stride or select_block_size % compress_stride:
        raise ValueError(
            f"compress_stride={compress_stride} must divide compress_block_size={compress_block_size} and "
            f"select_block_size={select_block_size}."
        )
    if select_block_size < compress_block_size:
        raise ValueError(
            f"select_block_size must be at least compress_block_size={compress_block_size}, got {select_block_size}."
        )
    ends = (
        _ends("actual_seq_qlen", actual_seq_qlen, query.shape[0]),
        _ends("actual_cmp_seq_kvlen", actual_cmp_seq_kvlen, key.shape[0]),
        _rising("actual_sel_seq_kvlen", actual_sel_seq_kvlen),
    )
    if len({len(e) for e in ends}) > 1:
        raise ValueError(
            "actual_seq_qlen, actual_cmp_seq_kvlen and actual_sel_seq_kvlen must name as many sequences, got "
            f"{len(ends[0])}, {len(ends[1])} and {len(ends[2])}."
        )
    blocks = _lengths(ends[2])
    if not 1 <= select_block_count <= blocks.min():
        raise ValueError(f"select_block_count must be in [1, {blocks.min()}], got {select_block_count}.")
    (of_query, row), (of_key, column) = _places(ends[0], query.shape[0]), _places(ends[1], key.shape[0])
    seen = of_query[:, None] == of_key
    if atten_mask is not None:
        seen = seen & ~_at(atten_mask, row, column)
    out, weights, top, total = _attend(query[None], key[None], value[None], seen[None, :, None], scale_value)
    m, n = select_block_size // compress_stride, compress_block_size // compress_stride
    # The first block is number 1, as in the tests of Ascend's library.
    back = m * (np.arange(blocks.max()) + 1) - np.arange(_lengths(ends[1]).max())[:, None]
    pairs = np.clip(np.minimum(np.minimum(back + 1, m + n - 1 - back), n), 0, None)  # of m and n, by key and block
    scores = jnp.einsum("grqk,kj->qgj", weights[0], jnp.asarray(pairs, weights.dtype)[column])
    if topk_mask is not None:
        forced = _at(topk_mask, row, jnp.arange(scores.shape[-1]))
        scores = jnp.where(forced[:, None], _FORCED, scores)
    there = jnp.arange(scores.shape[-1]) < jnp.asarray(blocks)[of_query][:, None]
    chosen = lax.top_k(jnp.where(there[:, None], scores, -jnp.inf), select_block_count)[1].astype(np.int32)
    return out[0], chosen, _per_token(top), _per_token(total)


_SELECT = "T(4, 4, 2), T(5, 2, 2), T(5, 2, 3), I(4, 2, 2) % 2"


@op(
    ref=_REF + "nsa_select_attention",
    cases=(
        f"{_SELECT}, 0.5, 4, 3, 2, actual_seq_qlen=(4,), actual_seq_kvlen=(5,)",
        "T(5, 2, 2), T(9, 2, 2), T(9, 2, 2), I(5, 2, 3) % 2, 1.5, 2, 2, 3, actual_seq_qlen=(3, 5), actual_seq_kvlen=(4, 9)",
    ),
    errors=(
        (f"{_SELECT}, 0.5, 4, 3, 3, actual_seq_qlen=(4,), actual_seq_kvlen=(5,)", "must have shape [4, 2, 3], got [4, 2, 2]"),
        (f"{_SELECT}, 0.5, 3, 3, 2, actual_seq_qlen=(4,), actual_seq_kvlen=(5,)", "query must have head_num=3 heads, got 4"),
        (f"{_SELECT}, 0.5, 4, 3, 2, actual_seq_qlen=(4,), actual_seq_kvlen=(2, 5)", "must name as many sequences, got 1 and 2"),
        (f"{_SELECT}, 0.5, 4, 0, 2, actual_seq_qlen=(4,), actual_seq_kvlen=(5,)", "select_block_size must be at least 1, got 0"),
        (f"{_SELECT}, 0.5, 4, 3, 2, atten_mask=B(4, 5), actual_seq_qlen=(4,), actual_seq_kvlen=(5,)", "atten_mask must be None"),
    ),
)  # fmt: skip
def nsa_select_attention(
    query: Array,
    key: Array,
    value: Array,
    topk_indices: Array,
    scale_value: float,
    head_num: int,
    select_block_size: int,
    select_block_count: int,
    *,
    atten_mask: OptArray = None,
    actual_seq_qlen: Static,
    actual_seq_kvlen: Static,
) -> tuple[Array, Array, Array]:
    """Return attention to the blocks of keys that are chosen for each query.

    Args:
        query: The queries (T1, N1, D1) of all sequences.
        key, value: The keys (T2, N2, D1) and values (T2, N2, D2).
        topk_indices: The numbers of blocks in the sequence of the query, int32 (T1, N2, select_block_count); a block counts as
            often as it is listed.
        scale_value: The factor of the products.
        head_num: N1.
        select_block_size: The tokens of a block.
        select_block_count: The number of blocks.
        atten_mask: None; MindSpore supports no mask here.
        actual_seq_qlen, actual_seq_kvlen: The ends of the sequences of queries and keys.

    Returns:
        The attention (T1, N1, D2); the maximum and the sum of the softmax, float32 (T1, N1, 8).

    Raises:
        TypeError: If dtypes differ or are no floats, or the ends are no integers.
        ValueError: If shapes do not fit, a number is out of range, or there is a mask.

    Examples:
        >>> q, blocks = ops.ones((1, 1, 2)), Tensor([[[1]]], ms.int32)
        >>> k = Tensor([[[1.0, 1.0]], [[2.0, 2.0]], [[3.0, 3.0]]])
        >>> ops.nsa_select_attention(q, k, k, blocks, 1.0, 1, 2, 1, actual_seq_qlen=(1,), actual_seq_kvlen=(3,))[0].asnumpy()
        array([[[3., 3.]]], dtype=float32)
    """
    _check_tokens(query, key, value, head_num)
    if atten_mask is not None:
        raise ValueError("atten_mask must be None: no mask is supported.")
    if select_block_size < 1:
        raise ValueError(f"select_block_size must be at least 1, got {select_block_size}.")
    wanted = (query.shape[0], key.shape[1], select_block_count)
    if topk_indices.shape != wanted:
        raise ValueError(f"topk_indices must have shape {list(wanted)}, got {list(topk_indices.shape)}.")
    ends = (
        _ends("actual_seq_qlen", actual_seq_qlen, query.shape[0]),
        _ends("actual_seq_kvlen", actual_seq_kvlen, key.shape[0]),
    )
    if len(ends[0]) != len(ends[1]):
        raise ValueError(
            f"actual_seq_qlen and actual_seq_kvlen must name as many sequences, got {len(ends[0])} and {len(ends[1])}."
        )
    (of_query, _), (of_key, column) = _places(ends[0], query.shape[0]), _places(ends[1], key.shape[0])
    blocks = -(-int(_lengths(ends[1]).max()) // select_block_size)
    times = _counted(topk_indices, blocks)[..., column // select_block_size]
    times = jnp.where((of_query[:, None] == of_key)[:, None], times, 0)
    out, _, top, total = _attend(query[None], key[None], value[None], times[None], scale_value)
    return out[0], _per_token(top), _per_token(total)


# --- DeepSeek's sparse attention ----------------------------------------------------------------------------------------


class _Pairs:
    """Which keys each query may see, and where the key lies in its sequence: layouts become (batch, tokens, heads, features)."""

    def __init__(
        self, query: Array, key: Array, of_query: OptArray, of_key: OptArray, table: OptArray, layouts: tuple[str, str]
    ) -> None:
        self.table, self.in_line, self.paged = table, layouts[0] == "TND", layouts[1] == "PA_BSND"
        self.flat_keys = layouts[1] == "TND" or (self.paged and self.in_line)
        batch, sq = self.queries(query).shape[:2]
        sk = self.keys(key).shape[1]
        ends = jnp.full(batch, sq, np.int32) if of_query is None else of_query.astype(np.int32)
        key_ends = jnp.full(batch, sk, np.int32) if of_key is None else of_key.astype(np.int32)
        if self.in_line:
            self._in_line(ends, key_ends, sq, sk)
            return
        row, self.column = jnp.arange(sq, dtype=np.int32), jnp.arange(sk, dtype=np.int32)
        self.seen = (row[:, None] < ends[:, None, None]) & (self.column < key_ends[:, None, None])
        self.before = self.column <= row[:, None] + (key_ends - ends)[:, None, None]

    def _in_line(self, ends: jax.Array, key_ends: jax.Array, sq: int, sk: int) -> None:
        """Compare all queries with all keys: what belongs to different sequences, or to none, is not seen."""
        sequence, row = _places(ends, sq)
        lengths, last = jnp.diff(ends, prepend=0), ends.shape[0] - 1
        if self.paged:
            (of, self.column), key_lengths = jnp.divmod(jnp.arange(sk, dtype=np.int32), sk // (last + 1)), key_ends
        else:
            (of, self.column), key_lengths = _places(key_ends, sk), jnp.diff(key_ends, prepend=0)
        inside = (of <= last) & (self.column < key_lengths[jnp.minimum(of, last)])
        self.seen = ((sequence[:, None] == of) & inside)[None]
        lag = (key_lengths - lengths)[jnp.minimum(sequence, last)]
        self.before = (self.column <= (row + lag)[:, None])[None]

    def queries(self, x: Array) -> Array:
        return x[None] if self.in_line else x

    def keys(self, x: Array) -> Array:
        x = paged(x, self.table) if self.paged else x
        return x.reshape(1, -1, *x.shape[-2:]) if self.flat_keys else x

    def visible(self, mode: int) -> Array:
        """Return what a query sees (batch, queries, keys): in mode 3 no key behind it, when both sequences end together."""
        return self.seen & self.before if mode == 3 else self.seen


def _pairs(
    query: Array,
    key: Array,
    of_query: OptArray,
    of_key: OptArray,
    table: OptArray,
    layouts: tuple[str, str],
    mode: int,
    suffix: str,
) -> _Pairs:
    """Check the arguments that `lightning_indexer` and `sparse_flash_attention` share."""
    if layouts[0] not in ("BSND", "TND"):
        raise ValueError(f"layout_query must be BSND or TND, got {layouts[0]!r}.")
    if layouts[1] not in (layouts[0], "PA_BSND"):
        raise ValueError(f"layout_{suffix} must be {layouts[0]} or PA_BSND, got {layouts[1]!r}.")
    if mode not in (0, 3):
        raise ValueError(f"sparse_mode must be 0 or 3, got {mode}.")
    check_rank(query, (3 if layouts[0] == "TND" else 4,), "query")
    check_rank(key, (3 if layouts[1] == "TND" else 4,), "key")
    needed = {
        "actual_seq_lengths_query": of_query if layouts[0] == "TND" else 0,
        f"actual_seq_lengths_{suffix}": of_key if layouts[1] != "BSND" else 0,
        "block_table": table if layouts[1] == "PA_BSND" else 0,
    }
    for name, value in needed.items():
        if value is None:
            raise ValueError(f"{name} must be given for the layouts {layouts[0]} and {layouts[1]}.")
    if key.shape[-2] != 1 or key.shape[-1] != query.shape[-1]:
        raise ValueError(f"key must have 1 head of {query.shape[-1]} features, got {key.shape[-2]} of {key.shape[-1]}.")
    return _Pairs(query, key, of_query, of_key, table, layouts)


def _check_same(**tensors: Array) -> None:
    (first, x), *others = tensors.items()
    check_float(x)
    for name, other in others:
        if other.dtype != x.dtype:
            raise TypeError(f"{name} must have the dtype of {first}, {x.dtype}, got {other.dtype}.")


_INDEX = "T(2, 3, 4, 2), T(2, 5, 1, 2), T(2, 3, 4)"
_INDEX_LINE = "T(5, 4, 2), T(7, 1, 2), T(5, 4), actual_seq_lengths_query=D([3, 5], np.int32)"


@op(
    ref=_REF + "lightning_indexer",
    cases=(
        f"{_INDEX}, sparse_count=3, return_value=True",
        f"{_INDEX}, sparse_count=3, sparse_mode=0, actual_seq_lengths_query=D([3, 3], np.int32), "
        "actual_seq_lengths_key=D([5, 3], np.int32)",
        f"{_INDEX_LINE}, actual_seq_lengths_key=D([4, 7], np.int32), layout_query='TND', layout_key='TND', sparse_count=2",
        "T(2, 2, 3, 2), T(3, 2, 1, 2), T(2, 2, 3), actual_seq_lengths_key=D([4, 3], np.int32), "
        "block_table=D([[2, 0], [1, 2]], np.int32), layout_key='PA_BSND', sparse_count=2",
        "T(3, 3, 2), T(3, 2, 1, 2), T(3, 3), actual_seq_lengths_query=D([1, 3], np.int32), "
        "actual_seq_lengths_key=D([4, 3], np.int32), block_table=D([[2, 0], [1, 2]], np.int32), layout_query='TND', "
        "layout_key='PA_BSND', sparse_count=2",
    ),
    errors=(
        (f"{_INDEX}, layout_query='BNSD'", "layout_query must be BSND or TND, got 'BNSD'"),
        (f"{_INDEX}, layout_key='TND'", "layout_key must be BSND or PA_BSND, got 'TND'"),
        (f"{_INDEX}, sparse_mode=1", "sparse_mode must be 0 or 3, got 1"),
        (f"{_INDEX}, sparse_count=0", "sparse_count must be at least 1, got 0"),
        (f"{_INDEX}, layout_key='PA_BSND'", "actual_seq_lengths_key must be given for the layouts BSND and PA_BSND"),
        (f"{_INDEX_LINE}, layout_query='TND', layout_key='TND'", "actual_seq_lengths_key must be given"),
        ("T(2, 3, 4, 2), T(2, 5, 2, 2), T(2, 3, 4)", "key must have 1 head of 2 features, got 2 of 2"),
        ("T(2, 3, 4, 2), T(2, 5, 1, 2), T(2, 3)", "weights must have shape [2, 3, 4], got [2, 3]"),
        ("T(2, 3, 4, 2), T(2, 5, 1, 2), I(2, 3, 4)", "weights must have the dtype of query, float32, got int32"),
        (f"{_INDEX}, pre_tokens=3", "pre_tokens and next_tokens must be 9223372036854775807"),
        (
            "T(2, 2, 3, 2), T(3, 2, 1, 2), T(2, 2, 3), actual_seq_lengths_key=D([4, 3], np.int32), "
            "block_table=D([[2, 0], [1, 2]], np.int32), layout_key='PA_BSND', return_value=True",
            "return_value must be False with the layout PA_BSND",
        ),
    ),
)
def lightning_indexer(
    query: Array,
    key: Array,
    weights: Array,
    *,
    actual_seq_lengths_query: OptArray = None,
    actual_seq_lengths_key: OptArray = None,
    block_table: OptArray = None,
    layout_query: str = "BSND",
    layout_key: str = "BSND",
    sparse_count: int = 2048,
    sparse_mode: int = 3,
    pre_tokens: int = _ALL,
    next_tokens: int = _ALL,
    return_value: bool = False,
) -> tuple[Array, Array]:
    """Return the keys with the largest Σ weights · max(0, query · key), summed over the heads of a query.

    Args:
        query: The queries (B, S1, N1, D), or those of all sequences (T1, N1, D).
        key: The keys (B, S2, 1, D), (T2, 1, D), or blocks of them (blocks, size, 1, D).
        weights: The weights of the heads (B, S1, N1) or (T1, N1).
        actual_seq_lengths_query, actual_seq_lengths_key: The lengths of the sequences (B,); for the layout "TND" their ends.
        block_table: The blocks of keys of each sequence (B, ...), for the layout "PA_BSND".
        layout_query: "BSND" or "TND".
        layout_key: `layout_query`, or "PA_BSND".
        sparse_count: The number of keys to return.
        sparse_mode: 3: a query sees no key behind it, if the sequences of queries and keys end together. 0: it sees all.
        pre_tokens, next_tokens: The default is the only value.
        return_value: Whether a program reads the values; they are returned in any case.

    Returns:
        The places of the keys in their sequence, the best first, int32 (B, S1, 1, sparse_count) or (T1, 1, sparse_count), with -1
        where there are fewer keys; their values in the dtype of query, with -inf there.

    Raises:
        TypeError: If dtypes differ or are no floats.
        ValueError: If shapes do not fit, an option is unknown, or lengths or a table are missing.

    Examples:
        >>> q, w = ops.ones((1, 1, 2, 1)), ops.ones((1, 1, 2))
        >>> ops.lightning_indexer(q, Tensor([[[[1.0]], [[3.0]], [[2.0]]]]), w, sparse_count=2)[0].tolist()
        [[[[1, 2]]]]
    """
    _check_same(query=query, key=key, weights=weights)
    layouts = layout_query, layout_key
    pairs = _pairs(
        query, key, actual_seq_lengths_query, actual_seq_lengths_key, block_table, layouts, sparse_mode, "key"
    )
    if weights.shape != query.shape[:-1]:
        raise ValueError(f"weights must have shape {list(query.shape[:-1])}, got {list(weights.shape)}.")
    if sparse_count < 1:
        raise ValueError(f"sparse_count must be at least 1, got {sparse_count}.")
    if (pre_tokens, next_tokens) != (_ALL, _ALL):
        raise ValueError(f"pre_tokens and next_tokens must be {_ALL}, got {pre_tokens} and {next_tokens}.")
    if return_value and layout_key == "PA_BSND":
        raise ValueError("return_value must be False with the layout PA_BSND.")
    q, k, w = pairs.queries(query), pairs.keys(key)[:, :, 0], pairs.queries(weights)
    wide = jnp.float64 if q.dtype == jnp.float64 else jnp.float32
    s = jnp.maximum(jnp.einsum("bqnd,bkd->bqkn", q, k, preferred_element_type=wide), 0)
    scores = jnp.where(pairs.visible(sparse_mode), jnp.einsum("bqkn,bqn->bqk", s, w.astype(wide)), -jnp.inf)
    extra = max(sparse_count - scores.shape[-1], 0)
    scores = jnp.pad(scores, [(0, 0), (0, 0), (0, extra)], constant_values=-jnp.inf)
    values, at = lax.top_k(scores, sparse_count)
    places = jnp.pad(pairs.column, (0, extra))[at]
    chosen = jnp.where(values == -jnp.inf, -1, places).astype(np.int32)
    results = chosen[:, :, None], values.astype(query.dtype)[:, :, None]
    return (results[0][0], results[1][0]) if pairs.in_line else results


_FLASH = "T(2, 3, 4, 2), T(2, 5, 1, 2), T(2, 5, 1, 2), I(2, 3, 1, 3) % 3"
_ROPE = "query_rope=T(2, 3, 4, 1), key_rope=T(2, 5, 1, 1), attention_mode=2"


@op(
    ref=_REF + "sparse_flash_attention",
    cases=(
        f"{_FLASH}, 0.5, {_ROPE}",
        f"{_FLASH}, 0.5, {_ROPE}, sparse_block_size=2, sparse_mode=0, actual_seq_lengths_query=D([3, 3], np.int32), "
        "actual_seq_lengths_kv=D([5, 5], np.int32)",
        "T(5, 4, 2), T(7, 1, 2), T(7, 1, 2), I(5, 1, 2) % 2, 0.5, actual_seq_lengths_query=D([3, 5], np.int32), "
        "actual_seq_lengths_kv=D([4, 7], np.int32), query_rope=T(5, 4, 1), key_rope=T(7, 1, 1), layout_query='TND', "
        "layout_kv='TND', attention_mode=2, return_softmax_lse=True",
        "T(3, 3, 2), T(3, 2, 1, 2), T(3, 2, 1, 2), I(3, 1, 2) % 2, 0.5, actual_seq_lengths_query=D([1, 3], np.int32), "
        "actual_seq_lengths_kv=D([4, 3], np.int32), block_table=D([[2, 0], [1, 2]], np.int32), query_rope=T(3, 3, 1), "
        "key_rope=T(3, 2, 1, 1), layout_query='TND', layout_kv='PA_BSND', attention_mode=2",
    ),
    errors=(
        (f"{_FLASH}, 0.5", "attention_mode must be 2, got 0"),
        (f"{_FLASH}, 0.5, attention_mode=2", "query_rope and key_rope must be given"),
        (f"{_FLASH}, 0.5, {_ROPE}, layout_kv='BNSD'", "layout_kv must be BSND or PA_BSND, got 'BNSD'"),
        (f"{_FLASH}, 0.5, {_ROPE}, sparse_block_size=3", "sparse_block_size must be a power of 2 up to 128, got 3"),
        (
            f"T(2, 3, 4, 2), T(2, 5, 1, 2), T(2, 4, 1, 2), I(2, 3, 1, 3) % 3, 0.5, {_ROPE}",
            "value must have the shape of key, [2, 5, 1, 2], got [2, 4, 1, 2]",
        ),
        (
            f"T(2, 3, 4, 2), T(2, 5, 1, 2), T(2, 5, 1, 2), I(2, 3, 3) % 3, 0.5, {_ROPE}",
            "sparse_indices must have shape [2, 3, 1, any], got [2, 3, 3]",
        ),
        (
            f"{_FLASH}, 0.5, query_rope=T(2, 3, 4, 1), key_rope=T(2, 4, 1, 1), attention_mode=2",
            "query_rope and key_rope must have the shapes of query and key up to features",
        ),
        (f"{_FLASH}, 0.5, {_ROPE}, pre_tokens=1", "pre_tokens and next_tokens must be 9223372036854775807"),
    ),
)
def sparse_flash_attention(
    query: Array,
    key: Array,
    value: Array,
    sparse_indices: Array,
    scale_value: float,
    *,
    block_table: OptArray = None,
    actual_seq_lengths_query: OptArray = None,
    actual_seq_lengths_kv: OptArray = None,
    query_rope: OptArray = None,
    key_rope: OptArray = None,
    sparse_block_size: int = 1,
    layout_query: str = "BSND",
    layout_kv: str = "BSND",
    sparse_mode: int = 3,
    pre_tokens: int = _ALL,
    next_tokens: int = _ALL,
    attention_mode: int = 0,
    return_softmax_lse: bool = False,
) -> tuple[Array, Array, Array]:
    """Return attention to the keys, or the blocks of keys, that are chosen for each query.

    Args:
        query: The queries (B, S1, N1, D), or those of all sequences (T1, N1, D).
        key, value: Keys and values (B, S2, 1, D), (T2, 1, D), or blocks of them (blocks, size, 1, D).
        sparse_indices: The places of keys, or of blocks of `sparse_block_size` keys, in their sequence, int32 (B, S1, 1, ...) or
            (T1, 1, ...); negative numbers choose nothing.
        scale_value: The factor of the products.
        block_table: The blocks of keys of each sequence (B, ...), for the layout "PA_BSND".
        actual_seq_lengths_query, actual_seq_lengths_kv: The lengths of the sequences (B,); for the layout "TND" their ends.
        query_rope, key_rope: More features of queries and keys, which have rotated positions.
        sparse_block_size: The keys of a block, a power of 2.
        layout_query: "BSND" or "TND".
        layout_kv: `layout_query`, or "PA_BSND".
        sparse_mode: 3: a query sees no key behind it, if the sequences of queries and keys end together. 0: it sees all.
        pre_tokens, next_tokens: The default is the only value.
        attention_mode: 2, the only mode that MindSpore supports.
        return_softmax_lse: Whether a program reads the second and third result; they are returned in any case.

    Returns:
        The attention in the shape of query, 0 for a query without keys; the maximum and the sum of the softmax, float32
        (B, 1, S1, N1) or (1, T1, N1).

    Raises:
        TypeError: If dtypes differ or are no floats.
        ValueError: If shapes do not fit, an option is unknown, or lengths, a table or the rotated features are missing.

    Examples:
        >>> q, k, r = ops.ones((1, 1, 2, 4)), Tensor([[[[1.0]], [[3.0]], [[2.0]]]]).tile((1, 1, 1, 4)), ops.zeros((1, 3, 1, 2))
        >>> named = dict(query_rope=r[:, :1].tile((1, 1, 2, 1)), key_rope=r, attention_mode=2)
        >>> ops.sparse_flash_attention(q, k, k, Tensor([[[[2]]]], ms.int32), 0.5, **named)[0].shape
        (1, 1, 2, 4)
    """
    if attention_mode != 2:
        raise ValueError(f"attention_mode must be 2, got {attention_mode}.")
    if query_rope is None or key_rope is None:
        raise ValueError("query_rope and key_rope must be given.")
    _check_same(query=query, key=key, value=value)
    if sparse_block_size not in (1, 2, 4, 8, 16, 32, 64, 128):
        raise ValueError(f"sparse_block_size must be a power of 2 up to 128, got {sparse_block_size}.")
    if value.shape != key.shape:
        raise ValueError(f"value must have the shape of key, {list(key.shape)}, got {list(value.shape)}.")
    if query_rope.shape[:-1] != query.shape[:-1] or key_rope.shape[:-1] != key.shape[:-1]:
        raise ValueError(
            f"query_rope and key_rope must have the shapes of query and key up to features, got {list(query_rope.shape)} and "
            f"{list(key_rope.shape)}."
        )
    if (pre_tokens, next_tokens) != (_ALL, _ALL):
        raise ValueError(f"pre_tokens and next_tokens must be {_ALL}, got {pre_tokens} and {next_tokens}.")
    layouts = layout_query, layout_kv
    pairs = _pairs(query, key, actual_seq_lengths_query, actual_seq_lengths_kv, block_table, layouts, sparse_mode, "kv")
    if sparse_indices.shape[:-1] != (*query.shape[:-2], 1):
        wanted = ", ".join(map(str, query.shape[:-2]))
        raise ValueError(f"sparse_indices must have shape [{wanted}, 1, any], got {list(sparse_indices.shape)}.")
    q = pairs.queries(jnp.concatenate([query, query_rope.astype(query.dtype)], -1))
    k = pairs.keys(jnp.concatenate([key, key_rope.astype(key.dtype)], -1))
    blocks = -(-k.shape[1] // sparse_block_size)
    times = _counted(pairs.queries(sparse_indices), blocks)[..., pairs.column // sparse_block_size]
    times = jnp.where(pairs.visible(sparse_mode)[:, :, None], times, 0)
    out, _, top, total = _attend(q, k, pairs.keys(value), times, scale_value)
    top, total = jnp.swapaxes(top, 2, 3), jnp.swapaxes(total, 2, 3)
    return (out[0], top[0], total[0]) if pairs.in_line else (out, top, total)
