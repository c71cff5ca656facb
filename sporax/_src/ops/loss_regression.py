"""Losses of regression, of distributions, and of pairs and triplets."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.dtype import to_float, unify
from sporax._src.ops.nn_checks import check_choice, check_float, reduce_loss
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import op

_REF = "sporax._src.testing.sequence_references."
_REDUCTION = (("T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),)
_PAIR = ("T(2, 3), T(2, 3)", "T(4), T(4), reduction='sum'", "T(2, 3), T(2, 3), reduction='none'")


def _floats(*xs: Array) -> tuple[Array, ...]:
    return tuple(to_float(x) for x in unify(*xs))


@op(ref="torch.nn.functional.mse_loss", cases=_PAIR, errors=_REDUCTION, aliases="mse_loss_ext")
def mse_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return (input - target)², reduced.

    Args:
        input, target: Tensors; shapes broadcast.
        reduction: "mean", "sum" or "none".
    """
    x, y = _floats(input, target)
    return reduce_loss(jnp.square(x - y), reduction)


@op(ref="torch.nn.functional.l1_loss", cases=_PAIR, errors=_REDUCTION)
def l1_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return |input - target|, reduced."""
    x, y = _floats(input, target)
    return reduce_loss(jnp.abs(x - y), reduction)


@op(
    ref=_REF + "smooth_l1_loss",
    cases=("T(2, 3), T(2, 3)", "T(4), T(4), 0.5, 'mean'", "T(4), T(4), 0.0, 'sum'"),
    errors=(*_REDUCTION, ("T(2), T(2), -1.0", "beta")),
    primitive="SmoothL1Loss(beta=1.0, reduction='none')",
)
def smooth_l1_loss(input: Array, target: Array, beta: float = 1.0, reduction: str = "none") -> Array:
    """Return d² / (2 beta) where d = |input - target| < beta and d - beta / 2 elsewhere, reduced."""
    if beta < 0:
        raise ValueError(f"beta must not be negative, got {beta}.")
    x, y = _floats(input, target)
    distance = jnp.abs(x - y)
    loss = distance if beta == 0 else jnp.where(distance < beta, 0.5 / beta * jnp.square(x - y), distance - 0.5 * beta)
    return reduce_loss(loss, reduction)


@op(
    ref="torch.nn.functional.huber_loss",
    cases=("T(2, 3), T(2, 3)", "T(4), T(4), 'sum', 0.5", "T(4), T(4), 'none', 2.0"),
    errors=(*_REDUCTION, ("T(2), T(2), 'mean', 0.0", "delta")),
)
def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: float = 1.0) -> Array:
    """Return d² / 2 where d = |input - target| < delta and delta · (d - delta / 2) elsewhere, reduced."""
    if delta <= 0:
        raise ValueError(f"delta must be positive, got {delta}.")
    x, y = _floats(input, target)
    distance = jnp.abs(x - y)
    return reduce_loss(
        jnp.where(distance < delta, 0.5 * jnp.square(x - y), delta * (distance - 0.5 * delta)), reduction
    )


@op(ref=_REF + "l2_loss", cases=("T(2, 3)", "T(0, 3)"), name="_l2_loss", primitive="L2Loss()")
def l2_loss(input_x: Array) -> Array:
    """Return Σ input_x² / 2."""
    check_float(input_x)
    return jnp.sum(jnp.square(input_x)) / 2


@op(
    ref=_REF + "gaussian_nll_loss",
    cases=(
        "T(2, 3), T(2, 3), P(2, 3)",
        "T(2, 3), T(2, 3), P(2, 3), True, 1e-6, 'none'",
        "T(2, 3), T(2, 3), P(2, 1), reduction='sum'",
    ),
    errors=(("T(2), T(2), P(2), False, 0.0", "eps"),),
)
def gaussian_nll_loss(
    x: Array, target: Array, var: Array, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Array:
    """Return (ln max(var, eps) + (x - target)² / max(var, eps)) / 2, with `full` plus ln(2π) / 2, reduced."""
    if eps <= 0:
        raise ValueError(f"eps must be positive, got {eps}.")
    x, target, var = unify(x, target, var)
    floor = var + jax.lax.stop_gradient(jnp.maximum(var, eps) - var)
    loss = 0.5 * (jnp.log(floor) + jnp.square(x - target) / floor)
    return reduce_loss(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@op(
    ref=_REF + "kl_div",
    cases=(
        "T(2, 3), U(2, 3)",
        "T(4), U(4), 'none'",
        "T(2, 3), U(2, 3), 'batchmean'",
        "T(3), D([0.0, 1.0, 0.5]), 'sum'",
    ),
    errors=(("T(2), U(2), 'max'", "reduction must be one of"),),
    primitive="KLDivLoss(reduction='mean')",
)
def kl_div(logits: Array, labels: Array, reduction: str = "mean") -> Array:
    """Return labels · (ln labels - logits), logits being log probabilities; 0 where labels is.

    Args:
        reduction: "mean", "sum", "none", or "batchmean": the sum over the size of the first axis.
    """
    check_float(logits)
    check_choice(reduction, ("none", "mean", "sum", "batchmean"), "reduction")
    logits, labels = unify(logits, labels)
    loss = jax.scipy.special.xlogy(labels, labels) - labels * logits
    return jnp.sum(loss) / logits.shape[0] if reduction == "batchmean" else reduce_loss(loss, reduction)


@op(
    ref=_REF + "soft_margin_loss",
    cases=("T(2, 3), D([[1.0, -1, 1], [-1, 1, -1]])", "T(3), D([1.0, -1, 1]), 'none'"),
    errors=_REDUCTION,
    primitive="SoftMarginLoss(reduction='mean')",
)
def soft_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return ln(1 + exp(-target · input)), target being 1 or -1, reduced."""
    return reduce_loss(jax.nn.softplus(-target * input), reduction)


