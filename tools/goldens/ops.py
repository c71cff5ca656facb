"""Functions, primitives and tensor methods: outputs and gradients."""

import importlib
import re
import string
import warnings
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops, scipy

from .common import attempt, set_mode, to_numpy, write_json, write_npz
from .op_cases import ELEMENTWISE, REDUCE
from .op_cases_edges import EDGES
from .op_cases_gradients import GRADIENTS
from .op_cases_methods import METHODS, RANDOM
from .op_cases_primitives import PRIMITIVES
from .op_cases_shape import NETWORK, SHAPE
from .op_cases_spaces import SPACES
from .op_cases_states import STATES
from .sampling import Sampler, cotangents, flatten, gradients, is_float, lines, structure

LAYOUT = (
    "arrays of case k: k/in<n> inputs (named a, b, c, ... in the expression), k/out<n> the tensors of the output, "
    "flattened, k/ct<n> cotangents of its floating tensors, k/gin<n> gradients of the floating inputs, in order. "
    "output gives dtype[shape] per tensor, nested as returned, or the type and text of another value. A name without a "
    "module before it is a Primitive class; state(a) is a Parameter of the values of a, k/after<n> the values that the "
    "n-th has at last."
)
GROUPS = {
    "elementwise": ELEMENTWISE,
    "reduce": REDUCE,
    "shape": SHAPE,
    "network": NETWORK,
    "methods": METHODS,
    "edges": EDGES,
    "primitives": PRIMITIVES,
    "gradients": GRADIENTS,
    "states": STATES,
    "spaces": SPACES,
}
NAMES = {"ops": ops, "ms": ms, "mint": mint, "np": np, "scipy": scipy, "Tensor": Tensor}
FIXED = ("Assign", "assign", "ScatterAdd", "ScatterNdUpdate", "Parameter", "_(", "state(")
PRIVATE = (
    "_embedding_cache_ops _grad_ops _inner_ops _rl_inner_ops _sequence_ops "
    "array_ops math_ops nn_ops random_ops sparse_ops"
).split()
PLACES = [ops, *(importlib.import_module(f"mindspore.ops.operations.{name}") for name in PRIVATE), ops.auto_generate]


def classes(expression: str) -> dict[str, Any]:
    """Return the Primitive classes that an expression names, wherever MindSpore keeps them."""
    names = re.findall(r"(?<![.\w])[A-Z]\w+(?=\()", expression)
    return {name: next(getattr(place, name) for place in PLACES if hasattr(place, name)) for name in names}


def run(expression: str, inputs_text: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Evaluate a call; return a description and arrays."""
    text = f"{expression} @ {inputs_text}"
    arrays = eval(f"({inputs_text},)" if inputs_text else "()", Sampler(text).names())
    letters = string.ascii_lowercase[: len(arrays)]
    states: list[Parameter] = []

    def state(value: Tensor) -> Parameter:
        states.append(Parameter(value.copy(), name=f"state{len(states)}"))
        return states[-1]

    scope = {"state": state, **classes(expression), **NAMES}
    function = eval(f"lambda {', '.join(letters)}: {expression}", scope)
    inputs = [Tensor(item) for item in arrays]
    stored = {f"in{k}": np.asarray(item) for k, item in enumerate(arrays)}
    output = function(*inputs)
    leaves = flatten(output)
    stored |= {f"out{k}": to_numpy(item) for k, item in enumerate(leaves) if isinstance(item, Tensor)}
    stored |= {f"after{k}": to_numpy(item) for k, item in enumerate(states)}
    described = {"inputs": inputs_text, "output": structure(output)}
    weights = cotangents(leaves, text)
    if any(map(is_float, leaves)) and any(map(is_float, inputs)) and not any(word in expression for word in FIXED):
        inputs = [Tensor(item) for item in arrays]
        found, error = attempt(lambda: gradients(function, inputs, weights))
        if error is not None:
            return described | {"gradient_error": error}, stored
        stored |= {f"ct{k}": weight for k, weight in enumerate(weights) if weight is not None}
        stored |= {f"gin{k}": value for k, value in enumerate(found)}
    return described, stored


def sample(expression: str) -> dict[str, Any]:
    """Draw from a random function; return dtypes, shapes, and moments of each tensor to four digits."""

    def run_once() -> dict[str, Any]:
        ms.set_seed(1)
        output = eval(expression, dict(NAMES))
        arrays = [to_numpy(item).astype(np.float64) for item in flatten(output)]
        moments = [[item.min(), item.max(), item.mean(), item.std()] for item in arrays]
        return {
            "output": structure(output),
            "min max mean std": [[float(f"{number:.4g}") for number in row] for row in moments],
        }

    value, error = attempt(run_once)
    return {"error": error} if error is not None else value


def record(out: Path) -> None:
    """Write ``ops.json`` and ``ops.npz``; of random functions only dtypes, shapes and moments."""
    warnings.simplefilter("ignore")
    set_mode("pynative")
    cases: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    number = 0
    for group, text in GROUPS.items():
        for expression, inputs in lines(text):
            found, error = attempt(lambda: run(expression, inputs))  # noqa: B023
            key = f"{expression} @ {inputs}".strip()
            if error is not None:
                cases[key] = {"error": error, "group": group}
                continue
            case, stored = found
            cases[key] = {"case": number, "expression": expression, "group": group} | case
            arrays |= {f"{number}/{item}": value for item, value in stored.items()}
            number += 1
    write_json(
        out / "ops.json",
        {"layout": LAYOUT, "cases": cases, "random": {line: sample(line) for line in RANDOM.split("\n") if line}},
    )
    write_npz(out / "ops.npz", arrays)
