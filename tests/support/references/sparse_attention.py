"""References for attention to chosen keys, one query at a time."""

from __future__ import annotations

import numpy as np


def nsa_compress(input, weight, compress_block_size, compress_stride, actual_seq_len):
    out, start = [], 0
    for end in actual_seq_len:
        tokens, start = input[start:end], end
        for i in range(0, len(tokens) - compress_block_size + 1, compress_stride):
            out.append((tokens[i : i + compress_block_size] * weight[:, :, None]).sum(0))
    return np.array(out, input.dtype)


def _row(q, keys, values, scale):
    """One query over the keys it sees: the attention, the maximum and the sum of the softmax, and the weights."""
    if not len(keys):
        return np.zeros(values.shape[-1]), np.finfo(np.float32).min, 0.0, np.zeros(0)
    s = keys.astype(np.float64) @ q.astype(np.float64) * scale
    e = np.exp(s - s.max())
    return e @ values / e.sum(), s.max(), e.sum(), e / e.sum()


def _parts(ends):
    return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def nsa_compress_attention(
    query, key, value, scale_value, head_num, compress_block_size, compress_stride, select_block_size, select_block_count,
    topk_mask=None, atten_mask=None, actual_seq_qlen=(), actual_cmp_seq_kvlen=(), actual_sel_seq_kvlen=(),
):  # fmt: skip
    tokens, heads, groups = query.shape[0], head_num, key.shape[1]
    m, n = select_block_size // compress_stride, compress_block_size // compress_stride
    out = np.zeros((tokens, heads, value.shape[2]), query.dtype)
    chosen = np.zeros((tokens, groups, select_block_count), np.int32)
    top, total = np.zeros((2, tokens, heads, 8), np.float32)
    ends = zip(*map(_parts, (actual_seq_qlen, actual_cmp_seq_kvlen, actual_sel_seq_kvlen)), strict=True)
    for of_query, of_key, of_block in ends:
        blocks = of_block.stop - of_block.start
        for place, t in enumerate(range(of_query.start, of_query.stop)):
            scores = np.zeros((groups, blocks))
            seen = np.ones(of_key.stop - of_key.start, bool)
            if atten_mask is not None:
                seen = ~atten_mask[place, : len(seen)]
            for h in range(heads):
                g = h // (heads // groups)
                out[t, h], top[t, h], total[t, h], weights = _row(
                    query[t, h], key[of_key, g][seen], value[of_key, g][seen], scale_value
                )
                whole = np.zeros(len(seen))
                whole[seen] = weights
                for j in range(1, blocks + 1):
                    for a in range(m):
                        for b in range(n):
                            at = m * j - a - b
                            scores[g, j - 1] += whole[at] if 0 <= at < len(whole) else 0
            if topk_mask is not None:
                scores[:, topk_mask[place, :blocks]] = 23333
            chosen[t] = np.argsort(-scores, -1, kind="stable")[:, :select_block_count]
    return out, chosen, top, total


def nsa_select_attention(
    query, key, value, topk_indices, scale_value, head_num, select_block_size, select_block_count, atten_mask=None,
    actual_seq_qlen=(), actual_seq_kvlen=(),
):  # fmt: skip
    tokens, heads, groups = query.shape[0], head_num, key.shape[1]
    out = np.zeros((tokens, heads, value.shape[2]), query.dtype)
    top, total = np.zeros((2, tokens, heads, 8), np.float32)
    for of_query, of_key in zip(_parts(actual_seq_qlen), _parts(actual_seq_kvlen), strict=True):
        for t in range(of_query.start, of_query.stop):
            for h in range(heads):
                g = h // (heads // groups)
                at = [
                    place
                    for block in topk_indices[t, g]
                    for place in range(block * select_block_size, (block + 1) * select_block_size)
                    if place < of_key.stop - of_key.start
                ]
                out[t, h], top[t, h], total[t, h], _ = _row(
                    query[t, h], key[of_key, g][at], value[of_key, g][at], scale_value
                )
    return out, top, total


