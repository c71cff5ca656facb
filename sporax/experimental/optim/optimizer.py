"""The base of optimizers with `param_groups`."""

from sporax._src.optim.grouped.optimizer import Optimizer

__all__ = [
    "Optimizer",
]
