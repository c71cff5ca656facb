"""Cells of programs may call their methods and attributes what they like: no name of Cell that MindSpore's lacks is in the way."""

from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn

NAMES = (
    "_assign", "_construct", "_flags", "_forget", "_hooks", "_invalidate", "_keep", "_own", "_region", "_run", "_version",
    "changed_since", "fingerprint", "graph", "path_to", "states",
)  # fmt: skip


class Net(nn.Cell):
    """Two layers, one of them in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(3, 2, weight_init="ones", has_bias=False)
        self.more = nn.CellList([nn.Dense(2, 1, weight_init="ones", has_bias=False)])

    def construct(self, x: Tensor) -> Tensor:
        return self.more[0](self.first(x)).sum()


def trained(net: nn.Cell) -> list[float]:
    """Return the loss before and after two steps, with a hook at last."""
    x = Tensor(np.ones((2, 3), np.float32))
    net.set_train()
    losses = [net(x)]
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01))
    losses += [step(x), step(x)]
    net.to_float(ms.float32)
    net.add_flags(some=True)
    net.register_forward_hook(lambda cell, inputs, output: output + 1)
    return [float(loss) for loss in [*losses, net(x)]]


@pytest.mark.parametrize("name", NAMES)
def test_own_methods_and_attributes(name: str, mode: int) -> None:
    """A program's method or attribute of such a name changes nothing, and stays what it is."""

    def method(self: Any, first: Any, second: Any, third: Any) -> Any:
        raise AssertionError

    expected = trained(Net())
    net = type("Own", (Net,), {name: method})()
    assert trained(net) == expected
    assert getattr(net, name).__func__ is method
    net = Net()
    setattr(net, name, [1, 2])
    assert trained(net) == expected
    assert getattr(net, name) == [1, 2]
    assert net.get_flags()["some"]
