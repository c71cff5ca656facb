"""The confusion matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs
from sporax._src.train.metrics.overlap import choose


class ConfusionMatrix(Metric):
    """How often a sample of class i (row) was predicted as class j (column), over all batches.

    Args:
        num_classes: The number of classes.
        normalize: `"no_norm"`, or by `"target"` (rows), `"prediction"` (columns), `"all"`.
        threshold: The least score for which a binary prediction counts as class 1.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `normalize` is unknown, or shapes do not fit.

    Examples:
        >>> import sporax as ms
        >>> ms.train.ConfusionMatrix(2)(ms.Tensor([1, 0, 1]), ms.Tensor([1, 0, 0]))
        array([[1., 1.],
               [0., 1.]])
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise TypeError(f"ConfusionMatrix: num_classes must be an int, got {describe(num_classes)}.")
        if not isinstance(threshold, float):
            raise TypeError(f"ConfusionMatrix: threshold must be a float, got {describe(threshold)}.")
        self.num_classes, self.threshold = num_classes, threshold
        self.normalize = choose("ConfusionMatrix", "normalize", normalize, ("target", "prediction", "all", "no_norm"))
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        if y_pred.ndim not in (y.ndim, y.ndim + 1):
            axes = f"{y_pred.ndim} and {y.ndim}"
            raise ValueError(
                f"ConfusionMatrix.update: predictions must have the axes of the labels, or one more, got {axes}."
            )
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.dtype.kind == "f":
            y_pred = (y_pred >= self.threshold).astype(int)
        cells = (y.ravel() * self.num_classes + y_pred.ravel()).astype(int)
        counts = np.bincount(cells, minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)

    def eval(self) -> np.ndarray:
        self._need(self.confusion_matrix.any())
        matrix = self.confusion_matrix
        if self.normalize == "no_norm":
            return matrix.copy()
        total = matrix.sum(axis={"target": 1, "prediction": 0, "all": None}[self.normalize], keepdims=True)
        return np.divide(matrix, total, out=np.zeros_like(matrix), where=total != 0)
