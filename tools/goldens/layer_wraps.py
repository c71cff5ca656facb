"""Cells around a network: what three calls in training mode return, and every Parameter after each."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn

from .common import attempt, to_numpy
from .sampling import flatten, lines, structure

CALLS = 3
ARRAYS = {
    "weight": [[0.5, -0.25, 0.125], [1.0, 0.75, -0.5]],
    "bias": [0.25, -0.125],
    "x": [[1.0, 2.0, -1.0], [0.5, -0.5, 0.25], [-2.0, 1.0, 0.5], [0.75, 0.25, 1.5]],
    "y": [[1.0, 0.0], [0.5, -1.0], [0.25, 2.0], [-0.5, 0.5]],
}
WRAPS = """
nn.WithLossCell(net, mse) @ x, y
nn.WithEvalCell(net, mse) @ x, y
nn.WithGradCell(net, mse) @ x, y
nn.WithGradCell(net, mse, 4.0) @ x, y
nn.WithGradCell(loss) @ x, y
nn.ForwardValueAndGrad(loss) @ x, y
nn.ForwardValueAndGrad(loss, get_all=True) @ x, y
nn.ForwardValueAndGrad(loss, weights, get_by_list=True) @ x, y
nn.ForwardValueAndGrad(loss, weights, get_all=True, get_by_list=True, sens_param=True) @ x, y, Tensor(2.0, ms.float32)
nn.ForwardValueAndGrad(net, sens_param=True) @ x, y
nn.TrainOneStepCell(loss, sgd) @ x, y
nn.TrainOneStepCell(loss, sgd, 8.0) @ x, y
nn.TrainOneStepCell(loss, sgd, return_grad=True) @ x, y
nn.TrainOneStepCell(loss, nn.Momentum(weights, 0.1, 0.9), 4.0, True) @ x, y
nn.TrainOneStepCell(loss, nn.Adam(weights[:1], 0.1)) @ x, y
nn.TrainOneStepWithLossScaleCell(loss, sgd, Tensor(64.0, ms.float32)) @ x, y
nn.TrainOneStepWithLossScaleCell(loss, sgd, nn.FixedLossScaleUpdateCell(64)) @ x, y
nn.TrainOneStepWithLossScaleCell(loss, sgd, nn.DynamicLossScaleUpdateCell(64, 2, 2)) @ x, y
nn.TrainOneStepWithLossScaleCell(loss, sgd, nn.DynamicLossScaleUpdateCell(2.0 ** 127, 2, 2)) @ 1e3 * x, y
nn.FixedLossScaleUpdateCell(64) @ scale, Tensor(True)
nn.DynamicLossScaleUpdateCell(64, 2, 2) @ scale, Tensor(True)
nn.DynamicLossScaleUpdateCell(64, 2, 2) @ scale, Tensor(False)
nn.DynamicLossScaleUpdateCell(1, 4, 1) @ scale, Tensor(True)
nn.MicroBatchInterleaved(loss, 2) @ x, y
nn.PipelineCell(loss, 2) @ x, y
nn.PipelineCell(loss, 4) @ x, y
nn.GradAccumulationCell(loss, 2) @ x, y
nn.ParameterUpdate(net.weight) @ 2 * net.weight
nn.Jvp(net) @ x, x
nn.Jvp(mse) @ x, 2 * x, (x, 0.5 * x)
nn.Vjp(net) @ x, y
nn.Vjp(mse) @ x, 2 * x, Tensor(2.0, ms.float32)
nn.CellList([net, nn.ReLU()])[0] @ x
nn.CellDict({'a': net, 'b': nn.ReLU()})['a'] @ x
nn.LossBase('sum').get_loss @ x
nn.LossBase('none').get_loss @ x, 0.5
nn.LossBase().get_loss @ x, Tensor([1.0, 0.0, 2.0], ms.float32)
"""
WRAPS_LAYOUT = (
    "The network is Dense(3, 2) with weight and bias, x and y are the data; array k has a row for every call: "
    "the outputs and then the parameters, flattened one after another."
)


def names() -> dict[str, Any]:
    """Return what an expression may use."""
    arrays = {name: Tensor(np.array(value, np.float32)) for name, value in ARRAYS.items()}
    net = nn.Dense(3, 2, arrays["weight"], arrays["bias"])
    mse = nn.MSELoss()
    weights = net.trainable_params()
    made = {"net": net, "mse": mse, "weights": weights, "loss": nn.WithLossCell(net, mse)}
    made |= {"sgd": nn.SGD(weights, 0.1), "scale": Parameter(Tensor(64.0, ms.float32), name="scale")}
    return made | {"nn": nn, "ms": ms, "Tensor": Tensor, "x": arrays["x"], "y": arrays["y"]}


def run(expression: str, inputs: str) -> tuple[dict[str, Any], np.ndarray]:
    """Call a cell some times; return a description and the values."""
    scope = names()
    cell = eval(expression, scope)
    params = [*scope["weights"], scope["scale"]]
    if isinstance(cell, nn.Cell):
        cell.set_train()
        params += [item for item in cell.get_parameters() if all(item is not known for known in params)]
    rows = []
    for _ in range(CALLS):
        output = plain(cell(*eval(f"({inputs},)", scope)))
        values = [to_numpy(item).astype(np.float64).ravel() for item in [*flatten(output), *params]]
        rows.append(np.concatenate(values))
    return {"output": structure(output), "parameters": [item.name for item in params]}, np.stack(rows)


def plain(output: Any) -> Any:
    """Return an output with the values of a dictionary in its place."""
    if isinstance(output, dict):
        return list(output.values())
    return [plain(item) for item in output] if isinstance(output, tuple | list) else output


def wraps() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the cases and their arrays."""
    cases, arrays = {}, {}
    for number, (expression, inputs) in enumerate(lines(WRAPS)):
        found, error = attempt(lambda: run(expression, inputs))  # noqa: B023
        key = f"{expression} @ {inputs}"
        if error is not None:
            cases[key] = {"error": error}
            continue
        case, values = found
        cases[key] = {"case": number} | case
        arrays[str(number)] = values
    return {"layout": WRAPS_LAYOUT, "arrays": ARRAYS, "cases": cases}, arrays
