"""Metrics."""

from sporax._src.train.metrics import Accuracy, EvaluationBase, Loss, Metric, get_metric_fn, names

__all__ = [
    "Accuracy",
    "EvaluationBase",
    "Loss",
    "Metric",
    "get_metric_fn",
    "names",
]
