"""Optimizers with torch's signatures."""

from sporax._src.optim.grouped.adadelta import Adadelta
from sporax._src.optim.grouped.adagrad import Adagrad
from sporax._src.optim.grouped.adam import Adam, AdamW
from sporax._src.optim.grouped.adamax import Adamax
from sporax._src.optim.grouped.asgd import ASGD
from sporax._src.optim.grouped.nadam import NAdam
from sporax._src.optim.grouped.optimizer import Optimizer
from sporax._src.optim.grouped.radam import RAdam
from sporax._src.optim.grouped.rmsprop import RMSprop
from sporax._src.optim.grouped.rprop import Rprop
from sporax._src.optim.grouped.sgd import SGD
from sporax.experimental.optim import lr_scheduler

__all__ = [
    "ASGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "lr_scheduler",
]
