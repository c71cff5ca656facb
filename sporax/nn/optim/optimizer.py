"""The base of optimizers."""

from sporax._src.compat.legacy.registers import opt_init_args_register
from sporax._src.optim.optimizer import Optimizer

__all__ = [
    "Optimizer",
    "opt_init_args_register",
]
