"""Parallel training."""

from sporax._src.compat.legacy.parallel import get_algo_parameters, reset_algo_parameters, set_algo_parameters

__all__ = [
    "get_algo_parameters",
    "reset_algo_parameters",
    "set_algo_parameters",
]