def _sequences(x, lengths, layout, table):
    """Return the tokens of each sequence."""
    if layout == "TND":
        return [x[part] for part in _parts(lengths.tolist())]
    if layout == "PA_BSND":
        return [x[row].reshape(-1, *x.shape[2:])[:length] for row, length in zip(table, lengths, strict=True)]
    return [x[i] if lengths is None else x[i][: lengths[i]] for i in range(len(x))]


def _seen(count, place, queries, mode):
    return np.arange(count) <= place + count - queries if mode == 3 else np.ones(count, bool)


def _joined(rows, like, layout):
    """Return the rows of all sequences in the layout of the queries; rows of places that no sequence has are `like`."""
    if layout == "TND":
        return np.concatenate([np.stack(r) for r in rows])
    longest = max(map(len, rows))
    return np.stack([np.stack([*r, *[like] * (longest - len(r))]) for r in rows])


def lightning_indexer(
    query, key, weights, actual_seq_lengths_query=None, actual_seq_lengths_key=None, block_table=None, layout_query="BSND",
    layout_key="BSND", sparse_count=2048, sparse_mode=3, return_value=False,
):  # fmt: skip
    queries = _sequences(query, actual_seq_lengths_query, layout_query, None)
    factors = _sequences(weights, actual_seq_lengths_query, layout_query, None)
    keys = _sequences(key, actual_seq_lengths_key, layout_key, block_table)
    indices, values = [], []
    for q, w, k in zip(queries, factors, keys, strict=True):
        indices.append([]), values.append([])
        for place in range(len(q)):
            s = w[place] @ np.maximum(q[place] @ k[:, 0].T, 0)
            s = np.where(_seen(len(k), place, len(q), sparse_mode), s, -np.inf)
            order = np.argsort(-s, kind="stable")[:sparse_count]
            found = order[s[order] > -np.inf]
            rest = sparse_count - len(found)
            indices[-1].append(np.array([[*found, *[-1] * rest]], np.int32))
            values[-1].append(np.array([[*s[found], *[-np.inf] * rest]], query.dtype))
    nothing = np.full((1, sparse_count), -1, np.int32), np.full((1, sparse_count), -np.inf, query.dtype)
    return _joined(indices, nothing[0], layout_query), _joined(values, nothing[1], layout_query)


def sparse_flash_attention(
    query, key, value, sparse_indices, scale_value, block_table=None, actual_seq_lengths_query=None, actual_seq_lengths_kv=None,
    query_rope=None, key_rope=None, sparse_block_size=1, layout_query="BSND", layout_kv="BSND", sparse_mode=3,
    attention_mode=0, return_softmax_lse=False,
):  # fmt: skip
    query, key = np.concatenate([query, query_rope], -1), np.concatenate([key, key_rope], -1)
    queries = _sequences(query, actual_seq_lengths_query, layout_query, None)
    chosen = _sequences(sparse_indices, actual_seq_lengths_query, layout_query, None)
    keys = _sequences(key, actual_seq_lengths_kv, layout_kv, block_table)
    values = _sequences(value, actual_seq_lengths_kv, layout_kv, block_table)
    rows = []
    for q, c, k, v in zip(queries, chosen, keys, values, strict=True):
        rows.append([])
        for place in range(len(q)):
            seen = _seen(len(k), place, len(q), sparse_mode)
            at = [
                i
                for block in c[place, 0]
                for i in range(block * sparse_block_size, (block + 1) * sparse_block_size)
                if block >= 0 and i < len(k) and seen[i]
            ]
            found = [_row(head, k[at, 0], v[at, 0], scale_value) for head in q[place]]
            rows[-1].append(np.concatenate([np.stack([f[0] for f in found]), np.array([f[1:3] for f in found])], 1))
    nothing = np.concatenate([np.zeros((query.shape[-2], value.shape[-1] + 2))], 1)
    nothing[:, -2] = np.finfo(np.float32).min
    all_rows = _joined(rows, nothing, layout_query)
    top, total = (all_rows[..., i].astype(np.float32) for i in (-2, -1))
    axis = 0 if layout_query == "TND" else 1
    return all_rows[..., :-2].astype(query.dtype), np.expand_dims(top, axis), np.expand_dims(total, axis)
