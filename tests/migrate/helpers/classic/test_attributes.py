"""Attributes of layers by torch's names, against those of torch's layers."""

import pytest
import torch

from sporax import Parameter, Tensor, nn
from sporax._src.migrate.helpers.classic.attributes import (
    _attribute,
    _has_attribute,
    _named_as_by_torch,
    _set_attribute,
)

NORM = ("weight", "bias", "running_mean", "running_var")
LAYERS = {
    "Linear": (nn.Dense(2, 3), torch.nn.Linear(2, 3), ("weight", "bias", "in_features", "out_features")),
    "Embedding": (nn.Embedding(4, 3), torch.nn.Embedding(4, 3), ("weight", "num_embeddings", "embedding_dim")),
    "PReLU": (nn.PReLU(2), torch.nn.PReLU(2), ("weight",)),
    "LayerNorm": (nn.LayerNorm((3,)), torch.nn.LayerNorm(3), ("weight", "bias")),
    "GroupNorm": (nn.GroupNorm(2, 4), torch.nn.GroupNorm(2, 4), ("weight", "bias", "num_groups", "num_channels")),
    "BatchNorm1d": (nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3), NORM),
    "BatchNorm2d": (nn.BatchNorm2d(3), torch.nn.BatchNorm2d(3), NORM),
    "BatchNorm3d": (nn.BatchNorm3d(3), torch.nn.BatchNorm3d(3), NORM),
}


def shape(value):
    """Return the shape of a Tensor, and any other value as it is."""
    return tuple(value.shape) if hasattr(value, "shape") else value


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_has_what_torchs_has(name):
    layer, theirs, attributes = LAYERS[name]
    assert all(_has_attribute(layer, attribute) for attribute in attributes)
    assert [shape(_attribute(layer, a)) for a in attributes] == [shape(getattr(theirs, a)) for a in attributes]


def test_a_name_that_is_missing_has_the_default_or_is_an_error():
    layer = LAYERS["PReLU"][0]
    assert not _has_attribute(layer, "bias") and _attribute(layer, "bias", None) is None
    with pytest.raises(AttributeError, match="bias"):
        _attribute(layer, "bias")


@pytest.mark.parametrize("name", ["BatchNorm1d", "BatchNorm3d"])
def test_what_is_set_is_what_the_layer_computes_with(name):
    cell = getattr(nn, name)(2)
    _set_attribute(cell, "bias", Parameter(Tensor([1.0, -2.0]), name="beta"))
    x = Tensor([[0.0] * 2]) if name == "BatchNorm1d" else Tensor([[[[[0.0]]], [[[0.0]]]]])
    assert cell.set_train(False)(x).asnumpy().ravel().tolist() == [1, -2]


@pytest.mark.parametrize("name", LAYERS)
def test_parameters_have_torchs_names(name):
    layer, theirs, _ = LAYERS[name]
    nets = nn.SequentialCell(nn.ReLU(), layer), torch.nn.Sequential(torch.nn.ReLU(), theirs)
    for prefix in ("", "net"):
        named = [(path, shape(p)) for path, p in _named_as_by_torch(nets[0], prefix)]
        assert named == [(path, shape(p)) for path, p in nets[1].named_parameters(prefix)]


def test_a_shared_parameter_is_named_once_unless_it_is_asked_for():
    ours, theirs = LAYERS["Linear"][:2]
    both = nn.CellList([ours, ours]), torch.nn.ModuleList([theirs, theirs])
    assert [n for n, _ in _named_as_by_torch(both[0])] == [n for n, _ in both[1].named_parameters()]
    assert list(_named_as_by_torch(both[0], recurse=False)) == []
