"""Tensor."""

from sporax._src.core.tensor import Tensor

__all__ = [
    "Tensor",
]
