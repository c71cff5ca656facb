"""Metrics by name: what `Model.eval` accumulates over batches, on the host.

Reading order: `metric` (the base), `error`, `classes`, `topk`, `confusion`, `confusion_rates`, `roc`, `overlap`, `surface`,
`text`, `occlusion`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.train.metrics.classes import F1, Accuracy, Precision, Recall
from sporax._src.train.metrics.confusion import ConfusionMatrix
from sporax._src.train.metrics.confusion_rates import ConfusionMatrixMetric
from sporax._src.train.metrics.error import MAE, MSE, Loss
from sporax._src.train.metrics.metric import Metric
from sporax._src.train.metrics.occlusion import OcclusionSensitivity
from sporax._src.train.metrics.overlap import CosineSimilarity, Dice
from sporax._src.train.metrics.roc import ROC, auc
from sporax._src.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from sporax._src.train.metrics.text import BleuScore, Perplexity
from sporax._src.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

METRICS: dict[str, Callable[..., Any]] = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list[str]:
    """Return the names under which `Model` and `get_metric_fn` know metrics, sorted.

    Examples:
        >>> import sporax as ms
        >>> ms.train.names()[:3]
        ['F1', 'acc', 'accuracy']
    """
    return sorted(METRICS)


def get_metric_fn(name: str, *args: object, **kwargs: object) -> Any:
    """Return a metric by name, made with the arguments that follow.

    Args:
        name: One of `names()`.

    Raises:
        KeyError: If no metric has the name.

    Examples:
        >>> import sporax as ms
        >>> type(ms.train.get_metric_fn("topk", k=2)).__name__
        'TopKCategoricalAccuracy'
    """
    if name not in METRICS:
        raise KeyError(f"get_metric_fn: unsupported metric {name!r}; known are {', '.join(names())}.")
    return METRICS[name](*args, **kwargs)


def get_metrics(metrics: dict[str, Any] | set[str] | None) -> dict[str, Metric]:
    """Return metrics by name from a dict or a set of names; None gives none.

    Raises:
        TypeError: If `metrics` or what it holds has an unexpected type.
        KeyError: If no metric has a name.
    """
    if metrics is None:
        return {}
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                shown = f"{describe(name)}: {describe(metric)}"
                raise TypeError(f"get_metrics: metrics must map names to Metric objects, got {shown}.")
        return metrics
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    raise TypeError(f"get_metrics: metrics must be a dict or a set of names, got {describe(metrics)}.")
