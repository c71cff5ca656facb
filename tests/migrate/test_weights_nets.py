"""Nets on both sides: which layer is which, ties, fused attention, buffers, what is missing, and the user's rules."""

import re

import numpy as np
import pytest
import torch

import sporax as ms
from sporax import nn, ops
from sporax.migrate import convert_weights, transfer_weights

T = torch.nn


def pairs(report) -> dict[str, str]:
    return {row.source: row.target for row in report.rows if row.target and row.source}


def statuses(report) -> dict[str, str]:
    return {row.source or row.target: row.status for row in report.rows}


class Torch(torch.nn.Module):
    """A net made of the attributes that are given."""

    def __init__(self, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)


class Net(nn.Cell):
    def __init__(self, **layers):
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


# --- which is which -------------------------------------------------------------------------------------------------


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


# --- ties and buffers -----------------------------------------------------------------------------------------------


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


def test_buffers_are_carried_or_told():
    net = Torch(a=T.Linear(2, 2))
    net.register_buffer("scale", torch.full((3,), 2.0))
    net.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
    net.register_buffer("passing", torch.full((2,), 4.0), persistent=False)
    net.register_buffer("unused", torch.ones(7), persistent=False)
    cell = Net(a=nn.Dense(2, 2))
    cell.register_buffer("scale", ms.Tensor(np.zeros(3, np.float32)))
    cell.register_buffer("passing", ms.Tensor(np.zeros(2, np.float32)))
    cell.register_buffer("index", ms.Tensor(np.arange(3)))
    report = transfer_weights(net, cell)
    assert statuses(report) == {
        "a.weight": "carried", "a.bias": "carried", "scale": "carried", "passing": "carried", "mask": "dropped", "index": "derived"
    }  # fmt: skip
    assert cell.scale.asnumpy().tolist() == [2, 2, 2] and cell.passing.asnumpy().tolist() == [4, 4]
    assert cell.index.asnumpy().tolist() == [0, 1, 2]


# --- attention ------------------------------------------------------------------------------------------------------


def apart(*names: str) -> nn.Cell:
    return Net(**{name: nn.Dense(4, 4) for name in names})


def test_fused_attention_is_cut_and_joined():
    net = T.MultiheadAttention(4, 2)
    T.init.normal_(net.in_proj_bias)
    cell = apart("k_proj", "q_proj", "v_proj", "out_proj")
    report = transfer_weights(Torch(attn=net), Net(attn=cell))
    assert report.ok and report.counts() == {"reshaped": 6, "carried": 2}
    np.testing.assert_array_equal(cell.q_proj.weight.asnumpy(), net.in_proj_weight[:4].detach().numpy())
    np.testing.assert_array_equal(cell.v_proj.bias.asnumpy(), net.in_proj_bias[8:].detach().numpy())
    again = T.MultiheadAttention(4, 2)
    assert transfer_weights(Net(attn=cell), Torch(attn=again)).ok
    assert all(torch.equal(again.state_dict()[name], value) for name, value in net.state_dict().items())


def test_fused_linear_layers_are_cut_too():
    net = Torch(qkv=T.Linear(4, 12), proj=T.Linear(4, 4))
    for cell in (apart("query", "key", "value", "dense"), nn.MultiheadAttention(4, 2)):
        assert transfer_weights(net, cell).ok
        again = Torch(qkv=T.Linear(4, 12), proj=T.Linear(4, 4))
        assert transfer_weights(cell, again).ok
        assert torch.equal(again.qkv.weight, net.qkv.weight) and torch.equal(again.qkv.bias, net.qkv.bias)


def test_attention_at_another_depth_is_found():
    net = Torch(stem=T.Linear(3, 4), body=Torch(one=Torch(attn=T.MultiheadAttention(4, 2), norm=T.LayerNorm(4))))
    attention = Net(qkv=nn.Dense(4, 12), proj=nn.Dense(4, 4))
    cell = Net(embed=Net(proj=nn.Dense(3, 4)), attn=attention, norm=nn.LayerNorm((4,)))
    report = transfer_weights(net, cell)
    assert report.ok, report
    np.testing.assert_array_equal(attention.qkv.weight.asnumpy(), net.body.one.attn.in_proj_weight.detach().numpy())


