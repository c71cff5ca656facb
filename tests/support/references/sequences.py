"""References for losses, embeddings and recurrent layers, in MindSpore's argument lists."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from references.nn import torch_reference

# --- losses ---------------------------------------------------------------------------------------------------------


@torch_reference
def nll_loss(x, target, weight=None, ignore_index=-100, reduction="mean"):
    return F.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction)


@torch_reference
def nll_loss_total(x, target, weight, reduction="mean", ignore_index=-100):
    return F.nll_loss(x, target.long(), weight, ignore_index=ignore_index, reduction=reduction), weight[
        target.long()
    ].sum()


@torch_reference
def softmax_cross_entropy(x, y):
    return -(y * F.log_softmax(x, -1)).sum(-1), F.softmax(x, -1) - y


@torch_reference
def sparse_softmax_cross_entropy(x, y, is_grad=False):
    x = x.requires_grad_()
    loss = F.cross_entropy(x, y.long())
    return torch.autograd.grad(loss, x)[0] if is_grad else loss


@torch_reference
def sparse_softmax_cross_entropy_v2(x, y):
    return F.cross_entropy(x, y.long(), reduction="none"), F.softmax(x, -1) - F.one_hot(y.long(), x.shape[1])


@torch_reference
def binary_cross_entropy(x, y, weight=None, reduction="mean"):
    return F.binary_cross_entropy(x, y, weight, reduction=reduction)


@torch_reference
def binary_cross_entropy_with_logits(x, y, weight=None, pos_weight=None, reduction="mean"):
    return F.binary_cross_entropy_with_logits(x, y, weight, reduction=reduction, pos_weight=pos_weight)


@torch_reference
def sigmoid_cross_entropy(x, y):
    return F.binary_cross_entropy_with_logits(x, y, reduction="none")


@torch_reference
def multilabel_margin_loss(x, target, reduction="mean"):
    loss = F.multilabel_margin_loss(x, target, reduction=reduction)
    mask = torch.zeros_like(target, dtype=torch.int32)
    for row, labels in zip(mask.reshape(-1, x.shape[-1]), target.reshape(-1, x.shape[-1]), strict=True):
        for label in labels.tolist():
            if label < 0:
                break
            row[label] = 1
    return loss, mask


@torch_reference
def smooth_l1_loss(x, y, beta=1.0, reduction="none"):
    return F.smooth_l1_loss(x, y, reduction=reduction, beta=beta)


def l2_loss(x):
    return np.sum(x * x) / 2


@torch_reference
def gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    return F.gaussian_nll_loss(x, target, var, full, eps, reduction)


@torch_reference
def kl_div(x, y, reduction="mean"):
    loss = F.kl_div(x, y, reduction="none")
    return {"none": loss, "mean": loss.mean(), "sum": loss.sum(), "batchmean": loss.sum() / len(x)}[reduction]


@torch_reference
def soft_margin_loss(x, y, reduction="mean"):
    return F.soft_margin_loss(x, y, reduction=reduction)


@torch_reference
def triplet_margin_loss(a, p, n, margin=1.0, norm=2, eps=1e-6, swap=False, reduction="mean"):
    return F.triplet_margin_loss(a, p, n, margin, norm, eps, swap, reduction=reduction)


# --- embedding and affine maps --------------------------------------------------------------------------------------


@torch_reference
def embedding(x, weight, padding_idx=None, max_norm=None):
    return F.embedding(x.long(), weight, padding_idx, max_norm)


@torch_reference
def dense(x, w, b=None):
    return F.linear(x, w, b)


def bias_add(x, b, data_format="NCHW"):
    return x + b if data_format == "NHWC" else np.moveaxis(np.moveaxis(x, 1, -1) + b, -1, 1)


# --- ctc, attention, recurrent --------------------------------------------------------------------------------------


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    t = [torch.tensor(a) for a in (log_probs, targets, input_lengths, target_lengths)]
    value = F.ctc_loss(*t, blank=blank, reduction=reduction, zero_infinity=zero_infinity).numpy()
    alphas = _ctc_alphas(log_probs, targets, target_lengths, blank)
    for n, (time, labels) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        alphas[n, time:], alphas[n, :, 2 * labels + 1 :] = -np.inf, -np.inf
    return value, alphas


def _ctc_alphas(log_probs, targets, lengths, blank):
    time, batch, _ = log_probs.shape
    out = np.full((batch, time, 2 * targets.shape[1] + 1), -np.inf, np.float32)
    for n in range(batch):
        labels = np.full(out.shape[2], blank)
        labels[1::2] = targets[n]
        for t in range(time):
            for s, label in enumerate(labels):
                if t == 0:
                    out[n, 0, s] = log_probs[0, n, label] if s < 2 and s < 2 * lengths[n] + 1 else -np.inf
                    continue
                back = [out[n, t - 1, s]] + ([out[n, t - 1, s - 1]] if s else [])
                if s > 1 and label != blank and label != labels[s - 2]:
                    back.append(out[n, t - 1, s - 2])
                out[n, t, s] = np.logaddexp.reduce(back) + log_probs[t, n, label]
    return out


def ctc_sparse(x, indices, values, lengths):
    logits = torch.tensor(x, requires_grad=True)
    targets, counts = np.zeros((x.shape[1], len(values)), np.int64), np.zeros(x.shape[1], np.int64)
    for (row, place), v in zip(indices, values, strict=True):
        targets[row, place] = v
        counts[row] += 1
    loss = F.ctc_loss(
        F.log_softmax(logits, -1),
        torch.tensor(targets),
        torch.tensor(lengths),
        torch.tensor(counts),
        x.shape[2] - 1,
        "none",
    )
    loss.sum().backward()
    return loss.detach().numpy(), torch.as_tensor(logits.grad).numpy()


def ctc_greedy_decoder(x, lengths, merge_repeated=True):
    rows = []
    for n, length in enumerate(lengths):
        row, last = [], None
        for label in x[:length, n].argmax(-1):
            if label != x.shape[2] - 1 and not (merge_repeated and label == last):
                row.append(label)
            last = label
        rows.append(row)
    indices = np.array([(n, i) for n, row in enumerate(rows) for i in range(len(row))], np.int64)
    shape = np.array([len(rows), max(map(len, rows))], np.int64)
    score = np.array([[-x[:length, n].max(-1).sum()] for n, length in enumerate(lengths)])
    return indices, np.concatenate(rows).astype(np.int64), shape, score


@torch_reference
def attention(q, k, v, bias=None, hidden=None, scale=None):
    return F.scaled_dot_product_attention(q, k, v, bias, scale=scale)


@torch_reference
def flash_attention_score(
    q,
    k,
    v,
    heads,
    attn_mask=None,
    scalar_value=1.0,
    input_layout="BSH",
    sparse_mode=0,
    actual_seq_qlen=(),
    actual_seq_kvlen=(),
):
    if input_layout == "TH":
        queries, keys = list(actual_seq_qlen), list(actual_seq_kvlen)
        parts = zip(q.split(queries), k.split(keys), v.split(keys), strict=True)
        outs = [
            flash_attention_score(a[None], b[None], c[None], heads, attn_mask[: len(a), : len(b)], scalar_value)
            for a, b, c in parts
        ]
        return np.concatenate(outs, 1)[0]

    def split(x):
        if input_layout == "BNSD":
            return x
        x = x.transpose(0, 1) if input_layout == "SBH" else x
        return x.reshape(*x.shape[:2], heads, -1).transpose(1, 2)

    mask = None if attn_mask is None else ~attn_mask.bool()
    out = F.scaled_dot_product_attention(
        split(q),
        split(k),
        split(v),
        mask,
        is_causal=sparse_mode == 2,
        scale=scalar_value,
        enable_gqa=input_layout == "BNSD",
    )
    if input_layout == "BNSD":
        return out
    out = out.transpose(1, 2).flatten(2)
    return out.transpose(0, 1) if input_layout == "SBH" else out


def rotary(x, cos, sin, mode=0):
    turned = np.empty_like(x)
    half = x.shape[-1] // 2
    if mode:
        turned[..., ::2], turned[..., 1::2] = -x[..., 1::2], x[..., ::2]
    else:
        turned[..., :half], turned[..., half:] = -x[..., half:], x[..., :half]
    return x * cos + turned * sin


def _recurrence(kind, x, states, w_ih, w_hh, b_ih, b_hh, lengths, reverse, nonlinearity="tanh"):
    """Run torch's layer over each sequence by itself, without its end."""
    options = {"nonlinearity": nonlinearity} if kind is torch.nn.RNN else {}
    layer = kind(x.shape[2], states[0].shape[1], bias=b_ih is not None, **options)
    given = [w_ih, w_hh] if b_ih is None else [w_ih, w_hh, b_ih, b_hh]
    for p, value in zip(layer.parameters(), given, strict=True):
        p.data = torch.tensor(value)
    out = np.zeros((*x.shape[:2], states[0].shape[1]), x.dtype)
    last = [s.copy() for s in states]
    for n in range(x.shape[1]):
        length = x.shape[0] if lengths is None else int(lengths[n])
        part = torch.tensor(x[:length, n : n + 1])
        start = tuple(torch.tensor(s[None, n : n + 1]) for s in states)
        y, end = layer(part.flip(0) if reverse else part, start[0] if len(start) == 1 else start)
        out[:length, n] = (y.flip(0) if reverse else y).detach().numpy()[:, 0]
        for s, e in zip(last, end if len(start) > 1 else (end,), strict=True):
            s[n] = e.detach().numpy()[0, 0]
    return (out, *last)


