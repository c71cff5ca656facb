"""Optimizers of torch.optim that a program chooses by a computed name take torch's steps."""

import pytest
from converted_programs import assert_same_answers, execute

from sporax._src.migrate.helpers.training.named_optimizers import _OPTIMIZERS
from sporax._src.migrate.source.convert import convert

TRAINED = """
import torch
from torch import nn, optim

def run(name, **options):
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) + 0.1 * i)
    optimizer = getattr(optim, name)(net.parameters(), **options)
    x = torch.linspace(-1, 1, 12).reshape(4, 3)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = ((net(x) - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses

answers = [run(name, **options) for name, options in {choices}]
"""
OF_CLOSURES = ("LBFGS",)
TOLERANCE = 4e-6  # of losses up to 3.3: the last bits of float32


def test_every_name_takes_torchs_steps():
    choices = [(name, {"lr": 0.02}) for name in _OPTIMIZERS if name not in OF_CLOSURES]
    assert_same_answers(TRAINED.format(choices=choices), atol=TOLERANCE, targets=("mint",))


def test_options_are_passed_on_and_those_of_execution_are_not():
    choices = [
        ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 1, "nesterov": True, "foreach": False}),
        ("Adam", {"weight_decay": 0.1, "fused": False}),
        ("AdamW", {"amsgrad": True, "maximize": True}),
        ("RMSprop", {"centered": True, "momentum": 0.5}),
    ]
    assert_same_answers(TRAINED.format(choices=choices), atol=TOLERANCE, targets=("mint",))


def test_another_name_raises():
    done = convert("import torch\ndef made(kind):\n    return getattr(torch.optim, kind)\n")
    assert not done.todo
    scope = {}
    execute(done, scope)
    with pytest.raises(AttributeError, match=r"torch.optim.Muon cannot be chosen by name; write the choice out"):
        scope["made"]("Muon")
