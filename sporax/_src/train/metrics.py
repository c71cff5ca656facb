"""Metrics: what `Model.eval` accumulates over batches, on the host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


def to_host(value: Any) -> np.ndarray:
    """Return a Tensor, list or array as a NumPy array."""
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


class Metric(ABC):
    """The base of metrics: `clear()`, `update(*batch)` for every batch, `eval()` for the result."""

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    @property
    def indexes(self) -> list[int] | None:
        """The positions of the network's outputs that `update` receives, or None for all."""
        return self._indexes

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Choose the positions of the network's outputs that `update` receives, and return the metric."""
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise ValueError(f"{type(self).__name__}.set_indexes: expected a list of ints, got {describe(indexes)}.")
        self._indexes = indexes
        return self

    def _convert_data(self, data: Any) -> np.ndarray:
        return to_host(data)

    def _chosen(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self._indexes:
            return inputs
        for i in self._indexes:
            if not -len(inputs) <= i < len(inputs):
                raise ValueError(f"{type(self).__name__}: index {i} is out of range, the network gave {len(inputs)} outputs.")
        return tuple(inputs[i] for i in self._indexes)

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Take in a batch."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the result over all batches."""


class EvaluationBase(Metric):
    """The base of metrics over (predictions, labels).

    Args:
        eval_type: `"classification"` or `"multilabel"`.
    """

    def __init__(self, eval_type: str) -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(f"{type(self).__name__}: eval_type must be 'classification' or 'multilabel', got {eval_type!r}.")
        self._type = eval_type


class Accuracy(EvaluationBase):
    """The fraction of samples predicted right.

    Args:
        eval_type: `"classification"` (predictions (N, C), labels (N) or one-hot (N, C)) or `"multilabel"` (both (N, C)).

    Raises:
        ValueError: If shapes do not fit, or no batch was taken in.

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
        self._correct, self._total = 0, 0
        self._class_num = 0

    def update(self, *inputs: Any) -> None:
        given = self._chosen(inputs)
        if len(given) != 2:
            raise ValueError(f"Accuracy.update: expected predictions and labels, got {len(given)} inputs.")
        y_pred, y = (to_host(v) for v in given)
        if self._type == "classification" and y.ndim == y_pred.ndim and y.shape == y_pred.shape:
            y = y.argmax(axis=1)
        self._check(y_pred, y)
        if self._type == "classification":
            hits = y_pred.argmax(axis=1).reshape(-1) == y.reshape(-1)
        else:
            moved = [np.moveaxis(a, 1, -1).reshape(-1, y_pred.shape[1]) for a in (y_pred, y)]
            hits = np.all(moved[0] == moved[1], axis=1)
        self._correct += int(hits.sum())
        self._total += hits.size

    def _check(self, y_pred: np.ndarray, y: np.ndarray) -> None:
        if self._type == "classification" and (y_pred.ndim != y.ndim + 1 or y_pred.shape[0] != y.shape[0]):
            raise ValueError(
                f"Accuracy.update: predictions must have one axis more than labels, got {list(y_pred.shape)} and {list(y.shape)}."
            )
        if self._type == "multilabel" and y_pred.shape != y.shape:
            raise ValueError(f"Accuracy.update: predictions and labels must have one shape, got {list(y_pred.shape)} and {list(y.shape)}.")
        if self._class_num and y_pred.shape[1] != self._class_num:
            raise ValueError(f"Accuracy.update: the number of classes changed from {self._class_num} to {y_pred.shape[1]}.")
        self._class_num = y_pred.shape[1]

    def eval(self) -> float:
        if not self._total:
            raise RuntimeError("Accuracy.eval: no sample was taken in; call update first.")
        return self._correct / self._total


class Loss(Metric):
    """The mean of the losses of all batches."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum, self._count = 0.0, 0

    def update(self, *inputs: Any) -> None:
        given = self._chosen(inputs)
        if len(given) != 1:
            raise ValueError(f"Loss.update: expected one loss, got {len(given)} inputs.")
        loss = to_host(given[0])
        if loss.ndim and loss.size != 1 and loss.ndim != 1:
            raise ValueError(f"Loss.update: the loss must be a scalar or 1-D, got shape {list(loss.shape)}.")
        self._sum += float(loss.mean())
        self._count += 1

    def eval(self) -> float:
        if not self._count:
            raise RuntimeError("Loss.eval: no batch was taken in; call update first.")
        return self._sum / self._count


METRICS: dict[str, Callable[[], Metric]] = {"accuracy": Accuracy, "acc": Accuracy, "loss": Loss}


def names() -> list[str]:
    """Return the names under which `Model` and `get_metric_fn` know metrics."""
    return list(METRICS)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Metric:
    """Return a metric by name.

    Raises:
        KeyError: If no metric has the name.
    """
    if name not in METRICS:
        raise KeyError(f"unsupported metric {name!r}; known are {', '.join(METRICS)}.")
    return METRICS[name](*args, **kwargs)


def get_metrics(metrics: Any) -> dict[str, Metric]:
    """Return metrics by name from a dict, or a list or set of names; None gives none."""
    if metrics is None:
        return {}
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError(f"Model: metrics must map names to Metric objects, got {describe(name)}: {describe(metric)}.")
        return metrics
    if isinstance(metrics, (set, list, tuple)):
        return {name: get_metric_fn(name) for name in metrics}
    raise TypeError(f"Model: metrics must be a dict, list or set, got {describe(metrics)}.")
