"""Names: Parameters have MindSpore's, which checkpoints hold, and programs may use any that MindSpore leaves free."""

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, ParameterTuple, Tensor, nn

NAMES = (
    "_assign", "_construct", "_flags", "_forget", "_hooks", "_invalidate", "_keep", "_own", "_region", "_run", "_version",
    "changed_since", "fingerprint", "graph", "path_to", "states",
)  # fmt: skip


class Two(nn.Cell):
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

    expected = trained(Two())
    net = type("Own", (Two,), {name: method})()
    assert trained(net) == expected
    assert getattr(net, name).__func__ is method
    net = Two()
    setattr(net, name, [1, 2])
    assert trained(net) == expected
    assert getattr(net, name) == [1, 2]
    assert net.get_flags()["some"]


CASES = json.loads((Path(__file__).parents[2] / "goldens" / "parameter_names.json").read_text())["cases"]


class Net(nn.Cell):
    """An empty Cell."""


class Called(nn.Cell):
    """A Cell that gives a number."""

    def construct(self) -> int:
        return 1


class Block(nn.Cell):
    """A block of a published network: SequentialCells whose Parameters have numbers in their names."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.SequentialCell(layer(1), nn.ReLU(), layer(2))
        self.second = nn.SequentialCell(layer(3))


def layer(size: int) -> nn.Cell:
    return nn.Dense(size, 1, has_bias=False)


def parameter(*name: str) -> Parameter:
    return Parameter(Tensor(np.zeros(1, np.float32)), *name)


def own(name: str) -> nn.Cell:
    cell = Net()
    cell.p = parameter(name)
    return cell


SCOPE = {
    "nn": nn,
    "OrderedDict": OrderedDict,
    "ParameterTuple": ParameterTuple,
    "Net": Net,
    "Called": Called,
    "Block": Block,
    "D": layer,
    "P": own,
    "parameter": parameter,
}


@pytest.mark.parametrize("statements", [text for text, case in CASES.items() if "error" not in case])
def test_names(statements: str) -> None:
    scope = dict(SCOPE)
    exec(statements, scope)
    got = [[path, p.name] for path, p in scope["net"].parameters_and_names()]
    assert got == CASES[statements]["parameters"]


@pytest.mark.parametrize("statements", [text for text, case in CASES.items() if "error" in case])
def test_errors(statements: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError), match=r"insert_child_to_cell|two Parameters") as error:
        exec(statements, dict(SCOPE))
    assert type(error.value).__name__ == CASES[statements]["error"].split(":")[0]


def test_a_replaced_child_is_what_runs() -> None:
    """An attribute, the children and a call agree on the child that was inserted last; a removed one is gone."""
    net = Net()
    net.insert_child_to_cell("fc", nn.ReLU())
    net.insert_child_to_cell("fc", nn.Tanh())
    assert net.fc is next(iter(net.cells())) and isinstance(net.fc, nn.Tanh)
    del net.fc
    assert not hasattr(net, "fc") and not list(net.cells())
    cells = nn.SequentialCell(nn.ReLU())
    delattr(cells, "0")
    assert not list(cells.cells())
    with pytest.raises(AttributeError, match="other"):
        del net.other
