"""Loss."""

from sporax._src.train.metrics.error import Loss

__all__ = [
    "Loss",
]
