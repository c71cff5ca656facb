"""Losses that MindSpore lacks or computes for fewer calls."""

import math

import sporax as mindspore
from sporax import mint, nn, ops


def _reduction(size_average=None, reduce=None, reduction="mean"):
    """Return the reduction for the deprecated arguments size_average and reduce."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    return "mean" if size_average is None or size_average else "sum"


def _reduced(loss, reduction):
    """Return a loss element by element, its mean or its sum."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return {"none": lambda: loss, "mean": loss.mean, "sum": loss.sum}[reduction]()


def _weighted_loss(loss, weight, reduction="mean"):
    """Return a loss with a weight for each element; its mean is divided by the sum of the weights."""
    weight = ops.broadcast_to(weight, loss.shape)
    return (loss * weight).sum() / weight.sum() if reduction == "mean" else _reduced(loss * weight, reduction)


def _cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Return the cross entropy with class indices of any integer type, or with probabilities."""
    return _by_rows(ops.cross_entropy, input, target, weight, ignore_index, reduction, label_smoothing)


def _nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Return the negative log likelihood of the target classes."""
    return _by_rows(ops.nll_loss, input, target, weight, ignore_index, reduction)


def _by_rows(function, input, target, weight, ignore_index, reduction, *more):
    """Return a loss of classes of any number of dimensions, by a loss that takes one row for each target."""
    is_index = not target.is_floating_point()
    target = target.to(mindspore.int32) if is_index else target
    if input.ndim < 3:
        return function(input, target, weight, ignore_index, reduction, *more)
    shape = (input.shape[0], *input.shape[2:])
    rows = ops.movedim(input, 1, -1).reshape((-1, input.shape[1]))
    target = target.reshape(-1) if is_index else ops.movedim(target, 1, -1).reshape(rows.shape)
    loss = function(rows, target, weight, ignore_index, reduction, *more)
    return loss.reshape(shape) if reduction == "none" else loss


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Return the CTC loss of one sequence or of a batch; the targets may be concatenated."""
    lengths = [
        n.to(mindspore.int64).reshape(-1) if isinstance(n, mindspore.Tensor) else mindspore.Tensor(n, mindspore.int64)
        for n in (input_lengths, target_lengths)
    ]
    single = log_probs.ndim == 2
    if single:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape(1, -1)
    if targets.ndim == 1:
        longest, ends = int(lengths[1].max()), ops.cumsum(lengths[1], 0)
        at = (ends - lengths[1]).unsqueeze(1) + ops.arange(longest)
        targets = targets[at.clamp(max=targets.shape[0] - 1)]
    loss, _ = ops.ctc_loss(log_probs, targets.to(mindspore.int64), *lengths, blank, "none", zero_infinity)
    if reduction == "mean":
        loss = loss / lengths[1].clamp(min=1).to(loss.dtype)
    return _reduced(loss.reshape(()) if single else loss, reduction)


def _cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    """Return 1 - cos for pairs that belong together, and max(0, cos - margin) for other pairs."""
    product = (input1 * input2).sum(-1)
    squares = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cosine = product / squares.sqrt()
    zero = ops.zeros_like(cosine)
    loss = ops.where(target == 1, 1 - cosine, zero) + ops.where(target == -1, (cosine - margin).clamp(min=0), zero)
    return _reduced(loss, reduction)


def _gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Return the negative log likelihood of targets under normal distributions."""
    if isinstance(var, float):
        var = ops.ones_like(input) * var
    if var.ndim == input.ndim - 1 and var.shape == input.shape[:-1]:
        var = var.unsqueeze(-1)
    var = var + ops.stop_gradient(var.clamp(min=eps) - var)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def _hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
    """Return the distance of pairs that belong together, and max(0, margin - distance) for other pairs."""
    zero = ops.zeros_like(input)
    near = ops.where(target != -1, input, zero)
    far = ops.where(target != 1, (margin - input).clamp(min=0), zero)
    return _reduced(near + far, reduction)


def _multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction="mean"):
    """Return by how much the scores of other classes come within a margin of the right one's."""
    single = input.ndim == 1
    input, target = (input.unsqueeze(0), target.reshape(1)) if single else (input, target)
    short = (margin - ops.gather_elements(input, 1, target.unsqueeze(1)) + input).clamp(min=0) ** p
    if weight is not None:
        short = short * weight[target].unsqueeze(1)
    others = ops.arange(input.shape[1]) != target.unsqueeze(1)
    loss = ops.where(others, short, ops.zeros_like(short)).sum(1) / input.shape[1]
    return _reduced(loss[0] if single else loss, reduction)


def _multilabel_margin_loss(input, target, reduction="mean"):
    """Return by how much other classes come within a margin of 1 of the right ones; the targets end before the first -1."""
    single = input.ndim < 2
    input, target = (input.reshape(1, -1), target.reshape(1, -1)) if single else (input, target)
    is_label = ops.cumsum((target < 0).to(mindspore.int32), 1) == 0
    index = target.clamp(min=0)
    marks = (index.unsqueeze(2) == ops.arange(input.shape[1])) & is_label.unsqueeze(2)
    right = marks.sum(1) > 0
    short = (1 - (ops.gather_elements(input, 1, index).unsqueeze(2) - input.unsqueeze(1))).clamp(min=0)
    counted = is_label.unsqueeze(2) & ~right.unsqueeze(1)
    loss = ops.where(counted, short, ops.zeros_like(short)).sum((1, 2)) / input.shape[1]
    return _reduced(loss[0] if single else loss, reduction)


def _poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
    """Return the negative log likelihood of counts."""
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + ops.where(target > 1, stirling, ops.zeros_like(stirling))
    return _reduced(loss, reduction)


def _pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """Return the p-norm of x1 - x2 + eps along the last dimension."""
    difference = (x1 - x2 + eps).abs()
    if p == math.inf:
        return ops.amax(difference, -1, keepdim)
    if p == 0:
        return (difference != 0).to(difference.dtype).sum(-1, keepdim)
    if p == 1:
        return difference.sum(-1, keepdim)
    if p == 2:
        return (difference * difference).sum(-1, keepdim).sqrt()
    return (difference**p).sum(-1, keepdim) ** (1 / p)


def _cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """Return the cosine along a dimension; a norm below eps counts as eps."""
    norms = [(x * x).sum(dim, keepdim=True).sqrt().clamp(min=eps) for x in (x1, x2)]
    return (x1 / norms[0] * (x2 / norms[1])).sum(dim)


def _triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"):
    """Return max(0, margin + distance to the positive - distance to the negative)."""
    return _triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda a, b: _pairwise_distance(a, b, p, eps),
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


def _triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """Return the triplet loss with a distance function of the caller."""
    distance = distance_function or _pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = mint.minimum(far, distance(positive, negative))
    return _reduced((near - far + margin).clamp(min=0), reduction)


class _Function(nn.Cell):
    """A function with fixed settings as a layer."""

    def __init__(self, function, **settings):
        super().__init__()
        self.function, self.settings = function, settings

    def construct(self, *args, **kwargs):
        return self.function(*args, **kwargs, **self.settings)


def _reduction_name(number):
    """Return the name of a reduction from its number."""
    return ("none", "mean", "sum")[number] if isinstance(number, int) else number


class _Loss(nn.Cell):
    """The base of a program's own losses: it holds the reduction."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = _reduction(size_average, reduce, reduction)
