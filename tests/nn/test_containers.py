"""SequentialCell, CellList and CellDict: names, changes, errors."""

from collections import OrderedDict

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import nn

TestLayers = layers_of("sporax._src.nn.containers")


def names(cell: nn.Cell) -> list[str]:
    return [p.name for p in cell.get_parameters()]


def bias_free(n: int) -> list[nn.Dense]:
    return [nn.Dense(2, 2, has_bias=False) for _ in range(n)]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.block = nn.SequentialCell(bias_free(2))
        self.layers = nn.CellList(bias_free(2))
        self.later = nn.CellList()
        self.later.append(nn.Dense(2, 2, has_bias=False))

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        x = self.block(x)
        for layer in [*self.layers, *self.later]:
            x = layer(x)
        return x


def test_names_in_a_network() -> None:
    assert names(Net()) == ["block.0.weight", "block.1.weight", "layers.0.weight", "layers.1.weight", "0.weight"]


def test_changes_inside_a_network_keep_the_prefix() -> None:
    net = Net()
    net.block.append(bias_free(1)[0])
    net.layers.insert(0, bias_free(1)[0])
    del net.block[0]
    assert names(net.block) == ["block.0.weight", "block.1.weight"]
    assert names(net.layers) == ["layers.0.weight", "layers.1.weight", "layers.2.weight"]


def test_sequential_is_called_in_order(mode: int) -> None:
    net = nn.SequentialCell(OrderedDict(twice=nn.Dense(1, 1, 2, 0), plus=nn.Dense(1, 1, 1, 1)))
    assert net(ms.Tensor([[3.0]])).item() == 7
    assert names(net) == ["twice.weight", "twice.bias", "plus.weight", "plus.bias"]
    assert net.twice is net[0] is net.cell_list[0]


def test_a_change_after_compiling_is_seen(mode: int) -> None:
    net, x = nn.SequentialCell(nn.Dense(1, 1, 2, 0)), ms.Tensor([[1.0]])
    cells = Net()
    image = ms.Tensor(np.ones((1, 2), np.float32))
    assert net(x).item() == 2
    net.append(nn.Dense(1, 1, 5, 0))
    assert net(x).item() == 10
    before = cells(image).asnumpy()
    cells.layers.append(nn.Dense(2, 2, 0, 3))
    assert not np.allclose(cells(image).asnumpy(), before)


def test_slices() -> None:
    net = nn.SequentialCell(*bias_free(4))
    assert names(net[1:3]) == ["1.weight", "2.weight"]
    assert isinstance(net[1:3], nn.SequentialCell) and len(net[::2]) == 2
    cells = nn.CellList(bias_free(4))
    assert isinstance(cells[1:], nn.CellList) and len(cells[1:]) == 3
    assert cells[-1] is cells[3]


def test_setting_and_deleting() -> None:
    cells, new = nn.CellList(bias_free(3)), bias_free(1)[0]
    cells[1] = new
    assert cells[1] is new and names(cells) == ["0.weight", "1.weight", "2.weight"]
    del cells[0]
    assert cells[0] is new and names(cells) == ["0.weight", "1.weight"]
    del cells[:]
    assert len(cells) == 0 and not cells
    net = nn.SequentialCell(*bias_free(2))
    net[-1] = new
    assert net[1] is new and net.cell_list[1] is new and new.weight.name == "1.weight"


def test_extend_and_add() -> None:
    cells = nn.CellList(bias_free(1))
    cells += bias_free(1)
    assert cells.extend(bias_free(1)) is cells and names(cells) == ["0.weight", "1.weight", "2.weight"]


def test_without_prefix() -> None:
    cells = nn.CellList(bias_free(1), auto_prefix=False)
    assert names(cells) == ["weight"]


def test_cell_dict() -> None:
    cells = nn.CellDict({"a": nn.Dense(2, 2), "b": nn.ReLU()})
    cells.update([("c", nn.Dense(2, 2))])
    assert names(cells) == ["a.weight", "a.bias", "c.weight", "c.bias"]
    assert list(cells) == list(cells.keys()) == ["a", "b", "c"] and "b" in cells and len(cells) == 3
    assert cells.a is cells["a"] and next(iter(cells.values())) is cells.a and next(iter(cells.items()))[0] == "a"
    assert isinstance(cells.pop("b"), nn.ReLU) and "b" not in cells
    cells.clear()
    assert not cells


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: nn.SequentialCell((nn.ReLU(),)), TypeError, "nn.SequentialCell: expected Cells"),
        (lambda: nn.SequentialCell(nn.ReLU(), 3), TypeError, "nn.SequentialCell: each element must be a Cell, got 3."),
        (lambda: nn.CellList((nn.ReLU(),)), TypeError, "must be given as a list"),
        (lambda: nn.CellList([nn.CellDict()]), TypeError, "must not be a CellDict"),
        (lambda: nn.CellList([nn.ReLU()])[1], IndexError, "the index must be in [-1, 1), got 1."),
        (lambda: nn.CellList([nn.ReLU()])["a"], TypeError, "the index must be an integer, got 'a'."),
        (lambda: nn.CellList([nn.ReLU()]).insert(3, nn.ReLU()), IndexError, "the index must be in [-1, 1], got 3."),
        (lambda: nn.CellList([nn.ReLU()])(1), NotImplementedError, "nn.CellList has no construct"),
        (lambda: nn.CellDict({1: nn.ReLU()}), TypeError, "a key must be a string, got 1."),
        (lambda: nn.CellDict({"a.b": nn.ReLU()}), KeyError, "must not be empty or contain '.'"),
        (lambda: nn.CellDict({"cells": nn.ReLU()}), KeyError, "must not be an attribute of Cell"),
        (lambda: nn.CellDict({"a": nn.CellList()}), TypeError, "must not be a CellDict, CellList or SequentialCell"),
        (lambda: nn.CellDict(3), TypeError, "expected a mapping or pairs"),
        (lambda: nn.CellDict([("a",)]), ValueError, "must be a pair, got 1 items"),
    ],
)
def test_errors(call, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)
