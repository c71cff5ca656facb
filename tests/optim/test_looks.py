"""How optimizers and schedules print."""

import pytest

import sporax as ms
from sporax import nn


def net() -> nn.Dense:
    return nn.Dense(4, 2)


def test_one_rate() -> None:
    assert repr(nn.Adam(net().trainable_params())) == "Adam(learning_rate=0.001, weight_decay=0, 2 Parameters)"


def test_a_list_of_rates() -> None:
    shown = repr(nn.SGD(net().trainable_params(), [0.1, 0.2, 0.3], weight_decay=0.5))
    assert "learning_rate=ListedLearningRate(3 rates, 0.1 to 0.3), weight_decay=0.5, 2 Parameters" in shown


@pytest.mark.parametrize(
    ("groups", "want"),
    [
        ([{"lr": 0.1}, {"weight_decay": 0.2}],
         ["group 0: learning_rate=0.1, weight_decay=0, 1 Parameters",
          "group 1: learning_rate=0.5, weight_decay=0.2, 1 Parameters"]),
        ([{"lr": nn.CosineDecayLR(0.0, 0.1, 10)}, {}],
         ["group 0: learning_rate=CosineDecayLR(min_lr=0.0, max_lr=0.1, decay_steps=10), weight_decay=0, 1 Parameters",
          "group 1: learning_rate=ConstantLearningRate(0.5), weight_decay=0, 1 Parameters"]),
    ],
)  # fmt: skip
def test_groups(groups: list[dict], want: list[str]) -> None:
    params = net().trainable_params()
    optimizer = nn.SGD([{"params": [p], **group} for p, group in zip(params, groups, strict=True)], 0.5)
    assert [line.strip() for line in repr(optimizer).splitlines() if "group" in line] == want


def test_schedules() -> None:
    assert repr(nn.WarmUpLR(0.1, 4)) == "WarmUpLR(learning_rate=0.1, warmup_steps=4)"

    class Own(nn.LearningRateSchedule):
        def __init__(self, base):
            super().__init__()
            self.rate = base

    assert repr(Own(0.1)) == "Own()"


def test_schedulers_of_epochs() -> None:
    optimizer = ms.mint.optim.AdamW(net().trainable_params(), lr=0.1)
    scheduler = ms.experimental.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    scheduler.step()
    assert repr(scheduler) == "StepLR(epoch=1, learning rates: 0.05)"
