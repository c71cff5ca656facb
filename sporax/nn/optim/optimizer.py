"""The base of optimizers."""

from sporax._src.optim.optimizer import Optimizer

__all__ = [
    "Optimizer",
]
