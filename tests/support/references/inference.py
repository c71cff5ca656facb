"""References for the attention of language models, one query at a time."""

from __future__ import annotations

from typing import Any

import numpy as np


def _weights(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def _attend_row(q, k, v, scale, bias=0.0, hidden=None):
    """One query (D,) over keys (S, D)."""
    s = k.astype(np.float64) @ q.astype(np.float64) * scale + bias
    if hidden is not None:
        s = np.where(hidden, -np.inf, s)
    return _weights(s) @ v


def paged_attention(
    query,
    k_cache,
    v_cache,
    tables,
    lens,
    scale=None,
    offset=None,
    attn_mask=None,
    q_seq_lens=None,
    mask_mode="",
    **named,
):
    heads, groups, factor = named["head_num"], named["kv_head_num"], named["scale_value"]
    alibi = named.get("alibi_mask")
    d = k_cache.shape[-1]
    q = query.reshape(-1, heads, d)
    out = np.zeros_like(q)
    new = np.ones(len(lens), int) if q_seq_lens is None else q_seq_lens
    token = 0
    for b, length in enumerate(lens):
        k, v = (np.concatenate([c[block] for block in tables[b]]) for c in (k_cache, v_cache))
        for i in range(new[b]):
            seen = length - (new[b] - 1 - i) if mask_mode == "TRAPEZOIDAL" else length
            for h in range(heads):
                g = h // (heads // groups)
                hidden = None if attn_mask is None else attn_mask[token, :seen] > 0
                bias = 0.0 if alibi is None else alibi[token, h, 0, :seen]
                out[token, h] = _attend_row(q[token, h], k[:seen, g], v[:seen, g], factor, bias, hidden)
            token += 1
    return out.reshape(query.shape)


def _four(x, layout, heads):
    if layout == "BSH":
        return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)
    return x.transpose(0, 2, 1, 3) if layout == "BSND" else x


def _infer(q, k, v, pse, mask, q_lens, kv_lens, heads, groups, scale, before, after, layout, mode):
    q4, groups = _four(q, layout, heads), groups or heads
    k4, v4 = _four(k, layout, groups), _four(v, layout, groups)
    b, n, sq, _ = q4.shape
    sk = k4.shape[2]
    out, lse = np.zeros_like(q4), np.zeros((b, n, sq, 1), np.float32)
    for x in range(b):
        own = sq if q_lens is None else q_lens[x]
        end = sk if kv_lens is None else kv_lens[x]
        for h in range(n):
            for i in range(sq):
                hidden = np.arange(sk) >= end
                for j in range(sk):
                    lag = end - own if mode in (3, 4) else 0
                    if mode in (2, 3):
                        hidden[j] |= j > i + lag
                    elif mode == 4 or (mode == 0 and mask is not None and sq > 1):
                        hidden[j] |= j > i + lag + after or j < i + lag - before
                    if mask is not None and mode in (0, 1):
                        hidden[j] |= bool(mask[x, j] if sq == 1 else mask[i, j])
                bias = 0.0 if pse is None else pse[min(x, len(pse) - 1), h, i]
                g = h // (n // groups)
                s = np.where(hidden, -np.inf, k4[x, g].astype(np.float64) @ q4[x, h, i] * scale + bias)
                lse[x, h, i] = np.log(np.exp(s).sum())
                if i < own:
                    out[x, h, i] = _weights(s) @ v4[x, g]
    if layout == "BSH":
        return out.transpose(0, 2, 1, 3).reshape(q.shape), lse
    return out if layout == "BNSD" else out.transpose(0, 2, 1, 3), lse


def prompt_flash_attention(
    q, k, v, mask=None, q_lens=None, kv_lens=None, pse=None, num_heads=1, scale_value=1.0, next_tokens=0, **named
):
    groups, layout = named.get("num_key_value_heads", 0), named.get("input_layout", "BSH")
    mode = named.get("sparse_mode", 0)
    return _infer(
        q, k, v, pse, mask, q_lens, kv_lens, num_heads, groups, scale_value, 10**6, next_tokens, layout, mode
    )[0]


def incre_flash_attention(
    q,
    k,
    v,
    mask=None,
    lens: Any = None,
    num_heads=1,
    scale_value=1.0,
    num_key_value_heads=0,
    input_layout="BSH",
    **named,
):
    k, v = (x[0] if isinstance(x, list) else x for x in (k, v))
    if named.get("block_table") is not None:
        k, v = (np.stack([np.concatenate([x[b] for b in row], 1) for row in named["block_table"]]) for x in (k, v))
    if named.get("kv_padding_size") is not None:
        end = k.shape[1] - int(named["kv_padding_size"][0])
        k, v = (np.stack([np.roll(x[b], lens[b] - end, 0) for b in range(len(lens))]) for x in (k, v))
    numbers = (num_heads, num_key_value_heads, scale_value, 10**6, 10**6, input_layout, 0)
    return _infer(q, k, v, None, mask, None, lens, *numbers)[0]


