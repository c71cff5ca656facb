"""Layers and losses: parameters, outputs in both modes of training, and gradients."""

import warnings
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn

from .common import attempt, dtype_name, set_mode, to_numpy, write_json, write_npz
from .layer_cases import INITIAL, LAYERS
from .layer_cases_losses import LOSSES
from .layer_cases_mint import MINT
from .layer_cases_plain import PLAIN
from .layer_wraps import wraps
from .sampling import Sampler, cotangents, flatten, gradients, is_float, lines, structure

LAYOUT = (
    "arrays of case k: k/in<n> inputs (tuples flattened), k/p<n> parameter values loaded before each run, k/eval<n> "
    "and k/train<n> outputs (train only where it differs), k/ct<n> cotangents of floating outputs, k/gin<n> gradients "
    "(training mode) of the floating inputs that are tensors themselves, k/gp<n> gradients of the parameters with "
    "requires_grad, k/egin<n> and k/egp<n> the same in eval mode if the outputs differ there, k/after<n> values of the "
    "other parameters after a forward run in training mode. drawn: the output in training mode is random, there are "
    "no gradients. mode: graph if PyNative mode has no kernel. gradient_of_first: the gradients of all inputs fail. "
    "! after a parameter: requires_grad is False; = x: its default is x throughout. initial: least, greatest, mean, "
    "standard deviation and number of zeros of the defaults of large layers."
)


SCOPE = {"nn": nn, "mint": mint, "Tensor": Tensor, "ms": ms, "np": np, "OrderedDict": OrderedDict}
# The graph mode of MindSpore ends the process here.
CRASHES = ("mint.nn.BatchNorm2d(3, affine=False)",)
SECTIONS = {"layers": LAYERS + PLAIN, "losses": LOSSES, "mint_layers": MINT}


def tensors(value: Any) -> Any:
    """Return tensors for the arrays in nested tuples."""
    if isinstance(value, tuple):
        return tuple(tensors(item) for item in value)
    return Tensor(value) if isinstance(value, np.ndarray | np.generic) else value


def parameter_values(cell: nn.Cell, text: str) -> list[np.ndarray]:
    """Return small random values for parameters, positive ones for variances; constants keep their values."""
    sampler = Sampler(text + " parameters")
    values = []
    for item in cell.get_parameters():
        if not item.requires_grad and not any(word in item.name for word in ("mean", "variance", "gamma", "beta")):
            values.append(to_numpy(item))
            continue
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


def described(item: Parameter) -> str:
    """Return a parameter's name, dtype and shape, whether it is trained, and its default if that is one number."""
    value = to_numpy(item)
    constant = f" = {float(value.flat[0]):g}" if value.size and (value == value.flat[0]).all() else ""
    mark = "" if item.requires_grad else "!"
    return f"{item.name}: {dtype_name(item)}{list(item.shape)}{mark}{constant}"


def graph_gradients(cell: nn.Cell, inputs: list[Any], weights: list[np.ndarray | None], params: Any) -> list[Any]:
    """Return what ``gradients`` does for a cell with one output, written so that graph mode can follow."""
    weight = Tensor(weights[0])

    def scalar(*args: Any) -> Tensor:
        return (cell(*args) * weight).sum()

    positions = tuple(k for k, item in enumerate(inputs) if is_float(item))
    return [to_numpy(item) for item in flatten(ms.grad(scalar, positions or None, params)(*inputs))]


