"""Schedulers: the rows of the tables, what a change of rate compiles, going on from an epoch."""

import numpy as np
import pytest
from optimizer_tables import optimizers_of
from optimizer_tables.schedulers import rates, two_groups

from sporax import Tensor
from sporax._src.transform import capture
from sporax.experimental.optim import lr_scheduler

TestRows = optimizers_of("sporax._src.optim.param_groups.lr_scheduler")


def test_a_change_of_rate_does_not_compile(mode: int) -> None:
    opt = two_groups()
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
    opt = two_groups()
    first = lr_scheduler.StepLR(opt, 2, 0.5)
    first.step()
    again = lr_scheduler.StepLR(opt, 2, 0.5, last_epoch=int(first.epoch))
    np.testing.assert_allclose(rates(opt), [0.05, 0.005])
    again.step(7)
    np.testing.assert_allclose(rates(opt), [0.0125, 0.00125])
    with pytest.raises(KeyError, match=r"to go on, param_groups\[0\] must hold 'initial_lr'"):
        lr_scheduler.StepLR(two_groups(), 2, last_epoch=1)
