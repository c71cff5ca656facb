"""Optimizers with torch's signatures and `param_groups`."""

from sporax._src.optim.param_groups.adam import Adam, AdamW
from sporax._src.optim.param_groups.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW"]
