"""What the values of a layer show, each kind of difference by itself."""

import numpy as np
import pytest

from sporax._src.migrate.compare import experiments
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
