"""Functions, methods and Primitive classes compute what MindSpore 2.7.0 computed: results, gradients, what is written."""

import re
import string
from typing import Any

import call_differences as differences
import numpy as np
import pytest
from laws.operators import leaves
from recorded import TOLERANCE, Recorded, close, entry, numbered

import sporax as ms
from sporax import Parameter, Tensor, mint, ops, scipy

OPS = Recorded("ops")
CASES = [key for key, case in OPS.told["cases"].items() if "error" not in case]
SCOPE = {"ops": ops, "ms": ms, "mint": mint, "np": np, "scipy": scipy, "Tensor": Tensor}


def structure(value: Any) -> Any:
    """Return nested lists of dtype and shape, or the text of a value that is not a Tensor."""
    if isinstance(value, tuple | list):
        return [structure(item) for item in value]
    if isinstance(value, Tensor):
        return f"{str(value.dtype).lower()}{list(value.shape)}".replace(" ", "")
    return f"{type(value).__name__}: {value!r}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", CASES)
def test_call(key: str) -> None:
    """One recorded call."""
    left_out = entry(differences.CALLS, key, "")
    if left_out == "call":
        return
    case = OPS.told["cases"][key]
    arrays = OPS.arrays_of(case)
    inputs = [Tensor(array) for _, array in numbered("in", arrays)]
    states: list[Parameter] = []

    def state(value: Tensor) -> Parameter:
        states.append(Parameter(value.copy(), name=f"state{len(states)}"))
        return states[-1]

    expression = case["expression"]
    classes = {name: getattr(ops, name) for name in re.findall(r"(?<![.\w])[A-Z]\w+(?=\()", expression)}
    letters = ", ".join(string.ascii_lowercase[: len(inputs)])
    function = eval(f"lambda {letters}: {expression}", {"state": state, **classes, **SCOPE})
    output = function(*inputs)
    tolerance = entry(differences.LOOSER, key, TOLERANCE)
    if "values" not in left_out:
        assert structure(output) == case["output"]
        found = leaves(output)
        for k, want in numbered("out", arrays):
            close(found[k], want, f"output {k}", tolerance)
    for k, want in () if "state" in left_out else numbered("after", arrays):
        close(states[k], want, f"state {k}", tolerance)
    weights = dict(numbered("ct", arrays))
    if left_out.endswith("gradient") or not weights:
        return

    def scalar(*xs: Tensor) -> Any:
        results = leaves(function(*xs))
        return sum((results[k] * Tensor(w).astype(results[k].dtype)).sum() for k, w in weights.items())

    inputs = [Tensor(array) for _, array in numbered("in", arrays)]
    positions = tuple(k for k, x in enumerate(inputs) if x._data.dtype.kind in "fcV")
    found = leaves(ms.grad(scalar, positions)(*inputs))
    limit = int(left_out.split()[-1]) if "gradient" in left_out else None
    for k, want in list(numbered("gin", arrays))[:limit]:
        close(found[k], want, f"gradient {k}", tolerance)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", [e for e, told in OPS.told["random"].items() if "error" not in told])
def test_draw(expression: str) -> None:
    """A recorded call that draws: dtypes and shapes, of large results also mean and standard deviation."""
    told = OPS.told["random"][expression]
    output = eval(expression, dict(SCOPE))
    assert structure(output) == told["output"]
    for tensor, (low, high, mean, deviation) in zip(leaves(output), told["min max mean std"], strict=True):
        value = tensor.asnumpy().astype(np.float64)
        if value.size >= 100 and "auchy" not in expression:  # that distribution has no moments
            reach = deviation * 4 + 1e-6
            assert low - reach <= value.min() and value.max() <= high + reach
            error = 10 * deviation / np.sqrt(value.size) + 1e-6
            assert abs(value.mean() - mean) < error and abs(value.std() - deviation) < error
