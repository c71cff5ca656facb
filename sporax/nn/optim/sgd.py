"""SGD."""

from sporax._src.optim.sgd import SGD

__all__ = [
    "SGD",
]
