"""The names that arrays get when no net says what they are called."""

import pytest
import torch
from weight_files import pairs, saved

import sporax as ms
from sporax import mint, nn
from sporax.migrate import convert_weights

T = torch.nn


@pytest.mark.parametrize(("groups", "kernel"), [(4, 3), (1, 1), (2, 1)])
def test_one_dimensional_convolutions_with_axes_of_length_one(tmp_path, groups, kernel):
    net = T.Conv1d(4, 4, kernel, groups=groups)
    src = saved(tmp_path, {f"conv.{name}": value for name, value in net.state_dict().items()})
    convert_weights(src, tmp_path / "net.ckpt")
    kept = ms.load_checkpoint(str(tmp_path / "net.ckpt"))["conv.weight"]
    assert kept.shape == nn.Conv1d(4, 4, kernel, group=groups).weight.shape
    cell = nn.Cell()
    cell.conv = nn.Conv1d(4, 4, kernel, group=groups, has_bias=True)
    convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth", source_net=cell)
    assert torch.equal(torch.load(tmp_path / "back.pth", weights_only=True)["conv.weight"], net.weight)


def test_layers_of_mint_keep_the_names(tmp_path):
    net = T.Sequential(T.Conv1d(3, 4, 3), T.BatchNorm1d(4), T.Embedding(3, 2))
    report = convert_weights(saved(tmp_path, net.state_dict()), tmp_path / "net.ckpt", target="mint")
    assert report.counts() == {"carried": 8}
    cell = nn.SequentialCell(mint.nn.Conv1d(3, 4, 3), mint.nn.BatchNorm1d(4), mint.nn.Embedding(3, 2))
    assert ms.load_param_into_net(cell, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])


def test_transformers_call_their_linear_layers_otherwise(tmp_path):
    net = T.TransformerEncoderLayer(4, 2, 8)
    report = convert_weights(saved(tmp_path, {f"a.{k}": v for k, v in net.state_dict().items()}), tmp_path / "net.ckpt")
    assert pairs(report)["a.linear1.weight"] == "a.dense1.weight" and pairs(report)["a.norm1.bias"] == "a.norm1.beta"
    back = convert_weights(tmp_path / "net.ckpt", tmp_path / "back.pth")
    assert pairs(back)["a.dense2.bias"] == "a.linear2.bias"
