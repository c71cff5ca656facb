"""Schedulers of learning rates: the rows of the torch map that use these helpers, and states that are saved."""

import pytest
from torch_map_rows import rows_of

from sporax import Parameter, Tensor
from sporax._src.migrate.helpers.training.schedulers import _load_scheduler_state, _OneCycleLR, _scheduler_state
from sporax.experimental import optim

TestRows = rows_of("sporax._src.migrate.helpers.training.schedulers")

SCHEDULERS = {
    "StepLR": lambda optimizer: optim.lr_scheduler.StepLR(optimizer, 2),
    "LambdaLR": lambda optimizer: optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch),
    "OneCycleLR": lambda optimizer: _OneCycleLR(optimizer, 0.5, total_steps=8),
}


def rates(scheduler, count):
    """Return the next learning rates of a scheduler."""
    found = []
    for _ in range(count):
        scheduler.step()
        found.append(float(scheduler.get_last_lr()[0]))
    return found


def made(name):
    return SCHEDULERS[name](optim.SGD([Parameter(Tensor([1.0]), name="w")], 0.1, momentum=0.9))


@pytest.mark.parametrize("name", SCHEDULERS)
def test_another_scheduler_goes_on_from_the_state(name):
    first, second = made(name), made(name)
    rates(first, 3)
    state = _scheduler_state(first)
    assert "optimizer" not in state and state["last_epoch"] == 3
    _load_scheduler_state(second, state)
    assert rates(second, 4) == rates(first, 4)
