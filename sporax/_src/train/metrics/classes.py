"""Metrics that count right and wrong classes: accuracy, precision, recall, F-measure."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import EvaluationBase, Metric, is_onehot, onehot, rearrange_inputs, same_classes


class Accuracy(EvaluationBase):
    """The fraction of samples predicted right: (TP + TN) / (TP + TN + FP + FN).

    Args:
        eval_type: `"classification"` (predictions (N, C), labels (N) or one-hot (N, C)) or `"multilabel"`
            (both (N, C)); a multilabel sample is right if all its labels are right.

    Raises:
        ValueError: If shapes do not fit.
        RuntimeError: If no batch was taken in.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.Accuracy()
        >>> metric.clear()
        >>> metric.update(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 1]))
        >>> metric.eval()
        0.5
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num, self._total_num, self._class_num = 0, 0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._classes(inputs)
        if self._type == "classification":
            hits = y_pred.argmax(axis=1) == y
        else:
            hits = (y_pred == y).all(axis=1)
        self._correct_num += int(hits.sum())
        self._total_num += hits.size

    def eval(self) -> float:
        self._need(self._total_num)
        return self._correct_num / self._total_num


class _HitRate(EvaluationBase):
    """TP / positives, for each class; for multilabel data, for each sample."""

    eps = sys.float_info.min  # keeps quotients finite

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._hits, self._positives, self._class_num = np.zeros(0), np.zeros(0), 0

    def _positive(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return which of predictions and labels counts the positives."""
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        first = not self._class_num
        y_pred, y = self._classes(inputs)
        if self._type == "classification":
            y, y_pred = (onehot(self, v, self._class_num) for v in (y, y_pred.argmax(axis=1)))
            hits, positives = (y * y_pred).sum(axis=0), self._positive(y_pred, y).sum(axis=0)
            self._hits, self._positives = (
                (hits, positives) if first else (self._hits + hits, self._positives + positives)
            )
        else:
            y, y_pred = (np.moveaxis(v, 1, 0).reshape(self._class_num, -1) for v in (y, y_pred))
            self._hits = np.append(self._hits, (y * y_pred).sum(axis=0))
            self._positives = np.append(self._positives, self._positive(y_pred, y).sum(axis=0))

    def eval(self, average: bool = False) -> Any:
        """Return the rate of every class (of every sample, for multilabel data), or with `average` their mean."""
        self._need(self._class_num)
        return _averaged(self, self._hits / (self._positives + self.eps), average)


def _averaged(metric: Metric, values: np.ndarray, average: object) -> Any:
    if not isinstance(average, bool):
        raise TypeError(f"{type(metric).__name__}.eval: average must be a bool, got {describe(average)}.")
    return float(values.mean()) if average else values


class Precision(_HitRate):
    """TP / (TP + FP), the fraction of the predictions of a class that are right.

    Args:
        eval_type: See `Accuracy`.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.Precision()
        >>> metric(ms.Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), ms.Tensor([1, 0, 0]))
        array([1. , 0.5])
    """

    def _positive(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y_pred


class Recall(_HitRate):
    """TP / (TP + FN), the fraction of the samples of a class that were predicted as this class.

    Args:
        eval_type: See `Accuracy`.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.Recall()
        >>> metric(ms.Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), ms.Tensor([1, 0, 0]))
        array([0.5, 1. ])
    """

    def _positive(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        return y


class Fbeta(Metric):
    """(1 + beta²) · TP / (beta² · (TP + FN) + TP + FP), for each class.

    Args:
        beta: The weight of recall against precision, > 0.

    Raises:
        ValueError: If `beta` is not positive, or shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.Fbeta(1)
        >>> metric(ms.Tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), ms.Tensor([1, 0, 0]))
        array([0.66666667, 0.66666667])
    """

    eps = sys.float_info.min

    def __init__(self, beta: float) -> None:
        super().__init__()
        if not beta > 0:
            raise ValueError(f"Fbeta: beta must be greater than 0, got {beta}.")
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        self._hits, self._predicted, self._actual = (np.zeros(0) for _ in range(3))
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        if y_pred.ndim == y.ndim and is_onehot(y):
            y = y.argmax(axis=1)
        if not self._class_num:
            self._hits, self._predicted, self._actual = (np.zeros(y_pred.shape[1]) for _ in range(3))
        self._class_num = same_classes(self, self._class_num, y_pred)
        y, y_pred = (onehot(self, v, self._class_num) for v in (y, y_pred.argmax(axis=1)))
        self._hits += (y * y_pred).sum(axis=0)
        self._predicted += y_pred.sum(axis=0)
        self._actual += y.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """Return the F-measure of every class, or with `average` their mean."""
        self._need(self._class_num)
        square = self.beta**2
        values = (1 + square) * self._hits / (square * self._actual + self._predicted + self.eps)
        return _averaged(self, values, average)


class F1(Fbeta):
    """2 · TP / (2 · TP + FP + FN), for each class: `Fbeta` of beta = 1.

    Examples:
        >>> import sporax as ms
        >>> ms.train.F1()(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 0]))
        array([1., 1.])
    """

    def __init__(self) -> None:
        super().__init__(1.0)
