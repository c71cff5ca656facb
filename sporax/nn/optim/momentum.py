"""Momentum."""

from sporax._src.optim.momentum import Momentum

__all__ = [
    "Momentum",
]
