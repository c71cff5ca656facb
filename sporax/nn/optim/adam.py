"""Adam."""

from sporax._src.optim.adam import Adam, AdamWeightDecay

__all__ = [
    "Adam",
    "AdamWeightDecay",
]
