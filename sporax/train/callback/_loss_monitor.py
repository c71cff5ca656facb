"""LossMonitor."""

from sporax._src.train.monitor import LossMonitor

__all__ = [
    "LossMonitor",
]
