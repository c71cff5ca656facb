"""Which layer of one network is which of the other, and which Parameter."""

from collections import OrderedDict

import torch
from compared_networks import ROWS

from sporax import nn
from sporax._src.migrate.compare import align
from sporax.migrate import compare


def test_layers_of_other_names_are_found_by_order_and_kind() -> None:
    ours = torch.nn.Sequential(OrderedDict(a=torch.nn.Linear(6, 6), b=torch.nn.ReLU(), c=torch.nn.Linear(6, 3)))
    theirs = nn.SequentialCell(OrderedDict(first=nn.Dense(6, 6), act=nn.ReLU(), second=nn.Dense(6, 3)))
    result = compare(ours, theirs, ROWS)
    assert result.agrees, result
    assert [row.name for row in result.rows if row.stage == "forward"] == ["a", "b", "c", "Sequential"]


def layers(**kinds: str) -> dict[str, dict]:
    """Return descriptions of layers of the libraries; a kind with a small letter is one of the program's own."""
    return {path: {"kind": name, "library": name[0].isupper()} for path, name in kinds.items()}


def test_kinds_have_torchs_names() -> None:
    names = {"Dense": "Linear", "EmbeddingExt": "Embedding", "Momentum": "SGD", "ReLU": "ReLU"}
    assert {name: align.kind({"kind": name}) for name in names} == names


def test_layers_of_one_path_that_are_alike_are_the_same() -> None:
    ours, theirs = layers(a="Linear", b="ReLU", c="mine"), layers(a="Dense", b="Tanh", c="other")
    assert align.layer_pairs(ours, theirs) == {"a": "a", "b": "b", "c": "c"}
    assert not align.alike(ours["b"], theirs["b"]) and align.alike(ours["b"], theirs["c"])


def test_others_are_found_by_order_and_kind() -> None:
    ours, theirs = layers(a="Linear", b="ReLU", c="Linear"), layers(x="Dense", y="ReLU", z="Dense")
    assert align.layer_pairs(ours, theirs) == {"a": "x", "b": "y", "c": "z"}


def test_a_layer_that_was_moved_is_found() -> None:
    ours, theirs = layers(a="ReLU", b="Linear"), layers(x="Dense", y="ReLU")
    assert align.layer_pairs(ours, theirs) == {"a": "y", "b": "x"}
    assert align.layer_pairs(layers(a="GELU"), theirs) == {}


def test_parameters_are_found_by_layer_and_role() -> None:
    ours = ["norm.weight", "norm.running_mean", "fc.bias", "scale"]
    theirs = ["bn.gamma", "bn.moving_mean", "fc.weight", "scale"]
    assert align.parameter_pairs(ours, theirs, {"norm": "bn"}) == {
        "norm.weight": "bn.gamma", "norm.running_mean": "bn.moving_mean", "scale": "scale"
    }  # fmt: skip


def test_names_of_parameters() -> None:
    assert [align.owner(name) for name in ("a.b.gamma", "gamma")] == ["a.b", ""]
    assert [align.role(name) for name in ("a.b.gamma", "w", "bias_hh_l0")] == ["weight", "weight", "bias_hh_l0"]


def test_the_longest_runs_are_in_order() -> None:
    assert align.in_order(["a", "b", "c"], ["x", "y"], ["A", "B", "C"], ["B", "C"]) == [("b", "x"), ("c", "y")]
