"""Cells: layers, losses, containers and optimizers."""

from sporax._src.nn.cell import Cell, GraphCell
from sporax._src.optim.adagrad import Adagrad
from sporax._src.optim.adam import Adam, AdamWeightDecay
from sporax._src.optim.momentum import Momentum
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.rmsprop import RMSProp
from sporax._src.optim.schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from sporax._src.optim.sgd import SGD

__all__ = ["Adagrad", "Adam", "AdamWeightDecay", "Momentum", "Optimizer", "RMSProp", "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR", "PolynomialDecayLR", "WarmUpLR", "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr", "SGD", "Cell", "GraphCell"]