def test_separate_sizes_of_key_and_value():
    net = T.MultiheadAttention(4, 2, kdim=3, vdim=5)
    cell = Net(q=nn.Dense(4, 4), k=nn.Dense(3, 4), v=nn.Dense(5, 4), out=nn.Dense(4, 4))
    assert transfer_weights(net, cell).ok
    np.testing.assert_array_equal(cell.k.weight.asnumpy(), net.k_proj_weight.detach().numpy())


def test_a_part_that_is_missing_is_told():
    cell = Net(q=nn.Dense(4, 4), k=nn.Dense(4, 4), v=nn.Dense(4, 4, has_bias=False), out_proj=nn.Dense(4, 4))
    net = T.MultiheadAttention(4, 2)
    before = net.in_proj_bias.clone()
    report = transfer_weights(cell, net)
    assert {row.target for row in report.failures} == {"in_proj_bias"}
    assert "lacks the others of 3" in str(report)
    assert torch.equal(net.in_proj_bias, before)


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


# --- computed weights -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*weight_norm.* is deprecated:FutureWarning")
@pytest.mark.parametrize(
    "norm",
    [
        T.utils.weight_norm,
        T.utils.parametrizations.weight_norm,
        T.utils.spectral_norm,
        T.utils.parametrizations.spectral_norm,
    ],
)
def test_factors_of_weights_are_multiplied(norm, tmp_path):
    net = T.Sequential(norm(T.Conv1d(2, 4, 3)), norm(T.Linear(4, 3)))
    net(torch.tensor(numbers(1, 2, 6)))
    net.eval()
    cell = nn.SequentialCell(nn.Conv1d(2, 4, 3, pad_mode="valid", has_bias=True), nn.Dense(4, 3))
    report = transfer_weights(net, cell)
    assert report.ok and report.counts() == {"derived": 2, "carried": 2}
    x = numbers(1, 2, 6)
    expected = net(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(cell(ms.Tensor(x)).asnumpy(), expected, rtol=3e-6, atol=3e-6)
    torch.save(net.state_dict(), tmp_path / "net.pth")
    convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt")
    kept = ms.load_checkpoint(str(tmp_path / "net.ckpt"))["0.weight"].asnumpy()
    np.testing.assert_array_equal(kept, cell[0].weight.asnumpy())


# --- failures -------------------------------------------------------------------------------------------------------


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


def test_nothing_is_written_when_a_weight_is_not_carried(tmp_path):
    torch.save(T.Linear(2, 3).state_dict(), tmp_path / "net.pth")
    with pytest.raises(
        ValueError, match=r"nothing was written to .*net.ckpt. weight: the source has shape .*partial=True"
    ):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=nn.Dense(2, 4))
    assert not (tmp_path / "net.ckpt").exists()
    cell = nn.Dense(2, 3, has_bias=False)
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell, partial=True)
    assert not report.ok and list(ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ["weight"]


def test_weights_of_another_net_are_told(tmp_path):
    torch.save({"weight": torch.ones(3, 2), "extra": torch.ones(2)}, tmp_path / "net.pth")
    told = "not the weights of the source net: bias is missing; extra is not of the net; weight has shape [3, 2], [3, 4] in the net"
    with pytest.raises(ValueError, match=re.escape(told)):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", source_net=T.Linear(4, 3))


def test_what_is_no_net_is_told(tmp_path):
    torch.save({"weight": torch.ones(3, 2)}, tmp_path / "net.pth")
    with pytest.raises(TypeError, match=r"target_net must be a torch module or a Cell, or a tuple .* got 3"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=3)
    with pytest.raises(ValueError, match="One side must be PyTorch's"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=T.Linear(2, 3))
    with pytest.raises(
        TypeError, match=r"expected a torch module and a Cell, in either order, got 'Dense' and 'Dense'"
    ):
        transfer_weights(nn.Dense(2, 2), nn.Dense(2, 2))


# --- rules ----------------------------------------------------------------------------------------------------------


def test_rules_rename_transpose_reshape_and_drop(tmp_path):
    state = {
        "body.1.w": torch.rand(2, 3),
        "body.1.b": torch.rand(3),
        "aux.0.x": torch.rand(2),
        "norm.g": torch.rand(1, 4),
    }
    torch.save(state, tmp_path / "net.pth")
    (tmp_path / "rules.toml").write_text(
        'drop = ["aux.**"]\n[rename]\n"body.*.w" = "layers.*.weight"\n"**.1.b" = "**s.1.bias"\n"norm.g" = "norm.gamma"\n'
        '[transpose]\n"body.*.w" = [1, 0]\n[reshape]\n"norm.g" = [4]\n'
    )
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "rules.toml")
    assert pairs(report) == {"body.1.w": "layers.1.weight", "body.1.b": "bodys.1.bias", "norm.g": "norm.gamma"}
    assert statuses(report) == {
        "body.1.w": "reshaped",
        "body.1.b": "renamed",
        "aux.0.x": "dropped",
        "norm.g": "reshaped",
    }
    read = ms.load_checkpoint(str(tmp_path / "net.ckpt"))
    np.testing.assert_array_equal(read["layers.1.weight"].asnumpy(), state["body.1.w"].numpy().T)


