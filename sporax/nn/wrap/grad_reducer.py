"""Gradients of all processes."""

from sporax._src.nn.wrap import DistributedGradReducer

__all__ = [
    "DistributedGradReducer",
]