def fused_infer_attention_score(q, k, v, num_heads=1, scale=1.0, input_layout="BSH", sparse_mode=0, **named):
    out_layout = input_layout.split("_")[-1]
    numbers = (num_heads, 0, scale, 10**6, 10**6, input_layout.split("_")[0], sparse_mode)
    out, lse = _infer(q, k, v, None, None, None, named.get("actual_seq_lengths_kv"), *numbers)
    out = out.transpose(0, 2, 1, 3) if out_layout != numbers[5] else out
    return out, lse if named.get("softmax_lse_flag") else np.zeros(1, np.float32)


def speed_fusion_attention(q, k, v, heads, layout, scale=1.0, pse=None, pse_type=1, sparse_mode=0, **named):
    q4, k4, v4 = q, k, v
    if layout == "BSH":
        q4, k4, v4 = (_four(x, layout, heads) for x in (q, k, v))
    if layout == "TND":
        q4, k4, v4 = (x.transpose(1, 0, 2)[None] for x in (q, k, v))
    b, n, sq, _ = q4.shape
    sk, out = k4.shape[2], np.zeros_like(q4)
    top, total = (np.zeros((b, n, sq, 8), np.float32) for _ in range(2))
    ends: Any = (named.get("actual_seq_qlen"), named.get("actual_seq_kvlen"))
    for x in range(b):
        for h in range(n):
            for i in range(sq):
                s = k4[x, h // (n // k4.shape[1])].astype(np.float64) @ q4[x, h, i]
                j = np.arange(sk)
                if pse is None:
                    s = s * scale
                elif pse_type < 2:
                    bias = pse[min(x, len(pse) - 1), h, i]
                    s = s * scale + bias if pse_type == 0 else (s + bias) * scale
                else:
                    s = s * scale - pse[h] * (np.abs(j - i) if pse_type == 2 else np.sqrt(np.abs(j - i)))
                if sparse_mode == 2:
                    s = np.where(j > i, -np.inf, s)
                if ends[0] is not None:
                    own = next(m for m, e in enumerate(ends[0]) if i < e)
                    start = (0, *ends[1])[own]
                    s = np.where((j < start) | (j >= ends[1][own]) | (ends[1][own] - j < ends[0][own] - i), -np.inf, s)
                top[x, h, i], total[x, h, i] = s.max(), np.exp(s - s.max()).sum()
                out[x, h, i] = _weights(s) @ v4[x, h // (n // k4.shape[1])]
    if layout == "BSH":
        out = out.transpose(0, 2, 1, 3).reshape(q.shape)
    if layout == "TND":
        out = out[0].transpose(1, 0, 2)
    zero = np.zeros((), np.int64)
    return out, top, total, np.zeros(0, np.float32), zero, zero, zero


def apply_rotary(query, key, cos, sin, position_ids: Any = None, cos_format=0):
    tokens = query.size // query.shape[-1]
    if cos_format < 2:
        places = list(position_ids)
    elif position_ids is None or len(position_ids) == tokens:
        places = [t % len(cos) for t in range(tokens)]
    else:
        places = [place for length in position_ids for place in range(length)]

    def turned(x):
        d = cos.shape[-1]
        rows = x.reshape(-1, x.shape[-1] // d, d)
        out = np.zeros_like(rows)
        for t, row in enumerate(rows):
            place = places[t]
            for h, y in enumerate(row):
                for i in range(d):
                    if cos_format % 2:
                        other = -y[i + 1] if i % 2 == 0 else y[i - 1]
                    else:
                        other = -y[i + d // 2] if i < d // 2 else y[i - d // 2]
                    out[t, h, i] = y[i] * cos[place, i] + other * sin[place, i]
        return out.reshape(x.shape)

    return turned(query), turned(key)


def group_topk(token, idx, groups, k, inner=1):
    out = np.zeros_like(token)
    size = token.shape[1] // groups
    for t, row in enumerate(token):
        worth = [np.sort(row[g * size : (g + 1) * size])[-inner:].sum() for g in range(groups)]
        for g in np.argsort(worth)[-k:]:
            out[t, g * size : (g + 1) * size] = row[g * size : (g + 1) * size]
    return out


def moe_token_permute(tokens, indices, count=None):
    flat = [(e, i) for i, e in enumerate(indices.reshape(-1))]
    order = [i for _, i in sorted(flat)]
    width = indices.size // len(indices)
    places = np.zeros(len(flat), np.int32)
    for row, i in enumerate(order):
        places[i] = row
    return np.stack([tokens[i // width] for i in order][: count or None]), places


def moe_token_unpermute(rows, places, probs=None):
    back = np.stack([rows[p] if p < len(rows) else np.zeros_like(rows[0]) for p in places])
    return back if probs is None else (back.reshape(*probs.shape, -1) * probs[..., None]).sum(1)
