"""Schedulers give the learning rates that MindSpore 2.7.0's give."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor
from sporax.experimental import optim
from sporax.experimental.optim import lr_scheduler

LR = json.loads((Path(__file__).parents[2] / "goldens" / "lr.json").read_text())


def two_groups() -> optim.SGD:
    """Return an optimizer of two groups."""
    groups = [
        {"params": [Parameter(Tensor([1.0]), name="a")]},
        {"params": [Parameter(Tensor([1.0]), name="b")], "lr": 0.01},
    ]
    return optim.SGD(groups, lr=0.1)


def rates(opt: optim.SGD) -> list[float]:
    return [float(group["lr"].asnumpy()) for group in opt.param_groups]


def scheduled(text: str, opt: optim.SGD) -> object:
    return eval(text, {"optim": optim, "opt": opt})


@pytest.mark.parametrize("text", LR["schedulers"])
def test_rates(text: str) -> None:
    want = LR["schedulers"][text]
    opt = two_groups()
    if isinstance(want, dict):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            scheduled(text, opt)
        return
    scheduler = scheduled(text, opt)
    got = [rates(opt)]
    for _ in want[1:]:
        scheduler.step()
        got.append(rates(opt))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose([lr.item() for lr in scheduler.get_last_lr()], got[-1])


@pytest.mark.parametrize("text", LR["plateau"])
def test_plateau(text: str) -> None:
    opt = two_groups()
    scheduler = scheduled(text, opt)
    got = [rates(opt)]
    for metric in LR["plateau_metrics"]:
        scheduler.step(Tensor(metric, ms.float32))
        got.append(rates(opt))
    np.testing.assert_allclose(got, LR["plateau"][text], rtol=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        t
        for t in LR["schedulers"]
        if not any(k in t for k in ("Lambda", "Multiplicative", "Sequential", "Cyclic", "Cosine"))
    ],
)
def test_closed_form(text: str) -> None:
    """`step(epoch)` gives what as many steps give."""
    stepped, sought = two_groups(), two_groups()
    walk, jump = scheduled(text, stepped), scheduled(text, sought)
    for epoch in range(1, 8):
        walk.step()
        jump.step(epoch)
        np.testing.assert_allclose(rates(sought), rates(stepped), rtol=1e-5, atol=1e-8, err_msg=str(epoch))


BAD_SCHEDULERS = [
    ("StepLR(1, 2)", TypeError, "optimizer must be an optimizer with param_groups, got 1"),
    ("StepLR(opt, 2.0)", TypeError, "step_size must be int, got 2.0"),
    ("StepLR(opt, 2, 1)", TypeError, "gamma must be float, got 1"),
    ("StepLR(opt, 2, 0.5, -2)", ValueError, "last_epoch must be >= -1, got -2"),
    ("StepLR(opt, 2, 0.5, 'a')", TypeError, "last_epoch must be int, got 'a'"),
    ("LinearLR(opt, 0.0)", ValueError, r"start_factor must be in \(0, 1\], got 0.0"),
    ("LinearLR(opt, 0.5, 2.0)", ValueError, r"end_factor must be in \[0, 1\], got 2.0"),
    ("LinearLR(opt, total_iters=1.5)", TypeError, "total_iters must be int, got 1.5"),
    ("ExponentialLR(opt, 1)", TypeError, "gamma must be float, got 1"),
    ("PolynomialLR(opt, power=-1.0)", ValueError, "power must be >= 0, got -1.0"),
    ("ConstantLR(opt, 2.0)", ValueError, r"factor must be in \[0, 1\], got 2.0"),
    ("MultiStepLR(opt, 3)", TypeError, "milestones must be list, got 3"),
    ("MultiStepLR(opt, [1.5])", TypeError, "milestones must be int, got 1.5"),
    ("LambdaLR(opt, [abs])", ValueError, "lr_lambda must be one value, or one for each of 2 groups, got 1"),
    ("MultiplicativeLR(opt, [abs])", ValueError, "lr_lambda must be one value, or one for each of 2 groups, got 1"),
    ("CosineAnnealingLR(opt, 2.5)", TypeError, "T_max must be int, got 2.5"),
    ("CosineAnnealingWarmRestarts(opt, 0)", ValueError, "T_0 must be an int >= 1, got 0"),
    ("CosineAnnealingWarmRestarts(opt, 1).step(-1)", ValueError, "epoch must be >= 0, got -1"),
    ("CyclicLR(opt, 0.1, 1.0, mode='square')", ValueError, "mode must be triangular, triangular2 or exp_range"),
    ("SequentialLR(opt, [StepLR(opt, 2)], [1])", ValueError, "got 1 schedulers and 1 milestones"),
    ("SequentialLR(opt, [StepLR(other, 2)], [])", ValueError, r"schedulers\[0\] belongs to another optimizer"),
    ("ReduceLROnPlateau(opt, factor=1.0)", ValueError, "factor must be less than 1, got 1.0"),
    ("ReduceLROnPlateau(1)", TypeError, "optimizer must be an optimizer with param_groups, got 1"),
    ("ReduceLROnPlateau(opt, 'best')", ValueError, "mode must be 'min' or 'max', got 'best'"),
    ("ReduceLROnPlateau(opt, min_lr=[0.1])", ValueError, "min_lr must be one value, or one for each of 2 groups"),
    ("LRScheduler(opt)", NotImplementedError, r"LRScheduler must implement get_lr\(\)"),
]


@pytest.mark.parametrize(("text", "kind", "match"), BAD_SCHEDULERS)
def test_errors_of_schedulers(text: str, kind: type, match: str) -> None:
    names = {name: getattr(lr_scheduler, name) for name in lr_scheduler.__all__}
    with pytest.raises(kind, match=match):
        eval(text, {**names, "opt": two_groups(), "other": two_groups()})
