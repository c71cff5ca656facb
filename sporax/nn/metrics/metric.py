"""The base of metrics."""

from sporax._src.train.metrics.metric import EvaluationBase, Metric, rearrange_inputs

__all__ = [
    "EvaluationBase",
    "Metric",
    "rearrange_inputs",
]
