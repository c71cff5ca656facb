"""Losses and their operators: which shapes they take."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

_LOGITS = Tensor(np.random.RandomState(0).randn(2, 3, 4).astype(np.float32))
_CLASSES = Tensor(np.array([[0, 1, 2], [3, 3, 0]], np.int32))


def _error_of(run: Any) -> Any:
    try:
        return run()
    except (TypeError, ValueError) as error:
        return type(error).__name__


def mean_over_class_indices_of_many_axes() -> Any:
    """SoftmaxCrossEntropyWithLogits takes logits (N, d, C) and class indices (N, d) for the mean alone."""
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    others = [nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=r) for r in ("sum", "none")]
    return (
        loss(_LOGITS, _CLASSES),
        ms.grad(loss)(_LOGITS, _CLASSES),
        [_error_of(lambda loss=loss: loss(_LOGITS, _CLASSES)) for loss in others],
        _error_of(lambda: loss(_LOGITS, _CLASSES.reshape(6))),
        _error_of(lambda: loss(_LOGITS.reshape(6, 4), _CLASSES.reshape(6, 1))),
        _error_of(lambda: loss(_LOGITS[0, 0], _CLASSES[0, 0])),
    )


def sparse_cross_entropy_of_many_axes() -> Any:
    """So does the operator, and its gradient."""
    forward, backward = ops.SparseSoftmaxCrossEntropyWithLogits(), ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)
    return forward(_LOGITS, _CLASSES), backward(_LOGITS, _CLASSES)


def dense_cross_entropy_of_many_axes() -> Any:
    """Labels that are no indices go with logits (N, C) alone."""
    labels = ops.one_hot(_CLASSES, 4, Tensor(1.0), Tensor(0.0))
    loss = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
    return (
        _error_of(lambda: loss(_LOGITS, labels)),
        _error_of(lambda: ops.SoftmaxCrossEntropyWithLogits()(_LOGITS, labels)),
        loss(_LOGITS.reshape(6, 4), labels.reshape(6, 4)),
    )
