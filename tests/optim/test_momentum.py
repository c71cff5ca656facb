"""Momentum: the rows of the tables, and lists of rates."""

import pytest
from optimizer_tables import optimizers_of

from sporax import Parameter, Tensor, nn

TestRows = optimizers_of("sporax._src.optim.momentum")


def test_reading_the_rate_counts_nothing(mode: int) -> None:
    """A program that logs the rate of each step has the schedule that it asked for."""
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([w], [0.5, 0.25, 0.125], 0.0)
    seen = []
    for _ in range(3):
        seen.append([float(optimizer.get_lr()), float(optimizer.get_lr())])
        optimizer((Tensor([1.0]),))
    assert seen == [[0.5, 0.5], [0.25, 0.25], [0.125, 0.125]]
    assert w.asnumpy() == [0.125] and optimizer.global_step.asnumpy().tolist() == [3]
    rate = nn.Momentum([w], 0.1, 0.0)
    assert rate.get_lr() is rate.learning_rate


@pytest.mark.of_cpus("other devices do not look at indices")
def test_a_list_of_rates_that_ends(mode: int) -> None:
    w = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([w], [0.5, 0.25], 0.0)
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    text = r"For 'Optimizer', the step in a list of learning rates should be in the range \[-2, 2\), but got 2"
    with pytest.raises(RuntimeError, match=text):
        optimizer.get_lr()
    with pytest.raises(RuntimeError, match=text):
        optimizer((Tensor([1.0]),))