@op(
    ref="torch.nn.functional.hinge_embedding_loss",
    cases=("T(2, 3), D([[1.0, -1, 1], [-1, 1, -1]])", "T(3), D([1.0, -1, 1]), 0.5, reduction='none'"),
    errors=_REDUCTION,
)
def hinge_embedding_loss(inputs: Array, targets: Array, margin: float = 1.0, reduction: str = "mean") -> Array:
    """Return inputs where targets is 1 and max(0, margin - inputs) where it is -1, reduced."""
    inputs, targets = unify(inputs, targets)
    return reduce_loss(jnp.where(targets > 0, inputs, jnp.maximum(margin - inputs, 0)), reduction)


@op(
    ref="torch.nn.functional.margin_ranking_loss",
    cases=("T(4), T(4), D([1.0, -1, 1, -1])", "T(4), T(4), D([1.0, -1, 1, -1]), 0.5, reduction='none'"),
    errors=(("T(2), T(2), T(2), reduction='max'", "reduction must be one of"),),
)
def margin_ranking_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """Return max(0, -target · (input1 - input2) + margin), reduced."""
    input1, input2, target = unify(input1, input2, target)
    return reduce_loss(jnp.maximum(-target * (input1 - input2) + margin, 0), reduction)


@op(
    ref="torch.nn.functional.cosine_embedding_loss",
    cases=("T(2, 3), T(2, 3), D([1, -1], 'int32')", "T(2, 3), T(2, 3), D([1, -1], 'int32'), 0.1, reduction='none'"),
    errors=(("T(2, 3), T(2, 3), D([1, -1], 'int32'), 2.0", "margin"),),
)
def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """Return 1 - cos(input1, input2) where target is 1 and max(0, cos - margin) where it is -1, reduced.

    Args:
        input1, input2: Tensors (N, D) or (D,).
        target: A Tensor (N,) or () of 1 and -1.
        margin: In [-1, 1].
    """
    if not -1 <= margin <= 1:
        raise ValueError(f"margin must be in [-1, 1], got {margin}.")
    a, b = unify(input1, input2)
    axis = min(a.ndim - 1, 1)
    tiny = 1e-12
    cosine = jnp.sum(a * b, axis) / jnp.sqrt((jnp.sum(a * a, axis) + tiny) * (jnp.sum(b * b, axis) + tiny))
    loss = jnp.where(target == 1, 1 - cosine, jnp.where(target == -1, jnp.maximum(cosine - margin, 0), 0))
    return reduce_loss(loss, reduction)


