"""Accuracy."""

from sporax._src.train.metrics.classes import Accuracy

__all__ = [
    "Accuracy",
]
