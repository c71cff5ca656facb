"""Optimizers."""

from sporax._src.optim.adagrad import Adagrad
from sporax._src.optim.adam import Adam, AdamWeightDecay
from sporax._src.optim.momentum import Momentum
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.rmsprop import RMSProp
from sporax._src.optim.sgd import SGD

__all__ = [
    "Adagrad",
    "Adam",
    "AdamWeightDecay",
    "Momentum",
    "Optimizer",
    "RMSProp",
    "SGD",
]
