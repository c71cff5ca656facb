"""Tensors that are still to be computed: every Tensor may be one."""

from sporax._src.core.tensor import Tensor as StubTensor

__all__ = [
    "StubTensor",
]
