"""References for fused steps of optimizers and layers, and the transducer loss by enumeration."""

from __future__ import annotations

import itertools

import numpy as np


def lars(w, g, norm_w, norm_g, decay, rate, epsilon=1e-5, trust=0.001, clip=False):
    scale = trust * norm_w**0.5 / (norm_g**0.5 + decay * norm_w**0.5 + epsilon)
    return (g + decay * w) * (min(scale / rate, 1) if clip else scale)


def basic_lstm(x, h, c, w, b, forget_bias=1.0):
    def gate(k):
        return (
            np.concatenate([x, h], 1) @ w[:, k * h.shape[1] : (k + 1) * h.shape[1]]
            + b[k * h.shape[1] : (k + 1) * h.shape[1]]
        )

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    i, j, f, o = sigmoid(gate(0)), np.tanh(gate(1)), sigmoid(gate(2) + forget_bias), sigmoid(gate(3))
    new = c * f + i * j
    return new, (np.tanh(new) * o).astype(np.float16), i, j, f, o, np.tanh(new)


def _paths(t, u):
    """Every order of t blanks and u labels that ends with a blank."""
    for places in itertools.combinations(range(t + u - 1), u):
        yield [i in places for i in range(t + u - 1)] + [False]


def rnnt(acts, labels, t_lens, u_lens, blank=0):
    """The cost by summing over all paths; its gradient by central differences in float64."""

    def cost(a, b):
        logp = a - np.log(np.exp(a).sum(-1, keepdims=True))
        total = 0.0
        for path in _paths(t_lens[b], u_lens[b]):
            t = u = 0
            score = 0.0
            for is_label in path:
                score += logp[t, u, labels[b, u] if is_label else blank]
                t, u = (t, u + 1) if is_label else (t + 1, u)
            total += np.exp(score)
        return -np.log(total)

    wide = acts.astype(np.float64)
    grads = np.zeros_like(wide)
    for at in np.ndindex(acts.shape):
        ends = []
        for s in (1e-5, -1e-5):
            moved = wide[at[0]].copy()
            moved[at[1:]] += s
            ends.append(cost(moved, at[0]))
        grads[at] = (ends[0] - ends[1]) / 2e-5
    return np.array([cost(wide[b], b) for b in range(len(acts))], acts.dtype), grads.astype(acts.dtype)
