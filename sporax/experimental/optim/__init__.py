"""Optimizers with torch's signatures."""

from sporax._src.optim.param_groups.adadelta import Adadelta
from sporax._src.optim.param_groups.adagrad import Adagrad
from sporax._src.optim.param_groups.adam import Adam, AdamW
from sporax._src.optim.param_groups.adamax import Adamax
from sporax._src.optim.param_groups.asgd import ASGD
from sporax._src.optim.param_groups.nadam import NAdam
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.param_groups.radam import RAdam
from sporax._src.optim.param_groups.rmsprop import RMSprop
from sporax._src.optim.param_groups.rprop import Rprop
from sporax._src.optim.param_groups.sgd import SGD
from sporax.experimental.optim import adamw, lr_scheduler, optimizer

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
    "adamw",
    "lr_scheduler",
    "optimizer",
]
