"""Attributes that layers have by various names, of objects that may be any of them."""

import types

from converted_programs import execute

from sporax._src.migrate.source.convert import convert

LAYERS_OF_ANY_KIND = """
import torch
from torch import nn

def init(m):
    if hasattr(m, "weight") and getattr(m, "weight", None) is not None:
        m.weight.data.fill_(2.0)
        m.bias = nn.Parameter(m.weight[0].detach().reshape(-1)[:1] + 1)

layers = [nn.Linear(1, 1), nn.BatchNorm1d(1), nn.BatchNorm3d(1), nn.LayerNorm(1), nn.GroupNorm(1, 1)]
for layer in layers:
    init(layer)
RESULT = [float(v) for layer in layers for v in (layer.weight.detach().sum(), layer.bias.detach().sum())]
sizes = [nn.Embedding(3, 2)][0].embedding_dim, [nn.Linear(4, 5)][0].out_features
names = [n for layer in layers for n, _ in nn.Sequential(layer).named_parameters()]
"""


def test_attributes_of_layers_of_any_kind():
    """The target classic has other names for them: of an object that may be any layer, it is asked when it runs."""
    converted = convert(LAYERS_OF_ANY_KIND, target="classic")
    assert not converted.todo
    assert "_attribute(m, 'weight')" in converted.text
    assert '_has_attribute(m, "weight")' in converted.text
    assert '_set_attribute(m, "bias", mindspore.Parameter(' in converted.text
    theirs, ours = {}, types.ModuleType("converted")
    exec(LAYERS_OF_ANY_KIND, theirs)
    execute(converted, vars(ours))
    for name in ("RESULT", "sizes", "names"):
        assert getattr(ours, name) == theirs[name], name


def test_attributes_that_keep_their_names():
    """Of what is known to be no such layer, of settings, and for the target mint."""
    text = "import torch\nclass C:\n    pass\nc = C()\nx = c.weight\nl = torch.nn.Linear(2, 3, bias=config.bias)\n"
    assert "_attribute" not in convert(text, target="classic").text
    assert "_attribute" not in convert(LAYERS_OF_ANY_KIND).text
