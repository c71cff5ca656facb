"""TimeMonitor."""

from sporax._src.train.monitor import TimeMonitor

__all__ = [
    "TimeMonitor",
]
