"""The receiver operating characteristic, and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs


class ROC(Metric):
    """The curve of true positive rate against false positive rate as the threshold falls, for the last batch.

    Args:
        class_num: The number of classes: predictions (N, C), labels (N). None for binary data: scores (N), labels (N).
        pos_label: The label of the positive class of binary data. Default None: 1.

    Returns:
        `eval()` returns (false positive rates, true positive rates, thresholds), with several classes a list of each:
        every class against the rest. (MindSpore 2.7 reshapes the scores of several classes in the wrong order and so
        compares them with labels of other samples; this does not.)

    Raises:
        TypeError: If an argument is no int.
        ValueError: If shapes do not fit, or the labels hold no positive or no negative sample.

    Examples:
        >>> import sporax as ms
        >>> fpr, tpr, thresholds = ms.train.ROC(pos_label=1)(ms.Tensor([3, 1, 4, 2]), ms.Tensor([0, 1, 1, 0]))
        >>> tpr.tolist(), thresholds.tolist()
        ([0.0, 0.5, 0.5, 0.5, 1.0], [5, 4, 3, 2, 1])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise TypeError(f"ROC: {name} must be an int or None, got {describe(value)}.")
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        self._batch: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        if y_pred.ndim == y.ndim:
            if self.class_num not in (None, 1):
                raise ValueError(f"ROC.update: binary predictions need class_num 1 or None, got {self.class_num}.")
            self._batch = y_pred.ravel(), y.ravel()
        elif y_pred.ndim == y.ndim + 1:
            if self.pos_label is not None:
                raise ValueError(f"ROC.update: pos_label must be None with several classes, got {self.pos_label}.")
            if self.class_num != y_pred.shape[1]:
                raise ValueError(
                    f"ROC.update: the predictions have {y_pred.shape[1]} classes, class_num is {self.class_num}."
                )
            self._batch = np.moveaxis(y_pred, 1, -1).reshape(-1, y_pred.shape[1]), y.ravel()
        else:
            shapes = f"{list(y_pred.shape)} and {list(y.shape)}"
            raise ValueError(f"ROC.update: predictions must have the axes of the labels, or one more, got {shapes}.")

    def eval(self) -> tuple[Any, Any, Any]:
        self._need(self._batch is not None)
        assert self._batch is not None
        scores, labels = self._batch
        if scores.ndim == 1:
            return _curve(scores, labels == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(scores[:, c], labels == c) for c in range(scores.shape[1])]
        return tuple([list(part) for part in zip(*curves, strict=True)])


def _curve(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    for what, present in (("negative", not positive.all()), ("positive", positive.any())):
        if not present:
            raise ValueError(f"ROC.eval: the labels hold no {what} sample, so its rate has no meaning.")
    order = np.argsort(-scores, kind="stable")
    scores, positive = scores[order], positive[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), scores.size - 1)
    hits = np.append(0, np.cumsum(positive)[ends])
    misses = np.append(0, np.cumsum(~positive)[ends])
    return misses / misses[-1], hits / hits[-1], np.append(scores[0] + 1, scores[ends]).astype(scores.dtype)


def auc(x: np.ndarray, y: np.ndarray, reorder: bool = False) -> float:
    """Return the area under a curve by the trapezoidal rule.

    Args:
        x: Abscissas, rising or falling, of shape (N) or (N, 1), N >= 2.
        y: As many ordinates.
        reorder: Whether to sort the points by x (and y) first.

    Raises:
        TypeError: If `x` or `y` is no NumPy array.
        ValueError: If lengths differ or x is not monotonic.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> ms.train.auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]))
        0.75
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise TypeError(f"auc: x and y must be numpy.ndarray, got {type(x).__name__} and {type(y).__name__}.")
    if x.shape[:1] != y.shape[:1]:
        raise ValueError(f"auc: x and y must have one length, got {list(x.shape)} and {list(y.shape)}.")
    for name, v in (("x", x), ("y", y)):
        if v.ndim != 1 and v.shape[1:] != (1,):
            raise ValueError(f"auc: {name} must have shape (N) or (N, 1), got {list(v.shape)}.")
    x, y = x.ravel(), y.ravel()
    if x.size < 2:
        raise ValueError(f"auc: expected at least 2 points, got {x.size}.")
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if not ((steps >= 0).all() or (steps <= 0).all()):
        raise ValueError(f"auc: x must rise or fall (or give reorder=True), got {x.tolist()}.")
    area = float((steps * (y[1:] + y[:-1]) / 2).sum())
    return -area if (steps < 0).any() else area
