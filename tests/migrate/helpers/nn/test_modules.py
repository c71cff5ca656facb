"""Methods of Modules, and containers: the rows of the torch map that use these helpers."""

import pytest
from converted_programs import assert_same_answers
from torch_map_rows import rows_of

from sporax import nn
from sporax._src.migrate.helpers.nn.modules import _at_path, _named_parameters

TestRows = rows_of("sporax._src.migrate.helpers.nn.modules")


def test_containers_may_have_none():
    assert_same_answers("""
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, last=None):
        super().__init__()
        self.parts = nn.ModuleList()
        for i in range(2):
            self.parts.append(nn.Linear(2, 2) if i else None)
        self.parts.append(last)
        self.heads = nn.ModuleDict({"a": None})
        self.heads["b"] = nn.Tanh()
        self.heads["c"] = None
    def forward(self, x):
        for part in self.parts:
            if part is not None:
                x = part(x)
        return [head(x) for head in self.heads.values() if head is not None][0]
net = Net()
names = [n for n, p in net.named_parameters()], [n for n, m in net.named_modules()], list(net.heads)
answers = [[m is None for m in net.parts], list(net(torch.ones(1, 2)).shape), *names]
""")


def test_a_shared_module_has_all_its_names_in_the_state():
    assert_same_answers("""
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.c = nn.Sequential(self.a, nn.ReLU())
net = Net()
names = list(net.state_dict())
keys = net.load_state_dict({name: torch.full((2, 2) if "weight" in name else (2,), 3.0) for name in names})
missing = net.load_state_dict({"a.weight": torch.zeros(2, 2)}, strict=False)
answers = [names, list(keys.missing_keys), list(keys.unexpected_keys), net.b.bias.tolist(), list(missing.missing_keys)]
""")


def test_an_optimizer_that_a_module_has_is_no_module():
    assert_same_answers("""
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.optimizer = torch.optim.Adam(self.layer.parameters(), lr=0.1)
net = Net()
names = [n for n, _ in net.named_parameters()], [n for n, _ in net.named_buffers()]
answers = [*names, len(list(net.parameters())), len(list(net.modules())), [n for n, _ in net.named_modules(memo=set())]]
""")


def test_a_path_of_nothing_is_an_error_of_attributes():
    with pytest.raises(AttributeError, match="the Module has nothing of this kind at `gone`"):
        _at_path(_named_parameters(nn.Dense(2, 2)), "gone")