def run(
    constructor: str, inputs_text: str, derive: Callable = gradients
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Build a cell, load values, run it in both modes; return a description and arrays."""
    text = f"{constructor} @ {inputs_text}"
    ms.set_seed(0)
    cell = eval(constructor, SCOPE)
    arrays = eval(f"({inputs_text},)" if inputs_text.strip() else "()", Sampler(text).names())
    inputs = list(tensors(arrays))
    values = parameter_values(cell, text)
    params = list(cell.get_parameters())
    case = {"inputs": inputs_text, "parameters": [described(item) for item in params]}
    stored = numbered("in", flatten(list(arrays))) | numbered("p", values)

    def forward(training: bool) -> list[Any]:
        load(cell, values)
        output = cell.set_train(training)(*inputs)
        case["output"] = structure(output)
        return flatten(output)

    outputs = forward(False)
    trained = forward(True)
    stored |= numbered("eval", outputs) | numbered("after", [item for item in params if not item.requires_grad])
    differs = not same(outputs, trained)
    if differs:
        stored |= numbered("train", trained)
        if not same(trained, forward(True)):
            return case | {"drawn": True}, stored
    weights = cotangents(trained, text)
    trainable = [item for item in params if item.requires_grad]
    floating = [item for item in inputs if is_float(item)]
    if not any(w is not None for w in weights) or not trainable + floating:
        return case, stored
    stored |= {f"ct{k}": weight for k, weight in enumerate(weights) if weight is not None}
    for training, prefix in ((True, "g"), (False, "eg"))[: 1 + differs]:
        load(cell, values)
        cell.set_train(training)
        found, error = attempt(lambda: derive(cell, inputs, weights, trainable or None))
        if error is not None and len(floating) > 1:
            case["gradient_of_first"] = True
            found, error = attempt(lambda: gradients(lambda x: cell(x, *inputs[1:]), inputs[:1], weights))
        if error is not None:
            return case | {"gradient_error": error}, stored
        split = len(found) - len(trainable)
        stored |= numbered(prefix + "in", found[:split]) | numbered(prefix + "p", found[split:])
    return case, stored


def refused(constructor: str, inputs: str, error: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the description and the inputs of a case that failed, so that others can be asked."""
    arrays = eval(f"({inputs},)" if inputs else "()", Sampler(f"{constructor} @ {inputs}").names())
    return {"inputs": inputs, "error": error}, numbered("in", flatten(list(arrays)))


def same(left: list[Any], right: list[Any]) -> bool:
    """Return whether two lists of outputs hold equal tensors."""
    pairs = [pair for pair in zip(left, right, strict=True) if isinstance(pair[0], Tensor)]
    return all(np.array_equal(to_numpy(a), to_numpy(b), equal_nan=True) for a, b in pairs)


def initial(constructor: str) -> dict[str, list[float]]:
    """Return what is known of the distribution of each parameter's default."""
    ms.set_seed(0)
    values = {item.name: to_numpy(item).astype(np.float64) for item in eval(constructor, SCOPE).get_parameters()}
    return {
        name: [*(float(f"{x:.5g}") for x in (v.min(), v.max(), v.mean(), v.std())), int((v == 0).sum())]
        for name, v in values.items()
    }


def record(out: Path) -> None:
    """Write ``layers``, ``losses``, ``mint_layers`` and ``wraps``, each as ``.json`` and ``.npz``."""
    warnings.simplefilter("ignore")
    set_mode("pynative")
    for name, text in SECTIONS.items():
        cases: dict[str, Any] = {}
        arrays: dict[str, np.ndarray] = {}
        for number, (constructor, inputs) in enumerate(lines(text)):
            found, error = attempt(lambda: run(constructor, inputs))  # noqa: B023
            if error is not None and not constructor.startswith(CRASHES):
                set_mode("graph")
                found, failed = attempt(lambda: run(constructor, inputs, graph_gradients))  # noqa: B023
                set_mode("pynative")
                if failed is None:
                    found[0]["mode"], error = "graph", None
            key = f"{constructor} @ {inputs}"
            case, stored = found if error is None else refused(constructor, inputs, error)
            cases[key] = {"case": number, "constructor": constructor} | case
            arrays |= {f"{number}/{item}": value for item, value in stored.items()}
        extra = {"initial": {text: initial(text) for text in INITIAL.split("\n") if text}} if name == "layers" else {}
        write_json(out / f"{name}.json", {"layout": LAYOUT, "cases": cases} | extra)
        write_npz(out / f"{name}.npz", arrays)
    described_wraps, arrays = wraps()
    write_json(out / "wraps.json", described_wraps)
    write_npz(out / "wraps.npz", arrays)
