"""Summaries."""

from sporax._src.train.summary import SummaryRecord

__all__ = [
    "SummaryRecord",
]
