"""The named arrays of a net or a file, and the tree of layers that they make."""

import numpy as np
import torch
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn
from sporax._src.migrate.weights.entries import (
    Entry,
    entries_of_cell,
    entries_of_file,
    entries_of_names,
    entries_of_torch,
    plain_shape,
    slot_of,
    tree_of,
)
from sporax._src.migrate.weights.layers import BATCH_NORM, CONV_1D, EMBEDDING, LINEAR, LINEAR_SWAPPED, NORM
from sporax.migrate import transfer_weights

T = torch.nn


def test_a_norm_may_have_a_gamma_beside_its_weight():
    class Scaled(torch.nn.LayerNorm):
        def __init__(self):
            super().__init__(4)
            self.gamma = T.Parameter(torch.rand(4))

    class Ours(nn.Cell):
        def __init__(self):
            super().__init__()
            for name in ("weight", "bias", "gamma"):
                setattr(self, name, ms.Parameter(ms.Tensor(np.zeros(4, np.float32)), name=name))

    report = transfer_weights(Torch(norm=Scaled()), Net(norm=Ours()))
    assert report.counts() == {"carried": 3}


def test_the_entries_of_a_torch_net() -> None:
    net = Torch(conv=T.Conv1d(2, 4, 3), norm=T.BatchNorm2d(4), head=T.Linear(4, 4))
    net.twin = net.head
    entries = entries_of_torch(net)
    by_name = entries.names()
    assert [by_name[name].kind for name in ("conv.weight", "norm.bias", "head.weight")] == [CONV_1D, BATCH_NORM, LINEAR]
    assert entries.ties == {"twin.weight": "head.weight", "twin.bias": "head.bias"}
    counter, mean = by_name["norm.num_batches_tracked"], by_name["norm.running_mean"]
    assert (counter.learned, counter.buffer, mean.learned, mean.buffer) == (False, True, True, True)


def test_the_entries_of_a_cell_have_the_same_roles() -> None:
    cell = Net(conv=nn.Conv1d(2, 4, 3, has_bias=True), norm=nn.BatchNorm3d(4), head=nn.Dense(4, 4))
    tree = tree_of(entries_of_cell(cell))
    assert {path: [*tree.children[path].slots] for path in tree.children} == {
        "conv": ["weight", "bias"],
        "norm": ["running_mean", "running_var", "weight", "bias"],
        "head": ["weight", "bias"],
    }
    assert tree.children["conv"].slots["weight"].shape == (4, 2, 3)
    assert "bn2d" in tree.children["norm"].slots["bias"].name


def test_the_entries_of_a_file_have_the_kinds_that_names_and_shapes_tell() -> None:
    arrays = {"a.weight": np.ones(3), "a.bias": np.ones(3), "wte.weight": np.ones((5, 2)), "index": np.arange(3)}
    entries = entries_of_names("torch", arrays, {})
    assert [entry.kind for entry in entries.items] == [NORM, NORM, EMBEDDING, None]
    assert [entry.learned for entry in entries.items] == [True, True, True, False]
    assert [(e.layer, e.leaf) for e in entries.items[:1]] == [("a", "weight")]


def test_the_entries_of_a_net_that_a_file_holds() -> None:
    net = Torch(embed=T.Embedding(5, 3), head=T.Linear(3, 5, bias=False))
    net.head.weight = net.embed.weight
    held = entries_of_file(entries_of_torch(net), {"embed.weight": "model.embed.weight"}, {})
    assert [(e.name, e.path) for e in held.items] == [
        ("model.embed.weight", "embed.weight"), ("model.embed.weight", "head.weight")
    ]  # fmt: skip


def test_shapes_in_torchs_layout_without_axes_of_length_one() -> None:
    assert plain_shape(Entry("w", "w", (4, 1, 3))) == (4, 3) and plain_shape(Entry("w", "w", (1, 1))) == (1,)
    swapped = Entry("c.weight", "c.weight", (4, 12), kind=LINEAR_SWAPPED)
    assert plain_shape(swapped) == (12, 4) and slot_of(swapped).swapped


def test_layers_of_a_tree_come_parents_first() -> None:
    tree = tree_of(entries_of_names("torch", {"a.b.x": np.ones(1), "a.y": np.ones(1), "z": np.ones(1)}, {}))
    assert [node.path for node in tree.nodes()] == ["", "a", "a.b"] and tree.counts
