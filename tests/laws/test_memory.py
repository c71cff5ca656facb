"""Networks that are gone leave nothing in memory."""

import gc
from collections import Counter

import numpy as np
import pytest
from executables import executables, ones

import sporax as ms
from sporax import nn, ops


@pytest.fixture(autouse=True)
def few():
    ms.set_context(max_graphs=4)
    yield
    ms.set_context(max_graphs=64)


def trains() -> None:
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(4, 1))
    rows = ms.dataset.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False)
    ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={"mae"}).fit(1, rows.batch(2), rows.batch(2))


def comes_and_goes() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.norm = nn.Dense(3, 4), nn.LayerNorm((4,))

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            return ops.relu(self.norm(self.dense(x)))

    net = Net()
    ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(ones(2))


def objects() -> Counter:
    """Return how many objects there are, of sporax's classes by class and of all others together."""
    gc.collect()
    found: Counter = Counter()
    for thing in gc.get_objects():
        module = getattr(type(thing), "__module__", "")
        found[type(thing).__name__ if isinstance(module, str) and module.startswith("sporax") else "others"] += 1
    return found


@pytest.mark.parametrize("use", [trains, comes_and_goes])
def test_networks_that_are_gone_leave_nothing(use, mode):
    for _ in range(3):
        use()
    before, graphs = objects(), executables()
    for _ in range(4):
        use()
    more = objects() - before
    others = more.pop("others", 0)
    assert more == Counter() and executables() <= graphs
    assert others < 4 * 10, "each left that many lists, functions, ..."
