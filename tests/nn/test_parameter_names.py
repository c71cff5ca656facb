"""Parameters of networks that change have MindSpore's names and order, which checkpoints hold."""

import json
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from sporax import Parameter, ParameterTuple, Tensor, nn

CASES = json.loads((Path(__file__).parent.parent / "goldens" / "parameter_names.json").read_text())["cases"]


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
