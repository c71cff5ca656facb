"""Optimizers with torch's signatures and `param_groups`."""

from sporax._src.optim.param_groups.adam import FusedAdamW
from sporax.experimental.optim import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]
