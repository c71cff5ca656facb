"""Losses of margins between the scores of classes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.ops.loss import _REDUCTION, _REF
from sporax._src.ops.nn_checks import reduce_loss
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import op


@op(
    ref="torch.nn.functional.multi_margin_loss",
    cases=("T(2, 3), D([1, 0], 'int64')", "T(2, 3), D([1, 0], 'int64'), 2, 1, P(3), reduction='none'"),
    errors=(("T(2, 3), D([1, 0], 'int64'), 3", "p must be 1 or 2"),),
)
def multi_margin_loss(
    input: Array, target: Array, p: int = 1, margin: float = 1, weight: OptArray = None, reduction: str = "mean"
) -> Array:
    """Return Σ_{i ≠ y} max(0, margin - input_y + input_i)^p · weight_y / C for each sample, y its class index.

    Args:
        input: Scores (N, C).
        target: Class indices (N,).
        p: The exponent, 1 or 2.
        margin: How much the score of the right class should be above others.
        weight: A weight of each class (C,).
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `p` or `reduction` is another.

    Examples:
        >>> ops.multi_margin_loss(Tensor([[0.5, 0.0]]), Tensor([0])).asnumpy()
        array(0.25, dtype=float32)
    """
    if p not in (1, 2):
        raise ValueError(f"p must be 1 or 2, got {p}.")
    right = jnp.take_along_axis(input, target[:, None], 1)
    gap = jnp.maximum(margin - right + input, 0) ** p
    gap = gap if weight is None else gap * jnp.take(weight, target)[:, None]
    others = jnp.arange(input.shape[1], dtype=target.dtype) != target[:, None]
    return reduce_loss(jnp.sum(jnp.where(others, gap, 0), 1) / input.shape[1], reduction)


@primitive("MultiMarginLoss(p=1, margin=1.0, reduction='mean')")
def _multi_margin(x: Any, target: Any, weight: Any = None, *, p: int, margin: float, reduction: str) -> Any:
    """Return the margin loss of class scores."""
    return multi_margin_loss(x, target, p, margin, weight, reduction)


def _label_mask(target: Array, classes: int) -> tuple[Array, Array]:
    """Return which entries of target come before the first -1, and which classes those are."""
    listed = jnp.cumprod((target >= 0).astype(jnp.int32), -1, dtype=jnp.int32).astype(bool)
    hit = (target[..., None] == jnp.arange(classes, dtype=target.dtype)) & listed[..., None]
    return listed, jnp.any(hit, -2)


@op(
    ref=_REF + "multilabel_margin_loss",
    cases=("T(2, 4), D([[1, 2, -1, 3], [0, -1, 3, -1]], 'int64'), 'none'", "T(4), D([3, 0, -1, 1], 'int64')"),
    name="_multilabel_margin",
    errors=(("T(2, 4), I(2, 3)", "target"),),
    primitive="MultilabelMarginLoss(reduction='mean')",
)
def multilabel_margin(input: Array, target: Array, reduction: str = "mean") -> tuple[Array, Array]:
    """Return Σ max(0, 1 - input_y + input_i) / C over labels y and other classes i, and the mask of labels (int32).

    Args:
        input: Scores (N, C) or (C,).
        target: Class indices of the shape of input; those from the first -1 on do not count.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If the shapes differ, or `reduction` is another.

    Examples:
        >>> loss, is_label = ops.MultilabelMarginLoss()(Tensor([0.5, 0.0]), Tensor([0, -1]))
        >>> loss.asnumpy(), is_label.asnumpy()
        (array(0.25, dtype=float32), array([1, 0], dtype=int32))
    """
    if target.shape != input.shape:
        raise ValueError(f"target must have the shape of input {list(input.shape)}, got {list(target.shape)}.")
    listed, is_label = _label_mask(target, input.shape[-1])
    right = jnp.take_along_axis(input, jnp.maximum(target, 0), -1)
    gap = jnp.maximum(1 - right[..., :, None] + input[..., None, :], 0)
    pairs = listed[..., :, None] & ~is_label[..., None, :]
    loss = jnp.sum(jnp.where(pairs, gap, 0), (-2, -1)) / input.shape[-1]
    return reduce_loss(loss, reduction), is_label.astype(jnp.int32)


@op(
    ref="torch.nn.functional.multilabel_margin_loss",
    cases=("T(2, 4), D([[1, 2, -1, 3], [0, -1, 3, -1]], 'int64')",),
    errors=(("T(2, 4), I(2, 3)", "target"),),
)
def multilabel_margin_loss(input: Array, target: Array, reduction: str = "mean") -> Array:
    """Return Σ max(0, 1 - input_y + input_i) / C over labels y (target up to the first -1) and other classes i.

    Args:
        input: Scores (N, C) or (C,).
        target: Class indices of the shape of input; those from the first -1 on do not count.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If the shapes differ, or `reduction` is another.

    Examples:
        >>> ops.multilabel_margin_loss(Tensor([0.5, 0.0]), Tensor([0, -1])).asnumpy()
        array(0.25, dtype=float32)
    """
    return multilabel_margin.raw(input, target, reduction)[0]


@op(
    ref="torch.nn.functional.multilabel_soft_margin_loss",
    cases=("T(2, 3), U(2, 3)", "T(2, 3), U(2, 3), P(3), reduction='none'"),
    errors=_REDUCTION,
)
def multilabel_soft_margin_loss(input: Array, target: Array, weight: OptArray = None, reduction: str = "mean") -> Array:
    """Return the mean over classes of weight · (-target · ln σ(input) - (1 - target) · ln σ(-input)).

    Args:
        input: Logits (N, C).
        target: 0 or 1 for each class (N, C).
        weight: A weight of each class; broadcasts.
        reduction: "mean", "sum" or "none".

    Raises:
        ValueError: If `reduction` is another.

    Examples:
        >>> ops.multilabel_soft_margin_loss(Tensor([[100.0, -100.0]]), Tensor([[1.0, 1.0]])).asnumpy()
        array(50., dtype=float32)
    """
    loss = target * jax.nn.softplus(-input) + (1 - target) * jax.nn.softplus(input)
    return reduce_loss(jnp.mean(loss if weight is None else loss * weight, -1), reduction)
