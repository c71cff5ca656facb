"""What the values and the code of two layers show, each kind of difference by itself."""

import re

import numpy as np
import pytest

from sporax._src.migrate.compare import experiments, settings, source
from sporax._src.migrate.compare.experiments import LAYERS, LOSSES, PARAMETERS, UPDATES, Values

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3, 5, 5))
Y = RNG.normal(size=(4, 3, 5, 5))
BIAS = np.array([1.0, 2.0, 3.0])
OWN = {"running_mean": np.array([0.5, 0.0, 1.0]), "running_var": np.array([2.0, 1.0, 3.0])}
MOVED = (X - OWN["running_mean"].reshape(1, 3, 1, 1)) / np.sqrt(OWN["running_var"].reshape(1, 3, 1, 1) + 1e-5)
BATCH = (X - X.mean((0, 2, 3), keepdims=True)) / np.sqrt(X.var((0, 2, 3), keepdims=True) + 1e-5)
SQUARE = np.exp(RNG.normal(size=(6, 6)))

CASES = [
    (LAYERS, Values(Y, Y * 0), "the output is all zeros here"),
    (LAYERS, Values(Y * 0, Y), "the output is all zeros in the reference"),
    (LAYERS, Values(Y + X, Y, (X,)), "the residual is missing here"),
    (LAYERS, Values(Y, Y + X, (X,)), "a residual too many"),
    (LAYERS, Values(Y + X, Y - X, (X,)), "the residual is subtracted here"),
    (LAYERS, Values(Y, -Y), "the sign is the opposite"),
    (LAYERS, Values(Y / 4, Y), "the values are 4 times the reference's"),
    (LAYERS, Values(Y + BIAS.reshape(3, 1, 1), Y, (), {"bias": BIAS}), "bias is not added here"),
    (LAYERS, Values(Y, Y + BIAS.reshape(3, 1, 1), (), {"bias": BIAS}), "bias is added here and not in the reference"),
    (LAYERS, Values(np.tanh(Y), Y), "an activation is missing here: tanh"),
    (LAYERS, Values(Y, np.maximum(Y, 0)), "an activation is too many here: this output is ReLU"),
    (LAYERS, Values(SQUARE / SQUARE.sum(1, keepdims=True), SQUARE / SQUARE.sum(0)), "axis 0 here and along axis 1"),
    (LAYERS, Values(MOVED, BATCH, (X,), OWN), "the statistics of the batch are used here"),
    (LAYERS, Values(BATCH, MOVED, (X,), OWN), "the moving statistics are used here"),
    (LAYERS, Values(Y, Y.swapaxes(2, 3)), "axes 2 and 3 are swapped"),
    (LAYERS, Values(Y, Y[::-1]), "the reference's in another order"),
    (PARAMETERS, Values(SQUARE, SQUARE.T), "the transpose of the reference's"),
    (PARAMETERS, Values(np.arange(12.0), np.roll(np.arange(12.0), 6)), "the gates stand in the order g, o, i, f here"),
    (
        LOSSES,
        Values(np.array(2.0), np.array(16.0), (np.zeros((4, 2)),)),
        "8 times as large here, the number of elements",
    ),
    (LOSSES, Values(np.array(8.0), np.array(2.0), (np.zeros((4, 1)),)), "4 times as large in the reference"),
    (UPDATES, Values(-X - 0.1 * Y, -X, (Y,)), "the weights decay in the reference only"),
    (UPDATES, Values(-X, -X - 0.1 * Y, (Y,)), "the weights decay here only"),
]


@pytest.mark.parametrize(("table", "values", "text"), CASES, ids=[text for _, _, text in CASES])
def test_values(table, values: Values, text: str) -> None:
    assert text in experiments.tried(table, values)


@pytest.mark.parametrize("table", [LAYERS, PARAMETERS, LOSSES, UPDATES])
def test_values_that_show_nothing(table) -> None:
    assert experiments.tried(table, Values(X, Y, (Y * 2 + 1,), {"weight": SQUARE})) == ""
    assert experiments.tried(table, Values(X, Y[:, :2])) == ""


