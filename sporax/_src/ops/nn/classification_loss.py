"""Losses of classification: cross entropies, margins between classes, distances and similarities."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Key, OptArray, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core.dtype import unify
from sporax._src.engine.arguments import REDUCTIONS, alike, check_choice, check_float, magnitude, reduce_loss
from sporax._src.engine.index_checks import classes, is_ignored
from sporax._src.engine.table import internal, op

_REF = "references.sequences."
_REDUCTION = (("T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),)


# --- over classes ---------------------------------------------------------------------------------------------------


def _class_weights(target: Array, ignored: Array, weight: Array | None, classes: int, dtype: Any) -> Array:
    """Return the weight of each target: 0 where it is ignored."""
    counted = ~ignored
    if weight is None:
        return counted.astype(dtype)
    if weight.shape != (classes,):
        raise ValueError(f"weight must have shape [{classes}], got {list(weight.shape)}.")
    return jnp.where(counted, jnp.take(weight.astype(dtype), jnp.where(counted, target, 0), mode="clip"), 0)


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def _at(x: Array, index: Array, axis: int) -> Array:
    """Return the elements of x at an index of length 1 along an axis."""
    return jnp.take_along_axis(x, index, axis, mode="clip")


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def _log_softmax_at(x: Array, index: Array, axis: int) -> Array:
    """Return the elements of log_softmax(x) at an index of length 1 along an axis."""
    return _at(jax.nn.log_softmax(x, axis), index, axis)


# In reverse, these derivatives fill the gradient in one pass over the classes. Those that JAX makes write zeros, scatter into them,
# and add them up: three more passes over an array that is GPT-2's largest, with 50,257 classes.


@_at.defjvp
def _at_jvp(axis: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    x, index = primals
    return _at(x, index, axis), jnp.sum(jnp.where(_is_at(x, index, axis), tangents[0], 0), axis, keepdims=True)


@_log_softmax_at.defjvp
def _log_softmax_at_jvp(axis: int, primals: Any, tangents: Any) -> tuple[Array, Array]:
    x, index = primals
    slope = _is_at(x, index, axis).astype(x.dtype) - jax.nn.softmax(x, axis)
    return _log_softmax_at(x, index, axis), jnp.sum(slope * tangents[0], axis, keepdims=True)


def _is_at(x: Array, index: Array, axis: int) -> Array:
    size = x.shape[axis]
    index = index if index.dtype.itemsize == 8 else index.astype(jnp.int32)  # which small integers could not count
    index = jnp.where(index < 0, index + size, index).clip(0, size - 1)  # as `take_along_axis` does
    return lax.broadcasted_iota(index.dtype, x.shape, axis) == index


def _nll(
    x: Array,
    target: Array,
    weight: Array | None,
    ignore_index: int,
    reduction: str,
    smoothing: float,
    are_logits: bool = False,
) -> tuple[Array, Array]:
    """Return the loss of log probabilities, or of logits, and the sum of the weights.

    Classes lie along axis 1, or along axis 0 of a vector.
    """
    check_choice(reduction, REDUCTIONS, "reduction")
    axis = min(x.ndim - 1, 1)
    expected = x.shape[:axis] + x.shape[axis + 1 :]
    if target.shape != expected:
        raise ValueError(
            f"target must have shape {list(expected)} for an input {list(x.shape)}, got {list(target.shape)}."
        )
    classes = x.shape[axis]
    ignored = is_ignored(target, ignore_index)
    each = _class_weights(target, ignored, weight, classes, x.dtype)
    index = jnp.expand_dims(jnp.where(ignored, 0, target), axis)
    picked = (_log_softmax_at if are_logits else _at)(x, index, axis)
    loss = -each * jnp.squeeze(picked, axis)
    if smoothing:
        log_prob = jax.nn.log_softmax(x, axis) if are_logits else x
        column = (1,) * axis + (-1,) + (1,) * (log_prob.ndim - axis - 1)
        weighted = log_prob if weight is None else log_prob * weight.astype(log_prob.dtype).reshape(column)
        smooth = jnp.where(ignored, 0, -jnp.sum(weighted, axis))
        loss = (1 - smoothing) * loss + smoothing / classes * smooth
    total = jnp.sum(each)
    return (jnp.sum(loss) / total if reduction == "mean" else reduce_loss(loss, reduction)), total


def _soft(log_prob: Array, target: Array, weight: Array | None, reduction: str, smoothing: float) -> Array:
    """Return the cross entropy with a target distribution along axis 1, or axis 0 of a vector."""
    axis = min(log_prob.ndim - 1, 1)
    classes = log_prob.shape[axis]
    column = (1,) * axis + (-1,) + (1,) * (log_prob.ndim - axis - 1)
    smoothed = target * (1 - smoothing) + smoothing / classes if smoothing else target
    loss = -jnp.sum(
        log_prob * smoothed * (1 if weight is None else weight.astype(log_prob.dtype).reshape(column)), axis
    )
    return reduce_loss(loss, reduction)


@op(
    ref="torch.nn.functional.cross_entropy",
    cases=(
        "T(2, 3), D([1, 0], 'int64')",
        "T(2, 3), D([1, -100], 'int64'), reduction='none'",
        "T(2, 3), D([1, 0], 'int64'), P(3), label_smoothing=0.2",
        "T(2, 3), U(2, 3)",
        "T(2, 3, 2), D([[0, 2], [1, 1]], 'int64'), P(3), reduction='sum'",
        "T(3), D(1, 'int64')",
        "T(2, 3), U(2, 3), P(3), label_smoothing=0.1",
    ),
    errors=(*_REDUCTION, ("T(2, 3), D([1, 0, 2], 'int64')", "target must have shape")),
    bounds=lambda input, target, ignore_index=-100, **_: classes(input, target, ignore_index),
    amp="float32",
)
def cross_entropy(
    input: Array,
    target: Array,
    weight: OptArray = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """Return -Σ_c weight_c · target_c · log_softmax(input)_c, over samples reduced by `reduction`.

    Args:
        input: Logits (N, C), (C,) or (N, C, d1, ...).
        target: Class indices (N,), () or (N, d1, ...); or, if float, probabilities of the shape of input.
        weight: A weight of each class (C,).
        ignore_index: The class index that counts for nothing.
        reduction: "mean" (weighted), "sum" or "none".
        label_smoothing: The part of the target that is spread over all classes, in [0, 1].

    Raises:
        ValueError: If shapes do not fit, or `reduction` is another.

    Examples:
        >>> ops.cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])).item()
        0.6931471824645996
    """
    check_float(input)
    check_choice(reduction, REDUCTIONS, "reduction")
    if jnp.issubdtype(target.dtype, jnp.floating):
        if target.shape != input.shape:
            raise ValueError(
                f"a target of floats are probabilities of the shape of input {list(input.shape)}, got {list(target.shape)}; "
                "numbers of classes must be integers: target.astype(ms.int32)."
            )
        log_prob = jax.nn.log_softmax(input, min(input.ndim - 1, 1))
        return _soft(log_prob, target.astype(log_prob.dtype), weight, reduction, label_smoothing)
    return _nll(input, target, weight, ignore_index, reduction, label_smoothing, are_logits=True)[0]


@op(
    ref=_REF + "nll_loss",
    cases=(
        "T(2, 3), D([1, 0], 'int64')",
        "T(2, 3), D([1, -100], 'int64'), P(3), -100, 'none'",
        "T(2, 3, 2), D([[0, 2], [1, 1]], 'int64'), P(3), -100, 'sum'",
    ),
    errors=(*_REDUCTION, ("T(2, 3), D([1, 0, 2], 'int64')", "target must have shape")),
    bounds=lambda inputs, target, ignore_index=-100, **_: classes(inputs, target, ignore_index),
    amp="float32",
)
def nll_loss(
    inputs: Array,
    target: Array,
    weight: OptArray = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Array:
    """Return -weight_target · inputs_target, inputs being log probabilities.

    Args:
        inputs: Log probabilities (N, C), (C,) or (N, C, d1, ...).
        target: Class indices (N,), () or (N, d1, ...).
        weight: A weight of each class (C,).
        ignore_index: The class index that counts for nothing.
        reduction: "mean" (weighted), "sum" or "none".
        label_smoothing: The part of the target that is spread over all classes, in [0, 1].

    Raises:
        ValueError: If shapes do not fit, or `reduction` is another.

    Examples:
        >>> ops.nll_loss(Tensor([[-0.5, -2.0]]), Tensor([1])).asnumpy()
        array(2., dtype=float32)
    """
    return _nll(inputs, target, weight, ignore_index, reduction, label_smoothing)[0]


@op(
    ref=_REF + "nll_loss_total",
    cases=("T(2, 3), D([1, 0], 'int32'), P(3)", "T(2, 3), D([1, 0], 'int32'), P(3), 'none'"),
    errors=(("T(2, 3), T(7, 11), P(3)", "target must have shape [2] for an input [2, 3]"),),
    name="_nll_loss",
    primitive="NLLLoss(reduction='mean', ignore_index=-100)",
    bounds=lambda logits, labels, weight, reduction="mean", ignore_index=-100: [
        (*entry, 0) for entry in classes(logits, labels, ignore_index)
    ],
)
def nll_loss_total(
    logits: Array, labels: Array, weight: Array, reduction: str = "mean", ignore_index: int = -100
) -> tuple[Array, Array]:
    """Return the negative log likelihood loss and the sum of the weights it used.

    Args:
        logits: Log probabilities (N, C).
        labels: Class indices (N,).
        weight: A weight of each class (C,).
        reduction: "mean" (weighted), "sum" or "none".
        ignore_index: The class index that counts for nothing.

    Raises:
        ValueError: If shapes do not fit, or `reduction` is another.

    Examples:
        >>> loss, total = ops.NLLLoss()(Tensor([[-0.5, -2.0]]), Tensor([1]), Tensor([1.0, 3.0]))
        >>> loss.asnumpy(), total.asnumpy()
        (array(2., dtype=float32), array(3., dtype=float32))
    """
    return _nll(logits, labels, weight, ignore_index, reduction, 0.0)


@op(
    ref=_REF + "softmax_cross_entropy",
    cases=("T(2, 3), U(2, 3)",),
    errors=(
        ("T(2, 3), T(2, 4)", "labels"),
        ("T(2, 2, 3), T(2, 2, 3)", "logits must have shape (N, C), got [2, 2, 3]"),
    ),
    name="_softmax_cross_entropy",
    primitive="SoftmaxCrossEntropyWithLogits()",
)
def softmax_cross_entropy(logits: Array, labels: Array) -> tuple[Array, Array]:
    """Return -Σ labels · log_softmax(logits) of each sample, and its gradient for the logits.

    Args:
        logits, labels: Tensors (N, C); labels are one-hot or probabilities.

    Returns:
        Tensors (N,) and (N, C).

    Raises:
        TypeError: If `logits` holds no floats.
        ValueError: If the shapes differ, or are not (N, C).

    Examples:
        >>> loss, gradient = ops.SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]]))
        >>> loss.asnumpy().round(3), gradient.asnumpy()
        (array([0.693], dtype=float32), array([[ 0.5, -0.5]], dtype=float32))
    """
    check_float(logits)
    if logits.ndim != 2:
        raise ValueError(f"logits must have shape (N, C), got {list(logits.shape)}.")
    if logits.shape != labels.shape:
        raise ValueError(f"labels must have the shape of logits {list(logits.shape)}, got {list(labels.shape)}.")
    log_prob = jax.nn.log_softmax(logits, -1)
    return -jnp.sum(labels * log_prob, -1), jnp.exp(log_prob) - labels


@op(
    ref=_REF + "sparse_softmax_cross_entropy",
    cases=("T(2, 3), D([1, 0], 'int32')", "T(2, 3), D([1, 0], 'int32'), True"),
    errors=(
        ("T(2, 3), D([1], 'int32')", "labels must have shape [2] for logits [2, 3], got [1]"),
        ("T(2, 2, 3), D([1, 0], 'int32')", "labels must have shape [2, 2] for logits [2, 2, 3], got [2]"),
        ("T(3), D(1, 'int32')", "logits must have shape (N, ..., C), got [3]"),
    ),
    name="_sparse_softmax_cross_entropy",
    primitive="SparseSoftmaxCrossEntropyWithLogits(is_grad=False)",
    bounds=lambda logits, labels, **_: [("labels", labels, logits.shape[-1], 0)],
)
def sparse_softmax_cross_entropy(logits: Array, labels: Array, is_grad: bool = False) -> Array:
    """Return the mean cross entropy of logits (N, ..., C) with class indices (N, ...), or with `is_grad` its gradient.

    Args:
        logits: Logits (N, ..., C).
        labels: Class indices (N, ...).
        is_grad: Whether to return the gradient for the logits, (N, ..., C), instead.

    Raises:
        ValueError: If shapes do not fit.

    Examples:
        >>> ops.SparseSoftmaxCrossEntropyWithLogits(True)(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
        array([[ 0.5, -0.5]], dtype=float32)
    """

    _check_classes(logits, labels)

    def loss(x: Array) -> Array:
        return _nll(x.reshape(-1, x.shape[-1]), labels.reshape(-1), None, -1, "mean", 0.0, are_logits=True)[0]

    return jax.grad(loss)(logits) if is_grad else loss(logits)


def _check_classes(logits: Array, labels: Array) -> None:
    """Check that labels are one for each row of logits."""
    if logits.ndim < 2:
        raise ValueError(f"logits must have shape (N, ..., C), got {list(logits.shape)}.")
    if labels.shape != logits.shape[:-1]:
        wanted, actual = list(logits.shape[:-1]), list(labels.shape)
        raise ValueError(f"labels must have shape {wanted} for logits {list(logits.shape)}, got {actual}.")


@op(
    ref=_REF + "sparse_softmax_cross_entropy_v2",
    cases=("T(2, 3), D([1, 0], 'int32')", "T(3, 2), D([1, 0, 1], 'int64')"),
    errors=(
        ("T(2, 3), D([1], 'int32')", "labels must have shape [2] and features two axes, got [1] and [2, 3]"),
        ("T(3), D(1, 'int32')", "labels must have shape [3] and features two axes, got [] and [3]"),
    ),
    name="_sparse_softmax_cross_entropy_v2",
    primitive="SparseSoftmaxCrossEntropyWithLogitsV2()",
)
def sparse_softmax_cross_entropy_v2(features: Array, labels: Array) -> tuple[Array, Array]:
    """Return the cross entropy of each row of logits with its class index, and the gradients of them by the logits.

    Args:
        features: Logits (N, C).
        labels: Class indices (N,).

    Raises:
        TypeError: If `features` holds no floats.
        ValueError: If the shapes do not fit.

    Examples:
        >>> loss, gradient = ops.SparseSoftmaxCrossEntropyWithLogitsV2()(Tensor([[0.0, 0.0]]), Tensor([1]))
        >>> loss.asnumpy().round(3), gradient.asnumpy()
        (array([0.693], dtype=float32), array([[ 0.5, -0.5]], dtype=float32))
    """
    check_float(features)
    if features.ndim != 2 or labels.shape != features.shape[:1]:
        got = f"got {list(labels.shape)} and {list(features.shape)}."
        raise ValueError(f"labels must have shape {list(features.shape[:1])} and features two axes, {got}")
    log_prob = jax.nn.log_softmax(features, -1)
    hot = jax.nn.one_hot(labels, features.shape[1], dtype=features.dtype)
    return -jnp.sum(hot * log_prob, -1), jnp.exp(log_prob) - hot


# --- over independent labels ----------------------------------------------------------------------------------------


@jax.custom_jvp
def _entropy(x: Array, y: Array) -> Array:
    """Return -y ln x - (1 - y) ln (1 - x), logarithms cut at 10⁻¹²; where x = y is 0 or 1, the derivative is 0."""
    return -(y * jnp.log(jnp.maximum(x, 1e-12)) + (1 - y) * jnp.log(jnp.maximum(1 - x, 1e-12)))


_entropy.defjvps(
    lambda t, _, x, y: t * (x - y) / jnp.maximum(x * (1 - x), 1e-12),
    lambda t, _, x, y: t * (jnp.log(jnp.maximum(1 - x, 1e-12)) - jnp.log(jnp.maximum(x, 1e-12))),
)


@op(
    ref=_REF + "binary_cross_entropy",
    cases=("U(2, 3), U(2, 3)", "U(4), U(4), P(4), 'none'", "U(4), D([0.0, 1.0, 1.0, 0.0]), None, 'sum'"),
    errors=(*_REDUCTION, ("U(2), U(3)", "labels")),
)
def binary_cross_entropy(logits: Array, labels: Array, weight: OptArray = None, reduction: str = "mean") -> Array:
    """Return -weight · (labels · ln logits + (1 - labels) · ln(1 - logits)), with `logits` probabilities.

    Logarithms are cut at ln 10⁻¹², so that a wrong certainty has a finite loss.

    Args:
        logits, labels: Tensors of one shape, in [0, 1].
        weight: A weight of each element.
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError: If `logits` holds no floats.
        ValueError: If the shapes differ, or `reduction` is another.

    Examples:
        >>> print(ops.binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).asnumpy().round(3))
        0.693
    """
    check_float(logits)
    if logits.shape != labels.shape:
        raise ValueError(f"labels must have the shape of logits {list(logits.shape)}, got {list(labels.shape)}.")
    x, y = unify(logits, labels)
    loss = _entropy(x, y)
    return reduce_loss(loss if weight is None else loss * weight.astype(loss.dtype), reduction)


@op(
    ref=_REF + "binary_cross_entropy_with_logits",
    cases=(
        "T(2, 3), U(2, 3)",
        "T(2, 3), U(2, 3), P(2, 3), P(3), 'none'",
        "D([-90.0, 90.0]), D([0.0, 1.0]), None, None, 'sum'",
    ),
    errors=_REDUCTION,
    amp="float32",
)
def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: OptArray = None, pos_weight: OptArray = None, reduction: str = "mean"
) -> Array:
    """Return -weight · (pos_weight · target · ln σ(input) + (1 - target) · ln(1 - σ(input))), with σ the sigmoid.

    Args:
        input: Logits.
        target: Labels in [0, 1], shape of input.
        weight: A weight of each element; broadcasts.
        pos_weight: A weight of the positive part; broadcasts.
        reduction: "mean", "sum" or "none".

    Raises:
        TypeError: If `input` holds no floats.
        ValueError: If `reduction` is another.

    Examples:
        >>> ops.binary_cross_entropy_with_logits(Tensor([100.0, -100.0]), Tensor([1.0, 1.0])).asnumpy()
        array(50., dtype=float32)
    """
    check_float(input)
    x, y = unify(input, target)
    if pos_weight is None:
        loss = _sigmoid_entropy(x, y)
    else:
        loss = -(pos_weight.astype(x.dtype) * y * jax.nn.log_sigmoid(x) + (1 - y) * jax.nn.log_sigmoid(-x))
    return reduce_loss(loss if weight is None else loss * weight.astype(loss.dtype), reduction)


def _sigmoid_entropy(x: Array, y: Array) -> Array:
    return (1 - y) * x - jax.nn.log_sigmoid(x)


@op(
    ref=_REF + "sigmoid_cross_entropy",
    cases=("T(2, 3), U(2, 3)",),
    errors=(("T(2, 3), T(7, 11)", "mul got incompatible shapes for broadcasting"),),
    name="_sigmoid_cross_entropy",
    primitive="SigmoidCrossEntropyWithLogits()",
)
def sigmoid_cross_entropy(logits: Array, labels: Array) -> Array:
    """Return -labels · ln σ(logits) - (1 - labels) · ln(1 - σ(logits)), element by element, with σ the sigmoid.

    Args:
        logits, labels: Logits, and labels in [0, 1] of the same shape.

    Examples:
        >>> ops.SigmoidCrossEntropyWithLogits()(Tensor([100.0, -100.0]), Tensor([1.0, 1.0])).asnumpy()
        array([  0., 100.], dtype=float32)
    """
    return _sigmoid_entropy(*unify(logits, labels))


# --- margins between the scores of classes ------------------------------------------------------------------------------


@op(
    ref="torch.nn.functional.multi_margin_loss",
    cases=("T(2, 3), D([1, 0], 'int64')", "T(2, 3), D([1, 0], 'int64'), 2, 1, P(3), reduction='none'"),
    errors=(("T(2, 3), D([1, 0], 'int64'), 3", "p must be 1 or 2"),),
    amp="float32",
    bounds=lambda input, target, *_, **__: [("target", target, input.shape[-1], 0)],
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
    bounds=lambda input, target, *_, **__: [("target", target, input.shape[-1], -1)],
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
    amp="float32",
    bounds=lambda input, target, *_, **__: [("target", target, input.shape[-1], -1)],
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


# --- distances and similarities of vectors ------------------------------------------------------------------------------


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

    Raises:
        ValueError: If the axis is out of range.

    Examples:
        >>> ops.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])).asnumpy().round(3)
        array([0.96], dtype=float32)
    """
    a, b = jnp.broadcast_arrays(*unify(x1, x2))
    if not -a.ndim <= dim < a.ndim:
        raise ValueError(f"dim must be in [{-a.ndim}, {a.ndim}), got {dim}.")
    return jnp.sum(a * b, dim) / (_length(a, dim, eps) * _length(b, dim, eps))


