"""Optimizers."""

from sporax._src.optim.adadelta import Adadelta
from sporax._src.optim.adafactor import AdaFactor
from sporax._src.optim.adagrad import Adagrad
from sporax._src.optim.adam import Adam, AdamWeightDecay
from sporax._src.optim.adamax import AdaMax
from sporax._src.optim.asgd import ASGD
from sporax._src.optim.ftrl import FTRL, ProximalAdagrad
from sporax._src.optim.lamb import Lamb
from sporax._src.optim.lars import LARS
from sporax._src.optim.lazy_adam import AdamOffload, LazyAdam
from sporax._src.optim.momentum import Momentum
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.rmsprop import RMSProp
from sporax._src.optim.rprop import Rprop
from sporax._src.optim.sgd import SGD

__all__ = [
    "ASGD",
    "AdaFactor",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "FTRL",
    "LARS",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
    "SGD",
]
