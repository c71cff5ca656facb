"""Arrays in the other side's layout, names that share an array, and what fits nowhere."""

import numpy as np
import torch
from weight_files import statuses
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax._src.migrate.weights.carry import assemble
from sporax._src.migrate.weights.entries import Entry, Slot
from sporax.migrate import convert_weights, transfer_weights

T = torch.nn


def tied_torch() -> torch.nn.Module:
    net = Torch(embed=T.Embedding(5, 3), head=T.Linear(3, 5, bias=False))
    net.head.weight = net.embed.weight
    return net


def test_ties_are_told():
    tied = Net(embed=nn.Embedding(5, 3))
    report = transfer_weights(tied_torch(), tied)
    assert statuses(report) == {"embed.weight": "renamed", "head.weight": "tied"}
    back = transfer_weights(tied, tied_torch())
    assert statuses(back) == {"embed.embedding_table": "renamed", "head.weight": "tied"}
    both = Net(embed=nn.Embedding(5, 3), head=nn.Dense(3, 5, has_bias=False))
    assert transfer_weights(tied_torch(), both).ok


def test_a_tied_name_that_the_file_leaves_out_is_filled(tmp_path):
    net = tied_torch()
    torch.save({"embed.weight": net.embed.weight}, tmp_path / "net.pth")
    both = Net(embed=nn.Embedding(5, 3), head=nn.Dense(3, 5, has_bias=False))
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", source_net=net, target_net=both)
    assert report.ok, report
    assert set(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == {"embed.embedding_table", "head.weight"}


def test_equal_matrices_are_ties_and_equal_vectors_are_not(tmp_path):
    table = torch.rand(5, 3)
    state = {"embed.weight": table, "head.weight": table.clone(), "a.bias": torch.zeros(3), "b.bias": torch.zeros(3)}
    torch.save(state, tmp_path / "net.pth")
    cell = Net(embed=nn.Embedding(5, 3), a=nn.Dense(2, 3))
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell, partial=True)
    assert statuses(report)["head.weight"] == "tied" and statuses(report)["b.bias"] == "unexpected"


def test_linear_layers_with_inputs_first_are_transposed():
    class Conv1D(torch.nn.Module):
        def __init__(self, outputs, inputs):
            super().__init__()
            self.weight, self.bias = T.Parameter(torch.rand(inputs, outputs)), T.Parameter(torch.rand(outputs))

    net = Torch(c_attn=Conv1D(12, 4), c_proj=Conv1D(4, 4), c_fc=Conv1D(5, 4))
    cell = Net(q=nn.Dense(4, 4), k=nn.Dense(4, 4), v=nn.Dense(4, 4), c_proj=nn.Dense(4, 4), c_fc=nn.Dense(4, 5))
    report = transfer_weights(net, cell)
    assert report.ok, report
    np.testing.assert_array_equal(cell.c_fc.weight.asnumpy(), net.c_fc.weight.detach().numpy().T)
    np.testing.assert_array_equal(cell.k.weight.asnumpy(), net.c_attn.weight.detach().numpy()[:, 4:8].T)
    again = Torch(c_attn=Conv1D(12, 4), c_proj=Conv1D(4, 4), c_fc=Conv1D(5, 4))
    assert transfer_weights(cell, again).ok
    assert torch.equal(again.c_attn.weight, net.c_attn.weight)


def test_shapes_that_differ_are_told_and_the_rest_is_set():
    net, cell = Torch(a=T.Linear(2, 3), b=T.Linear(3, 3)), Net(a=nn.Dense(2, 4), b=nn.Dense(3, 3))
    report = transfer_weights(net, cell)
    assert {row.source: row.status for row in report.failures} == {"a.weight": "differs", "a.bias": "differs"}
    assert "a.weight: the source has shape [3, 2], a.weight of the target has [4, 2]" in str(report)
    np.testing.assert_array_equal(cell.b.weight.asnumpy(), net.b.weight.detach().numpy())


def test_a_bias_on_one_side_only_is_told():
    report = transfer_weights(T.Conv2d(2, 3, 3), nn.Conv2d(2, 3, 3))
    assert [(row.source, row.status) for row in report.failures] == [("bias", "unexpected")]
    report = transfer_weights(T.Linear(2, 3, bias=False), nn.Dense(2, 3))
    assert [(row.target, row.status) for row in report.failures] == [("bias", "missing")]


def test_moving_statistics_are_never_made_up():
    report = transfer_weights(T.BatchNorm2d(3, track_running_stats=False), nn.BatchNorm2d(3))
    assert sorted(row.target for row in report.failures) == ["mean", "variance"]


def slots(name: str, shape: tuple[int, ...], parts: int = 1) -> list[Slot]:
    """Return the slots of one array, one for each part."""
    entry = Entry(name, name, shape)
    return [Slot(entry, "weight", (shape[0] // parts, *shape[1:]), i, parts) for i in range(parts)]


def test_parts_are_cut_joined_and_complete() -> None:
    whole, parts = np.arange(12.0).reshape(6, 2), [np.full((2, 2), float(i)) for i in range(3)]
    apart = [slots(name, (2, 2))[0] for name in "qkv"]
    cut = assemble({"qkv": whole}, [*zip(slots("qkv", (6, 2), 3), apart, strict=True)])
    assert [cut[name].tolist() for name in "qkv"] == [whole[i : i + 2].tolist() for i in (0, 2, 4)]
    pairs = [*zip(apart, slots("qkv", (6, 2), 3), strict=True)]
    joined = assemble(dict(zip("qkv", parts, strict=True)), pairs)
    np.testing.assert_array_equal(joined["qkv"], np.concatenate(parts))
    assert assemble({"q": parts[0], "v": parts[2]}, pairs) == {}


def test_axes_of_length_one_are_those_of_the_target() -> None:
    (source,), (target,) = slots("a", (4, 2, 3)), slots("b", (4, 2, 1, 3))
    assert assemble({"a": np.ones((4, 2, 3))}, [(source, target)])["b"].shape == (4, 2, 1, 3)
