"""Optimizers of torch.optim that a program chooses by a computed name."""

import functools

import sporax as mindspore
from sporax._src.migrate.helpers.training.optimizers import (
    _LBFGS,
    _Adagrad,
    _Adam,
    _distinct,
    _NAdam,
    _optimizer_options,
    _RAdam,
    _RMSprop,
)


def _adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, **options):
    if weight_decay:  # in MindSpore's Adam it acts on the Parameter, not on its gradient
        return _Adam(params, lr, betas, eps, weight_decay, amsgrad, **options)
    return mindspore.experimental.optim.AdamW(params, lr, betas, eps, 0.0, amsgrad, **options)


def _adamw(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01, amsgrad=False, **options):
    return mindspore.experimental.optim.AdamW(params, lr, betas, eps, weight_decay, amsgrad, **options)


def _sgd(params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, **options):
    return mindspore.experimental.optim.SGD(params, lr, momentum, dampening, float(weight_decay), nesterov, **options)


_OPTIMIZERS = {
    "ASGD": mindspore.experimental.optim.ASGD,
    "Adadelta": mindspore.experimental.optim.Adadelta,
    "Adagrad": _Adagrad,
    "Adam": _adam,
    "AdamW": _adamw,
    "Adamax": mindspore.experimental.optim.Adamax,
    "LBFGS": _LBFGS,
    "NAdam": _NAdam,
    "RAdam": _RAdam,
    "RMSprop": _RMSprop,
    "Rprop": mindspore.experimental.optim.Rprop,
    "SGD": _sgd,
}


def _optimizer_named(name):
    """Return the function that makes the optimizer of torch.optim which has a name."""
    if name not in _OPTIMIZERS:
        raise AttributeError(
            f"torch.optim.{name} cannot be chosen by name; write the choice out, as in {{'{name}': ...}}[name]"
        )
    return functools.partial(_made, _OPTIMIZERS[name])


def _made(kind, params, *arguments, **options):
    return kind(_distinct(params), *arguments, **_optimizer_options(options))