SPELLINGS = [
    ("x = torch.cat([a, b], dim=1)", "x = ops.concat((a, b), axis=1)"),
    ("x = x.softmax(-1)", "x = ops.softmax(x, axis=-1)"),
    ("y = x.view(2, -1).transpose(1, 2)", "y = ops.reshape(x, (2, -1)).swapaxes(1, 2)"),
    ("y = x.permute(0, 2, 1)", "y = x.transpose((0, 2, 1))"),
    ("y = torch.bmm(a, b) + c", "y = a @ b + c"),
    ("n = x.size(0)", "n = x.shape[0]"),
    ("y = F.relu(x).mean(dim=1, keepdim=True)", "y = mint.nn.functional.relu(x).mean(axis=1, keep_dims=True)"),
    ("if x.size(0) > 1:", "if x.shape[0] > 1:"),
]


@pytest.mark.parametrize(("ours", "theirs"), SPELLINGS)
def test_one_spelling(ours: str, theirs: str) -> None:
    assert source.one_spelling(ours) == source.one_spelling(theirs)
    assert source.difference([ours], [theirs]) == ""


def test_the_first_statement_that_differs() -> None:
    ours = ["a = f(x)", "b = torch.sum(a, dim=1)", "return b"]
    found = source.difference(ours, ["a = f(x)", "b = ops.sum(a, 2)", "return b"])
    assert re.fullmatch(
        r"the code differs first at `b = torch.*`, which is `.*` here: sum has axis=1 there and axis=2 here", found
    )
    assert source.difference(ours, ours[:1] + ours[2:]) == "`b = torch.sum(a, dim=1)` of the reference is missing here"
    assert source.difference(ours[1:], ours) == "`a = f(x)` is not in the reference"
    assert source.difference([], ours) == source.difference(ours, []) == ""


LAYER = {"library": True, "source": []}
SAME = [
    ("Conv2d", {"padding": [1, 1], "kernel_size": [3, 3]}, {"padding": 1, "pad_mode": "pad", "kernel_size": [3, 3]}),
    ("Conv2d", {"padding": [1, 2]}, {"padding": [1, 1, 2, 2], "pad_mode": "pad"}),
    (
        "Conv2d",
        {"padding": 1, "kernel_size": 3, "stride": 1},
        {"padding": 0, "pad_mode": "same", "kernel_size": 3, "stride": 1},
    ),
    ("Conv2d", {"padding": "valid", "groups": 2}, {"padding": 0, "pad_mode": "valid", "group": 2}),
    ("Conv1d", {"padding": [1], "stride": [2]}, {"padding": [0, 0, 1, 1], "pad_mode": "pad", "stride": [1, 2]}),
    ("MaxPool2d", {"kernel_size": 2, "stride": None}, {"kernel_size": 2, "stride": 2}),
    ("GELU", {"approximate": "tanh"}, {"approximate": True}),
    ("Dropout", {"p": 0.25}, {"p": None, "keep_prob": 0.75}),
    ("MSELoss", {"reduction": "sum"}, {"average": False, "reduce": True}),
    ("Adam", {"betas": [0.9, 0.999]}, {"beta1": 0.9, "beta2": 0.999}),
    ("SGD", {"lr": 0.1}, {"learning_rate": float(np.float32(0.1))}),
]


@pytest.mark.parametrize(("kind", "ours", "theirs"), SAME)
def test_settings_that_mean_the_same(kind: str, ours: dict, theirs: dict) -> None:
    both = ({**LAYER, "kind": kind, "settings": given} for given in (ours, theirs))
    assert settings.differences(*both) == []


def test_settings_of_the_programs_own_classes() -> None:
    both = [{"kind": "Mine", "library": False, "settings": {"heads": n, "scale": 0.5}} for n in (2, 4)]
    assert settings.sentence(settings.differences(*both)) == "heads is 2 in the reference and 4 here"
