"""The base of metrics, and their common checks."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the inputs that `set_indexes` chose, in that order, to the `update` of a metric.

    Examples:
        >>> import sporax as ms
        >>> class Last(ms.train.Metric):
        ...     def clear(self):
        ...         self.value = None
        ...     @ms.train.rearrange_inputs
        ...     def update(self, *inputs):
        ...         self.value = inputs[0]
        ...     def eval(self):
        ...         return self.value
        >>> metric = Last().set_indexes([1])
        >>> metric(3, 4)
        4
    """

    @functools.wraps(func)
    def wrapper(self: Metric, *inputs: object) -> Any:
        return func(self, *(inputs if not self.indexes else [_at(self, inputs, i) for i in self.indexes]))

    return wrapper


def _at(metric: Metric, inputs: tuple[Any, ...], index: int) -> Any:
    if not -len(inputs) <= index < len(inputs):
        label = type(metric).__name__
        raise IndexError(
            f"{label}.update: index {index} of set_indexes is out of range, there are {len(inputs)} inputs."
        )
    return inputs[index]


class Metric(ABC):
    """The base of metrics: `clear()`, `update(*batch)` for every batch, `eval()` for the result.

    Examples:
        >>> import sporax as ms
        >>> class Largest(ms.train.Metric):
        ...     def clear(self):
        ...         self.value = float("-inf")
        ...     def update(self, *inputs):
        ...         self.value = max(self.value, float(self._convert_data(inputs[0]).max()))
        ...     def eval(self):
        ...         return self.value
        >>> Largest()(ms.Tensor([1.0, 3.0]))
        3.0
    """

    _indexes: list[int] | None = None

    def __init__(self) -> None:
        self._indexes = None

    @property
    def indexes(self) -> list[int] | None:
        """The positions of the inputs that `update` takes, or None for all."""
        return self._indexes

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Choose the positions of the inputs that `update` takes, and return the metric.

        Raises:
            ValueError: If `indexes` is no list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(f"{type(self).__name__}.set_indexes: expected a list of ints, got {describe(indexes)}.")
        self._indexes = indexes
        return self

    def __call__(self, *inputs: Any) -> Any:
        """Return the result over one batch."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    def _convert_data(self, data: object) -> np.ndarray:
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, (list, np.ndarray)):
            return np.asarray(data)
        raise TypeError(
            f"{type(self).__name__}.update: expected a Tensor, list or numpy.ndarray, got {describe(data)}."
        )

    def _take(self, inputs: tuple[Any, ...], *names: str) -> list[np.ndarray]:
        """Return the inputs as arrays; there must be as many as names."""
        self._expect(inputs, *names)
        return [self._convert_data(v) for v in inputs]

    def _expect(self, inputs: tuple[Any, ...], *names: str) -> None:
        if len(inputs) != len(names):
            label = type(self).__name__
            raise ValueError(f"{label}.update: expected {len(names)} inputs ({', '.join(names)}), got {len(inputs)}.")

    def _need(self, taken: object) -> None:
        """Raise RuntimeError if there was no `update`."""
        if not taken:
            raise RuntimeError(f"{type(self).__name__}.eval: no sample was taken in; call update first.")

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        """Add a batch."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the result over all batches."""


class EvaluationBase(Metric):
    """The base of metrics over (predictions, labels) of classes.

    Args:
        eval_type: `"classification"` (predictions (N, C, ...), labels (N, ...) or one-hot) or `"multilabel"`
            (both (N, C, ...), of 0 and 1).

    Raises:
        TypeError: If `eval_type` is unknown.
    """

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            label = type(self).__name__
            raise TypeError(f"{label}: eval_type must be 'classification' or 'multilabel', got {describe(eval_type)}.")
        self._type = eval_type
        self._class_num = 0

    def _classes(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and labels as arrays that fit."""
        y_pred, y = self._take(inputs, "predictions", "labels")
        if self._type == "classification" and y_pred.ndim == y.ndim and is_onehot(y):
            y = y.argmax(axis=1)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        self._class_num = same_classes(self, self._class_num, y_pred)
        return y_pred, y

    def _check_shape(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        """Raise ValueError unless the shapes of predictions and labels fit."""
        want = y_pred.shape if self._type == "multilabel" else y_pred.shape[:1] + y_pred.shape[2:]
        if y_pred.ndim < 2 or y.shape != want:
            shapes = f"{list(y_pred.shape)} and {list(y.shape)}"
            rule = "have one shape" if self._type == "multilabel" else "differ in the axis of classes, the second"
            raise ValueError(f"{type(self).__name__}.update: predictions and labels must {rule}, got {shapes}.")

    def _check_value(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        """Raise ValueError unless those of several labels are 0 or 1."""
        if self._type == "multilabel" and not all(np.isin(a, (0, 1)).all() for a in (y_pred, y)):
            raise ValueError(f"{type(self).__name__}.update: multilabel predictions and labels must be 0 or 1.")


def is_onehot(labels: np.ndarray) -> bool:
    """Return whether labels are one-hot along the second axis."""
    return labels.ndim > 1 and bool(np.isin(labels, (0, 1)).all() and (labels.sum(axis=1) == 1).all())


def same_classes(metric: Metric, before: int, y_pred: np.ndarray) -> int:
    """Return the number of classes of predictions, which must not change between batches."""
    if before and y_pred.shape[1] != before:
        label = type(metric).__name__
        raise ValueError(f"{label}.update: the number of classes changed from {before} to {y_pred.shape[1]}.")
    return y_pred.shape[1]


def onehot(metric: Metric, labels: np.ndarray, classes: int) -> np.ndarray:
    """Return labels as (N, classes) of 0 and 1."""
    if labels.size and labels.max() >= classes:
        label = type(metric).__name__
        raise ValueError(f"{label}.update: labels must be less than the {classes} classes, got {labels.max()}.")
    return np.eye(classes)[labels.astype(np.int64).reshape(-1)]
