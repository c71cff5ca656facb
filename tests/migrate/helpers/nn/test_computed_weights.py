"""Norms of weights and masks: the rows of the torch map that use these helpers, and what a hook of one's own computes."""

import numpy as np
import pytest
import torch
from converted_programs import assert_same_answers
from torch_map_rows import check, rows_of

from sporax import Tensor, nn
from sporax._src.migrate.helpers.nn.computed_weights import _parametrized, _unparametrized

TestRows = rows_of("sporax._src.migrate.helpers.nn.computed_weights")


PRUNED = "import torch.nn.utils.prune as P; L = torch.nn.Linear(3, 2); A = P.is_pruned(L); P.l1_unstructured(L, 'weight', 2); "


@pytest.mark.parametrize(
    "last",
    [
        "[A, P.is_pruned(L)]",
        "P.remove(L, 'weight'); P.is_pruned(L)",
        "torch.nn.utils.weight_norm(L, 'bias'); P.remove(L, 'weight'); P.is_pruned(L)",
        "M = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2)); P.is_pruned(torch.nn.Sequential(M))",
        "[P.is_pruned(torch.nn.Sequential(torch.nn.ReLU(), layer)) for layer in (torch.nn.Linear(3, 2), L)]",
    ],
)
def test_a_net_tells_whether_it_is_pruned(last):
    check("torch.nn.utils.prune.is_pruned", PRUNED + last, "mint")


def test_a_weight_is_what_a_cell_makes_of_a_parameter():
    """The weight is computed at each call, and stays as it is when that is taken away."""
    data, x = np.array([[0.5, -1.25, 2.0]], np.float32), np.array([[1.0, 2.0, -0.5]], np.float32)
    ours, theirs = nn.Dense(3, 1, has_bias=False), torch.nn.Linear(3, 1, bias=False)
    ours.weight.set_data(Tensor(data))
    theirs.weight.data = torch.from_numpy(data)
    _parametrized(ours, "weight", nn.ReLU())
    torch.nn.utils.parametrize.register_parametrization(theirs, "weight", torch.nn.ReLU())

    def assert_same():
        np.testing.assert_allclose(ours(Tensor(x)).asnumpy(), theirs(torch.from_numpy(x)).detach().numpy(), rtol=1e-6)

    assert_same()
    ours.parametrizations.weight.original.set_data(Tensor(-data))
    theirs.parametrizations.weight.original.data = torch.from_numpy(-data)
    assert_same()
    _unparametrized(ours, "weight")
    torch.nn.utils.parametrize.remove_parametrizations(theirs, "weight")
    assert_same()
    assert [p.name for p in ours.trainable_params()] == ["weight"]


PROGRAM = """
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

class LowRank(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.full((3, 1), 0.5))
        self.b = nn.Parameter(torch.full((1, 2), 0.25))
    def forward(self, weight):
        return weight + self.a @ self.b

class Square(nn.Module):
    def forward(self, root):
        return root * root
    def right_inverse(self, weight):
        return weight.sqrt()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head, self.normed = nn.Linear(2, 3), nn.Linear(2, 3), nn.Linear(3, 2)
        with torch.no_grad():
            for n, p in enumerate(self.parameters()):
                p.copy_(torch.arange(1.0, p.numel() + 1).reshape(p.shape) / (n + 4))
        parametrize.register_parametrization(self.table, "weight", nn.Tanh())
        parametrize.register_parametrization(self.table, "weight", LowRank())
        parametrize.register_parametrization(self.head, "weight", Square())
        parametrize.register_parametrization(self.head, "bias", nn.Tanh())
        parametrizations.weight_norm(self.normed)
    def forward(self, x):
        return self.normed(self.head(x) + (self.table.weight * x).sum(1))

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
answers = [[name for name, _ in net.named_parameters()], parametrize.is_parametrized(net.table, "bias")]
for _ in range(3):
    optimizer.zero_grad()
    loss = net(torch.tensor([[0.5, -1.0]])).square().mean()
    loss.backward()
    optimizer.step()
    answers.append(loss.item())
answers += [net.table.weight.tolist(), net.head.parametrizations.weight.original.tolist(), net.normed.weight.tolist()]
parametrize.remove_parametrizations(net.head, "weight")
answers += [net.head.weight.tolist(), sorted(name for name, _ in net.named_parameters())]
"""


def test_parametrizations_compute_at_each_read_and_are_trained():
    assert_same_answers(PROGRAM, atol=1e-5)
