"""The base of optimizers with `param_groups`."""

from sporax._src.optim.param_groups.optimizer import Optimizer

__all__ = [
    "Optimizer",
]
