"""Losses of regression, of distributions, and of pairs and triplets."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, number
from sporax._src.bindings.primitive import primitives
from sporax._src.core.dtype import to_float, unify
from sporax._src.engine.arguments import alike, check_choice, check_float, magnitude, reduce_loss
from sporax._src.engine.table import op

_REF = "references.sequences."
_REDUCTION = (("T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),)
_PAIR = ("T(2, 3), T(2, 3)", "T(4), T(4), reduction='sum'", "T(2, 3), T(2, 3), reduction='none'")


def _floats(*xs: Array) -> tuple[Array, ...]:
    return tuple(to_float(x) for x in unify(*xs))


@op(
    ref="torch.nn.functional.mse_loss",
    cases=_PAIR,
    errors=_REDUCTION,
    bounds=alike("mse_loss"),
    aliases="mse_loss_ext",
    amp="float32",
)
def mse_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return (input - target)², reduced.

    Args:
        input, target: Tensors; shapes broadcast.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.mse_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])).asnumpy()
        array(2., dtype=float32)
    """
    x, y = _floats(input, target)
    return reduce_loss(jnp.square(x - y), reduction)


@op(ref="torch.nn.functional.l1_loss", cases=_PAIR, errors=_REDUCTION, bounds=alike("l1_loss"), amp="float32")
def l1_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return |input - target|, reduced.

    Args:
        input, target: Tensors; shapes broadcast.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.
        TypeError, ValueError: If the shapes do not broadcast.

    Examples:
        >>> ops.l1_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0])).asnumpy()
        array(1., dtype=float32)
    """
    x, y = _floats(input, target)
    return reduce_loss(magnitude(x - y), reduction)


@op(
    ref=_REF + "smooth_l1_loss",
    cases=("T(2, 3), T(2, 3)", "T(4), T(4), 0.5, 'mean'", "T(4), T(4), 0.0, 'sum'"),
    errors=(*_REDUCTION, ("T(2), T(2), -1.0", "beta")),
    primitive="SmoothL1Loss(beta=1.0, reduction='none')(prediction, target)",
    bounds=alike("smooth_l1_loss"),
    amp="float32",
)
def smooth_l1_loss(input: Array, target: Array, beta: float = 1.0, reduction: str = "none") -> Array:
    """Return d² / (2 beta) where d = |input - target| < beta and d - beta / 2 elsewhere, reduced.

    From Girshick (2015), Fast R-CNN.

    Args:
        input, target: Tensors; shapes broadcast.
        beta: Where the square ends; 0: the loss is d.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `beta` is negative, or `reduction` is another.

    Examples:
        >>> ops.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])).asnumpy()
        array([0.125, 1.5  ], dtype=float32)
    """
    if beta < 0:
        raise ValueError(f"beta must not be negative, got {beta}.")
    x, y = _floats(input, target)
    distance = magnitude(x - y)
    loss = distance if beta == 0 else jnp.where(distance < beta, 0.5 / beta * jnp.square(x - y), distance - 0.5 * beta)
    return reduce_loss(loss, reduction)


@op(
    ref="torch.nn.functional.huber_loss",
    cases=("T(2, 3), T(2, 3)", "T(4), T(4), 'sum', 0.5", "T(4), T(4), 'none', 2.0"),
    errors=(*_REDUCTION, ("T(2), T(2), 'mean', 0.0", "delta")),
    bounds=alike("huber_loss"),
)
def huber_loss(input: Array, target: Array, reduction: str = "mean", delta: float = 1.0) -> Array:
    """Return d² / 2 where d = |input - target| < delta and delta · (d - delta / 2) elsewhere, reduced.

    From Huber (1964), Robust Estimation of a Location Parameter.

    Args:
        input, target: Tensors; shapes broadcast.
        reduction: "mean", "sum" or "none".
        delta: Where the square ends.

    Raises:
        ValueError: If `delta` is not positive, or `reduction` is another.

    Examples:
        >>> ops.huber_loss(Tensor([1.0, 2.0]), Tensor([1.5, 4.0]), "none").asnumpy()
        array([0.125, 1.5  ], dtype=float32)
    """
    if delta <= 0:
        raise ValueError(f"delta must be positive, got {delta}.")
    x, y = _floats(input, target)
    distance = magnitude(x - y)
    return reduce_loss(
        jnp.where(distance < delta, 0.5 * jnp.square(x - y), delta * (distance - 0.5 * delta)), reduction
    )


@op(
    ref=_REF + "l2_loss",
    cases=("T(2, 3)", "T(0, 3)"),
    errors=(("C(2, 3)", "expected a float Tensor"),),
    name="_l2_loss",
    primitive="L2Loss()",
)
def l2_loss(input_x: Array) -> Array:
    """Return Σ input_x² / 2.

    Args:
        input_x: A Tensor of floats.

    Raises:
        TypeError: If `input_x` holds no floats.

    Examples:
        >>> ops.L2Loss()(Tensor([1.0, 3.0])).asnumpy()
        array(5., dtype=float32)
    """
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
    bounds=alike("gaussian_nll_loss"),
)
def gaussian_nll_loss(
    x: Array, target: Array, var: Array, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Array:
    """Return (ln max(var, eps) + (x - target)² / max(var, eps)) / 2, with `full` plus ln(2π) / 2, reduced.

    Args:
        x: The means of normal distributions.
        target: Samples of them.
        var: Their variances; shapes broadcast.
        full: Whether to add the constant.
        eps: The least variance.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `eps` is not positive, or `reduction` is another.

    Examples:
        >>> ops.gaussian_nll_loss(Tensor([1.0, 2.0]), Tensor([1.0, 4.0]), Tensor([1.0, 1.0])).asnumpy()
        array(1., dtype=float32)
    """
    if eps <= 0:
        raise ValueError(f"eps must be positive, got {eps}.")
    x, target, var = _floats(x, target, var)
    floor = jnp.maximum(var, eps)
    loss = 0.5 * (jnp.log(floor) + jnp.square(x - target) / floor)
    return reduce_loss(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


@op(
    ref=_REF + "kl_div",
    cases=(
        "T(2, 3), U(2, 3)",
        "T(4), U(4), 'none'",
        "T(2, 3), U(2, 3), 'batchmean'",
        "T(3), U(3), 'sum'",
    ),
    errors=(("T(2), U(2), 'max'", "reduction must be one of"),),
    primitive="KLDivLoss(reduction='mean')",
    amp="float32",
)
def kl_div(logits: Array, labels: Array, reduction: str = "mean") -> Array:
    """Return labels · (ln labels - logits), logits being log probabilities; 0 where labels is not positive.

    Args:
        logits: Log probabilities.
        labels: Probabilities of the same shape.
        reduction: "mean", "sum", "none", or "batchmean": the sum over the size of the first axis.

    Raises:
        TypeError: If `logits` holds no floats.
        ValueError: If `reduction` is another.

    Examples:
        >>> ops.kl_div(Tensor([-1.0, -2.0]), Tensor([0.0, 1.0]), "none").asnumpy()
        array([0., 2.], dtype=float32)
    """
    check_float(logits)
    check_choice(reduction, ("none", "mean", "sum", "batchmean"), "reduction")
    logits, labels = unify(logits, labels)
    some = labels > 0
    scaled = labels * jnp.where(labels == 0, 0, logits)  # its gradient, -labels, does not depend on the sign
    entropy = jnp.where(some, labels * jnp.log(jnp.where(some, labels, 1)), jax.lax.stop_gradient(scaled))
    loss = entropy - scaled
    return jnp.sum(loss) / logits.shape[0] if reduction == "batchmean" else reduce_loss(loss, reduction)


@op(
    ref=_REF + "soft_margin_loss",
    cases=("T(2, 3), D([[1.0, -1, 1], [-1, 1, -1]])", "T(3), D([1.0, -1, 1]), 'none'"),
    errors=_REDUCTION,
    primitive="SoftMarginLoss(reduction='mean')",
    amp="float32",
)
def soft_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return ln(1 + exp(-target · input)), target being 1 or -1, reduced.

    Args:
        input: Scores.
        target: 1 or -1 for each.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> ops.soft_margin_loss(Tensor([100.0, 100.0]), Tensor([1.0, -1.0]), "none").asnumpy()
        array([  0., 100.], dtype=float32)
    """
    return reduce_loss(jax.nn.softplus(-target * input), reduction)


