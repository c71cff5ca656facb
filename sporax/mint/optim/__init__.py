"""Optimizers with torch's signatures."""

from sporax._src.optim.grouped.adam import Adam, AdamW
from sporax._src.optim.grouped.sgd import SGD

__all__ = [
    "Adam",
    "AdamW",
    "SGD",
]
