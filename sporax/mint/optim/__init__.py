"""Optimizers with torch's signatures and `param_groups`."""

from sporax.experimental.optim import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW"]
