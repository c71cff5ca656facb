"""Types, Tensors, Parameters and initializers under MindSpore's import paths."""

from sporax._src.core import dtype
from sporax.common import initializer

__all__ = ["dtype", "initializer"]
