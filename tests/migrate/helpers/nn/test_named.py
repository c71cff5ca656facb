"""Layers and functions of torch.nn that a program chooses by a computed name."""

import pytest
from converted_programs import assert_same_answers, execute

from sporax._src.migrate.helpers.nn.named import _FUNCTIONS, _LAYERS
from sporax._src.migrate.source.convert import convert

RECURRENT = ("GRU", "LSTM", "RNN")
CHOSEN = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def __init__(self, layer, function, options):
        super().__init__()
        self.layer = getattr(nn, layer)(**options)
        self.function = getattr(F, function)

    def forward(self, x):
        return torch.cat([self.layer(x), self.function(x)])

x = torch.linspace(-7, 7, 9)
answers = [Net(*choice).eval()(x.clone()).tolist() for choice in {choices}]
"""


def test_options_are_passed_on():
    choices = [("ReLU", "gelu", {"inplace": True}), ("ELU", "silu", {"alpha": 0.5})]
    assert_same_answers(CHOSEN.format(choices=choices))


def test_every_name_stands_for_what_torch_computes():
    layers = [(layer, "relu", {}) for layer in _LAYERS if layer not in RECURRENT]
    functions = [("Identity", function, {}) for function in _FUNCTIONS]
    assert_same_answers(CHOSEN.format(choices=layers + functions), atol=1e-5)


def test_recurrent_layers_are_torchs():
    assert_same_answers(f"""
import torch
from torch import nn

answers = []
for kind in {RECURRENT}:
    layer = getattr(nn, kind)(3, 2, num_layers=2, batch_first=True)
    answers.append([[name, list(p.shape)] for name, p in layer.named_parameters()])
""")


def test_another_name_raises():
    done = convert("import torch\ndef made(kind):\n    return getattr(torch.nn, kind)\n")
    assert not done.todo
    scope = {}
    execute(done, scope)
    with pytest.raises(AttributeError, match=r"torch.nn.Conv2d cannot be chosen by name; write the choice out"):
        scope["made"]("Conv2d")
