"""Layers and losses: parameters, outputs in both modes of training, and gradients."""

import warnings
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

from .common import attempt, set_mode, to_numpy, write_json, write_npz
from .layer_cases import LAYERS, LOSSES
from .sampling import Sampler, cotangents, flatten, gradients, is_float, lines, structure

LAYOUT = (
    "arrays of case k: k/in<n> inputs (tuples flattened), k/p<n> parameter values loaded before each run, k/eval<n> "
    "and k/train<n> outputs, k/ct<n> cotangents of floating outputs, k/gin<n> gradients (training mode) of the "
    "floating inputs that are tensors themselves, k/gp<n> gradients of the parameters with requires_grad, k/after<n> "
    "values of the other parameters after a forward run in training mode. ! after a name: requires_grad is False."
)


def tensors(value: Any) -> Any:
    """Return tensors for the arrays in nested tuples."""
    if isinstance(value, tuple):
        return tuple(tensors(item) for item in value)
    return Tensor(value) if isinstance(value, np.ndarray | np.generic) else value


def parameter_values(cell: nn.Cell, text: str) -> list[np.ndarray]:
    """Return small random values for the parameters; positive ones for variances."""
    sampler = Sampler(text + " parameters")
    values = []
    for item in cell.get_parameters():
        value = 0.5 * sampler.r(*item.shape)
        if "variance" in item.name:
            value = np.abs(value) + 0.5
        values.append(np.asarray(value, np.float32).round(3))
    return values


def load(cell: nn.Cell, values: list[np.ndarray]) -> None:
    """Set the parameters' values."""
    for item, value in zip(cell.get_parameters(), values, strict=True):
        item.set_data(Tensor(value, item.dtype))


def numbered(prefix: str, values: list[Any]) -> dict[str, np.ndarray]:
    """Return arrays under numbered names; what is not a tensor or an array is left out."""
    arrays = {}
    for number, value in enumerate(values):
        if isinstance(value, Tensor):
            arrays[f"{prefix}{number}"] = to_numpy(value)
        elif isinstance(value, np.ndarray | np.generic):
            arrays[f"{prefix}{number}"] = np.asarray(value)
    return arrays


def run(constructor: str, inputs_text: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Build a cell, load values, run it in both modes; return a description and arrays."""
    text = f"{constructor} @ {inputs_text}"
    cell = eval(constructor, {"nn": nn, "Tensor": Tensor, "ms": ms, "np": np})
    arrays = eval(f"({inputs_text},)" if inputs_text.strip() else "()", Sampler(text).names())
    inputs = list(tensors(arrays))
    values = parameter_values(cell, text)
    params = list(cell.get_parameters())
    stored = numbered("in", flatten(list(arrays))) | numbered("p", values)
    load(cell, values)
    output = cell.set_train(False)(*inputs)
    stored |= numbered("eval", flatten(output))
    load(cell, values)
    trained = flatten(cell.set_train(True)(*inputs))
    stored |= numbered("train", trained)
    stored |= numbered("after", [item for item in params if not item.requires_grad])
    described = {
        "inputs": inputs_text,
        "output": structure(output),
        "parameters": [f"{item.name}{list(item.shape)}{'' if item.requires_grad else '!'}" for item in params],
    }
    weights = cotangents(trained, text)
    trainable = [item for item in params if item.requires_grad]
    if any(weight is not None for weight in weights) and (trainable or any(is_float(item) for item in inputs)):
        load(cell, values)
        found, error = attempt(lambda: gradients(cell, inputs, weights, trainable or None))
        stored |= {f"ct{k}": weight for k, weight in enumerate(weights) if weight is not None}
        if error is not None:
            return described | {"gradient_error": error}, stored
        split = len(found) - len(trainable)
        stored |= numbered("gin", found[:split]) | numbered("gp", found[split:])
    return described, stored


def record(out: Path) -> None:
    """Write ``layers.json`` and ``layers.npz``, ``losses.json`` and ``losses.npz``."""
    warnings.simplefilter("ignore")
    set_mode("pynative")
    for name, text in (("layers", LAYERS), ("losses", LOSSES)):
        cases: dict[str, Any] = {}
        arrays: dict[str, np.ndarray] = {}
        for number, (constructor, inputs) in enumerate(lines(text)):
            found, error = attempt(lambda: run(constructor, inputs))  # noqa: B023
            key = f"{constructor} @ {inputs}"
            if error is not None:
                cases[key] = {"error": error}
                continue
            case, stored = found
            cases[key] = {"case": number, "constructor": constructor} | case
            arrays |= {f"{number}/{item}": value for item, value in stored.items()}
        write_json(out / f"{name}.json", {"layout": LAYOUT, "cases": cases})
        write_npz(out / f"{name}.npz", arrays)
