"""References for small operators on indices, sequences, bits and layouts."""

from __future__ import annotations

import functools

import numpy as np

LOWEST = np.finfo(np.float32).min


def confusion_matrix(labels, predictions, n):
    out = np.zeros((n, n), np.int32)
    for a, b in zip(labels, predictions, strict=True):
        out[a, b] += 1
    return out


def no_repeat_ngram(seq, scores, n=1):
    out = scores.copy()
    for b, k in np.ndindex(seq.shape[:2]):
        words = list(seq[b, k])
        for i in range(len(words) - n + 1):
            if words[i : i + n - 1] == words[len(words) - n + 1 :]:
                out[b, k, words[i + n - 1]] = LOWEST
    return out


def compare_and_bitpack(x, threshold):
    bits = (x > threshold).reshape(*x.shape[:-1], -1, 8)
    return (bits * 2 ** np.arange(7, -1, -1)).sum(-1).astype(np.uint8)


def data_format_vec_permute(x, src="NHWC", dst="NCHW"):
    return np.stack([x[src.index(axis)] for axis in dst])


def map_uniform(x, size, groups):
    return x % groups * size + x // groups


def tridiagonal(up, main, low, rhs):
    out = np.zeros_like(rhs)
    for at in np.ndindex(rhs.shape[:-2]):
        full = np.diag(main[at][0]) + np.diag(up[at][0][:-1], 1) + np.diag(low[at][0][1:], -1)
        out[at] = full @ rhs[at]
    return out


def accidental_hits(classes, candidates, n=1):
    hits = [(r, j) for r, row in enumerate(classes) for c in row for j, d in enumerate(candidates) if c == d]
    rows, places = (np.array([h[i] for h in hits], t) for i, t in ((0, np.int32), (1, candidates.dtype)))
    return rows, places, np.full(len(hits), LOWEST, np.float32)


def sub_and_filter(x, top, offset):
    pairs = [(v - offset, i) for i, v in enumerate(x) if 0 <= v - offset < top]
    return tuple(np.array([p[i] for p in pairs], np.int32) for i in (0, 1))


def _levenshtein(a, b):
    @functools.cache
    def steps(i, j):
        if not i or not j:
            return i + j
        return min(steps(i - 1, j) + 1, steps(i, j - 1) + 1, steps(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return steps(len(a), len(b))


def edit_distance(hi, hv, hs, ti, tv, ts, normalize=True):
    out = np.zeros(ts[:-1], np.float32)
    for place in np.ndindex(*ts[:-1]):
        guess = tuple(v for i, v in zip(hi, hv, strict=True) if tuple(i[:-1]) == place)
        truth = tuple(v for i, v in zip(ti, tv, strict=True) if tuple(i[:-1]) == place)
        out[place] = _levenshtein(guess, truth) / (len(truth) if normalize else 1)
    return out


def scatter_add(x, indices, updates):
    out = x.copy()
    for (i,), u in zip(indices, updates, strict=True):
        out[i] += u
    return out
