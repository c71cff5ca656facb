"""The names and the order of Parameters of networks that change: what checkpoints call them."""

from collections import OrderedDict
from pathlib import Path

import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn

from .common import attempt, set_mode, write_json

# Statements that build `net`; D(n) is a layer without bias, `Net` a Cell, `Block` a Cell with two SequentialCells.
CASES = """
net = nn.SequentialCell(D(1), D(2))
net = nn.SequentialCell([D(1)]); net.append(D(2))
net = nn.SequentialCell(); net.append(D(1)); net.append(D(2))
net = nn.SequentialCell(Block()); net.append(Block())
net = nn.SequentialCell(Block(), Block()); net.append(Block())
net = nn.SequentialCell(nn.ReLU(), D(1)); net.append(D(2))
net = nn.SequentialCell(nn.ReLU()); net.append(Block())
net = nn.SequentialCell(OrderedDict(a=D(1), b=D(2))); net.append(D(3))
net = nn.SequentialCell(OrderedDict(a=D(1), b=D(2))); del net[0]
net = nn.SequentialCell(D(1), D(2), D(3)); del net[0]
net = nn.SequentialCell(D(1), D(2), D(3)); del net[0:2]; net.append(D(4))
net = nn.SequentialCell(D(1), D(2)); net[0] = D(3)
net = nn.SequentialCell(D(1), D(2))[1:]
net = Net(); net.seq = nn.SequentialCell(D(1)); net.seq.append(D(2))
net = Net(); net.seq = nn.SequentialCell(D(1), D(2)); net.seq.append(D(3))
net = Net(); net.seq = nn.SequentialCell(Block()); net.seq.append(Block()); net.seq.append(Block())
net = Net(); net.seq = nn.SequentialCell(Block(), Block()); net.seq.append(Block())
net = Net(); net.seq = nn.SequentialCell(Block(), Block()); net.seq[0] = Block()
net = Net(); net.seq = nn.SequentialCell(Block(), Block(), Block()); del net.seq[1]
net = Net(); net.seq = nn.SequentialCell(Block(), Block(), Block()); del net.seq[0:2]
net = Net(); net.seq = nn.SequentialCell(Block()); net.seq.append(Block()); net.head = net.seq
net = Net(); net.stages = nn.SequentialCell(nn.SequentialCell(D(1))); net.stages[0].append(D(2)); net.stages.append(D(3))
net = Net(); net.stages = nn.CellList([nn.SequentialCell(Block()), nn.SequentialCell(Block())]); net.stages[1].append(Block())
net = Net(); net.stages = nn.CellList([nn.CellList([Block()])]); net.stages[0].append(Block()); net.stages.append(Block())
net = nn.CellList([D(1), D(2)])
net = nn.CellList(); net.append(D(1)); net.append(D(2))
net = nn.CellList([Block()]); net.append(Block()); net.append(Block())
net = nn.CellList([Block()]); net.extend([Block(), Block()])
net = nn.CellList([Block()]); net += [Block(), Block()]
net = nn.CellList([Block(), Block()]); net.insert(0, Block())
net = nn.CellList([Block()]); net.insert(0, D(1)); net.insert(1, Block())
net = nn.CellList([D(1), D(2), D(3)]); net.insert(1, D(4))
net = nn.CellList([D(1), D(2), D(3)]); net.insert(-1, D(4))
net = nn.CellList([D(1), D(2), D(3)]); net.insert(3, Block())
net = nn.CellList([D(1), D(2), D(3)]); del net[0]
net = nn.CellList([D(1), D(2), D(3)]); del net[0:2]
net = nn.CellList([Block(), Block(), Block()]); del net[1]; net.append(Block())
net = nn.CellList([D(1), D(2)]); net[1] = Block()
net = nn.CellList([D(1), D(2)])[1:]
net = nn.CellList([D(1), D(2)], auto_prefix=False)
net = nn.CellList([P('a'), P('b')], auto_prefix=False); net.append(P('c')); net.insert(0, P('d')); del net[1]
net = Net(); net.cells_ = nn.CellList([Block()]); net.cells_.append(Block())
net = Net(); net.cells_ = nn.CellList([Block(), Block()]); net.cells_.append(Block())
net = Net(); net.cells_ = nn.CellList([Block(), Block()]); net.cells_.insert(0, Block())
net = Net(); net.cells_ = nn.CellList([Block(), Block()]); net.cells_.extend([Block()])
net = Net(); net.cells_ = nn.CellList([Block(), Block()]); del net.cells_[0]
net = Net(); net.cells_ = nn.CellList([Block(), Block()]); net.cells_[1] = D(1)
net = nn.CellDict({'a': D(1)}); net['b'] = D(2)
net = nn.CellDict({'a': Block()}); net['b'] = Block(); net['a'] = D(1)
net = Net(); net.parts = nn.CellDict({'a': Block()}); net.parts['b'] = Block()
net = Net(); net.parts = nn.CellDict({'a': Block(), 'b': Block()}); net.parts['c'] = Block(); net.parts.update({'a': D(1)})
net = Net(); net.parts = nn.CellDict({'a': Block(), 'b': Block()}); del net.parts['a']; net.parts['d'] = D(1)
net = Net(); net.insert_child_to_cell('fc', D(1))
net = Net(); net.insert_child_to_cell('fc', D(1)); net.insert_child_to_cell('fc', D(2))
net = Net(); net.fc = D(1); net.insert_child_to_cell('fc', D(2))
net = Net(); net.insert_child_to_cell('fc', Block()); net.insert_child_to_cell('head', Block())
net = Net(); net.insert_child_to_cell('fc', None); net.fc = D(1)
net = Net(); net.insert_child_to_cell('a.b', D(1))
net = Net(); net.insert_child_to_cell('', D(1))
net = Net(); net.insert_child_to_cell('construct', D(1))
net = Net(); net.insert_child_to_cell('fc', 1)
net = Net(); net.insert_child_to_cell(1, D(1))
net = Net(); net.a = D(1); net.b = D(2); net.a = D(3)
net = Net(); net.a = D(1); net.b = D(2); del net.a; net.a = D(3)
net = Net(); net.a = D(1); net.b = D(2); net.a = None; net.a = D(3)
net = Net(); net.a = D(1); net.b = D(2); net.a = None
net = Net(); net.a = parameter(); net.b = parameter(); net.a = parameter()
net = Net(); net.a = parameter(); net.b = parameter(); net.a = None; net.a = parameter()
net = Net(); net.a = parameter(); net.b = parameter(); del net.a; net.a = parameter()
net = Net(); net.a = parameter('x'); net.b = parameter('y')
net = Net(); net.all = ParameterTuple((parameter('x'), parameter('y'))); net.b = D(1)
net = Net(); net.a = Net(); net.a.p = parameter('x'); net.b = Net(); net.b.p = parameter()
net = Net(); net.a = D(1); net.b = net.a
net = Net(); net.a = D(1); net.b = Net(); net.b.c = net.a
net = Net(auto_prefix=False); net.a = D(1); net.b = P('p')
net = Net(); net.block = Block(); net.block.first = nn.SequentialCell(D(1), D(2))
net = Net(); net.a = Block(); net.update_parameters_name('x.')
net = Net(); net.a = Net(); net.a.p = parameter('x'); net.update_parameters_name('')
net = Net(); net.a = Block(); net.a.update_parameters_name('x.'); net.update_parameters_name()
net = Net(); net.a = Block(); net.a.update_parameters_name('x.', recurse=False)
net = Called(); net.a = nn.CellList(); net.b = nn.CellList(); net.a.append(D(1)); net.b.append(D(2))
net = Called(); net.a = nn.CellList(); net.b = nn.CellList(); net.a.append(D(1)); net.b.append(D(2)); net()
net = Called(); net.a = nn.CellList(); net.a.append(D(1)); net()
net = Called(); net.a = Block(); net.a.update_parameters_name('x.'); net()
net = Called(); net.a = D(1); net(); net.b = D(2); net.b.weight.name = 'a.weight'; net()
"""


