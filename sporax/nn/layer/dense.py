"""BiDense."""

from sporax._src.nn.linear import BiDense

__all__ = ["BiDense"]
