"""Cells around a network return what MindSpore 2.7.0's returned, call after call, and change the same Parameters."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from laws.operators import leaves
from layer_tables import layers_of

import sporax as ms
from sporax import Parameter, Tensor, nn

TestLayers = layers_of("sporax._src.nn.wrap")
FOLDER = Path(__file__).parents[1] / "goldens"
GOLDEN = json.loads((FOLDER / "wraps.json").read_text())
VALUES = np.load(FOLDER / "wraps.npz")
# What MindSpore does otherwise, and why sporax does not.
DIFFERENT = {
    "nn.Jvp(mse) @ x, 2 * x, (x, 0.5 * x)": "MindSpore leaves out the direction of the second input",
    "nn.Jvp(net) @ x, x": "MindSpore names the Parameters after a Cell inside its own",
}
CASES = {key: case for key, case in GOLDEN["cases"].items() if "error" not in case and key not in DIFFERENT}


def names() -> dict[str, Any]:
    """Return what an expression may use."""
    arrays = {name: Tensor(np.array(value, np.float32)) for name, value in GOLDEN["arrays"].items()}
    net = nn.Dense(3, 2, arrays["weight"], arrays["bias"])
    mse = nn.MSELoss()
    weights = net.trainable_params()
    made = {"net": net, "mse": mse, "weights": weights, "loss": nn.WithLossCell(net, mse)}
    made |= {"sgd": nn.SGD(weights, 0.1), "scale": Parameter(Tensor(64.0, ms.float32), name="scale")}
    return made | {"nn": nn, "ms": ms, "Tensor": Tensor, "x": arrays["x"], "y": arrays["y"]}


def kinds(value: Any) -> Any:
    """Return nested lists of dtype and shape."""
    if isinstance(value, dict):
        return kinds(list(value.values()))
    if isinstance(value, (tuple, list)):
        return [kinds(v) for v in value]
    return f"{value.dtype}{list(value.shape)}".lower().replace(" ", "")


@pytest.mark.parametrize("key", CASES)
def test_three_calls(key: str, mode: int) -> None:
    """Outputs, and Parameters after each call."""
    expression, inputs = key.split(" @ ")
    case, scope = CASES[key], names()
    cell = eval(expression, scope)
    params = [*scope["weights"], scope["scale"]]
    if isinstance(cell, nn.Cell):
        cell.set_train()
        params += [p for p in cell.get_parameters() if all(p is not known for known in params)]
    assert [p.name for p in params] == case["parameters"]
    for want in VALUES[str(case["case"])]:
        output = cell(*eval(f"({inputs},)", scope))
        assert kinds(output) == case["output"]
        got = [t.asnumpy().astype(np.float64).ravel() for t in [*leaves(output), *params]]
        np.testing.assert_allclose(np.concatenate(got), want, rtol=0, atol=1e-5 * np.abs(want).max())


def test_jvp_follows_every_input(mode: int) -> None:
    """d mean (x - y)² = mean 2 (x - y) (dx - dy), here with y = 2 x, dx = x, dy = x / 2."""
    scope = names()
    value, change = nn.Jvp(scope["mse"])(scope["x"], 2 * scope["x"], (scope["x"], 0.5 * scope["x"]))
    assert change.item() == pytest.approx(-value.item())
    out, change = nn.Jvp(scope["net"])(scope["x"], scope["x"])
    np.testing.assert_allclose(change.asnumpy(), (out - scope["net"].bias).asnumpy(), atol=1e-6)


def test_cells_around_a_network(mode: int) -> None:
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    grads = nn.WithGradCell(net, nn.MSELoss(), sens=2.0)(Tensor([[1.0, 1.0]]), Tensor([[1.0]]))
    assert [g.asnumpy().ravel().tolist() for g in grads] == [[4.0, 4.0], [4.0]]
    assert nn.ParameterUpdate(net.bias)(Tensor([3.0])).item() == net.bias.item() == 3.0
    reducer = nn.DistributedGradReducer(net.trainable_params())
    assert [g.item() for g in reducer((Tensor(1.0), Tensor(2.0)))] == [1.0, 2.0]
    with pytest.raises(TypeError, match="param must be a Parameter, got 1"):
        nn.ParameterUpdate(1)
    with pytest.raises(ValueError, match="degree must be an int > 0, got 0"):
        nn.DistributedGradReducer([], degree=0)
