"""Rates computed from the counts of true and false positives and negatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.train.metrics.metric import Metric, rearrange_inputs
from sporax._src.train.metrics.overlap import choose

_DECREASE = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class Counts(NamedTuple):
    """The counts of true and false positives and negatives, and rates of them."""

    tp: Any
    fp: Any
    tn: Any
    fn: Any

    @property
    def tpr(self) -> Any:
        """Sensitivity."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def tnr(self) -> Any:
        """Specificity."""
        return _ratio(self.tn, self.tn + self.fp)

    @property
    def ppv(self) -> Any:
        """Precision."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def npv(self) -> Any:
        """Negative predictive value."""
        return _ratio(self.tn, self.tn + self.fn)

    @property
    def total(self) -> Any:
        """The number of elements."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def spread(self) -> Any:
        """The denominator of the correlation coefficient."""
        return np.sqrt((self.tp + self.fp) * (self.tp + self.fn) * (self.tn + self.fp) * (self.tn + self.fn))


def _ratio(a: Array, b: Array) -> Any:
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.divide(a, b, out=np.full(np.broadcast_shapes(a.shape, b.shape), np.nan), where=b != 0)


RATES: dict[str, Callable[[Counts], Any]] = {
    "sensitivity recall hit_rate true_positive_rate tpr": lambda c: c.tpr,
    "specificity selectivity true_negative_rate tnr": lambda c: c.tnr,
    "precision positive_predictive_value ppv": lambda c: c.ppv,
    "negative_predictive_value npv": lambda c: c.npv,
    "miss_rate false_negative_rate fnr": lambda c: _ratio(c.fn, c.tp + c.fn),
    "fall_out false_positive_rate fpr": lambda c: _ratio(c.fp, c.tn + c.fp),
    "false_discovery_rate fdr": lambda c: _ratio(c.fp, c.tp + c.fp),
    "false_omission_rate for": lambda c: _ratio(c.fn, c.tn + c.fn),
    "prevalence_threshold pt": lambda c: _ratio(np.sqrt(c.tpr * (1 - c.tnr)) + c.tnr - 1, c.tpr + c.tnr - 1),
    "threat_score critical_success_index ts csi": lambda c: _ratio(c.tp, c.tp + c.fn + c.fp),
    "accuracy acc": lambda c: _ratio(c.tp + c.tn, c.total),
    "balanced_accuracy ba": lambda c: (c.tpr + c.tnr) / 2,
    "f1_score f1": lambda c: _ratio(2 * c.tp, 2 * c.tp + c.fn + c.fp),
    "matthews_correlation_coefficient mcc": lambda c: _ratio(c.tp * c.tn - c.fp * c.fn, c.spread),
    "fowlkes_mallows_index fm": lambda c: np.sqrt(c.ppv * c.tpr),
    "informedness bookmaker_informedness bm": lambda c: c.tpr + c.tnr - 1,
    "markedness deltap mk": lambda c: c.ppv + c.npv - 1,
}
_BY_NAME = {name: rate for names, rate in RATES.items() for name in names.split()}


class ConfusionMatrixMetric(Metric):
    """A rate of binary masks (N, C, ...), such as sensitivity or the F1 score.

    Args:
        skip_channel: Whether the first channel counts (True) or is left out as background (False).
        metric_name: The rate: `"sensitivity"`, `"specificity"`, `"precision"`, `"f1 score"`, `"accuracy"`, ...
        calculation_method: Whether to compute the rate of every sample and channel and reduce them with `decrease`,
            instead of one rate of all counts.
        decrease: `"mean"` or `"sum"` (other reductions leave more than one number).

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `decrease` is unknown or masks do not fit.
        NotImplementedError: If `metric_name` is unknown.

    Examples:
        >>> import sporax as ms
        >>> metric = ms.train.ConfusionMatrixMetric(metric_name="precision")
        >>> metric(ms.Tensor([[[1, 1]], [[1, 0]]]), ms.Tensor([[[1, 0]], [[1, 0]]]))
        array([0.66666667])
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        for name, value in (("skip_channel", skip_channel), ("calculation_method", calculation_method)):
            if not isinstance(value, bool):
                raise TypeError(f"ConfusionMatrixMetric: {name} must be a bool, got {describe(value)}.")
        if not isinstance(metric_name, str):
            raise TypeError(f"ConfusionMatrixMetric: metric_name must be a string, got {describe(metric_name)}.")
        self.skip_channel, self.calculation_method, self.metric_name = skip_channel, calculation_method, metric_name
        self.decrease = choose("ConfusionMatrixMetric", "decrease", decrease, _DECREASE)
        self.clear()

    def clear(self) -> None:
        self._counts, self._sum, self._weight = np.zeros(4), 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Tensor | ArrayLike) -> None:
        y_pred, y = self._take(inputs, "predictions", "labels")
        counts = self._count_masks(y_pred, y)
        if not self.calculation_method:
            self._counts += counts.sum(axis=(1, 2))
            return
        rates = self._rate(Counts(*counts))
        known = ~np.isnan(rates)
        value, weight = self._reduced(np.where(known, rates, 0), known)
        self._sum += value * weight
        self._weight += weight

    def _count_masks(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        if not np.isin(y, np.arange(256)).all():
            raise ValueError("ConfusionMatrixMetric.update: the labels must be binary masks.")
        if y_pred.ndim < 2 or y_pred.shape != y.shape:
            shapes = f"{list(y_pred.shape)} and {list(y.shape)}"
            raise ValueError(
                f"ConfusionMatrixMetric.update: expected two masks of one shape (N, C, ...), got {shapes}."
            )
        if not self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        p, t = (a.reshape(*a.shape[:2], -1) for a in (y_pred, y))
        both, none = (p + t == 2).sum(axis=2), (p + t == 0).sum(axis=2)
        positive = t.sum(axis=2)
        return np.stack([both, t.shape[2] - positive - none, none, positive - both]).astype(float)

    def _rate(self, counts: Counts) -> Any:
        name = self.metric_name.replace(" ", "_").lower()
        if name not in _BY_NAME:
            raise NotImplementedError(
                f"ConfusionMatrixMetric: unknown metric_name {self.metric_name!r}; known are {', '.join(_BY_NAME)}."
            )
        return _BY_NAME[name](counts)

    def _reduced(self, rates: np.ndarray, known: np.ndarray) -> tuple[float, int]:
        if self.decrease == "sum":
            return float(rates.sum()), int(known.sum())
        if self.decrease != "mean":
            raise ValueError(
                f"ConfusionMatrixMetric.update: decrease must be 'mean' or 'sum' here, got {self.decrease!r}."
            )
        channels = known.sum(axis=1)
        samples = int((channels > 0).sum())
        means = rates.sum(axis=1) / np.maximum(channels, 1)
        return (float(means.sum() / samples) if samples else 0.0), samples

    def eval(self) -> Any:
        if not self.calculation_method:
            return np.atleast_1d(self._rate(Counts(*self._counts)))
        self._need(self._weight)
        return self._sum / self._weight