def _length(x: Array, axis: int, eps: float) -> Array:
    square = jnp.sum(jnp.square(x), axis)
    return jnp.sqrt(jnp.maximum(square, eps * eps))


@jax.custom_jvp
def _largest(size: Array) -> Array:
    """Return the largest of the last axis; each element that equals it has the whole gradient."""
    return jnp.max(size, -1)


@_largest.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (size,), (moved,) = primals, tangents
    most = _largest(size)
    return most, jnp.sum(jnp.where(size == most[..., None], moved, 0), -1)


def _minkowski(difference: Array, p: float) -> Array:
    size = magnitude(difference)
    if p == 0:
        return jnp.sum(size != 0, -1).astype(size.dtype)
    if p == math.inf:
        return _largest(size)
    if p == 1:
        return jnp.sum(size, -1)
    total = jnp.sum(jnp.where(size > 0, jnp.where(size > 0, size, 1) ** p, 0), -1)
    return jnp.where(total > 0, jnp.where(total > 0, total, 1) ** (1 / p), 0)


@op(
    ref="torch.cdist",
    cases=("T(2, 3), T(4, 3)", "T(2, 2, 3), T(2, 4, 3), 1.0", "T(2, 3), T(4, 3), 3.0", "T(2, 3), T(4, 3), np.inf"),
    errors=(("T(2, 3), T(4, 2)", "columns"),),
    primitive="Cdist(p=2.0)",
    amp="float32",
)
def cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each row of x1 to each row of x2.

    Args:
        x1: A Tensor (*, P, M).
        x2: A Tensor (*, R, M).
        p: The norm, at least 0; 0 counts the differences.

    Returns:
        A Tensor (*, P, R).

    Raises:
        ValueError: If the rows have different lengths.

    Examples:
        >>> ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 1.0]])).asnumpy()
        array([[5., 1.]], dtype=float32)
    """
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"x1 and x2 must have the same number of columns, got {x1.shape[-1]} and {x2.shape[-1]}.")
    return _minkowski(x1[..., :, None, :] - x2[..., None, :, :], p)


@op(
    ref="torch.pdist",
    cases=("T(4, 3)", "T(4, 3), 1.0"),
    errors=(("T(3)", "axes"),),
    primitive="Pdist(p=2.0)",
    amp="float32",
)
def pdist(input: Array, p: float = 2.0) -> Array:
    """Return the p-norm distance of each pair of rows, in the order (0, 1), (0, 2), ...

    Args:
        input: A Tensor (*, N, M).
        p: The norm, at least 0; 0 counts the differences.

    Returns:
        A Tensor (*, N · (N - 1) / 2).

    Raises:
        ValueError: If `input` has fewer than 2 axes.

    Examples:
        >>> ops.pdist(Tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])).asnumpy().round(3)
        array([5.   , 1.   , 4.243], dtype=float32)
    """
    if input.ndim < 2:
        raise ValueError(f"input must have at least 2 axes, got shape {list(input.shape)}.")
    first, second = jnp.triu_indices(input.shape[-2], 1)
    return _minkowski(input[..., first, :] - input[..., second, :], p)


# --- losses in one operator, as the layers need them --------------------------------------------------------------------


def _reduced(x: Array, reduction: str) -> Array:
    """Reduce in float32, and return the dtype of x."""
    return reduce_loss(x.astype(jnp.float32), reduction).astype(x.dtype)


def _floats(*xs: Array) -> list[Array]:
    return [x.astype(jnp.float32) if x.dtype.kind in "biu" else x for x in unify(*xs)]


@internal("weighted_loss")
def weighted_loss(x: Array, weights: Array, reduction: str) -> Array:
    """Return x · weights, reduced, in the dtype of x."""
    return reduce_loss(x.astype(jnp.float32) * jnp.asarray(weights).astype(jnp.float32), reduction).astype(x.dtype)


@internal("squared_error", bounds=alike("MSELoss"))
def squared_error(logits: Array, labels: Array, reduction: str) -> Array:
    """Return (logits - labels)², reduced."""
    x, y = unify(logits, labels)
    return _reduced(jnp.square(x - y), reduction)


@internal("root_mean_squared_error", bounds=alike("RMSELoss"))
def root_mean_squared_error(logits: Array, labels: Array) -> Array:
    """Return √mean((logits - labels)²)."""
    x, y = _floats(logits, labels)
    return jnp.sqrt(_reduced(jnp.square(x - y), "mean"))


@internal("absolute_error", bounds=alike("MAELoss"))
def absolute_error(logits: Array, labels: Array, reduction: str) -> Array:
    """Return |logits - labels|, reduced."""
    x, y = unify(logits, labels)
    return _reduced(magnitude(x - y), reduction)


@jax.custom_jvp
def _cross_entropy(logits: Array, labels: Array) -> Array:
    """Return -Σ labels · log_softmax(logits) of each row."""
    return softmax_cross_entropy.raw(logits, labels)[0]


@_cross_entropy.defjvp
def _cross_entropy_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    # MindSpore's gradient: softmax - labels even where labels do not add up to 1, and none for the labels.
    logits, labels = primals
    return _cross_entropy(logits, labels), jnp.sum((jax.nn.softmax(logits, -1) - labels) * tangents[0], -1)


@internal(
    "softmax_cross_entropy_with_logits",
    bounds=lambda logits, labels, sparse, reduction: (
        [("labels", labels, logits.shape[-1], 0)] if sparse and reduction == "mean" and logits.ndim > 1 else []
    ),
)
def softmax_cross_entropy_of_batch(logits: Array, labels: Array, sparse: bool, reduction: str) -> Array:
    """Return -Σ labels · log_softmax(logits) of each row, reduced; with `sparse` labels are class indices.

    The mean over class indices takes logits of more axes than (N, C), as MindSpore's operator does.
    """
    if not sparse:
        return _reduced(_cross_entropy(*unify(logits, labels)), reduction)
    if labels.dtype.kind not in "iu":
        raise TypeError(f"labels must be integers if sparse=True, got {labels.dtype}.")
    _check_classes(logits, labels)
    if reduction != "mean" and logits.ndim != 2:
        raise ValueError(f"logits must have shape (N, C) if reduction={reduction!r}, got {list(logits.shape)}.")
    index = jnp.where(labels < 0, logits.shape[-1], labels)[..., None].astype(jnp.int32)  # no class
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits, -1), index, -1, mode="fill", fill_value=0)
    return _reduced(-picked[..., 0], reduction)


@internal("dice_loss")
def dice(logits: Array, labels: Array, smooth: float) -> Array:
    """Return 1 - 2 Σ x y / (Σ x² + Σ y² + smooth)."""
    x, y = _floats(logits, labels)
    return 1 - 2 * jnp.sum(x * y) / (jnp.sum(x * x) + jnp.sum(y * y) + smooth)


@internal("multi_class_dice_loss")
def multi_class_dice(logits: Array, labels: Array, weights: OptArray, smooth: float, ignored: Static) -> Array:
    """Return the mean over the channels (axis 1) of their dice losses, those of an ignored channel being 0."""
    x, y = (jnp.moveaxis(v, 1, 0).reshape(v.shape[1], -1) for v in _floats(logits, labels))
    losses = 1 - 2 * jnp.sum(x * y, 1) / (jnp.sum(x * x, 1) + jnp.sum(y * y, 1) + smooth)
    if ignored is not None and 0 <= ignored < x.shape[0]:
        losses = losses.at[ignored].set(0)
    total = jnp.sum(losses) if weights is None else jnp.sum(losses[:, None] * weights, 0)
    return total / x.shape[0]


@internal(
    "focal_loss",
    bounds=lambda logits, labels, *_, **__: [("labels", labels, logits.shape[1])] if labels.shape[1] == 1 else [],
)
def focal(logits: Array, labels: Array, weight: OptArray, gamma: float, reduction: str) -> Array:
    """Return -(1 - p)^gamma · ln p of the labelled classes, p = softmax(logits) over axis 1."""
    x = jax.nn.log_softmax(logits.reshape(*logits.shape[:2], math.prod(logits.shape[2:])), 1)
    y = labels.reshape(*labels.shape[:2], math.prod(labels.shape[2:]))
    scale = 1 if weight is None else weight.astype(x.dtype)[None, :, None]
    if labels.shape[1] == 1:
        index = y.astype(jnp.int32)
        log_p = jnp.take_along_axis(x, index, 1)[:, 0]
        weighted = jnp.take_along_axis(x * scale, index, 1)[:, 0]
        each = -jnp.mean((1 - jnp.exp(log_p)) ** gamma * weighted, 1)
    else:
        each = -jnp.mean((1 - jnp.exp(x)) ** gamma * y.astype(x.dtype) * x * scale, -1)
    return _reduced(each, reduction)


@internal("triplet_margin_with_distance_loss")
def triplet(near: Array, far: Array, margin: float, reduction: str) -> Array:
    """Return max(0, near - far + margin), reduced."""
    return _reduced(jnp.maximum(near - far + margin, 0), reduction)


@internal("poisson_nll_loss", bounds=alike("PoissonNLLLoss"))
def poisson_nll(x: Array, target: Array, log_input: bool, full: bool, eps: float, reduction: str) -> Array:
    """Return exp(x) - target · x, or x - target · ln(x + eps), with `full` plus Stirling's term; reduced."""
    y = target.astype(x.dtype)
    each = jnp.exp(x) - y * x if log_input else x - y * jnp.log(x + eps)
    if full:
        t = jnp.maximum(y, eps)
        each = each + jnp.where(t > 1, (t + 0.5) * jnp.log(t) - t + 0.5 * math.log(2 * math.pi), 0)
    return _reduced(each, reduction)