def _distance(a: Array, b: Array, p: float, eps: float) -> Array:
    return jnp.sum(jnp.abs(a - b + eps) ** p, -1) ** (1.0 / p)


@op(
    ref=_REF + "triplet_margin_loss",
    cases=("T(2, 3), T(2, 3), T(2, 3)", "T(2, 3), T(2, 3), T(2, 3), 0.5, 3, 1e-6, True, 'none'"),
    errors=(("T(2, 3), T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),),
)
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: Array = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """Return max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm of the difference plus eps.

    Args:
        anchor, positive, negative: Tensors (N, D).
        margin: How much farther the negative should be.
        swap: Whether the distance of positive and negative counts instead where it is smaller.
    """
    anchor, positive, negative = unify(anchor, positive, negative)
    near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
    far = jnp.minimum(far, _distance(positive, negative, p, eps)) if swap else far
    return reduce_loss(jnp.maximum(near - far + jnp.asarray(margin).astype(near.dtype), 0), reduction)


@primitive("TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')")
def _triplet_margin(
    x: Any, positive: Any, negative: Any, margin: Any, p: float, swap: bool, eps: float, reduction: str
) -> Any:
    """Return the triplet margin loss."""
    return triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)


# --- distances ------------------------------------------------------------------------------------------------------


@op(
    ref="torch.nn.functional.cosine_similarity",
    cases=("T(2, 3), T(2, 3)", "T(2, 3), T(2, 3), 0", "T(2, 3), T(3), -1"),
    errors=(("T(2, 3), T(2, 3), 2", "dim"),),
)
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    """Return x1 · x2 / (max(‖x1‖, eps) · max(‖x2‖, eps)) along `dim`.

    Args:
        x1, x2: Tensors; shapes broadcast.
        dim: The axis of the vectors.
        eps: The least length.
    """
    a, b = jnp.broadcast_arrays(*unify(x1, x2))
    if not -a.ndim <= dim < a.ndim:
        raise ValueError(f"dim must be in [{-a.ndim}, {a.ndim}), got {dim}.")
    return jnp.sum(a * b, dim) / (_length(a, dim, eps) * _length(b, dim, eps))


def _length(x: Array, axis: int, eps: float) -> Array:
    square = jnp.sum(jnp.square(x), axis)
    return jnp.sqrt(jnp.maximum(square, eps * eps))


def _minkowski(difference: Array, p: float) -> Array:
    size = jnp.abs(difference)
    if p == 0:
        return jnp.sum(size != 0, -1).astype(size.dtype)
    if p == math.inf:
        return jnp.max(size, -1)
    if p == 1:
        return jnp.sum(size, -1)
    total = jnp.sum(jnp.where(size > 0, jnp.where(size > 0, size, 1) ** p, 0), -1)
    return jnp.where(total > 0, jnp.where(total > 0, total, 1) ** (1 / p), 0)


@op(
    ref="torch.cdist",
    cases=("T(2, 3), T(4, 3)", "T(2, 2, 3), T(2, 4, 3), 1.0", "T(2, 3), T(4, 3), 3.0", "T(2, 3), T(4, 3), np.inf"),
    errors=(("T(2, 3), T(4, 2)", "columns"),),
    primitive="Cdist(p=2.0)",
)
def cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each row of x1 (*, P, M) to each row of x2 (*, R, M), shape (*, P, R)."""
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"x1 and x2 must have the same number of columns, got {x1.shape[-1]} and {x2.shape[-1]}.")
    return _minkowski(x1[..., :, None, :] - x2[..., None, :, :], p)


@op(ref="torch.pdist", cases=("T(4, 3)", "T(4, 3), 1.0"), errors=(("T(3)", "axes"),), primitive="Pdist(p=2.0)")
def pdist(input: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each pair of rows of input (*, N, M), in the order (0, 1), (0, 2), ..."""
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got shape {list(input.shape)}.")
    first, second = jnp.triu_indices(input.shape[-2], 1)
    return _minkowski(input[..., first, :] - input[..., second, :], p)
