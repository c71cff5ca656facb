"""Tensor."""

from sporax._src.core.tensor import Tensor, tensor

__all__ = [
    "Tensor",
    "tensor",
]