# --- sampled softmax ------------------------------------------------------------------------------------------------


@internal("sampled_softmax_loss")
def sampled_softmax(
    weights: Array,
    biases: Array,
    labels: Array,
    logits: Array,
    sampled: Array,
    true_count: Array,
    sampled_count: Array,
    num_true: int,
) -> Array:
    """Return the cross entropy of each row over its own classes and the sampled ones.

    Args:
        weights, biases: The output layer, (classes, D) and (classes,).
        labels: The classes of each row, (N, num_true) or (N · num_true,).
        logits: The inputs of the output layer, (N, D).
        sampled: Classes drawn, (S,).
        true_count, sampled_count: How often each class is expected among the samples.
    """
    own = labels.reshape(-1, num_true).astype(jnp.int32)
    sampled = sampled.astype(jnp.int32)
    true = jnp.einsum("nd,ntd->nt", logits, weights[own]) + biases[own] - jnp.log(true_count.reshape(own.shape))
    drawn = logits @ weights[sampled].T + biases[sampled] - jnp.log(sampled_count)
    scores = jnp.concatenate([true, drawn], 1)
    return -jnp.sum(jax.nn.log_softmax(scores, 1)[:, :num_true], 1) / num_true


@internal("uniform_candidates")
def candidates(
    key: Key, labels: Array, count: int, classes: int, avoid: bool, seed: int = 0
) -> tuple[Array, Array, Array]:
    """Draw `count` different classes (with `avoid` no labels if possible), and how often to expect each."""
    order = jax.random.uniform(key, (classes,))
    if avoid:
        order = order.at[labels.reshape(-1)].add(1.0)
    sampled = jnp.argsort(order)[:count].astype(jnp.int32)
    share = jnp.float32(count / classes)
    return sampled, jnp.full(labels.shape, share), jnp.full((count,), share)


primitives(
    """\
BinaryCrossEntropy(reduction='mean')(input, target, weight=None) -> \
binary_cross_entropy(input, target, weight, reduction)
BCEWithLogitsLoss(reduction='mean')(input, target, weight=None, posWeight=None) -> \
binary_cross_entropy_with_logits(input, target, weight, posWeight, reduction)
MultiMarginLoss(p=1, margin=1.0, reduction='mean')(x, target, weight=None) -> \
multi_margin_loss(x, target, p, margin, weight, reduction)
    Return Σ_{i ≠ y} max(0, margin - x_y + x_i)^p · weight_y / C for each sample, y its class index.
""",
    globals(),
)
