"""Learning-rate lists, schedules that an optimizer calls, and schedulers of the experimental optimizers."""

from pathlib import Path
from typing import Any

import mindspore as ms
from mindspore import Parameter, Tensor, nn
from mindspore.experimental import optim

from .common import attempt, set_mode, to_numpy, write_json

LISTS = """
nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])
nn.piecewise_constant_lr([1], [1])
nn.piecewise_constant_lr([2, 1], [0.1, 0.05])
nn.piecewise_constant_lr([2, 5], [0.1])
nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1)
nn.exponential_decay_lr(0.1, 0.9, 6, 2, 2)
nn.exponential_decay_lr(0.1, 0.9, 6, 2, 2, is_stair=True)
nn.exponential_decay_lr(0.1, 0.9, 6, 0, 2)
nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 1)
nn.natural_exp_decay_lr(0.1, 0.9, 6, 2, 2, is_stair=True)
nn.inverse_decay_lr(0.1, 0.5, 6, 1, 1)
nn.inverse_decay_lr(0.1, 0.5, 6, 2, 2, True)
nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2)
nn.cosine_decay_lr(0.0, 1.0, 8, 1, 4)
nn.cosine_decay_lr(0.1, 0.01, 6, 2, 2)
nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5)
nn.polynomial_decay_lr(0.1, 0.01, 8, 2, 2, 2.0)
nn.polynomial_decay_lr(0.1, 0.01, 8, 2, 2, 0.5, update_decay_epoch=True)
nn.polynomial_decay_lr(0.1, 0.0, 12, 1, 4, 1.0, True)
nn.warmup_lr(0.1, 6, 2, 2)
nn.warmup_lr(0.1, 6, 2, 0)
nn.warmup_lr(1, 5, 1, 5)
nn.warmup_lr(-0.1, 6, 2, 2)
"""
SCHEDULES = """
nn.ExponentialDecayLR(0.1, 0.9, 4)
nn.ExponentialDecayLR(0.1, 0.9, 4, is_stair=True)
nn.NaturalExpDecayLR(0.1, 0.9, 4)
nn.NaturalExpDecayLR(0.1, 0.9, 4, True)
nn.InverseDecayLR(0.1, 0.9, 4)
nn.InverseDecayLR(0.1, 0.9, 4, True)
nn.CosineDecayLR(0.01, 0.1, 4)
nn.CosineDecayLR(0.0, 1.0, 6)
nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)
nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0)
nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, update_decay_steps=True)
nn.WarmUpLR(0.1, 4)
nn.WarmUpLR(1.0, 1)
nn.WarmUpLR(0.1, 0)
nn.ExponentialDecayLR(0.1, 0.9, 4.0)
nn.CosineDecayLR(0.1, 0.01, 4)
nn.PolynomialDecayLR(0.1, -0.01, 4, 0.5)
"""
SCHEDULERS = """
optim.lr_scheduler.StepLR(opt, 2)
optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.5)
optim.lr_scheduler.LinearLR(opt)
optim.lr_scheduler.LinearLR(opt, start_factor=0.5, end_factor=0.1, total_iters=4)
optim.lr_scheduler.ExponentialLR(opt, 0.5)
optim.lr_scheduler.PolynomialLR(opt)
optim.lr_scheduler.PolynomialLR(opt, total_iters=4, power=2.0)
optim.lr_scheduler.ConstantLR(opt)
optim.lr_scheduler.ConstantLR(opt, factor=0.5, total_iters=3)
optim.lr_scheduler.MultiStepLR(opt, [2, 4])
optim.lr_scheduler.MultiStepLR(opt, milestones=[1, 1, 5], gamma=0.5)
optim.lr_scheduler.LambdaLR(opt, lambda epoch: 0.9 ** epoch)
optim.lr_scheduler.LambdaLR(opt, [lambda epoch: 0.9 ** epoch, lambda epoch: 1.0])
optim.lr_scheduler.MultiplicativeLR(opt, lambda epoch: 0.9)
optim.lr_scheduler.CosineAnnealingLR(opt, 4)
optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4, eta_min=0.01)
optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 3)
optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 2, T_mult=2, eta_min=0.01)
optim.lr_scheduler.CyclicLR(opt, 0.01, 0.1, step_size_up=2)
optim.lr_scheduler.CyclicLR(opt, 0.01, 0.1, step_size_up=2, step_size_down=4, mode='triangular2')
optim.lr_scheduler.CyclicLR(opt, 0.01, 0.1, step_size_up=2, mode='exp_range', gamma=0.9)
optim.lr_scheduler.SequentialLR(opt, [optim.lr_scheduler.ConstantLR(opt, 0.1, 2), optim.lr_scheduler.ExponentialLR(opt, 0.9)], [3])
"""
PLATEAU = """
optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
optim.lr_scheduler.ReduceLROnPlateau(opt, 'max', factor=0.5, patience=0, cooldown=1, min_lr=0.02)
optim.lr_scheduler.ReduceLROnPlateau(opt, 'min', 0.5, 1, 0.1, 'abs')
"""
METRICS = [1.0, 0.9, 0.95, 0.94, 0.96, 0.5, 0.6, 0.7, 0.7, 0.7, 0.7, 0.7]
STEPS = 10


def result(run: Any) -> Any:
    """Return what a function gives, or its error."""
    value, error = attempt(run)
    return {"error": error} if error is not None else value


def schedule(text: str) -> Any:
    """Return a schedule's learning rates at steps 0, 1, ... as float32."""

    def run() -> list[float]:
        cell = eval(text, {"nn": nn})
        return [float(to_numpy(cell(Tensor(step, ms.int32)))) for step in range(STEPS)]

    return result(run)


def scheduler(text: str, metrics: list[float] | None = None) -> Any:
    """Return the learning rates of two parameter groups before the first and after every step."""

    def run() -> list[list[float]]:
        groups = [
            {"params": [Parameter(Tensor([1.0]), name="a")]},
            {"params": [Parameter(Tensor([1.0]), name="b")], "lr": 0.01},
        ]
        opt = optim.SGD(groups, lr=0.1)
        stepper = eval(text, {"optim": optim, "opt": opt})
        rates = [[float(group["lr"]) for group in opt.param_groups]]
        for metric in metrics or [None] * STEPS:
            stepper.step() if metric is None else stepper.step(metric)
            rates.append([float(group["lr"]) for group in opt.param_groups])
        return rates

    return result(run)


def lines(text: str) -> list[str]:
    """Return the lines of a block that hold something."""
    return [line for line in text.splitlines() if line]


def record(out: Path) -> None:
    """Write ``lr.json``."""
    set_mode("pynative")
    data = {
        "lists": {text: result(lambda: eval(text, {"nn": nn})) for text in lines(LISTS)},  # noqa: B023
        "schedules": {text: schedule(text) for text in lines(SCHEDULES)},
        "schedulers": {text: scheduler(text) for text in lines(SCHEDULERS)},
        "plateau": {text: scheduler(text, METRICS) for text in lines(PLATEAU)},
        "plateau_metrics": METRICS,
    }
    write_json(out / "lr.json", data)
