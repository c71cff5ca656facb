"""Schedulers give the learning rates that MindSpore 2.7.0's give, and compile nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor
from sporax._src.transform import capture
from sporax.experimental import optim
from sporax.experimental.optim import lr_scheduler

GOLDEN = json.loads((Path(__file__).parent.parent / "goldens" / "lr.json").read_text())


def optimizer() -> optim.SGD:
    """Return an optimizer of two groups."""
    groups = [
        {"params": [Parameter(Tensor([1.0]), name="a")]},
        {"params": [Parameter(Tensor([1.0]), name="b")], "lr": 0.01},
    ]
    return optim.SGD(groups, lr=0.1)


def rates(opt: optim.SGD) -> list[float]:
    return [float(group["lr"].asnumpy()) for group in opt.param_groups]


def build(text: str, opt: optim.SGD) -> object:
    return eval(text, {"optim": optim, "opt": opt})


@pytest.mark.parametrize("text", GOLDEN["schedulers"])
def test_values(text: str) -> None:
    want = GOLDEN["schedulers"][text]
    opt = optimizer()
    if isinstance(want, dict):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            build(text, opt)
        return
    scheduler = build(text, opt)
    got = [rates(opt)]
    for _ in want[1:]:
        scheduler.step()
        got.append(rates(opt))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose([lr.item() for lr in scheduler.get_last_lr()], got[-1])


@pytest.mark.parametrize("text", GOLDEN["plateau"])
def test_plateau(text: str) -> None:
    opt = optimizer()
    scheduler = build(text, opt)
    got = [rates(opt)]
    for metric in GOLDEN["plateau_metrics"]:
        scheduler.step(Tensor(metric, ms.float32))
        got.append(rates(opt))
    np.testing.assert_allclose(got, GOLDEN["plateau"][text], rtol=1e-5)


def test_schedules_and_lists() -> None:
    """Learning rates as Cells and as lists."""
    for text, want in GOLDEN["lists"].items():
        if not isinstance(want, dict):
            np.testing.assert_allclose(eval(text, {"nn": ms.nn}), want, rtol=1e-6)
    for text, want in GOLDEN["schedules"].items():
        if not isinstance(want, dict):
            cell = eval(text, {"nn": ms.nn})
            got = [float(cell(Tensor(step, ms.int32)).asnumpy()) for step in range(len(want))]
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-8, err_msg=text)


@pytest.mark.parametrize("kind", ["lists", "schedules"])
def test_errors_of_mindspore(kind: str) -> None:
    for text, want in GOLDEN[kind].items():
        if isinstance(want, dict):
            with pytest.raises((ValueError, TypeError)) as error:
                eval(text, {"nn": ms.nn})
            assert type(error.value).__name__ == want["error"].split(":")[0], text


def test_a_change_of_rate_does_not_compile(mode: int) -> None:
    opt = optimizer()
    scheduler = lr_scheduler.ExponentialLR(opt, 0.5)
    grads = (Tensor([1.0]), Tensor([1.0]))
    opt(grads)
    before = capture.compilations
    for _ in range(3):
        scheduler.step()
        opt(grads)
    assert capture.compilations == before
    assert opt.parameters[0].item() == pytest.approx(1 - 0.1 * (1 + 0.5 + 0.25 + 0.125))


def test_going_on() -> None:
    """`last_epoch` goes on where another scheduler stopped; `step(epoch)` goes to an epoch."""
    opt = optimizer()
    first = lr_scheduler.StepLR(opt, 2, 0.5)
    first.step()
    again = lr_scheduler.StepLR(opt, 2, 0.5, last_epoch=int(first.epoch))
    np.testing.assert_allclose(rates(opt), [0.05, 0.005])
    again.step(7)
    np.testing.assert_allclose(rates(opt), [0.0125, 0.00125])
    with pytest.raises(KeyError, match=r"to go on, param_groups\[0\] must hold 'initial_lr'"):
        lr_scheduler.StepLR(optimizer(), 2, last_epoch=1)


@pytest.mark.parametrize(
    "text",
    [
        t
        for t in GOLDEN["schedulers"]
        if not any(k in t for k in ("Lambda", "Multiplicative", "Sequential", "Cyclic", "Cosine"))
    ],
)
def test_closed_form(text: str) -> None:
    """`step(epoch)` gives what as many steps give."""
    stepped, sought = optimizer(), optimizer()
    walk, jump = build(text, stepped), build(text, sought)
    for epoch in range(1, 8):
        walk.step()
        jump.step(epoch)
        np.testing.assert_allclose(rates(sought), rates(stepped), rtol=1e-5, atol=1e-8, err_msg=str(epoch))


BAD = [
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


@pytest.mark.parametrize(("text", "kind", "match"), BAD)
def test_errors(text: str, kind: type, match: str) -> None:
    names = {name: getattr(lr_scheduler, name) for name in lr_scheduler.__all__}
    with pytest.raises(kind, match=match):
        eval(text, {**names, "opt": optimizer(), "other": optimizer()})