def test_a_rule_counts_before_order(tmp_path):
    net = Torch(a=T.Linear(3, 3), b=T.Linear(3, 3))
    torch.save(net.state_dict(), tmp_path / "net.pth")
    rules = {"rename": {"a.*": "q.*", "b.*": "p.*"}}
    cell = Net(p=nn.Dense(3, 3), q=nn.Dense(3, 3))
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", target_net=cell, source_net=net, rules=rules)
    assert pairs(report)["a.weight"] == "q.weight" and pairs(report)["b.bias"] == "p.bias"


def test_kinds_still_count_after_a_rename(tmp_path):
    torch.save(Torch(bn=T.BatchNorm2d(2)).state_dict(), tmp_path / "net.pth")
    report = convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules={"rename": {"bn.**": "norm1.**"}})
    assert pairs(report)["bn.running_var"] == "norm1.moving_variance"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("drop = [", "not a TOML file"),
        ('names = ["a"]', r"expected drop = \[...\], \[rename\], \[transpose\] and \[reshape\], got names"),
        ('drop = "a"', "drop must be a list of names, got 'a'"),
        ("rename = 3", r"\[rename\] must hold lines \"NAME\" = a name, got 3"),
        ("[rename]\na = 3", r'\[rename\] "a" must be a name, got 3'),
        ('[rename]\n"a.*" = "b"', "both sides must have the same stars"),
        ('[transpose]\nweight = "T"', r'\[transpose\] "weight" must be a list of whole numbers'),
        ('drop = ["wieght"]', '"wieght" fits no name of the source; it has such as weight'),
        ("[transpose]\nweight = [0, 2]", r"weight has shape \[3, 2\]; the rule must name the axes \[0, 1\]"),
        ("[reshape]\nweight = [5]", r'\[reshape\] "weight" = \[5\]: weight has shape \[3, 2\]'),
        ('[rename]\nweight = "bias"', '"weight" and "bias" both become "bias"; drop or rename one'),
    ],
)
def test_bad_rules_are_told(tmp_path, text, told):
    torch.save(T.Linear(2, 3).state_dict(), tmp_path / "net.pth")
    (tmp_path / "rules.toml").write_text(text)
    with pytest.raises(ValueError, match=f"rules.toml: .*{told}"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "rules.toml")
    with pytest.raises(FileNotFoundError, match="there is no such file of rules"):
        convert_weights(tmp_path / "net.pth", tmp_path / "net.ckpt", rules=tmp_path / "absent.toml")
