"""Metrics that average numbers: the loss, absolute and squared errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs


class Loss(Metric):
    """The mean of the losses of all batches; a batch's loss is a scalar or the mean of a vector.

    Examples:
        >>> import sporax as ms
        >>> ms.train.Loss()(ms.Tensor(0.25))
        0.25
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum, self._count = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        (loss,) = self._take(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(f"Loss.update: the loss must have at most 1 axis, got shape {list(loss.shape)}.")
        self._sum += float(loss.mean())
        self._count += 1

    def eval(self) -> float:
        self._need(self._count)
        return self._sum / self._count


class _Error(Metric):
    """The sum of an error over all elements, divided by the number of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum, self._rows = 0.0, 0

    def _of(self, difference: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        self._sum += float(self._of(y.reshape(y_pred.shape) - y_pred).sum())
        self._rows += y.shape[0]

    def eval(self) -> float:
        self._need(self._rows)
        return self._sum / self._rows


class MAE(_Error):
    """Σ |y - ŷ| / N over the rows of all batches.

    Examples:
        >>> import sporax as ms
        >>> ms.train.MAE()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 3.0]))
        0.5
    """

    def _of(self, difference: np.ndarray) -> np.ndarray:
        return np.abs(difference)


class MSE(_Error):
    """Σ (y - ŷ)² / N over the rows of all batches.

    Examples:
        >>> import sporax as ms
        >>> ms.train.MSE()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0]))
        2.0
    """

    def _of(self, difference: np.ndarray) -> np.ndarray:
        return difference * difference