class Net(nn.Cell):
    """An empty Cell."""


class Called(nn.Cell):
    """A Cell that gives a number."""

    def construct(self) -> int:
        """Return 1."""
        return 1


class Block(nn.Cell):
    """A block of a published network: SequentialCells whose Parameters have numbers in their names."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.SequentialCell(layer(1), nn.ReLU(), layer(2))
        self.second = nn.SequentialCell(layer(3))


def layer(size: int) -> nn.Cell:
    """Return a layer with one Parameter."""
    return nn.Dense(size, 1, has_bias=False)


def parameter(*name: str) -> Parameter:
    """Return a Parameter, with a name or without."""
    return Parameter(Tensor(np.zeros(1, np.float32)), *name)


def own(name: str) -> nn.Cell:
    """Return a Cell whose Parameter has a name of its own."""
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


def names(statements: str) -> list[list[str]]:
    """Return path and name of every Parameter of the network that these statements build."""
    scope = dict(SCOPE)
    exec(statements, scope)
    return [[path, item.name] for path, item in scope["net"].parameters_and_names()]


def record(out: Path) -> None:
    """Write ``parameter_names.json``."""
    set_mode("pynative")
    cases = {}
    for text in CASES.strip().splitlines():
        found, error = attempt(lambda: names(text))  # noqa: B023
        cases[text] = {"error": error} if error else {"parameters": found}
    write_json(out / "parameter_names.json", {"cases": cases})
