"""Model."""

from sporax._src.train.model import Model

__all__ = [
    "Model",
]
