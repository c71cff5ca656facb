"""The names that arrays get when no net says what they are called."""

import numpy as np
import pytest
import torch
from weight_files import pairs, saved

import sporax as ms
from sporax import mint, nn
from sporax._src.migrate.weights.entries import entries_of_names, tree_of
from sporax._src.migrate.weights.names import doubts, named_pairs, without_wrappers
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


def named(arrays: dict[str, tuple[int, ...]], target: str) -> dict[str, str]:
    """Return what the arrays of a file are called for a target."""
    tree = tree_of(entries_of_names("cell" if target == "torch" else "torch", shaped(arrays), {}))
    return {source.name: new.name for source, new in named_pairs(tree, target)}


def shaped(arrays: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    return {name: np.ones(shape, np.float32) for name, shape in arrays.items()}


def test_names_follow_the_kinds_of_layers() -> None:
    norm = {
        "n.weight": (3,),
        "n.bias": (3,),
        "n.running_mean": (3,),
        "n.running_var": (3,),
        "n.num_batches_tracked": (),
    }
    assert named(norm, "classic") == {
        "n.weight": "n.gamma", "n.bias": "n.beta", "n.running_mean": "n.moving_mean", "n.running_var": "n.moving_variance"
    }  # fmt: skip
    assert named(norm, "mint") == {name: name for name in norm}
    assert named({"e.embedding_table": (5, 2), "n.gamma": (3,), "n.beta": (3,)}, "torch") == {
        "e.embedding_table": "e.weight", "n.gamma": "n.weight", "n.beta": "n.bias"
    }  # fmt: skip


def test_recurrent_layers_are_in_torchs_order() -> None:
    names = ["bias_ih_l0", "weight_hh_l1", "weight_hh_l0", "weight_ih_l0_reverse", "weight_ih_l0"]
    assert [*named({f"r.{name}": (2, 2) for name in names}, "torch")] == [
        "r.weight_ih_l0", "r.weight_hh_l0", "r.bias_ih_l0", "r.weight_ih_l0_reverse", "r.weight_hh_l1"
    ]  # fmt: skip


def test_two_arrays_never_get_one_name() -> None:
    with pytest.raises(
        ValueError, match=r'"n.weight" and "n.gamma" both become "n.gamma"; rename or drop one by a rule'
    ):
        named(
            {"n.weight": (3,), "n.bias": (3,), "n.running_mean": (3,), "n.running_var": (3,), "n.gamma": (3,)},
            "classic",
        )


@pytest.mark.parametrize(("prefix", "left"), [("module.", "a"), ("_orig_mod.module.", "a"), ("net.", "net.a")])
def test_what_wraps_a_whole_net_is_left_out(prefix: str, left: str) -> None:
    entries = entries_of_names("torch", shaped({f"{prefix}a": (1,)}), {})
    assert [(e.name, e.path) for e in without_wrappers(entries).items] == [(f"{prefix}a", left)]


@pytest.mark.parametrize(
    ("name", "shape", "target", "text"),
    [
        ("wte.weight", (5, 2), "classic", "taken for an embedding by its name"),
        ("a.weight", (4, 2, 3), "classic", "taken for a 1-D convolution because it has three axes"),
        ("a.weight", (4,), "classic", "a vector alone may be the scale of an RMS norm"),
        ("a.weight", (4, 2, 1, 3), "torch", "taken for a 2-D convolution, as which a 1-D convolution is stored too"),
        ("a.weight", (4, 2), "classic", None),
        ("wte.weight", (5, 2), "mint", None),
    ],
)
def test_what_names_and_shapes_leave_open(name: str, shape: tuple[int, ...], target: str, text: str | None) -> None:
    side = "cell" if target == "torch" else "torch"
    found = doubts(tree_of(entries_of_names(side, shaped({name: shape}), {})), target)
    assert [*found] == ([name] if text else [])
    if text:
        assert found[name].text.startswith(text) and found[name].text.endswith(
            "; the net itself, or a rule, would tell"
        )
