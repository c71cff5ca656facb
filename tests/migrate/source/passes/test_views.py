"""Writes into views: they reach the Tensor that the view is of, as in torch, or are refused."""

import types

import pytest
import torch
from converted_programs import execute

from sporax._src.migrate.source.convert import convert

HEAD = "import torch\nx = torch.arange(12.0).reshape(3, 4)\n"
WRITES = [
    "x[0].fill_(1)",
    "x[:, 1:].mul_(2)",
    "x[0, 1].sin_()",
    "x[..., -1].copy_(torch.ones(3))",
    "x[x > 3].add_(1)",
    "x.view(-1).add_(1)",
    "x.unsqueeze(0).mul_(2)",
    "x.t().mul_(2)",
    "x.T.sub_(1)",
    "x.transpose(0, 1).cos_()",
    "x.data.zero_()",
    "x.detach().fill_(2)",
    "x.data -= 0.5",
    "x.data[0] = 1",
    "x.data = x * 2",
    "x[0][1] = 5",
    "x[0][1] += 5",
    "x[0][1:] = 5",
    "x[:2] *= 3",
    "y = x\ny += 1\nx = x * 1",
    "y = x\ny **= 2\nx = x * 1",
    "y = x.clone()\ny += 1",
    "y = x.view(-1) * 1\ny.zero_()",
    "y = x[0]\ny = y + 1\ny.zero_()",
    "x.add_(1).mul_(2)",
    "rows = [x, x]\nrows[0].add_(1)\nrows[1][0] = 3",
    "x = x.view(-1)\nx.add_(1)",
    "x = ~x.int()",
    "x = ~(x > 3)",
]
REFUSED = [
    "x.diagonal().fill_(0)\nx",
    "x[0].add_(1).mul_(2)",
    "z = x[0].add_(1)",
    "torch.transpose(x, 0, 1).add_(1)",
    "y = x.t()\ny.mul_(2)\nprint(x)",
    "y = x[0]\nx.add_(1)\nprint(y)",
    "y = x.view(-1)\ny[0] = 5\nprint(x)",
    "y = x.view(-1)\ny += 5\nprint(x)",
    "a, b = x.chunk(2)\na.zero_()\nprint(x)",
    "for row in x:\n    row.add_(1)\nprint(x)",
    "x.view(3, 2, 2)[0] = 1",
    "x[1:][0] = 1",
    "def f(x: torch.Tensor, i):\n    x[i].add_(1)",
    "def f(x: torch.Tensor):\n    y = x.view(-1)\n    y[0] = 1\n    return y",
    "class A:\n    def __init__(self):\n        self.x = torch.ones(3)\n\n    def f(self):\n"
    "        y = self.x.view(-1)\n        y.add_(1)",
]
LEFT = [
    "y = x.t()\ny[0] = 2\nprint(y)",
    "y = x.view(-1)\ny[0] = 5\nprint(y)",
    "class D:\n    def __init__(self):\n        self.data = [1]\n        self.data[0] = 2\n        self.data += [1]",
    "import numpy as np\na = np.ones(3)\nb = a.std()\nc = (a + 1)[0].sum(axis=0)",
    "a = [1]\nb = a\nb += [2]\nprint(a)",
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("target", ["mint", "classic"])
def test_write_reaches_the_tensor(write, target):
    program = f"{HEAD}{write}\n"
    converted = convert(program, target=target)
    assert not converted.todo
    theirs, ours = {}, types.ModuleType("converted")
    exec(compile(program, write, "exec"), theirs)
    execute(converted, vars(ours))
    assert str(ours.x.dtype).lower() == str(theirs["x"].dtype).removeprefix("torch.")
    assert torch.allclose(torch.from_numpy(ours.x.asnumpy()).double(), theirs["x"].double(), atol=1e-6)


@pytest.mark.parametrize("write", REFUSED)
def test_write_that_would_be_lost_is_refused(write):
    todo = convert(f"{HEAD}{write}\n", target="classic").todo
    assert len(todo) == 1
    assert "is a view of" in todo[0][1]


@pytest.mark.parametrize("program", LEFT)
def test_what_nothing_else_sees_is_left(program):
    converted = convert(f"{HEAD}{program}\n", target="classic")
    assert not converted.todo
    assert converted.text.endswith(f"{program}\n")


def test_data_of_a_parameter_is_the_parameter():
    text = f"{HEAD}for p in [x]:\n    p.data -= 0.1 * p.grad\n    p.data = p.data - p.grad\n"
    assert convert(text).text.endswith("    p.sub_(0.1 * p.grad)\n    p.assign_value(p.data - p.grad)\n")


def test_data_of_a_layers_weight_is_the_weight():
    text = "import torch\nlayer = torch.nn.Linear(2, 1)\nlayer.weight.data = torch.ones(1, 2)\nlayer.bias.data[0] = 3\n"
    assert convert(text).text.endswith("layer.weight.assign_value(mint.ones((1, 2)))\nlayer.bias[0] = 3\n")
