"""What losses, optimizers and metrics written after MindSpore's import from the modules of MindSpore's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax import RowTensor, Tensor, float16, float32, int32, int64
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.checks.checkparam import check, check_type_name
from sporax.ops import Primitive

# --- losses -------------------------------------------------------------------------------------------------------------


def _check_is_tensor(param_name: str, input_data: Any, cls_name: str) -> None:
    """Raise TypeError unless an input is a Tensor or None."""
    if input_data is not None and not isinstance(input_data, Tensor):
        raise TypeError(f"For '{cls_name}', the '{param_name}' must be a Tensor, but got {type(input_data).__name__}.")


def _check_rmseloss_dtype(param_dtype: Any, not_supported_dtype: Any, cls_name: str) -> None:
    """Raise TypeError if a type is among those that are not supported."""
    if param_dtype in not_supported_dtype:
        raise TypeError(f"For '{cls_name}', the type must not be in {not_supported_dtype}, but got {param_dtype}.")


def _check_shape(logits_shape: Any, label_shape: Any, prim_name: str | None = None) -> None:
    """Raise ValueError unless logits and labels have one shape."""
    check("logits_shape", logits_shape, "label_shape", label_shape, prim_name=prim_name)


_check_dice_shape = _check_shape


def _check_label_dtype(labels_dtype: Any, cls_name: str) -> None:
    """Raise TypeError unless labels are of int32 or int64."""
    check_type_name("labels", labels_dtype, [int32, int64], cls_name)


def _check_input_dtype(labels_dtype: Any, cls_name: str) -> None:
    """Raise TypeError unless labels are of int32, int64, float16 or float32."""
    check_type_name("labels", labels_dtype, [int32, int64, float16, float32], cls_name)


def _check_ndim_multi(logits_dim: int, label_dim: int, prim_name: str | None = None) -> None:
    """Raise ValueError unless logits and labels have two axes or more."""
    for name, count in (("logits", logits_dim), ("labels", label_dim)):
        if count < 2:
            raise ValueError(f"For '{prim_name}', the '{name}' must have more than 1 axis, but got {count}.")


def _check_ndim(logits_nidm: int, labels_ndim: int, prime_name: str | None = None) -> None:
    """Raise ValueError unless logits and labels have as many axes as each other, two to four."""
    for name, count in (("logits", logits_nidm), ("labels", labels_ndim)):
        if not 2 <= count <= 4:
            raise ValueError(f"For '{prime_name}', the '{name}' must have 2 to 4 axes, but got {count}.")
    if logits_nidm != labels_ndim:
        raise ValueError(
            f"For '{prime_name}', 'logits' and 'labels' must have equally many axes, but got {logits_nidm} and {labels_ndim}."
        )


def _check_weights(weight_shape: Any, label_shape: Any, prim_name: str | None = None) -> None:
    """Raise ValueError unless there are as many weights as classes."""
    if weight_shape != label_shape:
        raise ValueError(
            f"For '{prim_name}', there must be {label_shape} weights, one for each class, but got {weight_shape}."
        )


def _check_channel_and_shape(logits: int, labels: int, prime_name: str | None = None) -> None:
    """Raise ValueError unless logits have several channels, and labels one or as many."""
    if logits == 1:
        raise ValueError(f"For '{prime_name}', 'logits'.shape[1] cannot be one.")
    if labels not in (1, logits):
        raise ValueError(f"For '{prime_name}', 'labels'.shape[1] must be 1 or {logits}, but got {labels}.")


# --- optimizers ---------------------------------------------------------------------------------------------------------


def check_not_less_than(arg_value: float, arg_name: str, prim: str, value: float = 0.0) -> None:
    """Raise ValueError if a number is less than another."""
    if arg_value < value:
        raise ValueError(f"For {prim}, the {arg_name} must be greater than or equal to {value}, but got {arg_value}.")


def check_not_less_than_without_equal(arg_value: float, arg_name: str, prim: str, value: float = 0.0) -> None:
    """Raise ValueError unless a number is greater than another."""
    if arg_value <= value:
        raise ValueError(f"For {prim}, the {arg_name} must be greater than {value}, but got {arg_value}.")


_grad_scale: Any = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Number", "Tensor")
def _scaled_by_number(scale: float, grad: Tensor) -> Tensor:
    """Return a gradient times a number."""
    return grad if scale == 1.0 else grad * ops.cast(scale, grad.dtype)


@_grad_scale.register("Tensor", "Tensor")
def _scaled(scale: Tensor, grad: Tensor) -> Tensor:
    """Return a gradient times a Tensor."""
    return grad * scale.astype(grad.dtype)


@_grad_scale.register("Tensor", "RowTensor")
def _scaled_rows(scale: Tensor, grad: RowTensor) -> RowTensor:
    """Return the rows of a gradient times a Tensor."""
    return RowTensor(grad.indices, grad.values * scale.astype(grad.values.dtype), grad.dense_shape)


class Lamb(Primitive):
    """The step of LAMB on one Parameter, which is written in place with its two moments, and returned."""

    def __init__(self) -> None:
        super().__init__("Lamb")

    def __call__(self, var: Any, m: Any, v: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, decay: Any, global_step: Any,
                 gradient: Any) -> Any:  # fmt: skip
        ops.assign(m, beta1 * m + (1 - beta1) * gradient)
        ops.assign(v, beta2 * v + (1 - beta2) * gradient * gradient)
        steps = global_step.astype(float32)
        r = m / (1 - beta1**steps) / (ops.sqrt(v / (1 - beta2**steps)) + epsilon) + decay * var
        long, short = ops.sqrt((var * var).sum()), ops.sqrt((r * r).sum())
        trust = ops.where((long > 0) & (short > 0), long / ops.where(short > 0, short, 1), 1)
        return ops.assign(var, var - lr * trust * r)


# --- metrics ------------------------------------------------------------------------------------------------------------


def _binary_clf_curve(
    preds: np.ndarray, target: np.ndarray, sample_weights: Any = None, pos_label: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many are falsely and rightly called positive at each threshold, and the thresholds, falling.

    Args:
        preds: The scores; of two axes the first column.
        target: The labels.
        sample_weights: What each sample counts; None for 1.
        pos_label: The label of what is positive.
    """
    scores = preds[:, 0] if preds.ndim > target.ndim else preds
    order = np.argsort(-scores)
    scores, positive = scores[order], (target[order] == pos_label).astype(np.int64)
    weights = None if sample_weights is None else np.asarray(sample_weights)[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), target.shape[0] - 1)
    hits = np.cumsum(positive * (1.0 if weights is None else weights), axis=0)[ends]
    misses = 1 + ends - hits if weights is None else np.cumsum((1 - positive) * weights, axis=0)[ends]
    return misses, hits, scores[ends]