def lstm_layer(x, h0, c0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False):
    return _recurrence(torch.nn.LSTM, x, (h0, c0), w_ih, w_hh, b_ih, b_hh, lengths, reverse)


def gru_layer(x, h0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False):
    return _recurrence(torch.nn.GRU, x, (h0,), w_ih, w_hh, b_ih, b_hh, lengths, reverse)


def rnn_layer(x, h0, w_ih, w_hh, b_ih=None, b_hh=None, lengths=None, reverse=False, nonlinearity="tanh"):
    return _recurrence(torch.nn.RNN, x, (h0,), w_ih, w_hh, b_ih, b_hh, lengths, reverse, nonlinearity)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def dynamic_rnn(x, w, b, h0, c0):
    h, c, steps = h0[0], c0[0], []
    for xt in x:
        i, j, f, o = np.split(np.concatenate([xt, h], 1) @ w + b, 4, 1)
        i, j, f, o = _sigmoid(i), np.tanh(j), _sigmoid(f), _sigmoid(o)
        c = f * c + i * j
        h = o * np.tanh(c)
        steps.append((h, h, c, i, j, f, o, np.tanh(c)))
    return tuple(np.stack(column) for column in zip(*steps, strict=True))


def dynamic_gru(x, w_ih, w_hh, h, b_ih=None, b_hh=None, gate_order="rzh", reset_after=True):
    size, steps = h.shape[1], []
    b_ih, b_hh = (np.zeros(3 * size, x.dtype) if b is None else b for b in (b_ih, b_hh))
    for xt in x:
        a = np.split(xt @ w_ih + b_ih, 3, 1)
        gates = [
            _sigmoid(a[k] + h @ w_hh[:, k * size : (k + 1) * size] + b_hh[k * size : (k + 1) * size]) for k in (0, 1)
        ]
        r, z = gates if gate_order == "rzh" else gates[::-1]
        w, b = w_hh[:, 2 * size :], b_hh[2 * size :]
        own = h @ w + b if reset_after else (r * h) @ w + b
        n = np.tanh(a[2] + (r * own if reset_after else own))
        h = (1 - z) * n + z * h
        steps.append((h, h, z, r, n, own))
    return tuple(np.stack(column) for column in zip(*steps, strict=True))
