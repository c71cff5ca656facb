"""Classes and functions: bases, methods, parameters and decorators."""

import pytest
from converted_programs import assert_same_answers, execute
from converted_text import body, converted

from sporax._src.migrate.source.convert import convert


def test_modules_become_cells():
    text = "class Net(nn.Module):\n    def forward(self, x):\n        return x\nnet = Net()\ny = net.forward(1)\n"
    expected = "class Net(nn.Cell):\n    def construct(self, x):\n        return x\nnet = Net().set_train()\ny = net.construct(1)\n"
    assert body(text) == expected


def test_decorators_that_change_nothing_here_go():
    decorators = "@torch.jit.ignore\n@torch.jit.ignore(drop=True)\n@torch.compiler.disable()\n"
    assert body(f"{decorators}@other\ndef f(x):\n    return x\n") == "@other\ndef f(x):\n    return x\n"


def test_the_first_parameter_of_a_static_method_is_no_object():
    text = "class Own:\n    @staticmethod\n    def f(mask: torch.Tensor):\n        return mask.size()\n"
    assert "return mask.shape" in body(text)


def test_the_annotation_of_several_arguments_is_that_of_each():
    assert_same_answers("""
import torch

def zeros(*shape: int, **options: bool):
    return torch.zeros(shape), options

def added(*xs: torch.Tensor):
    return torch.stack(xs).sum(0) + xs[0].size(0)

x = torch.tensor([1.0, 2.0])
answers = [list(zeros(2, 3, a=True)[0].shape), added(x, x, x).tolist()]
""")


def test_overridden_methods():
    lines = (
        "class Net(nn.Module):",
        "    def extra_repr(self):",
        "        return ''",
        "    def train(self, mode=True):",
        "        return self",
    )
    text = "\n".join(converted(*lines))
    assert "def extend_repr(self)" in text
    assert "def set_train(self, mode=True)" in text


SCRIPTED = """import torch
class Base(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
    @torch.jit.script_method
    def forward(self, x):
        return self.norm(x).relu()
class Net(Base):
    pass
net = Net()
answers = [name for name, _ in net.named_parameters()]
for training in (True, False):
    net.train(training)
    answers += net(torch.arange(6.0).reshape(3, 2)).flatten().tolist()
"""


def test_a_scripted_module_is_a_cell() -> None:
    """Torch compiles scripts from files only, so it runs the program without the compiler."""
    plain = SCRIPTED.replace("torch.jit.ScriptModule", "torch.nn.Module").replace("    @torch.jit.script_method\n", "")
    exec(plain, theirs := {})
    done = convert(SCRIPTED)
    assert not done.todo and "_new_module" in done.text
    execute(done, ours := {})
    assert ours["answers"][:2] == theirs["answers"][:2]
    assert ours["answers"][2:] == pytest.approx(theirs["answers"][2:], abs=1e-6)


TRAINER = """import torch
from torch import nn

class Layer(nn.Linear):
    def train(self, x, y):
        return self.forward(x) + y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer(2, 2)
        self.drop = nn.Dropout(0.5)

    def fit(self, x):
        return self.train(x, x)

    def train(self, x, y):
        return self.layer.train(x, y)

net = Net()
found = list(net.fit(torch.ones(3, 2)).shape), list(net.train(torch.ones(1, 2), 1).shape), net.drop.training
"""


def test_a_method_called_train_that_takes_data_is_no_switch_of_modes() -> None:
    done = convert(TRAINER)
    assert not done.todo
    assert done.text.count(".train(") == 3
    execute(done, ours := {})
    assert ours["found"] == ([3, 2], [1, 2], True)
