"""Optimizers with torch's signatures and `param_groups`."""

from sporax._src.optim.grouped.adam import Adam, AdamW
from sporax._src.optim.grouped.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW"]
