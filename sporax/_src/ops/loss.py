"""Losses of classification: cross entropies over classes and over independent labels."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.dtype import unify
from sporax._src.ops.bounds import classes
from sporax._src.ops.nn_checks import REDUCTIONS, check_choice, check_float, reduce_loss
from sporax._src.ops.primitive import primitive
from sporax._src.ops.table import op

_REF = "sporax._src.testing.sequence_references."
_REDUCTION = (("T(2, 3), T(2, 3), reduction='max'", "reduction must be one of"),)


# --- over classes ---------------------------------------------------------------------------------------------------


def _class_weights(target: Array, weight: Array | None, classes: int, ignore_index: int, dtype: Any) -> Array:
    """Return the weight of each target: 0 where it is ignored."""
    kept = target != ignore_index
    if weight is None:
        return kept.astype(dtype)
    if weight.shape != (classes,):
        raise ValueError(f"weight must have shape [{classes}], got {list(weight.shape)}.")
    return jnp.where(kept, jnp.take(weight.astype(dtype), jnp.where(kept, target, 0), mode="clip"), 0)


def _nll(
    log_prob: Array, target: Array, weight: Array | None, ignore_index: int, reduction: str, smoothing: float
) -> tuple[Array, Array]:
    """Return the loss and the sum of the weights; classes lie along axis 1, or along axis 0 of a vector."""
    check_choice(reduction, REDUCTIONS, "reduction")
    axis = min(log_prob.ndim - 1, 1)
    expected = log_prob.shape[:axis] + log_prob.shape[axis + 1 :]
    if target.shape != expected:
        raise ValueError(
            f"target must have shape {list(expected)} for an input {list(log_prob.shape)}, got {list(target.shape)}."
        )
    classes = log_prob.shape[axis]
    each = _class_weights(target, weight, classes, ignore_index, log_prob.dtype)
    place = jnp.expand_dims(jnp.where(target == ignore_index, 0, target), axis)
    picked = jnp.take_along_axis(log_prob, place, axis, mode="clip")
    loss = -each * jnp.squeeze(picked, axis)
    if smoothing:
        column = (1,) * axis + (-1,) + (1,) * (log_prob.ndim - axis - 1)
        weighted = log_prob if weight is None else log_prob * weight.astype(log_prob.dtype).reshape(column)
        smooth = jnp.where(target == ignore_index, 0, -jnp.sum(weighted, axis))
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
    log_prob = jax.nn.log_softmax(input, min(input.ndim - 1, 1))
    if jnp.issubdtype(target.dtype, jnp.floating):
        return _soft(log_prob, target.astype(log_prob.dtype), weight, reduction, label_smoothing)
    return _nll(log_prob, target, weight, ignore_index, reduction, label_smoothing)[0]


@op(
    ref=_REF + "nll_loss",
    cases=(
        "T(2, 3), D([1, 0], 'int64')",
        "T(2, 3), D([1, -100], 'int64'), P(3), -100, 'none'",
        "T(2, 3, 2), D([[0, 2], [1, 1]], 'int64'), P(3), -100, 'sum'",
    ),
    errors=(*_REDUCTION, ("T(2, 3), D([1, 0, 2], 'int64')", "target must have shape")),
    bounds=lambda inputs, target, ignore_index=-100, **_: classes(inputs, target, ignore_index),
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
    errors=(("T(2, 3), T(2, 4)", "labels"),),
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
        ValueError: If the shapes differ.

    Examples:
        >>> loss, gradient = ops.SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]]))
        >>> loss.asnumpy().round(3), gradient.asnumpy()
        (array([0.693], dtype=float32), array([[ 0.5, -0.5]], dtype=float32))
    """
    check_float(logits)
    if logits.shape != labels.shape:
        raise ValueError(f"labels must have the shape of logits {list(logits.shape)}, got {list(labels.shape)}.")
    log_prob = jax.nn.log_softmax(logits, -1)
    return -jnp.sum(labels * log_prob, -1), jnp.exp(log_prob) - labels


@op(
    ref=_REF + "sparse_softmax_cross_entropy",
    cases=("T(2, 3), D([1, 0], 'int32')", "T(2, 3), D([1, 0], 'int32'), True"),
    errors=(("T(2, 3), D([1], 'int32')", "target must have shape"),),
    name="_sparse_softmax_cross_entropy",
    primitive="SparseSoftmaxCrossEntropyWithLogits(is_grad=False)",
    bounds=lambda logits, labels, **_: [("labels", labels, logits.shape[1])],
)
def sparse_softmax_cross_entropy(logits: Array, labels: Array, is_grad: bool = False) -> Array:
    """Return the mean cross entropy of logits (N, C) with class indices (N,), or with `is_grad` its gradient.

    Args:
        logits: Logits (N, C).
        labels: Class indices (N,).
        is_grad: Whether to return the gradient for the logits, (N, C), instead.

    Raises:
        ValueError: If shapes do not fit.

    Examples:
        >>> ops.SparseSoftmaxCrossEntropyWithLogits(True)(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
        array([[ 0.5, -0.5]], dtype=float32)
    """

    def loss(x: Array) -> Array:
        return _nll(jax.nn.log_softmax(x, -1), labels, None, -1, "mean", 0.0)[0]

    return jax.grad(loss)(logits) if is_grad else loss(logits)


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


@primitive("BinaryCrossEntropy(reduction='mean')")
def _binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, *, reduction: str) -> Any:
    """Return the binary cross entropy of probabilities with labels."""
    return binary_cross_entropy(logits, labels, weight, reduction)


@op(
    ref=_REF + "binary_cross_entropy_with_logits",
    cases=(
        "T(2, 3), U(2, 3)",
        "T(2, 3), U(2, 3), P(2, 3), P(3), 'none'",
        "D([-90.0, 90.0]), D([0.0, 1.0]), None, None, 'sum'",
    ),
    errors=_REDUCTION,
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


@primitive("BCEWithLogitsLoss(reduction='mean')")
def _bce_with_logits(input: Any, target: Any, weight: Any = None, pos_weight: Any = None, *, reduction: str) -> Any:
    """Return the binary cross entropy of logits with labels."""
    return binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


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
