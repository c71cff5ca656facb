"""Whether the true class is among the k highest scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, is_onehot, rearrange_inputs


class TopKCategoricalAccuracy(Metric):
    """The fraction of samples whose class is among the k highest scores.

    Args:
        k: How many, >= 1.

    Raises:
        TypeError: If `k` is not an int.
        ValueError: If `k` is less than 1.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.TopKCategoricalAccuracy(2)
        >>> metric(ms.Tensor([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]), ms.Tensor([2, 2]))
        0.5
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        if not isinstance(k, int) or isinstance(k, bool):
            raise TypeError(f"TopKCategoricalAccuracy: k must be an int, got {describe(k)}.")
        if k < 1:
            raise ValueError(f"TopKCategoricalAccuracy: k must be at least 1, got {k}.")
        self.k = k
        self.clear()

    def clear(self) -> None:
        self._correct, self._total = 0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        if y_pred.ndim == y.ndim and is_onehot(y):
            y = y.argmax(axis=1)
        best = np.argsort(-y_pred, axis=1)[:, : self.k]
        self._correct += int((best == y.reshape(-1, 1)).sum())
        self._total += y.size

    def eval(self) -> float:
        self._need(self._total)
        return self._correct / self._total


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose class has the highest score.

    Examples:
        >>> import sporax as ms
        >>> ms.train.Top1CategoricalAccuracy()(ms.Tensor([[0.2, 0.5, 0.3]]), ms.Tensor([1]))
        1.0
    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose class is among the 5 highest scores.

    Examples:
        >>> import sporax as ms
        >>> ms.train.Top5CategoricalAccuracy()(ms.Tensor([[0.1, 0.2, 0.3, 0.1, 0.2, 0.1]]), ms.Tensor([2]))
        1.0
    """

    def __init__(self) -> None:
        super().__init__(5)
