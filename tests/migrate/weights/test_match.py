"""Which layer of one net is which of the other: by name, by order, by roles and shapes, and never by a guess."""

import numpy as np
import pytest
import torch
from weight_files import pairs
from weight_nets import Net, Torch

import sporax as ms
from sporax import nn, ops
from sporax.migrate import transfer_weights

T = torch.nn


def test_layers_without_arrays_do_not_shift_numbers():
    net = T.Sequential(T.ReLU(), T.Conv2d(2, 4, 3), T.ReLU(), T.Conv2d(4, 4, 3), T.Conv2d(4, 4, 3))
    cell = nn.SequentialCell(*(nn.Conv2d(i, 4, 3, has_bias=True) for i in (2, 4, 4)))
    report = transfer_weights(net, cell)
    assert report.ok and {k: v for k, v in pairs(report).items() if k.endswith("weight")} == {
        "1.weight": "0.weight", "3.weight": "1.weight", "4.weight": "2.weight"
    }  # fmt: skip


def test_names_count_before_order():
    net = Torch(query=T.Linear(3, 3), key=T.Linear(3, 3))
    cell = Net(key=nn.Dense(3, 3), query=nn.Dense(3, 3))
    report = transfer_weights(net, cell)
    assert report.ok and all(source == target for source, target in pairs(report).items())


def test_numbers_in_names_may_begin_elsewhere():
    net = Torch(conv1=T.Conv2d(3, 8, 3), conv2=T.Conv2d(8, 8, 3))
    cell = Net(conv0=nn.Conv2d(3, 8, 3, has_bias=True), conv1=nn.Conv2d(8, 8, 3, has_bias=True))
    report = transfer_weights(net, cell)
    assert report.ok and pairs(report)["conv1.weight"] == "conv0.weight"


def test_combined_layers_and_lists_of_stages():
    def stage() -> torch.nn.Module:
        return T.Sequential(T.Conv2d(4, 4, 3, bias=False), T.BatchNorm2d(4), T.ReLU())

    net = Torch(layer1=stage(), layer2=stage(), fc=T.Linear(4, 2))
    cell = Net(
        stages=nn.CellList([nn.Conv2dBnAct(4, 4, 3, has_bn=True, activation="relu") for _ in range(2)]),
        fc=nn.Dense(4, 2),
    )
    report = transfer_weights(net, cell)
    assert report.ok, report
    assert pairs(report)["layer2.1.running_var"] == "stages.1.batchnorm.moving_variance"


def test_lists_that_are_nested_otherwise():
    def unit(i: int, o: int) -> torch.nn.Module:
        return T.Sequential(T.Conv2d(i, o, 1, bias=False), T.BatchNorm2d(o), T.ReLU6())

    net = Torch(block=T.Sequential(unit(2, 4), unit(4, 4), T.Conv2d(4, 2, 1, bias=False), T.BatchNorm2d(2)))
    shapes = ((2, 4), (4, 4), (4, 2))
    flat = [layer for i, o in shapes for layer in (nn.Conv2d(i, o, 1), nn.BatchNorm2d(o), nn.ReLU6())]
    report = transfer_weights(net, Net(layers=nn.SequentialCell(flat)))
    assert report.ok, report
    assert pairs(report)["block.1.1.running_mean"] == "layers.4.moving_mean"
    assert pairs(report)["block.2.weight"] == "layers.6.weight"


def test_axes_of_length_one_do_not_matter():
    net = Torch(squeeze=T.Conv2d(4, 2, 1), tail=T.Linear(2, 3))
    net.scale = T.Parameter(torch.rand(4, 1, 1))
    cell = Net(squeeze=nn.Dense(4, 2), tail=nn.Conv2d(2, 3, 1, has_bias=True))
    cell.scale = ms.Parameter(ms.Tensor(np.zeros(4, np.float32)), name="scale")
    report = transfer_weights(net, cell)
    assert report.ok and report.counts() == {"carried": 2, "reshaped": 3}


def test_layers_of_other_names_are_matched_by_order_and_shape():
    net = Torch(stem=T.Conv2d(3, 4, 3), blocks=T.ModuleList([T.Linear(4, 4), T.Linear(4, 4)]), head=T.Linear(4, 2))
    cell = Net(
        first=nn.Conv2d(3, 4, 3, has_bias=True),
        layers=nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)]),
        out=nn.Dense(4, 2),
    )
    report = transfer_weights(net, cell)
    assert report.ok, report
    assert pairs(report)["blocks.1.weight"] == "layers.1.weight" and pairs(report)["head.bias"] == "out.bias"


def test_a_wrapper_on_one_side_is_passed():
    inner = T.Sequential(T.Linear(2, 3), T.Linear(3, 2))
    for net, cell in (
        (Torch(model=inner), nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 2))),
        (inner, Net(backbone=nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 2)))),
        (Torch(model=inner), Net(backbone=nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 2)))),
    ):
        assert transfer_weights(net, cell).counts() == {"renamed": 4}