@op(
    ref="torch.nn.functional.hinge_embedding_loss",
    cases=("T(2, 3), D([[1.0, -1, 1], [-1, 1, -1]])", "T(3), D([1.0, -1, 1]), 0.5, reduction='none'"),
    errors=_REDUCTION,
)
def hinge_embedding_loss(inputs: Array, targets: Array, margin: float = 1.0, reduction: str = "mean") -> Array:
    """Return inputs where targets is 1 and max(0, margin - inputs) where it is -1, reduced.

    Args:
        inputs: Distances.
        targets: 1 or -1 for each.
        margin: How large the distance should be where the target is -1.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> ops.hinge_embedding_loss(Tensor([0.5, 0.25]), Tensor([1.0, -1.0]), reduction="none").asnumpy()
        array([0.5 , 0.75], dtype=float32)
    """
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
    """Return max(0, -target · (input1 - input2) + margin), reduced.

    Args:
        input1, input2: Scores; shapes broadcast.
        target: 1 where input1 should be larger, -1 where input2 should.
        margin: By how much.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> first, second, target = Tensor([1.0, 1.0]), Tensor([0.5, 3.0]), Tensor([1.0, 1.0])
        >>> ops.margin_ranking_loss(first, second, target, reduction="none").asnumpy()
        array([0., 2.], dtype=float32)
    """
    input1, input2, target = _floats(input1, input2, target)
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
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `margin` is out of range, or `reduction` is another.

    Examples:
        >>> a, b = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
        >>> ops.cosine_embedding_loss(a, b, Tensor([1])).asnumpy()
        array(1., dtype=float32)
    """
    if not -1 <= margin <= 1:
        raise ValueError(f"margin must be in [-1, 1], got {margin}.")
    a, b = _floats(input1, input2)
    return reduce_loss(_cosine_losses(a, b, target, margin, min(a.ndim - 1, 1)), reduction)


def _cosine_losses(a: Array, b: Array, target: Array, margin: float, axis: int) -> Array:
    tiny = 1e-12
    cosine = jnp.sum(a * b, axis) / jnp.sqrt((jnp.sum(a * a, axis) + tiny) * (jnp.sum(b * b, axis) + tiny))
    return jnp.where(target == 1, 1 - cosine, jnp.where(target == -1, jnp.maximum(cosine - margin, 0), 0))


@op(
    name="_cosine_embedding_loss_ext",
    ref="torch.nn.functional.cosine_embedding_loss",
    cases=(
        "T(2, 3), T(2, 3), D([1, -1], 'int32')",
        "T(2, 3), T(1, 3), D([1, -1], 'int32'), -1.5, reduction='none'",
        "T(3), T(3), D(-1, 'int32'), reduction='sum'",
    ),
    errors=(
        ("T(2, 3), T(2, 4), D([1, -1], 'int32')", "input1 and input2 must broadcast, got [2, 3] and [2, 4]"),
        ("T(2, 3), T(2, 3), D([1], 'int32')", "target must have shape [2], got [1]"),
        ("T(2, 2, 3), T(2, 2, 3), D([1, 1], 'int32')", "inputs must have 1 or 2 axes, got 3"),
        ("T(2, 3), T(2, 3), D([1, 1], 'int32'), reduction='max'", "reduction must be one of"),
    ),
)
def cosine_embedding_loss_ext(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    """Return 1 - cos(input1, input2) where target is 1 and max(0, cos - margin) where it is -1, reduced.

    Args:
        input1: A Tensor (N, D) or (D,).
        input2: A Tensor that broadcasts with `input1`.
        target: A Tensor (N,) or () of 1 and -1.
        margin: A number; in [-1, 1] it has a meaning.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If the shapes do not fit, or `reduction` is another.

    Examples:
        >>> a, b = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
        >>> mint.nn.functional.cosine_embedding_loss(a, b, Tensor([1])).asnumpy()
        array(1., dtype=float32)
    """
    a, b = _floats(input1, input2)
    try:
        shape = jnp.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"input1 and input2 must broadcast, got {list(a.shape)} and {list(b.shape)}.") from None
    if len(shape) not in (1, 2):
        raise ValueError(f"inputs must have 1 or 2 axes, got {len(shape)}.")
    if target.shape != shape[:-1]:
        raise ValueError(f"target must have shape {list(shape[:-1])}, got {list(target.shape)}.")
    return reduce_loss(_cosine_losses(a, b, target, margin, -1), reduction)


def _distance(a: Array, b: Array, p: float, eps: float) -> Array:
    return jnp.sum(magnitude(a - b + eps) ** p, -1) ** (1.0 / p)


@op(
    ref=_REF + "triplet_margin_loss",
    cases=("T(2, 3), T(2, 3), T(2, 3)", "T(2, 3), T(2, 3), T(2, 3), 0.5, 3, 1e-6, True, 'none'"),
    errors=(("T(2, 3), T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),),
    amp="float32",
)
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: Array = number(1.0),
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Array:
    """Return max(0, d(anchor, positive) - d(anchor, negative) + margin), d the p-norm of the difference plus eps.

    From Balntas et al. (2016), Learning Local Feature Descriptors with Triplets and Shallow Convolutional Networks.

    Args:
        anchor, positive, negative: Tensors (N, D).
        margin: How much farther the negative should be.
        p: The norm.
        eps: The number added to each difference.
        swap: Whether the distance of positive and negative counts instead where it is smaller.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> anchor, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]])
        >>> print(ops.triplet_margin_loss(anchor, far, anchor, margin=1.0).asnumpy().round(3))
        6.0
    """
    anchor, positive, negative = unify(anchor, positive, negative)
    near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
    far = jnp.minimum(far, _distance(positive, negative, p, eps)) if swap else far
    return reduce_loss(jnp.maximum(near - far + jnp.asarray(margin).astype(near.dtype), 0), reduction)


primitives(
    """\
TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')(x, positive, negative, margin) -> \
triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)
    Return max(0, d(x, positive) - d(x, negative) + margin), d the p-norm of the difference plus eps.
""",
    globals(),
)