def test_layers_at_other_depths_are_matched_where_it_is_plain():
    net = Torch(a=T.Linear(2, 3), b=Torch(c=T.Linear(3, 4), d=T.LayerNorm(4)))
    cell = Net(features=Net(p=nn.Dense(2, 3), q=nn.Dense(3, 4)), norm=nn.LayerNorm((4,)))
    report = transfer_weights(net, cell)
    assert report.ok, report
    assert pairs(report) == {
        "a.weight": "features.p.weight", "a.bias": "features.p.bias", "b.c.weight": "features.q.weight",
        "b.c.bias": "features.q.bias", "b.d.weight": "norm.gamma", "b.d.bias": "norm.beta",
    }  # fmt: skip


def test_what_is_ambiguous_is_not_guessed():
    net = Torch(a=T.Linear(3, 3), b=T.Linear(3, 3), c=T.Linear(3, 3))
    report = transfer_weights(net, Net(p=nn.Dense(3, 3), q=nn.Dense(3, 3)))
    assert report.counts() == {"missing": 4, "unexpected": 6}
    reasons = {row.source or row.target: row.reason for row in report.rows}
    assert reasons["a.weight"] == (
        "shape and order do not tell whether it is the target's p.weight, q.weight; use the same name, or a rule"
    )
    assert reasons["q.bias"].startswith("shape and order do not tell whether it is the source's a.bias, b.bias, c.bias")


@pytest.mark.parametrize("turned", [False, True])
def test_equal_numbers_of_one_shape_are_not_matched_by_order(turned: bool):
    net = Torch(a=T.Linear(3, 3), b=T.Linear(3, 3))
    cells = {"p": nn.Dense(3, 3), "q": nn.Dense(3, 3)}
    cell = Net(**dict(reversed(cells.items())) if turned else cells)
    assert transfer_weights(net, cell).counts() == {"missing": 4, "unexpected": 4}


def test_vectors_of_one_layer_are_not_matched_by_order():
    net, cell = Torch(), Net()
    for name in ("gain", "shift"):
        setattr(net, name, T.Parameter(torch.rand(4)))
    for name in ("slope", "offset"):
        setattr(cell, name, ms.Parameter(ops.zeros((4,)), name=name))
    assert transfer_weights(net, cell).counts() == {"missing": 2, "unexpected": 2}


def test_numbers_of_a_stem_tell_the_order():
    """`conv1` of both sides has one name, but not one place: the numbers begin at 1, and at 0."""
    net = Torch(conv2=T.Linear(3, 3), conv1=T.Linear(3, 3))
    report = transfer_weights(net, Net(conv0=nn.Dense(3, 3), conv1=nn.Dense(3, 3)))
    assert report.ok and pairs(report)["conv1.weight"] == "conv0.weight" and pairs(report)["conv2.bias"] == "conv1.bias"


def test_numbers_that_other_layers_shift_are_no_names():
    """One layer is missing in the target, and nothing tells which."""
    net = T.Sequential(T.ReLU(), T.Linear(3, 3), T.Linear(3, 3))
    report = transfer_weights(net, nn.SequentialCell(*(nn.Dense(3, 3) for _ in range(3))))
    assert report.counts() == {"missing": 6, "unexpected": 4}
    longer = T.Sequential(*(T.Linear(3, 3) for _ in range(3)))
    report = transfer_weights(longer, nn.SequentialCell(nn.Dense(3, 3), nn.Dense(3, 3)))
    assert report.counts() == {"carried": 4, "unexpected": 2}  # a list that is shorter begins alike


def test_lists_of_lists_are_matched_level_by_level():
    def nested(make, join, rows: int, columns: int):
        return join([join([make(3, 3) for _ in range(columns)]) for _ in range(rows)])

    net = Torch(a=nested(T.Linear, T.ModuleList, 2, 3))
    net.a[0].extra = T.Linear(3, 5)
    report = transfer_weights(net, Net(p=Net(q=nested(nn.Dense, nn.CellList, 2, 3)), r=nn.Dense(3, 5)))
    assert report.ok and pairs(report)["a.1.0.weight"] == "p.q.1.0.weight"
    report = transfer_weights(net, Net(p=Net(q=nested(nn.Dense, nn.CellList, 3, 2)), r=nn.Dense(3, 5)))
    assert report.counts() == {"renamed": 2, "missing": 12, "unexpected": 12}


def test_parameters_of_the_net_itself():
    class Vit(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cls_token = T.Parameter(torch.rand(1, 1, 4))
            self.pos_embed = T.Parameter(torch.rand(1, 5, 4))
            self.layer_scale = T.Parameter(torch.rand(4))

    class Cell(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cls = ms.Parameter(ms.Tensor(np.zeros((1, 1, 4), np.float32)), name="cls")
            self.pos_embed = ms.Parameter(ms.Tensor(np.zeros((1, 5, 4), np.float32)), name="positions")
            self.gamma = ms.Parameter(ms.Tensor(np.zeros(4, np.float32)), name="gamma")

    net, cell = Vit(), Cell()
    assert pairs(transfer_weights(net, cell)) == {"cls_token": "cls", "pos_embed": "positions", "layer_scale": "gamma"}
    np.testing.assert_array_equal(cell.pos_embed.asnumpy(), net.pos_embed.detach().numpy())


def test_own_norms_may_call_their_scale_otherwise():
    class Norm(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = ms.Parameter(ops.zeros((4,)), name="scale")

    assert pairs(transfer_weights(Torch(norm=T.RMSNorm(4)), Net(norm=Norm()))) == {"norm.weight": "norm.scale"}
